// What the owner of the database does about the demo world: finds it before anything is written, and removes it.
import type pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { isSerializationFailure } from '../store/database.ts';
import { countRowsOfOrganisations, deleteOrganisations } from '../store/organisation-removal.ts';
import { demoActorName, demoClient, demoNames, topAddresses } from './demo-world.ts';

export interface World {
  hasDemo: boolean;
  organisations: number;
  /** The name of the oldest organisation. */
  oldest: string | undefined;
}

/** Reads what a database contains, which may not be migrated yet. */
export async function readWorld(client: pg.Client): Promise<World> {
  const { rows: tables } = await client.query(
    `select to_regclass('organisations') is not null and to_regclass('api_clients') is not null as exist`,
  );
  if (!tables[0].exist) return { hasDemo: false, organisations: 0, oldest: undefined };
  const { rows } = await client.query(
    `select exists (select from api_clients where name = $1) as has_demo,
       (select count(*)::int from organisations) as organisations,
       (select name from organisations order by created_at, id limit 1) as oldest`,
    [demoClient.name],
  );
  const { has_demo, organisations, oldest } = rows[0];
  return { hasDemo: has_demo, organisations, oldest: oldest ?? undefined };
}

export interface DemoContent {
  organisations: { id: string; name: string; isLater: boolean }[];
  /** The number of rows of each table. */
  rows: Map<string, number>;
  hasClient: boolean;
  /** Sessions of other organisations that end with the API client. */
  foreignSessions: number;
}

/**
 * Finds the organisations of the demo world. Its top-level organisation is known by its audit entry, or by its name and
 * the address of a user: a name alone may belong to another organisation.
 */
async function findOrganisations(client: pg.Client): Promise<DemoContent['organisations']> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `with recursive tree as (
       select id, name, created_at from organisations top where parent_id is null and (
         exists (select from audit where organisation_id = top.id and service_type = 'organisation'
           and action = 'create' and user_id is null and user_name = $1)
         or (name = $2 and exists (select from users where organisation_id = top.id and email_key = any($3))))
       union all
       select child.id, child.name, child.created_at from organisations child join tree on child.parent_id = tree.id)
     select id, name from tree order by created_at, id`,
    [demoActorName, demoNames[0], topAddresses],
  );
  return rows.map(({ id, name }) => ({ id, name, isLater: !demoNames.includes(name) }));
}

export async function readDemoContent(client: pg.Client): Promise<DemoContent> {
  const organisations = await findOrganisations(client);
  const ids = organisations.map(({ id }) => id);
  const { rows } = await client.query(
    `select exists (select from api_clients where name = $1) as has_client,
       (select count(*)::int from session_families join api_clients on api_clients.id = client_id
        where api_clients.name = $1 and organisation_id <> all($2::uuid[])) as foreign_sessions`,
    [demoClient.name, ids],
  );
  const { has_client, foreign_sessions } = rows[0];
  return {
    organisations,
    rows: await countRowsOfOrganisations(client, ids),
    hasClient: has_client,
    foreignSessions: foreign_sessions,
  };
}

const maxAttempts = 5;

/**
 * Removes the demo world in one transaction, with organisations that were created below it meanwhile only if `isAll`.
 * Returns the ids of its groups, which may still be in the fabric.
 */
export async function removeDemoContent(client: pg.Client, isAll: boolean): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin');
      // Nobody creates an organisation between the list and the removal.
      await client.query('lock table organisations in share row exclusive mode');
      const organisations = await findOrganisations(client);
      if (!isAll && organisations.some(({ isLater }) => isLater))
        throw new OperatorError('An organisation was created below the demo world meanwhile. Run the command again.');
      const ids = organisations.map(({ id }) => id);
      const groupIds = await deleteOrganisations(client, ids);
      await client.query('delete from api_clients where name = $1', [demoClient.name]);
      await client.query('delete from demo_history');
      await client.query('commit');
      return groupIds;
    } catch (error) {
      await client.query('rollback');
      if (!isSerializationFailure(error) || attempt === maxAttempts) throw error;
    }
  }
}
