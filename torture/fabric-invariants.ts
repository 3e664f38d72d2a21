// Invariants of an idle fabric, checked independently of the reconciler: by SQL and by `npm run fabric -- plan`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { Client } from '../test/harness/client.ts';
import { cleanEnvironment, root } from '../test/harness/process.ts';
import { mustSucceed } from './helpers.ts';

/** Connectors that have a place in the fabric: of several sites with one subnet on a router, only the first has. */
export const placed = `
  placed as (
    select c.*, f.short_name as family, r.number as router_number
      from connectors c join routers r on r.id = c.router_id left join families f on f.id = c.family_id
      where c.state <> 'registered' and not exists (select from connectors o
        where o.router_id = c.router_id and o.state <> 'registered' and o.number < c.number
          and o.details ->> 'cmeGatewayIP' = c.details ->> 'cmeGatewayIP'))`;

const unfinished = `
  with ${placed}
  select 'deployment of ' || coalesce(connector_id, link_id) || ' is open' as violation from deployments where is_open
  union all select 'reconcile request of group ' || group_id from errands
  union all select 'connector ' || id || ' is in-deployment' from connectors where state = 'in-deployment'
  union all select 'link ' || id || ' is in-deployment' from links where state = 'in-deployment'
  union all select 'connector ' || id || ' is ' || state || ' and has no place' from connectors
    where state in ('deployed', 'delivered') and id not in (select id from placed)
  union all select 'lease of group ' || group_id || ', which is deleted' from fabric_groups
    where group_id not in (select id from groups)`;

/** Only the simulated fabric stores its items in the database. Their descriptions contain speed and AS number. */
const itemDifferences = `
  with ${placed}, wanted as (
    select group_id, 'port c' || number as key,
        'port c' || number || ' at ' || bandwidth_bps / 1000000 || ' Mbps' as description from placed
    union all select group_id, 'session c' || number || way, 'BGP session with AS' || coalesce(details ->> 'asNumber',
        details ->> 'customerASN', case family when 'providerB' then '64500' else '64501' end) || ' at '
      from placed, unnest(case family when 'providerB' then array['', 'b'] else array[''] end) as ways (way)
    union all select distinct group_id, 'router r' || router_number,
        'router r' || router_number || ' at ' || edge_code from placed
    union all select l.group_id, 'cord l' || l.number,
        'cord l' || l.number || ' between c' || a.number || ' and c' || b.number
      from links l join placed a on a.id = l.from_id join placed b on b.id = l.to_id where l.state <> 'registered')
  select case when w.key is null then 'unexpected: ' when i.key is null then 'missing: ' else 'different: ' end
      || coalesce(w.key, i.key) || ' of group ' || coalesce(w.group_id, i.group_id)
      || ' (' || coalesce(i.description, '') || ')' as violation
    from wanted w full join simulated_items i on i.group_id = w.group_id and i.key = w.key
    where w.key is null or i.key is null or not starts_with(i.description, w.description)`;

const violationsOf = async (owner: pg.Client, query: string): Promise<string[]> =>
  (await owner.query(query)).rows.map(({ violation }) => violation);

/** Work that is not finished, according to the database. */
export const findUnfinishedWork = (owner: pg.Client): Promise<string[]> => violationsOf(owner, unfinished);

export const findItemDifferences = (owner: pg.Client): Promise<string[]> => violationsOf(owner, itemDifferences);

/** Counts records by state and kind: "delivered link". */
export async function countStates(owner: pg.Client): Promise<Record<string, number>> {
  const { rows } = await owner.query(
    `select state || ' ' || kind as what, count(*)::int as total from (
       select state, 'connector' as kind from connectors union all select state, 'link' from links) as records
     group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ what, total }) => [what, total]));
}

/** Counts connectors in state `error` that have a place in the fabric: a later run corrected the cause. */
export const countRecovered = async (owner: pg.Client): Promise<number> =>
  (await owner.query(`with ${placed} select count(*)::int as total from placed where state = 'error'`)).rows[0].total;

/** Checks that the API reports cause and advice for each error of the organisation. Returns the number of errors. */
export async function countExplainedErrors(owner: pg.Client, client: Client, organisationId: string): Promise<number> {
  const { rows } = await owner.query(
    `select 'connector' as kind, id from connectors where state = 'error' and organisation_id = $1
     union all select 'link', id from links where state = 'error' and organisation_id = $1`,
    [organisationId],
  );
  for (const { kind, id } of rows) {
    const { body } = await mustSucceed(client.get(`/flow/${kind}/${id}/deployment`));
    assert.equal(body.state, 'error');
    assert.ok(body.cause && body.advice, `${kind} ${id} is in error without cause or advice`);
  }
  return rows.length;
}

const runFile = promisify(execFile);

/** The changes that `npm run fabric -- plan` prints. */
export async function plannedChanges(data: string): Promise<string[]> {
  const { stdout } = await runFile(process.execPath, [join(root, 'src/commands/fabric.ts'), 'plan', '--data', data], {
    env: cleanEnvironment(),
  });
  const lines = stdout.trim().split('\n').filter(Boolean);
  assert.ok(lines.length > 0, 'the plan names no group');
  return lines.filter((line) => !line.endsWith(': no changes'));
}
