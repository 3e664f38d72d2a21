// Who is signed in. The access token lives in this module's memory and nowhere else; a cookie that no script can read renews it.
import { useSyncExternalStore } from 'react';
import { ApiProblem, problemIn } from './problems.ts';

export type Session =
  | { status: 'starting' }
  | { status: 'out'; reason?: 'ended' | 'unreachable' }
  | { status: 'in'; token: string };

let session: Session = { status: 'starting' };
const listeners = new Set<() => void>();
let renewal: ReturnType<typeof setTimeout> | undefined;

function become(next: Session): void {
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
  if (!response.ok) throw await problemIn(response);
  return response;
}

interface Granted {
  accessToken: string | null;
  expiresIn: number;
}

function take({ accessToken, expiresIn }: Granted, lost: Session): void {
  clearTimeout(renewal);
  if (accessToken === null) {
    become(lost);
    return;
  }
  become({ status: 'in', token: accessToken });
  // Well before it expires. A computer that slept renews with its first request.
  renewal = setTimeout(() => void renew(), (expiresIn * 1000 * 3) / 4);
}

let renewing: Promise<void> | undefined;

/** Another access token, if the session still stands; many who ask at once are given the same. */
export function renew(): Promise<void> {
  const lost: Session = session.status === 'in' ? { status: 'out', reason: 'ended' } : { status: 'out' };
  renewing ??= post('/renew', {})
    .then(async (response) => take(await response.json(), lost))
    .catch((error) => {
      // A server that is away is no reason to throw somebody out who is in.
      if (session.status !== 'in') become({ status: 'out', reason: 'unreachable' });
      if (!(error instanceof ApiProblem)) throw error;
    })
    .finally(() => {
      renewing = undefined;
    });
  return renewing;
}

export async function signIn(username: string, password: string): Promise<void> {
  const response = await post('', { username, password });
  take(await response.json(), { status: 'out' });
}

export async function signOut(everywhere: boolean): Promise<void> {
  await post('/end', { everywhere });
  clearTimeout(renewal);
  become({ status: 'out' });
}

export const askReset = async (username: string): Promise<string> =>
  (await (await post('/reset', { username })).json()).status;
