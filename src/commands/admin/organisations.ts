// npm run admin -- organisations.
import { listAllOrganisations } from '../../resources/organisations/store.ts';
import { allTenants, type Store } from '../../store/database.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { count, type Subcommand } from './subcommand.ts';

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
