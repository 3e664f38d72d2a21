// Queries on the session subnets of a router and on the address blocks that the platform draws.
import { sql } from 'kysely';
import type { Database, Scope } from '../../store/database.ts';

/**
 * Locks a router until the transaction ends, so that requests compare and choose its subnets one after the other. It
 * writes the row: a request with If-Match that waited has an earlier snapshot, fails and is repeated.
 */
export const lockRouter = (database: Database, scope: Scope, id: string) =>
  database
    .updateTable('routers')
    .set(({ ref }) => ({ edge_code: ref('edge_code') }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();

/**
 * The other connectors of a router with an address near one of these subnets (`192.0.2.0/30`). Only the connector kind
 * knows the exact subnets, so each address counts with its /24 network, or with its /8 beside a shorter mask.
 */
export async function listNearbyConnectors(
  database: Database,
  scope: Scope,
  routerId: string,
  exceptId: string,
  subnets: string[],
): Promise<{ name: string; family: string | null; details: Record<string, unknown> }[]> {
  const { rows } = await sql<{ name: string; family: string | null; details: Record<string, unknown> }>`
    select connectors.name, families.short_name as family, connectors.details
    from connectors left join families on families.id = connectors.family_id
    where connectors.organisation_id = ${scope.organisationId} and router_id = ${routerId}
      and connectors.id <> ${exceptId}
      and exists (select from jsonb_each_text(details) as field,
        (select bool_or(value ~ '^255[.]' and value !~ '^255[.]255[.]255[.]') as is_wide
          from jsonb_each_text(details)) as masks
        where case when field.value ~ '^[0-9]{1,3}([.][0-9]{1,3}){3}(/[0-9]{1,2})?$'
          then set_masklen(field.value::inet, least(masklen(field.value::inet), case when is_wide then 8 else 24 end))
            && any(${subnets}::inet[])
          else false end)
    order by connectors.number`.execute(database);
  return rows;
}

/** Which of the two networks that the platform chooses for a connector. */
export type BlockPosition = 0 | 1;

/** The connector's address block at this position; draws one if it has none. The connector must be inserted. */
export async function drawAddressBlock(
  database: Database,
  _scope: Scope,
  connectorId: string,
  position: BlockPosition,
): Promise<number> {
  const { rows } = await sql<{ block: number }>`
    select draw_address_block(${connectorId}::uuid, ${position}::smallint) as block`.execute(database);
  return Number(rows[0]?.block);
}

export const returnAddressBlocks = (
  database: Database,
  scope: Scope,
  connectorId: string,
  positions: BlockPosition[],
) =>
  database
    .deleteFrom('connector_address_blocks')
    .where('organisation_id', '=', scope.organisationId)
    .where('connector_id', '=', connectorId)
    .where('position', 'in', positions)
    .execute();
