// Counts and records a failed proof of a password, at sign-in and at re-authentication.
import { allTenants, type Database } from '../../store/database.ts';
import { type SessionClient, type SessionUser, writeSessionEntry } from '../audit/operations.ts';
import { fullName } from '../tokens/rules.ts';
import { recordFailedLogin } from './login-store.ts';
import type { AccountRow } from './store.ts';

export const sessionUserOf = (user: AccountRow): SessionUser => ({
  id: user.id,
  name: fullName(user.first_name, user.last_name),
  organisationId: user.organisation_id,
  organisationCode: user.code,
});

/** Attempts while the account is locked are neither counted nor recorded, so that a flood does not fill the audit trail. */
export async function refuseSignIn(database: Database, user: AccountRow, client: SessionClient): Promise<void> {
  const isLocking = await recordFailedLogin(database, allTenants, user.id, client.clientAddress);
  await writeSessionEntry(
    database,
    sessionUserOf(user),
    client,
    'sign-in-refused',
    ...(isLocking ? ['lock' as const] : []),
  );
}
