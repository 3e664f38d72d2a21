// npm run admin -- remove-organisation.
import { OperatorError } from '../../errors/operator-error.ts';
import { removeAppliance } from '../../resources/appliances/operations.ts';
import { listAppliances } from '../../resources/appliances/store.ts';
import { removeEntitlements } from '../../resources/capacities/operations.ts';
import { listCapacities, listPools } from '../../resources/capacities/store.ts';
import { type ConnectorTools, removeConnector } from '../../resources/connectors/operations.ts';
import { listConnectors } from '../../resources/connectors/store.ts';
import { removeGroup } from '../../resources/groups/operations.ts';
import { listGroups } from '../../resources/groups/store.ts';
import { removeLink } from '../../resources/links/operations.ts';
import { listLinks } from '../../resources/links/store.ts';
import {
  lockOrganisationForUpdate,
  readOrganisation,
  removeOrganisation,
} from '../../resources/organisations/operations.ts';
import { listChildNames, type OrganisationRow } from '../../resources/organisations/store.ts';
import { removeTag } from '../../resources/tags/operations.ts';
import { listTags } from '../../resources/tags/store.ts';
import { disableAllUsers, removeAllUsers } from '../../resources/users/operator-operations.ts';
import { listUsers } from '../../resources/users/store.ts';
import { allTenants, type Database, type Scope } from '../../store/database.ts';
import { printToStderr } from '../cli.ts';
import { findOrganisation } from '../find-organisation.ts';
import { type AdminContext, actor, count, isDryRun, printChanges, requireFlag, type Subcommand } from './subcommand.ts';

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

/** The number of records of a kind, and its name in the singular and the plural. */
type Counts = [number, string, string?][];

type Kind = 'links' | 'connectors' | 'appliances' | 'groups' | 'tags' | 'capacities' | 'pools' | 'users';

const nameCounts = (counts: Record<Kind, number>): Counts => [
  [counts.links, 'link'],
  [counts.connectors, 'connector'],
  [counts.appliances, 'appliance'],
  [counts.groups, 'group'],
  [counts.tags, 'tag'],
  [counts.capacities, 'subscribed capacity', 'subscribed capacities'],
  [counts.pools, 'product pool'],
  [counts.users, 'user'],
];

async function removeRecords(
  { keys }: AdminContext,
  database: Database,
  scope: Scope,
  organisation: OrganisationRow,
): Promise<Counts> {
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
  return nameCounts({ links, connectors, appliances, groups, tags, capacities, pools, users });
}

/** Counts what a removal would remove. It locks nothing: the organisation is in use. */
async function countRecords(database: Database, scope: Scope): Promise<Counts> {
  const one = { limit: 1, offset: 0 };
  return nameCounts({
    links: (await listLinks(database, scope, {}, [], one)).total,
    connectors: (await listConnectors(database, scope, {}, [], one)).total,
    appliances: (await listAppliances(database, scope, {}, [], one)).total,
    groups: (await listGroups(database, scope, {}, [], one)).total,
    tags: (await listTags(database, scope, one)).total,
    capacities: (await listCapacities(database, scope, scope.organisationId, one)).total,
    pools: (await listPools(database, scope, scope.organisationId, one)).total,
    users: (await listUsers(database, scope, one)).total,
  });
}

async function rejectObstacles(database: Database, scope: Scope, { name, id }: OrganisationRow): Promise<void> {
  const obstacles = await findObstacles(database, scope);
  if (obstacles.length)
    throw new OperatorError(
      `${name} (${id}) cannot be removed.\n${obstacles.join('\n')}\n` +
        'Remove children first, and delete connectors and links in the portal or through the API.',
    );
}

const formatRemoval = ({ name, id }: OrganisationRow, counts: Counts): string[] => [
  `organisation ${name} (${id}) is removed, with its roles, sessions, tokens and metrics; its audit trail stays`,
  ...counts.flatMap(([number, ...names]) => (number ? [`${count(number, ...names)} removed`] : [])),
];

/**
 * Removes in two transactions. The first is short: it disables the users and ends their tokens, so that no request of
 * theirs waits for the locks of the second one, which takes long for many records, or makes it fail by a deadlock.
 */
async function remove(context: AdminContext, scope: Scope): Promise<string[]> {
  const { store } = context;
  await store.write(scope, (database) => disableAllUsers(database, scope, actor));
  return store
    .write(scope, async (database) => {
      const organisation = await lockOrganisationForUpdate(database, scope, scope.organisationId);
      await rejectObstacles(database, scope, organisation);
      const counts = await removeRecords(context, database, scope, organisation);
      await removeOrganisation(database, scope, actor, organisation);
      return formatRemoval(organisation, counts);
    })
    .catch((error) => {
      printToStderr(
        'The users of the organisation are disabled, and their sessions and tokens have ended. Nothing else changed. ' +
          'Run the command again, or enable users with admin -- enable.',
      );
      throw error;
    });
}

async function removeOrPreview(context: AdminContext): Promise<string[]> {
  const { store, flags } = context;
  const nameOrId = requireFlag(context, 'organisation');
  const scope = await store.read(allTenants, (database) => findOrganisation(database, nameOrId));
  const organisation = await store.read(scope, async (database) => {
    const found = await readOrganisation(database, scope, scope.organisationId);
    await rejectObstacles(database, scope, found);
    return found;
  });
  if (isDryRun(context))
    return formatRemoval(organisation, await store.read(scope, (database) => countRecords(database, scope)));
  const { name } = organisation;
  if (flags.confirm !== name)
    throw new OperatorError(`Repeat the name of the organisation to remove it: --confirm ${JSON.stringify(name)}`);
  return remove(context, scope);
}

export const removeOrganisationCommand: Subcommand = {
  usage: `npm run admin -- remove-organisation --organisation NAME|ID --confirm NAME [settings]
npm run admin -- remove-organisation --organisation NAME|ID --dry-run [settings]

Removes an organisation and all its records: users, tokens, roles, groups, connectors and links that were never
deployed, appliances, tags, entitlements. The service deletes its metrics within minutes. Its audit trail stays until
admin -- audit prune. An organisation with children, or with connectors or links that are or were deployed, is refused.
First the users are disabled and their sessions and tokens end; when the command fails after that, run it again.

  --confirm NAME   repeats the name of the organisation
  --dry-run        prints what would be removed, and removes nothing`,
  flags: ['organisation', 'confirm'],
  switches: ['dry-run'],
  run: async (context) => printChanges(context, await removeOrPreview(context)),
};
