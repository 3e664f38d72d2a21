// npm run admin -- organisations, remove-organisation.
import { OperatorError } from '../../errors/operator-error.ts';
import { removeAppliance } from '../../resources/appliances/operations.ts';
import { listAppliances } from '../../resources/appliances/store.ts';
import { removeEntitlements } from '../../resources/capacities/operations.ts';
import { type ConnectorTools, removeConnector } from '../../resources/connectors/operations.ts';
import { listConnectors } from '../../resources/connectors/store.ts';
import { removeGroup } from '../../resources/groups/operations.ts';
import { listGroups } from '../../resources/groups/store.ts';
import { removeLink } from '../../resources/links/operations.ts';
import { listLinks } from '../../resources/links/store.ts';
import { lockOrganisationForUpdate, removeOrganisation } from '../../resources/organisations/operations.ts';
import { listAllOrganisations, listChildNames, type OrganisationRow } from '../../resources/organisations/store.ts';
import { removeTag } from '../../resources/tags/operations.ts';
import { listTags } from '../../resources/tags/store.ts';
import { removeAllUsers } from '../../resources/users/operator-operations.ts';
import { allTenants, type Database, type Scope, type Store, setTenant } from '../../store/database.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { findOrganisation } from '../find-organisation.ts';
import { type AdminContext, actor, applyChange, count, requireFlag, type Subcommand } from './subcommand.ts';

type OrganisationSummary = Awaited<ReturnType<typeof listAllOrganisations>>[number];

/** All organisations, in pages. */
export async function* readOrganisations(store: Store): AsyncGenerator<OrganisationSummary, void> {
  for (let last: OrganisationSummary | undefined; ; ) {
    const rows = await store.read(allTenants, (database) => listAllOrganisations(database, allTenants, last));
    yield* rows;
    last = rows.at(-1);
    if (!last) return;
  }
}

function formatOrganisation(one: OrganisationSummary): string {
  const kind = one.parent_name === null ? 'top level' : `child of ${one.parent_name}`;
  return (
    `${one.name} (${one.id}): ${kind}${one.reseller ? ', reseller' : ''}, ` +
    `${count(one.children_count, 'child', 'children')}, ${count(one.users, 'user')}, ` +
    `${count(one.groups, 'group')}, ${count(one.connectors, 'connector')}, ${count(one.links, 'link')}`
  );
}

const jsonOf = ({ parent_name, children_count, created_at, code: _, ...rest }: OrganisationSummary): string =>
  JSON.stringify({ ...rest, parent: parent_name, children: children_count, createdAt: wireTimestamp(created_at) });

export const organisations: Subcommand = {
  usage: `npm run admin -- organisations [--json] [settings]

Lists all organisations with the numbers of their records.

  --json   prints one JSON object for each organisation, in a line of its own`,
  flags: [],
  switches: ['json'],
  async run({ store, switches }) {
    for await (const one of readOrganisations(store))
      console.log(switches.has('json') ? jsonOf(one) : formatOrganisation(one));
  },
};

const first = { limit: 500, offset: 0 };

/** Lists and removes until nothing is left. */
async function removeAll<Row extends { id: string; name: string }>(
  list: () => Promise<{ rows: Row[] }>,
  remove: (id: string) => Promise<void>,
): Promise<number> {
  for (let removed = 0; ; ) {
    const { rows } = await list();
    if (rows.length === 0) return removed;
    for (const { id } of rows) await remove(id);
    removed += rows.length;
  }
}

/** Names some of the records. */
const some = (rows: { name: string; state?: string }[], total: number): string => {
  const names = rows.slice(0, 5).map(({ name, state }) => (state ? `${name} (${state})` : name));
  return `${names.join(', ')}${total > names.length ? ' …' : ''}`;
};

/** What stands in the way of a removal: children, and what is or may be on the fabric. */
async function findObstacles(database: Database, scope: Scope): Promise<string[]> {
  const children = await listChildNames(database, scope, first);
  const obstacles = children.total
    ? [`It has ${count(children.total, 'child', 'children')}: ${some(children.rows, children.total)}.`]
    : [];
  for (const state of ['in-deployment', 'deployed', 'delivered', 'error'] as const) {
    const connectors = await listConnectors(database, scope, { state }, [], first);
    const links = await listLinks(database, scope, { state }, [], first);
    for (const [what, { rows, total }] of [['connector', connectors] as const, ['link', links] as const])
      if (total) obstacles.push(`It has ${count(total, what)} in the state ${state}: ${some(rows, total)}.`);
  }
  return obstacles;
}

/** Obstacles were ruled out, but not for good: a request may deploy a record until it is removed. */
const rejectDeployed = async (): Promise<void> => {
  throw new OperatorError('A connector or link was deployed meanwhile. Run the command again.');
};

async function removeRecords(
  { keys }: AdminContext,
  database: Database,
  scope: Scope,
  organisation: OrganisationRow,
): Promise<[number, string, string?][]> {
  const tools: ConnectorTools = { keys, deploymentQueue: { deploy: rejectDeployed, requestReconcile: rejectDeployed } };
  const links = await removeAll(
    () => listLinks(database, scope, {}, [], first),
    (id) => removeLink(database, scope, actor, tools, id),
  );
  const connectors = await removeAll(
    () => listConnectors(database, scope, {}, [], first),
    (id) => removeConnector(database, scope, actor, tools, id),
  );
  const appliances = await removeAll(
    () => listAppliances(database, scope, {}, [], first),
    (id) => removeAppliance(database, scope, actor, id),
  );
  const groups = await removeAll(
    () => listGroups(database, scope, {}, [], first),
    (id) => removeGroup(database, scope, actor, id),
  );
  const tags = await removeAll(
    () => listTags(database, scope, first),
    (id) => removeTag(database, scope, actor, id),
  );
  const { pools, capacities } = await removeEntitlements(database, scope, actor, organisation);
  const users = await removeAllUsers(database, scope, actor);
  return [
    [links, 'link'],
    [connectors, 'connector'],
    [appliances, 'appliance'],
    [groups, 'group'],
    [tags, 'tag'],
    [capacities, 'subscribed capacity', 'subscribed capacities'],
    [pools, 'product pool'],
    [users, 'user'],
  ];
}

async function remove(context: AdminContext, database: Database): Promise<string[]> {
  const scope = await findOrganisation(database, requireFlag(context, 'organisation'));
  await setTenant(database, scope);
  const organisation = await lockOrganisationForUpdate(database, scope, scope.organisationId);
  const { name, id } = organisation;
  const obstacles = await findObstacles(database, scope);
  if (obstacles.length)
    throw new OperatorError(
      `${name} (${id}) cannot be removed.\n${obstacles.join('\n')}\n` +
        'Remove children first, and delete connectors and links in the portal or through the API.',
    );
  if (!context.switches.has('dry-run') && context.flags.confirm !== name)
    throw new OperatorError(`Repeat the name of the organisation to remove it: --confirm ${JSON.stringify(name)}`);
  const removed = await removeRecords(context, database, scope, organisation);
  await removeOrganisation(database, scope, actor, organisation);
  return [
    `organisation ${name} (${id}) is removed, with its roles, sessions, tokens and metrics; its audit trail stays`,
    ...removed.flatMap(([number, ...names]) => (number ? [`${count(number, ...names)} removed`] : [])),
  ];
}

export const removeOrganisationCommand: Subcommand = {
  usage: `npm run admin -- remove-organisation --organisation NAME|ID --confirm NAME [--dry-run] [settings]

Removes an organisation and all its records: users, tokens, roles, groups, connectors and links that were never
deployed, appliances, tags, entitlements. The service deletes its metrics within minutes. Its audit trail stays until
admin -- audit prune. An organisation with children, or with connectors or links that are or were deployed, is refused.

  --confirm NAME   repeats the name of the organisation
  --dry-run        prints what would be removed, and removes nothing`,
  flags: ['organisation', 'confirm'],
  switches: ['dry-run'],
  run: (context) => applyChange(context, (database) => remove(context, database)),
};
