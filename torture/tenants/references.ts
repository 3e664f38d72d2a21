// Names of others' records where no path has a place for them: in bodies, in resource names, in filters and in headers. Whatever is done with
// them, it must be what is done with names that nobody has.
import assert from 'node:assert/strict';
import { parseIrn } from '../../src/values/irn.ts';
import type { ApiResponse, CallOptions, Client } from '../../test/harness/client.ts';
import { absentId, essence, fill, type Operation, type Tenant } from '../tenant-fixture.ts';
import { parents, recordsOf } from './context.ts';

/** A value of somebody else's, and one of the same form that nobody has. */
interface Name {
  theirs: string;
  nobodys: string;
}

interface Slot {
  what: string;
  method: string;
  path: string;
  /** What is sent with this name. */
  options: (name: string) => CallOptions;
  query?: (name: string) => string;
  names: Name[];
}

/** As long as a canary, so that answers which repeat it have the same length. */
const nobodysText = 'canary-000000000000';
const first = (tenant: Tenant, key: string): string =>
  tenant.records[key]?.[0] ?? assert.fail(`${tenant.name} has no ${key}`);
const idsOf = (tenant: Tenant): Name[] =>
  [...new Set(Object.values(tenant.records).flat())]
    .filter((value) => /^[0-9a-f-]{36}$/.test(value))
    .map((theirs) => ({ theirs, nobodys: absentId }));

/** Resource names of the victim, and forged ones: the victim's record under one's own code, one's own record under the victim's. */
export function irnsOf(attacker: Tenant, victim: Tenant): Name[] {
  const own = attacker.records.irn ?? [];
  const foreign = victim.records.irn ?? [];
  const ownerOf = (irn: string): string => parseIrn(irn)?.owner ?? assert.fail(irn);
  const nobodysOf = (irn: string, owner = '0123456789ab'): string => {
    const [scheme, family, , qualifier] = irn.split(':');
    return [scheme, family, owner, qualifier, '6x0k3f0v1c9r2b7q5d8w4n1ty'].join(':');
  };
  const under = (irn: string, owner: string): string => irn.replace(/^(irn:\w+:)\w+/, `$1${owner}`);
  return [
    ...foreign.map((irn) => ({ theirs: irn, nobodys: nobodysOf(irn) })),
    ...foreign.map((irn) => ({
      theirs: under(irn, ownerOf(own[0] ?? '')),
      nobodys: nobodysOf(irn, ownerOf(own[0] ?? '')),
    })),
    ...own.map((irn) => ({ theirs: under(irn, ownerOf(foreign[0] ?? '')), nobodys: nobodysOf(irn) })),
  ];
}

/** Bodies of creations that are right but for one name. */
function creations(_operations: Operation[], attacker: Tenant, victim: Tenant): Slot[] {
  const of = (key: string) => first(attacker, key);
  const named = (key: string): Name[] => [{ theirs: first(victim, key), nobodys: absentId }];
  const slot = (path: string, body: (name: string) => object, names: Name[], what: string): Slot => ({
    what,
    method: 'POST',
    path,
    options: (name) => ({ body: body(name) }),
    names,
  });
  const site = {
    entreprise: { cloudApplianceID: of('cloudAppliancesId'), vlan: 3999, customerASN: 64999, cmeBGPKey: 'k' },
  };
  const box = {
    name: 'x',
    siteName: 'x',
    slacity: 'amsterdam',
    cloudApplianceModelID: absentId,
    kind: 'cloudAppliance',
  };
  const connectors = ['set-registered', 'auto-deploy', 'check']
    .map((way) => `/flow/connector/${way}`)
    .flatMap((path) => [
      slot(path, (groupId) => ({ name: 'x', groupId, ...site }), named('groupId'), 'groupId'),
      slot(path, (id) => ({ name: 'x', groupId: of('groupId'), ...site, tagIds: [id] }), named('tagId'), 'tagIds'),
      slot(
        path,
        (id) => ({ name: 'x', groupId: of('groupId'), entreprise: { ...site.entreprise, cloudApplianceID: id } }),
        named('cloudAppliancesId'),
        'cloudApplianceID',
      ),
    ]);
  const ends = [
    ...named('connid'),
    ...irnsOf(attacker, victim).filter(({ theirs }) => theirs.startsWith('irn:connectors:')),
  ];
  const link = '/flow/link/set-registered';
  const role = [{ theirs: victim.canary, nobodys: nobodysText }];
  const person = { email: 'nobody@canary.example', lastName: 'X', password: 'tidal lantern orbit cedar' };
  return [
    ...connectors,
    slot('/groups', (id) => ({ name: 'x', tagIds: [id] }), named('tagId'), 'tagIds'),
    slot('/cloud-appliances', (id) => ({ ...box, tagIds: [id] }), named('tagId'), 'tagIds'),
    slot(link, (from) => ({ name: 'x', from, to: of('connid') }), ends, 'from'),
    slot(link, (to) => ({ name: 'x', from: of('connid'), to }), ends, 'to'),
    slot(
      `/groups/${of('groupId')}/capacities`,
      (id) => ({ capacityId: id, allocation: 1 }),
      named('capacityId'),
      'capacityId',
    ),
    slot(
      `/groups/${of('groupId')}/capacities`,
      (id) => ({ capacityId: id, allocation: 1 }),
      named('allocationId'),
      'capacityId',
    ),
    slot('/users', (name) => ({ ...person, role: name }), role, 'role'),
    slot(
      '/users',
      (id) => ({ ...person, role: 'no-such-role', organisationId: id }),
      named('organisationId'),
      'organisationId',
    ),
    slot('/organisations', (id) => ({ name: 'x', parentId: id }), named('organisationId'), 'parentId'),
    slot('/flow/connector/check-name', (name) => ({ name }), [{ theirs: victim.canary, nobodys: nobodysText }], 'name'),
    {
      what: 'line protocol',
      method: 'POST',
      path: '/metrics/write',
      options: (irn) => ({ raw: `interface,irn=${irn} ifHCInOctets=1i ${Date.now() * 1e6}` }),
      names: irnsOf(attacker, victim),
    },
  ];
}

const keys = [
  'id',
  'organisationId',
  'organisation_id',
  'parentId',
  'groupId',
  'group_id',
  'capacityId',
  'userId',
  'role',
  'from',
  'to',
  'irn',
];

/** Whose child one is stands in one's own record, and may be sent back as it is. */
const isOwnParent = ({ path }: Operation, attacker: Tenant, victim: Tenant): boolean =>
  path === '/organisations/{organisationId}' && parents[attacker.name] === victim.name;

/** Changes of one's own records that say nothing but a name of somebody else's. */
const changes = (operations: Operation[], attacker: Tenant, victim: Tenant): Slot[] =>
  operations
    .filter(({ method }) => method === 'PUT')
    .flatMap((operation) => {
      const path = fill(operation.path, recordsOf(attacker));
      const slot = (what: string, body: (name: string) => object, names: Name[]): Slot => ({
        what,
        method: 'PUT',
        path,
        options: (name) => ({ body: body(name) }),
        names,
      });
      return [
        ...keys
          .filter((key) => key !== 'parentId' || !isOwnParent(operation, attacker, victim))
          .map((key) => slot(key, (name) => ({ [key]: name }), valuesFor(key, attacker, victim))),
        slot('tagIds', (id) => ({ tagIds: [id] }), [{ theirs: first(victim, 'tagId'), nobodys: absentId }]),
        slot('cloudApplianceID', (id) => ({ entreprise: { cloudApplianceID: id } }), [
          { theirs: first(victim, 'cloudAppliancesId'), nobodys: absentId },
        ]),
      ];
    });

const recordOf: Record<string, string> = {
  organisation_id: 'organisationId',
  parentId: 'organisationId',
  group_id: 'groupId',
  from: 'connid',
  to: 'connid',
};

function valuesFor(key: string, attacker: Tenant, victim: Tenant): Name[] {
  if (key === 'role') return [{ theirs: victim.canary, nobodys: nobodysText }];
  if (key === 'irn') return irnsOf(attacker, victim).slice(0, 1);
  return [{ theirs: first(victim, recordOf[key] ?? key), nobodys: absentId }];
}

const stray = ['organisationId', 'organisation_id', 'scope', 'service-scope'];

/** Every filter of every list, and parameters that are none, with every id, resource name and word of the victim's. */
const filters = (operations: Operation[], attacker: Tenant, victim: Tenant): Slot[] =>
  operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) =>
      [...operation.filters, ...stray].map((filter): Slot => {
        const isStray = stray.includes(filter);
        const names = isStray
          ? [{ theirs: victim.id, nobodys: absentId }]
          : [
              ...idsOf(victim),
              ...irnsOf(attacker, victim).slice(0, filter === 'linkedTo' ? undefined : 2),
              { theirs: victim.canary, nobodys: nobodysText },
            ];
        const before = operation.query ? `${operation.query}&` : '?';
        return {
          what: `?${filter}`,
          method: 'GET',
          path: fill(operation.path, recordsOf(attacker)),
          options: () => ({}),
          query: (name) => `${before}${filter}=${encodeURIComponent(name)}`,
          names,
        };
      }),
    );

const headers = [
  'x-scope',
  'x-organisation-id',
  'x-tenant',
  'x-forwarded-user',
  'x-original-url',
  'organisation',
  'forwarded',
  'cookie',
];

/** Headers that say nothing here, naming the victim. */
const strangeHeaders = (operations: Operation[], attacker: Tenant, victim: Tenant): Slot[] =>
  operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) =>
      headers.map((header) => ({
        what: header,
        method: 'GET',
        path: fill(operation.path, recordsOf(attacker)) + operation.query,
        options: (name: string) => ({ headers: { [header]: name } }),
        names: [{ theirs: victim.id, nobodys: absentId }],
      })),
    );

/** The answer without the name that was asked with: that may be repeated, as in links to further pages. */
function withoutName(answer: ApiResponse, name: string): string {
  const text = essence(answer);
  return [name, encodeURIComponent(name)].reduce((rest, spelled) => rest.replaceAll(spelled, '…'), text);
}

/** What goes on by itself: points of time series, reports over a span that ends now, and what the fabric shows in this moment. */
const isOfNow = (path: string): boolean =>
  /^\/metrics\/(query\/irn\/[^/]+\/[^/]+\/run|capacities)|^\/connectors\/[^/]+\/(prefixes|looking-glass)/.test(path);

export type Send = (client: Client, method: string, path: string, options: CallOptions) => Promise<ApiResponse>;

export interface Pair {
  attacker: Tenant;
  /** Acts for the attacker. */
  client: Client;
  victim: Tenant;
  operations: Operation[];
  /** A parent may write what its direct child has measured. */
  isParent: boolean;
  /** Every how many-th name is tried, beginning with which. */
  every: number;
  offset: number;
}

/** Reading comes before writing: what is written shows in one's own audit trail. */
const slotsOf = { reading: [filters, strangeHeaders], writing: [creations, changes] };

/** Tries every slot with names of the victim; answers how many names there were. */
export async function tryReferences(pair: Pair, by: keyof typeof slotsOf, send: Send): Promise<number> {
  const { attacker, client, victim, operations, isParent, every, offset } = pair;
  const tries = slotsOf[by]
    .flatMap((slots) => slots(operations, attacker, victim))
    .flatMap((slot) => slot.names.map((name) => ({ slot, name })))
    .filter(({ slot }) => !(isParent && slot.what === 'line protocol'))
    .filter((_, index) => index % every === offset);
  for (const { slot, name } of tries) {
    const { method, path, options, query = () => '' } = slot;
    const ask = (text: string) => send(client, method, path + query(text), options(text));
    const [theirs, nobodys] = [await ask(name.theirs), await ask(name.nobodys)];
    const where = `${attacker.name} ${method} ${path} with ${slot.what} ${name.theirs} of ${victim.name}`;
    assert.ok(!theirs.text.replaceAll(name.theirs, '').includes(victim.canary), `${where} shows its canary`);
    if (isOfNow(path)) assert.equal(theirs.status, nobodys.status, where);
    else if (essence(theirs) !== essence(nobodys))
      assert.equal(
        withoutName(theirs, name.theirs),
        withoutName(nobodys, name.nobodys),
        `${where} tells foreign from absent`,
      );
  }
  return tries.length;
}
