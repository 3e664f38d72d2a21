// Queries on organisations, addresses and invoices.
import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Page } from '../../http/route.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import type { Sort } from '../../store/query/sort.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';
import { isUuid } from '../../values/uuid.ts';
import type { Address, Invoice } from './rules.ts';

/** Organisations joined with address, invoice and subscribed capacities. */
const completeOrganisations = (database: Database) =>
  database
    .selectFrom('organisations')
    .innerJoin('addresses', 'addresses.organisation_id', 'organisations.id')
    .innerJoin('invoices', 'invoices.organisation_id', 'organisations.id')
    .select([
      'organisations.id',
      'organisations.code',
      'organisations.name',
      'organisations.phone',
      'organisations.parent_id',
      'organisations.reseller',
      'organisations.created_at',
      'organisations.updated_at',
      'addresses.id as address_id',
      'addresses.created_at as address_created_at',
      'addresses.updated_at as address_updated_at',
      'street',
      'city',
      'zipcode',
      'country',
      'invoices.id as invoice_id',
      'invoices.created_at as invoice_created_at',
      'invoices.updated_at as invoice_updated_at',
      'tvasubjection',
      'tvanumber',
      'tvaintra',
    ])
    .select((inner) =>
      jsonArrayFrom(
        inner
          .selectFrom('subscribed_capacities')
          .select([
            'subscribed_capacities.id',
            'capacity_bps',
            'duration_months',
            'region1_id',
            'region2_id',
            sql<string>`subscribed_capacities.created_at::text`.as('created_at'),
            sql<string>`subscribed_capacities.updated_at::text`.as('updated_at'),
          ])
          .whereRef('subscribed_capacities.organisation_id', '=', 'organisations.id')
          .orderBy('subscribed_capacities.created_at')
          .orderBy('subscribed_capacities.id'),
      ).as('capacities'),
    );

export type OrganisationRow =
  ReturnType<typeof completeOrganisations> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

/** The organisation of the scope or one of its direct children. */
export function findOrganisation(
  database: Database,
  scope: Scope,
  id: string,
  lock = false,
): Promise<OrganisationRow | undefined> {
  const query = completeOrganisations(database)
    .where('organisations.id', '=', id)
    .where((where) =>
      where.or([
        where('organisations.id', '=', scope.organisationId),
        where('organisations.parent_id', '=', scope.organisationId),
      ]),
    );
  return (lock ? query.forUpdate('organisations') : query).executeTakeFirst();
}

export const sortColumns = {
  name: 'organisations.name',
  createdAt: 'organisations.created_at',
  updatedAt: 'organisations.updated_at',
} as const;
type SortColumn = keyof typeof sortColumns;

const pageColumns = {
  name: 'page.name',
  createdAt: 'page.created_at',
  updatedAt: 'page.updated_at',
} as const satisfies Record<SortColumn, string>;

const countChildren = (database: Database, scope: Scope): Promise<number> =>
  countRows(database.selectFrom('organisations').where('parent_id', '=', scope.organisationId));

export async function listChildren(
  database: Database,
  scope: Scope,
  sorts: Sort<SortColumn>[],
  page: Page,
): Promise<{ rows: OrganisationRow[]; total: number }> {
  const orders = sorts.length ? sorts : [{ column: 'createdAt' as const, descending: false }];
  const direction = ({ descending }: Sort<SortColumn>) => (descending ? 'desc' : 'asc');
  // Ties follow the direction of the last column, so that an index scan serves both directions.
  const tieDirection = direction(orders.at(-1) ?? { column: 'createdAt', descending: false });
  let idsOnPage = database
    .selectFrom('organisations')
    .select(['organisations.id', 'organisations.name', 'organisations.created_at', 'organisations.updated_at'])
    .where('organisations.parent_id', '=', scope.organisationId)
    .limit(page.limit)
    .offset(page.offset);
  for (const sort of orders) idsOnPage = idsOnPage.orderBy(sortColumns[sort.column], direction(sort));
  const orderedIds = idsOnPage.orderBy('organisations.id', tieDirection).as('page');
  let query = completeOrganisations(database).innerJoin(orderedIds, 'page.id', 'organisations.id');
  for (const sort of orders) query = query.orderBy(pageColumns[sort.column], direction(sort));
  const rows = query.orderBy('page.id', tieDirection).execute();
  return withTotal(rows, countChildren(database, scope));
}

export async function listChildNames(database: Database, scope: Scope, page: Page) {
  const rows = database
    .selectFrom('organisations')
    .select(['id', 'name', 'reseller', 'children_count'])
    .where('parent_id', '=', scope.organisationId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(rows, countChildren(database, scope));
}

export async function insertOrganisation(
  database: Database,
  scope: Scope | AllTenants,
  organisation: { code: string; name: string; phone: string | null; reseller: boolean },
): Promise<string> {
  const { id } = await database
    .insertInto('organisations')
    .values({ ...organisation, parent_id: typeof scope === 'symbol' ? null : scope.organisationId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertAddressAndInvoice(
  database: Database,
  scope: Scope,
  address: Address,
  invoice: Invoice,
): Promise<void> {
  await database
    .insertInto('addresses')
    .values({ ...address, organisation_id: scope.organisationId })
    .execute();
  await database
    .insertInto('invoices')
    .values({ ...invoice, organisation_id: scope.organisationId })
    .execute();
}

export const updateOrganisation = (database: Database, scope: Scope, change: Updateable<Tables['organisations']>) =>
  database
    .updateTable('organisations')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('id', '=', scope.organisationId)
    .execute();

export const updateAddress = (database: Database, scope: Scope, change: Partial<Address>) =>
  database
    .updateTable('addresses')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .execute();

export const updateInvoice = (database: Database, scope: Scope, change: Partial<Invoice>) =>
  database
    .updateTable('invoices')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .execute();

/** All organisations with the numbers of their records, in the order of their creation. */
export const listAllOrganisations = (
  database: Database,
  _scope: AllTenants,
  after: { created_at: string; id: string } | undefined,
) => {
  const count = (table: 'users' | 'groups' | 'connectors' | 'links') =>
    sql<number>`(select count(*)::int from ${sql.table(table)} where organisation_id = organisations.id)`.as(table);
  let query = database
    .selectFrom('organisations')
    .leftJoin('organisations as parent', 'parent.id', 'organisations.parent_id')
    .select([
      'organisations.id',
      'organisations.code',
      'organisations.name',
      'organisations.reseller',
      'organisations.children_count',
      'organisations.created_at',
      'parent.name as parent_name',
    ])
    .select([count('users'), count('groups'), count('connectors'), count('links')]);
  if (after)
    query = query.where(
      sql<boolean>`(organisations.created_at, organisations.id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`,
    );
  return query.orderBy('organisations.created_at').orderBy('organisations.id').limit(100).execute();
};

/** Deletes the organisation. Needs the rights of the owner of the tables. */
export const deleteOrganisation = (database: Database, scope: Scope) =>
  database.deleteFrom('organisations').where('id', '=', scope.organisationId).execute();

export const hasNoOrganisation = async (database: Database, _scope: AllTenants): Promise<boolean> =>
  (await database.selectFrom('organisations').select('id').limit(1).executeTakeFirst()) === undefined;

/** By id if the text is a UUID, by name otherwise. At most two rows: enough to detect an ambiguous name. */
export const findOrganisationsByNameOrId = (database: Database, _scope: AllTenants, nameOrId: string) =>
  database
    .selectFrom('organisations')
    .select(['id', 'code', 'name'])
    .where(isUuid(nameOrId) ? 'id' : 'name', '=', nameOrId)
    .limit(2)
    .execute();
