// Query plans with a thousand organisations and a hundred thousand connectors. The cost of a list depends on the list
// alone: an index scan in its order that touches no other tenant's rows. The plans are those of the service's own
// statements, captured while it responds over HTTPS.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formatIrn } from '../src/values/irn.ts';
import { type BulkData, loadBulkData } from './harness/bulk-data.ts';
import type { Client } from './harness/client.ts';
import {
  capturePlans,
  disableExplain,
  type ExplainedStatement,
  listNodes,
  type PlanNode,
} from './harness/query-plans.ts';
import { cloneDemoWorld, startFixture } from './harness/service.ts';

/** Small tables without a tenant, which may be scanned. Every other table grows with the organisations. */
const catalogue = ['families', 'cities', 'regions', 'destinations', 'appliance_models', 'service_facts'];
/** Records on the longest page, and the longest sort. */
const longestPage = 100;
/** Pages of the database (8 KiB) that a request may touch for each connector of its organisation. */
const mostBuffers = 10;

const big = 1;
const usual = 500;

const database = await cloneDemoWorld();
const plans = await capturePlans(database.url);
// Cached responses would need no plan.
const f = await startFixture(['--memory', '0'], database);
after(async () => {
  await f.close();
  await database.drop();
});

// One organisation is big, the others are alike. A fifth are children of the demo reseller, the others of
// twenty of these.
const ofBig = (number: number, others: number) => `case when n = ${big} then ${number} else ${others} end`;
const bulk: BulkData = {
  organisations: 1000,
  connectors: `case when n = ${big} then 5000 when n <= 96 then 96 else 95 end`,
  groups: ofBig(120, 5),
  appliances: ofBig(250, 4),
  users: ofBig(150, 5),
  capacities: ofBig(130, 3),
  parent: `case when n = ${big} or n between 401 and 600 then '${f.organisations.meridian}'
    else (select id from bulk parent where parent.n = ${usual} + bulk.n % 20) end`,
  isReseller: `n between ${usual} and ${usual + 19}`,
  linkEvery: 5,
  // In the big organisation only the first group has allocations.
  allocated: `(n <> ${big} or g = 1)`,
};

const started = Date.now();
const loader = await f.owner.connect();
await disableExplain(loader);
await loadBulkData(loader, bulk);
loader.release();
const loadedIn = Date.now() - started;
const admin = await f.as('admin@meridian.example');

/** An organisation of the bulk data, and a value that each filter finds there. */
async function sampleOf(n: number) {
  const { rows } = await f.owner.query(
    `select organisations.id, code, hub.id as hub_id, hub.group_id, hub.router_id, popular.destination_id,
       popular.edge_code,
       families.short_name as family, cities.slacity, users.id as user_id, site.appliance_id,
       (select array_agg(id order by name) from tags where organisation_id = organisations.id) as tags,
       (select array_agg(interface_id) from connectors
        where organisation_id = organisations.id and name in ('connector 5', 'connector 10')) as interfaces
     from organisations
     join groups on groups.organisation_id = organisations.id and groups.name = 'group 1'
     join lateral (select * from connectors where group_id = groups.id order by created_at limit 1) hub on true
     join connectors popular on popular.organisation_id = organisations.id and popular.name = 'connector 2'
     join connectors site on site.organisation_id = organisations.id and site.name = 'connector 5'
     join users on users.email_key = $2
     join families on families.id = popular.family_id
     join cities on cities.locode = popular.locode
     where code = $1`,
    [`s${String(n).padStart(11, '0')}`, `${n}-1@bulk.example`],
  );
  return rows[0];
}

type Sample = Awaited<ReturnType<typeof sampleOf>>;

/** Filters that match nothing must not cost more than the others. */
const emptyListsOf = (sample: Sample): string[] =>
  [
    'edgeCode=NONE',
    'family=none',
    'state=error',
    `destinationID=${sample.id}`,
    `tags=${sample.id}`,
    `linkedTo=${formatIrn('connector', sample.code, sample.id)}`,
    `linkedTo=${formatIrn('ire', sample.code, sample.id)}`,
  ].map((filter) => `/connectors?${filter}`);

function listsOf(sample: Sample): string[] {
  const filters = {
    group: `groupID=${sample.group_id}`,
    family: `family=${sample.family}`,
    destination: `destinationID=${sample.destination_id}`,
    peers: `linkedTo=${formatIrn('connector', sample.code, sample.hub_id)}`,
    router: `linkedTo=${formatIrn('ire', sample.code, sample.router_id)}`,
    city: `slacity=${sample.slacity}`,
    tag: `tags=${sample.tags[2]}`,
    tags: `tags=${sample.tags[2]},${sample.tags[3]}`,
    edge: `edgeCode=${sample.edge_code}`,
    ok: 'status=OK',
    ko: 'status=KO',
    legacy: 'legacy=legacy',
    state: 'state=delivered',
  };
  const pairs: [keyof typeof filters, keyof typeof filters][] = [
    ['group', 'family'],
    ['group', 'ko'],
    ['group', 'tag'],
    ['group', 'peers'],
    ['group', 'edge'],
    ['family', 'city'],
    ['family', 'ok'],
    ['family', 'legacy'],
    ['destination', 'edge'],
    ['destination', 'tag'],
    ['city', 'legacy'],
    ['city', 'ok'],
    ['edge', 'tag'],
    ['edge', 'ok'],
    ['tag', 'ko'],
    ['tags', 'legacy'],
    ['peers', 'tag'],
    ['router', 'ok'],
    ['ko', 'legacy'],
    ['group', 'state'],
  ];
  const ofGroup = `/connectors/group/${sample.group_id}`;
  const someDays = 'start-d=2025-03-02T00:00:00Z&end-d=2025-03-20T00:00:00Z';
  return [
    '/connectors',
    ...Object.values(filters).map((filter) => `/connectors?${filter}`),
    ...pairs.map(([one, other]) => `/connectors?${filters[one]}&${filters[other]}`),
    ofGroup,
    `${ofGroup}?flow=flow`,
    `${ofGroup}?legacy=legacy`,
    `/link/group/${sample.group_id}`,
    '/links',
    `/links?groupId=${sample.group_id}`,
    '/links?state=delivered',
    '/groups',
    `/groups/${sample.group_id}/capacities`,
    '/tags',
    '/cloud-appliances',
    '/cloud-appliances?cloudApplianceOnly=true',
    '/cloud-appliances?routingApplianceOnly=true',
    `/cloud-appliances?virtualInterfacesIds=${sample.interfaces}`,
    `/cloud-appliances?virtualInterfacesIds=${sample.interfaces}&cloudApplianceOnly=true`,
    `/cloud-appliances/${sample.appliance_id}/cloud-virtual-interfaces`,
    '/capacities/available',
    ...soldTo(sample),
    '/audit',
    '/audit?action=update',
    '/audit?serviceType=group',
    `/audit?userID=${sample.user_id}`,
    '/audit?start-d=2025-03-02T00:00:00Z',
    '/audit?end-d=2025-03-20T00:00:00Z',
    `/audit?${someDays}`,
    '/audit?action=create&serviceType=connector',
    `/audit?action=update&${someDays}`,
    `/audit?serviceType=connector&userID=${sample.user_id}`,
    `/audit?userID=${sample.user_id}&${someDays}`,
    '/users',
    '/acl/roles',
  ];
}

/** Newest first is a backward scan. */
const backwards = ['/connectors', '/links', '/groups', '/cloud-appliances'].map(
  (list) => `${list}?sort=createdAt,DESC`,
);

/** These need a sort or a scan, but only of the organisation's own rows. */
const sortedListsOf = (sample: Sample): string[] => [
  ...['name', 'state', 'status', 'region', 'bandwidth', 'updatedAt,DESC'].map((sort) => `/connectors?sort=${sort}`),
  ...['connector 1', 'paris', '64620', `irn:connectors:${sample.code}::1`, 'nothing like it'].map(
    (search) => `/connectors?search=${encodeURIComponent(search)}`,
  ),
  `/connectors/group/${sample.group_id}?sort=region&search=connector`,
  '/links?sort=name,DESC',
  '/links?search=1-',
  `/link/group/${sample.group_id}?sort=state&search=link`,
  '/groups?sort=name&search=1',
  '/cloud-appliances?sort=siteName&search=paris',
];

const soldTo = ({ id }: { id: string }): string[] => [
  `/organisations/${id}/capacities`,
  `/organisations/${id}/products`,
];

const childrenOf = ({ id }: { id: string }): string[] => [
  '/organisations',
  ...['name', 'createdAt', 'updatedAt'].flatMap((column) => [
    `/organisations?sort=${column}`,
    `/organisations?sort=${column},DESC`,
  ]),
  `/organisations/${id}`,
];

interface Visit {
  path: string;
  total: number;
  plans: ExplainedStatement[];
}

async function visit(client: Client, path: string): Promise<Visit> {
  const { value: response, plans: seen } = await plans.during(() => client.get(path));
  assert.equal(response.status, 200, `${path}: ${response.text}`);
  assert.ok(seen.length > 1, `${path} captured no plans`);
  const [, total] = response.headers['content-range']?.split('/') ?? [];
  return { path, total: Number(total ?? response.body.length), plans: seen };
}

/** Each list with defaults, then its first, middle and last page of the greatest length. */
async function visitAll(client: Client, lists: string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (const list of lists) {
    const plain = await visit(client, list);
    visits.push(plain);
    const limit = Math.max(1, Math.min(longestPage, Math.floor(plain.total / 4)));
    const last = Math.max(0, Math.ceil(plain.total / limit) - 1);
    const byOffset = /^\/organisations(\?|$|\/[^/]+$)/.test(list);
    for (const page of new Set([0, Math.floor(last / 2), last])) {
      const place = byOffset ? `offset=${page * limit}` : `page=${page + 1}`;
      visits.push(await visit(client, `${list}${list.includes('?') ? '&' : '?'}limit=${limit}&${place}`));
    }
  }
  return visits;
}

/** Input rows of a sort: more than its output if the page ends earlier. */
const sortedBy = (node: PlanNode): number =>
  Math.max(node['Actual Rows'], ...(node.Plans ?? []).map((inner) => inner['Actual Rows']));

/** Statements of background workers. */
const ofBackground =
  /\b(errands|deployments|fabric_groups|simulated_items|metric_\w+|reported_at)\b|"sealed" from "connector_secrets"|"edge_code" from "routers"/;

function findingIn(node: PlanNode, sorts: string[]): string | undefined {
  const { 'Node Type': type, 'Relation Name': table } = node;
  if (sorts.includes(type) && sortedBy(node) > longestPage) return `${type} of ${sortedBy(node)} rows`;
  // The clock has one row.
  if (!table || table === 'clock' || catalogue.includes(table)) return undefined;
  if (type === 'Seq Scan') return `Seq Scan on ${table}`;
  if (type.startsWith('Index') && !node['Index Cond']) return `${type} of the whole of ${node['Index Name']}`;
  return undefined;
}

function assertGood(visits: Visit[], sorts = ['Sort', 'Incremental Sort']): void {
  const findings = visits.flatMap(({ path, plans: seen }) =>
    seen
      .filter(({ statement }) => !ofBackground.test(statement))
      .flatMap(({ root, statement }) =>
        listNodes(root)
          .map((node) => findingIn(node, sorts))
          .filter((finding) => finding !== undefined)
          .map((finding) => `${path}\n    ${finding} in ${statement}`),
      ),
  );
  assert.ok(findings.length === 0, `${findings.length} bad plans:\n  ${findings.join('\n  ')}`);
}

const sum = (visit: Visit, measure: 'milliseconds' | 'buffers'): number =>
  visit.plans.reduce((total, plan) => total + plan[measure], 0);

const pathsOf = (visits: Visit[]): string[] => visits.map(({ path }) => path);

/** A diagnostic line with the most expensive pages, without the time outside the database. */
function describeWorst(visits: Visit[]): string {
  const worst = (measure: 'milliseconds' | 'buffers') => {
    const [first] = visits.toSorted((a, b) => sum(b, measure) - sum(a, measure));
    return first && `${sum(first, measure).toFixed()} ${measure} ${first.path}`;
  };
  return `${visits.length} pages; at the most ${worst('milliseconds')}; ${worst('buffers')}`;
}

test('the bulk data have the expected size', async (t) => {
  const { rows } = await f.owner.query(
    `select (select count(*) from organisations)::integer as organisations,
       (select count(*) from connectors)::integer as connectors,
       (select count(*) from links)::integer as links, (select count(*) from audit)::integer as entries`,
  );
  t.diagnostic(`loaded in ${loadedIn} ms: ${JSON.stringify(rows[0])}`);
  const { organisations, connectors, links, entries } = rows[0];
  assert.ok(organisations >= 1000 && connectors >= 100_000 && links >= 30_000 && entries >= 100_000);
});

for (const [title, n] of [
  ['big', big],
  ['usual', usual],
] as const)
  test(`the lists of a ${title} organisation use index scans, and no sort is longer than a page`, async (t) => {
    const sample = await sampleOf(n);
    const client = admin.with({ scope: sample.id });
    const visits = await visitAll(client, listsOf(sample));
    const empty = await visitAll(client, emptyListsOf(sample));
    const all = [...visits, ...empty];
    t.diagnostic(describeWorst(all));
    assert.deepEqual(pathsOf(empty.filter(({ total }) => total > 0)), []);
    // In the usual organisation some pairs of filters match nothing; in the big one all match.
    if (n === big) assert.deepEqual(pathsOf(visits.filter(({ total }) => total === 0)), []);
    assertGood(all);
    const most = mostBuffers * (visits[0]?.total ?? 0);
    const isExpensive = (one: Visit): boolean => sum(one, 'buffers') > most;
    let expensive = all.filter(isExpensive);
    // A concurrent write may have left pages that are not all-visible: a vacuum corrects that.
    for (let attempt = 0; attempt < 3 && expensive.length > 0; attempt++) {
      await f.owner.query('vacuum (analyze)');
      const again: Visit[] = [];
      for (const { path } of expensive) again.push(await visit(client, path));
      expensive = again.filter(isExpensive);
    }
    assert.deepEqual(
      expensive.map((one) => `${sum(one, 'buffers')} of at most ${most} pages: ${one.path}`),
      [],
    );
  });

test('newest first uses backward index scans; other sorts and searches touch only the organisation’s rows', async (t) => {
  for (const n of [big, usual]) {
    const sample = await sampleOf(n);
    const client = admin.with({ scope: sample.id });
    assertGood(await visitAll(client, backwards));
    const sorted = await visitAll(client, sortedListsOf(sample));
    t.diagnostic(describeWorst(sorted));
    assertGood(sorted, []);
  }
});

test('lists of children use index scans for every sort column, as do their products and capacities', async (t) => {
  const child = await sampleOf(usual);
  const own = { id: f.organisations.meridian };
  const visits = [
    ...(await visitAll(admin.with({ scope: child.id }), childrenOf(child))),
    ...(await visitAll(admin, [
      ...childrenOf(own),
      `/organisations/${child.id}`,
      ...soldTo(child),
      '/personal/tokens',
    ])),
  ];
  t.diagnostic(describeWorst(visits));
  assertGood(visits);
});

test('children sorted by several columns use the index of the first, with an incremental sort', async () => {
  const lists = ['/organisations?sort=updatedAt&sort=name,DESC', '/organisations?sort=name,DESC&sort=createdAt'];
  const visits = await visitAll(admin, lists);
  assertGood(visits, ['Sort']);
});
