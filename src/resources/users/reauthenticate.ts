// A change of the own password or e-mail address requires the current password, and one of another user's an access
// token: a token alone must not become an account.
import { invalid, problem } from '../../errors/problems.ts';
import type { Caller } from '../../http/route.ts';
import { allTenants, type Store } from '../../store/database.ts';
import { refusePersonalToken } from '../tokens/operations.ts';
import type { Passwords, PreparedPassword } from './passwords.ts';
import { refuseSignIn } from './refuse-sign-in.ts';
import { emailKey } from './rules.ts';
import { findAccount, findAccountToSignIn } from './store.ts';

export interface ReauthenticationTools {
  store: Store;
  passwords: Passwords;
  /** Serializes sign-ins to one account. */
  withAccountMutex: <T>(key: string, work: () => Promise<T>) => Promise<T>;
}

export interface OwnChange {
  email?: string;
  password?: string;
  currentPassword?: string;
}

export interface PreparedChange {
  password: PreparedPassword | undefined;
  /** Whether the caller may change the e-mail address. */
  isAuthenticated: boolean;
}

async function verifyCurrentPassword(
  { store, passwords, withAccountMutex }: ReauthenticationTools,
  { userId }: Caller,
  email: string,
  clientAddress: string,
  password: string,
): Promise<void> {
  // Serialized with sign-ins, so that concurrent guesses get no more tries than sequential ones.
  const isRight = await withAccountMutex(emailKey(email), async () => {
    const { user, matches } = await passwords.withHashingPermit(async () => {
      const found = await store.read(allTenants, (database) =>
        findAccountToSignIn(database, allTenants, { userId }, clientAddress),
      );
      const isOpen = found !== undefined && !found.locked;
      return { user: found, matches: isOpen && (await passwords.verify(found.password_hash, password)) };
    });
    // Without the permit: the write may wait for a lock.
    if (user && !user.locked && !matches)
      await store.writeOnBehalf(user.organisation_id, (database) => refuseSignIn(database, user, { clientAddress }));
    return matches;
  });
  if (!isRight)
    throw invalid('currentPassword', 'is not your password, or the account is locked', 'CurrentPasswordWrong');
}

/** Checks the current password where the change needs it, then checks and hashes the new one. Cheap checks come first. */
export async function prepareOwnChange(
  tools: ReauthenticationTools,
  caller: Caller,
  clientAddress: string,
  change: OwnChange,
): Promise<PreparedChange> {
  const { email, password, currentPassword } = change;
  const prepare = () => tools.passwords.prepare(caller.userId, password);
  if (caller.token.kind === 'reset') return { password: await prepare(), isAuthenticated: true };
  if (password === undefined && email === undefined) return { password: undefined, isAuthenticated: false };
  const user = await tools.store.read(allTenants, (database) => findAccount(database, allTenants, caller.userId));
  if (!user) throw problem('InvalidToken');
  if (password === undefined && email === user.email) return { password: undefined, isAuthenticated: false };
  refusePersonalToken(caller);
  if (currentPassword === undefined)
    throw invalid('currentPassword', 'is required to change the password or the e-mail address');
  await verifyCurrentPassword(tools, caller, user.email, clientAddress, currentPassword);
  return { password: await prepare(), isAuthenticated: true };
}

/** The same for a user whom the caller may manage, who may be the caller. */
export async function prepareManagedChange(
  tools: ReauthenticationTools,
  caller: Caller,
  clientAddress: string,
  user: { id: string; email: string },
  change: OwnChange,
): Promise<PreparedChange> {
  if (user.id === caller.userId) return prepareOwnChange(tools, caller, clientAddress, change);
  const isChanged = change.password !== undefined || (change.email !== undefined && change.email !== user.email);
  if (isChanged) refusePersonalToken(caller);
  return { password: await tools.passwords.prepare(caller.userId, change.password), isAuthenticated: isChanged };
}

/** Fails if the address has changed since the change was found to need no authentication. */
export function requireAuthentication(
  { isAuthenticated }: PreparedChange,
  current: { email: string },
  { email }: { email?: string },
): void {
  if (email !== undefined && email !== current.email && !isAuthenticated) throw problem('Conflict');
}
