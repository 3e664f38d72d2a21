// Finds the identity behind a token, and re-checks it within a writing transaction.
import type { EpochCache } from '../../cache/epoch-cache.ts';
import { problem } from '../../errors/problems.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Authenticator, Identity } from '../../http/auth/authorize.ts';
import { createTokenDigestCache } from '../../http/auth/token-digest-cache.ts';
import type { Caller } from '../../http/route.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import { recordObservedTime } from '../../store/monotonic-now.ts';
import { fullName, hashToken, tokenKindOf } from './rules.ts';
import { findCallerRole, findHolder, type HolderRow } from './store.ts';

export type TokenAuthenticator = Pick<Authenticator, 'digest' | 'identify'>;

/**
 * Finds the identity behind a token. Unknown, expired and revoked tokens and disabled users all give undefined.
 * Identities are cached until one of their tables changes or the token expires; a failed lookup is never cached.
 */
export function createTokenAuthenticator(
  store: Store,
  keys: Keys,
  cache: EpochCache<Identity | undefined>,
): TokenAuthenticator {
  const dependenciesOf = (organisationId: string): number[] => [
    // Changes of children advance the epoch of their parent too. Built-in roles belong to no organisation.
    ...['tokens', 'users', 'roles', 'organisations'].map((table) => store.epochs.indexOf(table, organisationId)),
    store.epochs.indexOf('roles', ''),
  ];
  return {
    digest: createTokenDigestCache((token) => {
      const kind = tokenKindOf(token);
      if (!kind || kind === 'refresh') return undefined;
      const hash = hashToken(keys, token);
      return { kind, hash, key: hash.toString('latin1') };
    }),
    identify({ kind, hash, key: digestKey }, childId) {
      const key = digestKey + (childId ?? '');
      const read = async () => {
        const found = await store.read(allTenants, (database) => findHolder(database, allTenants, hash, childId));
        if (found?.is_expired && found.is_unrecorded)
          await store.write(allTenants, (database) => recordObservedTime(database, allTenants, found.expires_at));
        if (!found || found.is_expired) return { value: undefined, bytes: 0, dependencies: undefined };
        return {
          value: identityOf(found, kind),
          bytes: identityBytes,
          dependencies: dependenciesOf(found.organisation_id),
          ttlMs: found.expires_in_ms,
        };
      };
      return cache.get(key) ?? cache.fill(key, read);
    },
  };
}

/** Estimated size of a cached identity. */
const identityBytes = 1000;

const identityOf = (found: HolderRow, kind: Caller['token']['kind']): Identity => ({
  caller: {
    userId: found.user_id,
    userName: fullName(found.first_name, found.last_name),
    organisation: { id: found.organisation_id, code: found.code, reseller: found.reseller },
    role: { id: found.role_id, name: found.role_name, revision: found.revision },
    token: { id: found.token_id, kind, familyId: found.family_id },
  },
  child:
    found.child_id && found.child_code
      ? { organisationId: found.child_id, organisationCode: found.child_code }
      : undefined,
});

/**
 * Throws if the caller was revoked or changed role since authentication. Every writing transaction checks it, because a
 * body can take half a minute to arrive; operations that issue or consume a credential check again after locking the
 * user.
 */
export async function recheckCaller(database: Database, caller: Caller): Promise<void> {
  const current = await findCallerRole(database, allTenants, caller.userId, caller.token.id);
  if (!current) throw problem('InvalidToken');
  if (current.role_id !== caller.role.id || current.revision !== caller.role.revision) throw problem('Conflict');
}
