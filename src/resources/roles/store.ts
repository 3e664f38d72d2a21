// Queries on roles.
import { sql } from 'kysely';
import type { Database, Scope } from '../../store/database.ts';
import type { Policy } from '../../store/tables.ts';

const columns = ['id', 'name', 'policies', 'revision', 'organisation_id'] as const;

/** The built-in roles and those of the organisation. */
export const listRoles = (database: Database, scope: Scope) =>
  database
    .selectFrom('roles')
    .select(columns)
    .where((where) =>
      where.or([where('organisation_id', 'is', null), where('organisation_id', '=', scope.organisationId)]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** The number of the organisation's own roles, and of their policies. */
export const countOwnRoles = (database: Database, scope: Scope) =>
  database
    .selectFrom('roles')
    .select([
      sql<number>`count(*)::integer`.as('roles'),
      sql<number>`coalesce(sum(jsonb_array_length(policies)), 0)::integer`.as('policies'),
    ])
    .where('organisation_id', '=', scope.organisationId)
    .executeTakeFirstOrThrow();

export const findRole = (database: Database, scope: Scope, name: string) =>
  database
    .selectFrom('roles')
    .select(columns)
    .where('name', '=', name)
    .where((where) =>
      where.or([where('organisation_id', 'is', null), where('organisation_id', '=', scope.organisationId)]),
    )
    .executeTakeFirst();

/** Locks a role of the organisation. For removal the lock also blocks transactions that assign the role to a user. */
export function lockOwnRole(database: Database, scope: Scope, id: string, purpose: 'change' | 'remove') {
  const query = database
    .selectFrom('roles')
    .select(columns)
    .where('id', '=', id)
    .where('organisation_id', '=', scope.organisationId);
  return (purpose === 'change' ? query.forNoKeyUpdate() : query.forUpdate()).executeTakeFirst();
}

/** By id, in any organisation: a caller who acts for a child organisation has a role of the parent. */
export const findRolePolicies = (database: Database, id: string) =>
  database.selectFrom('roles').select(['policies', 'revision']).where('id', '=', id).executeTakeFirst();

export const insertRole = (database: Database, scope: Scope, name: string, policies: Policy[]) =>
  database
    .insertInto('roles')
    .values({ organisation_id: scope.organisationId, name, policies: JSON.stringify(policies) })
    .returning(columns)
    .executeTakeFirstOrThrow();

export const updateRole = (database: Database, scope: Scope, id: string, policies: Policy[]) =>
  database
    .updateTable('roles')
    .set((set) => ({
      policies: JSON.stringify(policies),
      revision: set('revision', '+', 1),
      updated_at: sql<string>`clock_timestamp()`,
    }))
    .where('id', '=', id)
    .where('organisation_id', '=', scope.organisationId)
    .execute();

export const deleteRole = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('roles').where('id', '=', id).where('organisation_id', '=', scope.organisationId).execute();
