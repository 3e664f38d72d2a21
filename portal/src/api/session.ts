// The session. Only this module holds the access token; an HttpOnly cookie renews it.
import { useSyncExternalStore } from 'react';
import { ApiProblem, problemFromResponse } from './problems.ts';

export type Session =
  | { status: 'starting' }
  | { status: 'out'; reason?: 'ended' | 'unreachable' }
  | { status: 'in'; token: string; userId: string };

let session: Session = { status: 'starting' };
const listeners = new Set<() => void>();
let hasUserActivity = true;
for (const event of ['pointerdown', 'keydown', 'wheel'])
  window.addEventListener(
    event,
    () => {
      hasUserActivity = true;
    },
    { passive: true },
  );

function setSession(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);
export const currentToken = (): string | undefined => (session.status === 'in' ? session.token : undefined);

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`/portal/session${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await problemFromResponse(response);
  return response;
}

interface SessionGrant {
  accessToken: string | null;
  userId: string | null;
}

/** If another user has signed in meanwhile, reloads the page and never resolves: no request uses their token. */
async function acceptGrant({ accessToken, userId }: SessionGrant, lost: Session): Promise<void> {
  if (accessToken === null || userId === null) return setSession(lost);
  if (session.status === 'in' && session.userId !== userId) {
    window.location.reload();
    return new Promise(() => undefined);
  }
  setSession({ status: 'in', token: accessToken, userId });
}

let pendingRenewal: Promise<void> | undefined;

/** Fetches a new access token and reports user activity. Concurrent calls share one request. */
export function renew(): Promise<void> {
  if (pendingRenewal) return pendingRenewal;
  const lost: Session = session.status === 'in' ? { status: 'out', reason: 'ended' } : { status: 'out' };
  const isUsed = hasUserActivity;
  hasUserActivity = false;
  pendingRenewal = post('/renew', { isUsed })
    .then(async (response) => acceptGrant(await response.json(), lost))
    .catch((error) => {
      hasUserActivity ||= isUsed;
      // An unreachable server does not end a session.
      if (session.status !== 'in') setSession({ status: 'out', reason: 'unreachable' });
      if (!(error instanceof ApiProblem)) throw error;
    })
    .finally(() => {
      pendingRenewal = undefined;
    });
  return pendingRenewal;
}

export async function signIn(username: string, password: string): Promise<void> {
  const response = await post('', { username, password });
  await acceptGrant(await response.json(), { status: 'out' });
}

export async function signOut(everywhere: boolean): Promise<void> {
  await post('/end', { everywhere });
  setSession({ status: 'out' });
}

export const requestPasswordReset = async (username: string): Promise<string> =>
  (await (await post('/reset', { username })).json()).status;
