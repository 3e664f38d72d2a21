// What must hold when nothing is under way, found out without the code that makes it so: by SQL, and by what the operator's command prints.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import type { Client } from '../test/harness/client.ts';
import { cleanEnvironment, root } from '../test/harness/process.ts';
import { must } from './race-fixture.ts';

/** The database of a data folder, behind the service's back. */
export async function asOwner<T>(data: string, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: findRunningUrl(data) ?? assert.fail('no database is running') });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/** Connectors that have a place in the fabric: where several sites on a router say the same subnet, the first of them. */
export const placed = `
  placed as (
    select c.*, f.short_name as family, r.number as router_number
      from connectors c join routers r on r.id = c.router_id left join families f on f.id = c.family_id
      where c.state <> 'registered' and not exists (select from connectors o
        where o.router_id = c.router_id and o.state <> 'registered' and o.number < c.number
          and o.details ->> 'cmeGatewayIP' = c.details ->> 'cmeGatewayIP'))`;

const unfinished = `
  with ${placed}
  select 'deployment of ' || coalesce(connector_id, link_id) || ' is open' as complaint from deployments where is_open
  union all select 'errand to group ' || group_id from errands
  union all select 'connector ' || id || ' is in-deployment' from connectors where state = 'in-deployment'
  union all select 'link ' || id || ' is in-deployment' from links where state = 'in-deployment'
  union all select 'connector ' || id || ' is called ' || state || ' and has no place' from connectors
    where state in ('deployed', 'delivered') and id not in (select id from placed)
  union all select 'turn of group ' || group_id || ', which is gone' from fabric_groups
    where group_id not in (select id from groups)`;

/** Only the simulated fabric keeps its items in the database. Their texts tell speed and AS number. */
const itemDifferences = `
  with ${placed}, wanted as (
    select group_id, 'port c' || number as key, 'port c' || number || ' at ' || bandwidth_bps / 1000000 || ' Mbps' as words from placed
    union all select group_id, 'session c' || number || way, 'BGP session with AS' || coalesce(details ->> 'asNumber',
        details ->> 'customerASN', case family when 'providerB' then '64500' else '64501' end) || ' at '
      from placed, unnest(case family when 'providerB' then array['', 'b'] else array[''] end) as ways (way)
    union all select distinct group_id, 'router r' || router_number, 'router r' || router_number || ' at ' || edge_code from placed
    union all select l.group_id, 'cord l' || l.number, 'cord l' || l.number || ' between c' || a.number || ' and c' || b.number
      from links l join placed a on a.id = l.from_id join placed b on b.id = l.to_id where l.state <> 'registered')
  select case when w.key is null then 'should not be there: ' when i.key is null then 'is missing: ' else 'is not as asked for: ' end
      || coalesce(w.key, i.key) || ' of group ' || coalesce(w.group_id, i.group_id) || ' (' || coalesce(i.description, '') || ')' as complaint
    from wanted w full join simulated_items i on i.group_id = w.group_id and i.key = w.key
    where w.key is null or i.key is null or not starts_with(i.description, w.words)`;

const complaintsOf = async (owner: pg.Client, text: string): Promise<string[]> =>
  (await owner.query(text)).rows.map(({ complaint }) => complaint);

/** What is still to do, in the database. */
export const complaintsAboutRecords = (owner: pg.Client): Promise<string[]> => complaintsOf(owner, unfinished);

export const complaintsAboutItems = (owner: pg.Client): Promise<string[]> => complaintsOf(owner, itemDifferences);

/** How many records there are of each kind and state: "delivered link". */
export async function countStates(owner: pg.Client): Promise<Record<string, number>> {
  const { rows } = await owner.query(`select state || ' ' || kind as what, count(*)::int as total from (
      select state, 'connector' as kind from connectors union all select state, 'link' from links) as records group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ what, total }) => [what, total]));
}

/** Errors that were overcome and are still told: the fabric holds what they are about. */
export const countOvercome = async (owner: pg.Client): Promise<number> =>
  (await owner.query(`with ${placed} select count(*)::int as total from placed where state = 'error'`)).rows[0].total;

/** Each error of the organisation says why, and what to do, where customers look. Answers how many errors there are. */
export async function explainedErrors(owner: pg.Client, client: Client, organisationId: string): Promise<number> {
  const { rows } = await owner.query(
    `select 'connector' as kind, id from connectors where state = 'error' and organisation_id = $1
     union all select 'link', id from links where state = 'error' and organisation_id = $1`,
    [organisationId],
  );
  for (const { kind, id } of rows) {
    const { body } = await must(client.get(`/flow/${kind}/${id}/deployment`));
    assert.equal(body.state, 'error');
    assert.ok(body.cause && body.advice, `the ${kind} ${id} is an error without cause or advice`);
  }
  return rows.length;
}

const runFile = promisify(execFile);

/** What `npm run fabric -- plan` would change, by its own words. */
export async function plannedChanges(data: string): Promise<string[]> {
  const { stdout } = await runFile(process.execPath, [join(root, 'src/commands/fabric.ts'), 'plan', '--data', data], {
    env: cleanEnvironment(),
  });
  const lines = stdout.trim().split('\n').filter(Boolean);
  assert.ok(lines.length > 0, 'the plan names no group');
  return lines.filter((line) => !line.endsWith(': no changes'));
}
