// Groups in a fabric: whose turn it is to change one, where somebody has to go, and everything of one that a fabric must know.
import { sql } from 'kysely';
import type { Fault } from '../fabric/blueprint.ts';
import { countOf } from '../store/counting.ts';
import type { Database, Everywhere, Scope } from '../store/database.ts';
import type { State } from '../store/tables.ts';

const now = sql<string>`clock_timestamp()`;

export const addErrand = (database: Database, _scope: Scope | Everywhere, groupId: string) =>
  database.insertInto('errands').values({ group_id: groupId }).execute();

/** The turn to change a group's fabric, unless somebody else has it. */
export async function takeGroup(
  database: Database,
  _scope: Everywhere,
  groupId: string,
  seconds: number,
): Promise<number | undefined> {
  const token = sql<string>`nextval('fabric_tokens')`;
  const until = sql<string>`clock_timestamp() + make_interval(secs => ${seconds})`;
  const row = await database
    .insertInto('fabric_groups')
    .values({ group_id: groupId, token, held_until: until })
    .onConflict((conflict) =>
      conflict.column('group_id').doUpdateSet({ token, held_until: until }).where('fabric_groups.held_until', '<', now),
    )
    .returning('token')
    .executeTakeFirst();
  return row && Number(row.token);
}

export async function keepGroup(
  database: Database,
  _scope: Everywhere,
  groupId: string,
  token: number,
  seconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('fabric_groups')
    .set({ held_until: sql<string>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('group_id', '=', groupId)
    .where('token', '=', String(token))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a turn. What was changed may have helped or harmed others of the group: somebody should look. */
export const leaveGroup = (
  database: Database,
  _scope: Everywhere,
  groupId: string,
  token: number,
  wasChanged: boolean,
) =>
  database
    .updateTable('fabric_groups')
    .set({ held_until: '-infinity', ...(wasChanged ? { is_due: true } : {}) })
    .where('group_id', '=', groupId)
    .where('token', '=', String(token))
    .execute();

/** Ends a turn after which the fabric holds nothing of the group. */
export const forgetGroup = (database: Database, _scope: Everywhere, groupId: string, token: number) =>
  database.deleteFrom('fabric_groups').where('group_id', '=', groupId).where('token', '=', String(token)).execute();

export const markSwept = (database: Database, _scope: Everywhere, groupId: string) =>
  database.updateTable('fabric_groups').set({ swept_at: now, is_due: false }).where('group_id', '=', groupId).execute();

/** The groups whose fabric was not looked at for some time, the longest first; those where something is under way are left alone. */
export async function listUnswept(
  database: Database,
  _scope: Everywhere,
  seconds: number,
  most: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('fabric_groups')
    .select('group_id')
    .where(sql<boolean>`(is_due or swept_at < clock_timestamp() - make_interval(secs => ${seconds}))`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('id')
            .whereRef('deployments.group_id', '=', 'fabric_groups.group_id')
            .where(sql<boolean>`is_open`),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('errands').select('id').whereRef('errands.group_id', '=', 'fabric_groups.group_id'))),
    )
    .orderBy('swept_at')
    .limit(most)
    .execute();
  return rows.map(({ group_id }) => group_id);
}

export async function listErrands(database: Database, _scope: Everywhere, afterSeconds: number): Promise<string[]> {
  const rows = await database
    .selectFrom('errands')
    .select('group_id')
    .distinct()
    .where('asked_at', '<', sql<string>`clock_timestamp() - make_interval(secs => ${afterSeconds})`)
    .limit(100)
    .execute();
  return rows.map(({ group_id }) => group_id);
}

/** The errands to a group that can be seen now. (Their numbers are not in the order in which they become visible.) */
export async function listErrandsTo(database: Database, _scope: Everywhere, groupId: string): Promise<string[]> {
  const rows = await database.selectFrom('errands').select('id').where('group_id', '=', groupId).execute();
  return rows.map(({ id }) => id);
}

export const endErrands = (database: Database, _scope: Everywhere, ids: string[]) =>
  database.deleteFrom('errands').where('id', 'in', ids).execute();

/** An errand that failed is tried again later. */
export const putOffErrands = (database: Database, _scope: Everywhere, groupId: string, seconds: number) =>
  database
    .updateTable('errands')
    .set({ asked_at: sql<string>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('group_id', '=', groupId)
    .execute();

export interface GroupRows {
  exists: boolean;
  hasErrands: boolean;
  routers: { id: string; number: string; edge_code: string }[];
  connectors: {
    id: string;
    organisation_id: string;
    name: string;
    number: string;
    router_id: string;
    state: State;
    status: number;
    family: string | null;
    details: Record<string, unknown>;
    bandwidth_bps: string;
    latitude: number;
    longitude: number;
    fault: Fault | null;
    is_open: boolean | null;
    cause: string | null;
  }[];
  links: {
    id: string;
    organisation_id: string;
    name: string;
    number: string;
    state: State;
    from_id: string;
    to_id: string;
    is_open: boolean | null;
    cause: string | null;
  }[];
  secrets: { connector_id: string; field: string; key_id: string; sealed: Buffer }[];
}

/** Everything of a group that a fabric must know: what was ever to be deployed. */
export async function readGroup(database: Database, scope: Everywhere, groupId: string): Promise<GroupRows> {
  const hasErrands = (await listErrandsTo(database, scope, groupId)).length > 0;
  const group = await database
    .selectFrom('groups')
    .select('organisation_id')
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (!group) return { exists: false, hasErrands, routers: [], connectors: [], links: [], secrets: [] };
  const { organisation_id } = group;
  const routers = await database
    .selectFrom('routers')
    .select(['id', 'number', 'edge_code'])
    .where('organisation_id', '=', organisation_id)
    .where('group_id', '=', groupId)
    .orderBy('number')
    .execute();
  const connectors = await database
    .selectFrom('connectors')
    .innerJoin('cities', 'cities.locode', 'connectors.locode')
    .leftJoin('families', 'families.id', 'connectors.family_id')
    .leftJoin('far_end_faults', 'far_end_faults.connector_id', 'connectors.id')
    .leftJoin('deployments', 'deployments.connector_id', 'connectors.id')
    .select([
      'connectors.id',
      'connectors.organisation_id',
      'connectors.name',
      'connectors.number',
      'connectors.router_id',
      'connectors.state',
      'connectors.status',
      'families.short_name as family',
      'connectors.details',
      'connectors.bandwidth_bps',
      'cities.latitude',
      'cities.longitude',
      'far_end_faults.fault',
      'deployments.is_open',
      'deployments.cause',
    ])
    .where('connectors.organisation_id', '=', organisation_id)
    .where('connectors.group_id', '=', groupId)
    .where('connectors.state', '<>', 'registered')
    .orderBy('connectors.number')
    .execute();
  const links = await database
    .selectFrom('links')
    .leftJoin('deployments', 'deployments.link_id', 'links.id')
    .select([
      'links.id',
      'links.organisation_id',
      'links.name',
      'links.number',
      'links.state',
      'links.from_id',
      'links.to_id',
      'deployments.is_open',
      'deployments.cause',
    ])
    .where('links.organisation_id', '=', organisation_id)
    .where('links.group_id', '=', groupId)
    .where('links.state', '<>', 'registered')
    .orderBy('links.number')
    .execute();
  const secrets = await database
    .selectFrom('connector_secrets')
    .innerJoin('connectors', 'connectors.id', 'connector_secrets.connector_id')
    .select(['connector_id', 'field', 'key_id', 'sealed'])
    .where('connectors.organisation_id', '=', organisation_id)
    .where('connectors.group_id', '=', groupId)
    .where('connectors.state', '<>', 'registered')
    .execute();
  return { exists: true, hasErrands, routers, connectors, links, secrets };
}

/** Connectors of groups that nobody looked at for a quarter of an hour: how they are is not known. */
export async function listUnheard(database: Database, _scope: Everywhere): Promise<string[]> {
  const rows = await database
    .selectFrom('fabric_groups')
    .innerJoin('groups', 'groups.id', 'fabric_groups.group_id')
    .innerJoin('connectors', (join) =>
      join
        .onRef('connectors.organisation_id', '=', 'groups.organisation_id')
        .onRef('connectors.group_id', '=', 'groups.id'),
    )
    .select('connectors.id')
    .where('connectors.status', '<>', 3)
    .where('fabric_groups.swept_at', '<', sql<string>`clock_timestamp() - interval '15 minutes'`)
    .limit(1000)
    // Nobody confirms a status while it is being forgotten.
    .forUpdate('fabric_groups')
    .execute();
  return rows.map(({ id }) => id);
}

/** Of these groups, those of which nothing should be in a fabric. */
export async function listWithoutRecords(database: Database, _scope: Everywhere, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from unnest(${ids}::uuid[]) as id where not exists (
    select from groups join connectors
      on connectors.organisation_id = groups.organisation_id and connectors.group_id = groups.id
    where groups.id = id.id and connectors.state <> 'registered')
    and not exists (select from errands where errands.group_id = id.id)`.execute(database);
  return rows.map(({ id }) => id);
}

/** The groups that have, or had, something in a fabric. */
export const listGroups = (database: Database, _scope: Everywhere) =>
  database
    .selectFrom('fabric_groups')
    .leftJoin('groups', 'groups.id', 'fabric_groups.group_id')
    .leftJoin('organisations', 'organisations.id', 'groups.organisation_id')
    .select(['fabric_groups.group_id', 'groups.name', 'organisations.name as organisation'])
    .orderBy('organisations.name')
    .orderBy('groups.name')
    .orderBy('fabric_groups.group_id')
    .execute();

/** What is still to do: open deployments, and errands. */
export async function countOpen(database: Database, _scope: Everywhere): Promise<{ open: number; errands: number }> {
  return {
    open: await countOf(database.selectFrom('deployments').where(sql<boolean>`is_open`)),
    errands: await countOf(database.selectFrom('errands')),
  };
}

/** What the far end of a connector shall do wrong; answers its group, or undefined when there is no such connector. */
export async function setFault(
  database: Database,
  _scope: Everywhere,
  connectorId: string,
  fault: Fault | undefined,
): Promise<string | undefined> {
  const connector = await database
    .selectFrom('connectors')
    .select(['organisation_id', 'group_id'])
    .where('id', '=', connectorId)
    .executeTakeFirst();
  if (!connector) return undefined;
  await database.deleteFrom('far_end_faults').where('connector_id', '=', connectorId).execute();
  if (fault)
    await database
      .insertInto('far_end_faults')
      .values({ organisation_id: connector.organisation_id, connector_id: connectorId, fault })
      .execute();
  return connector.group_id;
}
