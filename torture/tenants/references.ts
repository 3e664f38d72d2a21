// References to other tenants' records outside of paths: in bodies, resource names, filters and headers. The response
// must be the same as to a reference to a missing record.
import assert from 'node:assert/strict';
import { parseIrn } from '../../src/values/irn.ts';
import type { ApiResponse, CallOptions, Client } from '../../test/harness/client.ts';
import { absentId, comparable, fillPath, type Operation, type Tenant } from '../tenant-fixture.ts';
import { parents, recordsOf } from './context.ts';

/** A value of the victim, and one of the same form that no tenant has. */
interface Reference {
  foreign: string;
  absent: string;
}

/** A request with a place for references. */
interface Attempt {
  field: string;
  method: string;
  path: string;
  options: (value: string) => CallOptions;
  query?: (value: string) => string;
  references: Reference[];
}

/** As long as a canary, so that responses that repeat it have the same length. */
const absentCanary = 'canary-000000000000';
const first = (tenant: Tenant, key: string): string =>
  tenant.records[key]?.[0] ?? assert.fail(`${tenant.name} has no ${key}`);
const idsOf = (tenant: Tenant): Reference[] =>
  [...new Set(Object.values(tenant.records).flat())]
    .filter((value) => /^[0-9a-f-]{36}$/.test(value))
    .map((foreign) => ({ foreign, absent: absentId }));

/** Resource names of the victim, and forged ones that mix owner and record of attacker and victim. */
export function irnsOf(attacker: Tenant, victim: Tenant): Reference[] {
  const own = attacker.records.irn ?? [];
  const foreign = victim.records.irn ?? [];
  const ownerOf = (irn: string): string => parseIrn(irn)?.owner ?? assert.fail(irn);
  const absentOf = (irn: string, owner = '0123456789ab'): string => {
    const [scheme, family, , qualifier] = irn.split(':');
    return [scheme, family, owner, qualifier, '6x0k3f0v1c9r2b7q5d8w4n1ty'].join(':');
  };
  const under = (irn: string, owner: string): string => irn.replace(/^(irn:\w+:)\w+/, `$1${owner}`);
  return [
    ...foreign.map((irn) => ({ foreign: irn, absent: absentOf(irn) })),
    ...foreign.map((irn) => ({
      foreign: under(irn, ownerOf(own[0] ?? '')),
      absent: absentOf(irn, ownerOf(own[0] ?? '')),
    })),
    ...own.map((irn) => ({ foreign: under(irn, ownerOf(foreign[0] ?? '')), absent: absentOf(irn) })),
  ];
}

/** Creations with one reference to the victim in an otherwise valid body. */
function creations(_operations: Operation[], attacker: Tenant, victim: Tenant): Attempt[] {
  const of = (key: string) => first(attacker, key);
  const named = (key: string): Reference[] => [{ foreign: first(victim, key), absent: absentId }];
  const attempt = (path: string, body: (name: string) => object, references: Reference[], field: string): Attempt => ({
    field,
    method: 'POST',
    path,
    options: (name) => ({ body: body(name) }),
    references,
  });
  const site = {
    entreprise: { cloudApplianceID: of('cloudAppliancesId'), vlan: 3999, customerASN: 64999, cmeBGPKey: 'k' },
  };
  const appliance = {
    name: 'x',
    siteName: 'x',
    slacity: 'amsterdam',
    cloudApplianceModelID: absentId,
    kind: 'cloudAppliance',
  };
  const connectors = ['set-registered', 'auto-deploy', 'check']
    .map((way) => `/flow/connector/${way}`)
    .flatMap((path) => [
      attempt(path, (groupId) => ({ name: 'x', groupId, ...site }), named('groupId'), 'groupId'),
      attempt(path, (id) => ({ name: 'x', groupId: of('groupId'), ...site, tagIds: [id] }), named('tagId'), 'tagIds'),
      attempt(
        path,
        (id) => ({ name: 'x', groupId: of('groupId'), entreprise: { ...site.entreprise, cloudApplianceID: id } }),
        named('cloudAppliancesId'),
        'cloudApplianceID',
      ),
    ]);
  const ends = [
    ...named('connid'),
    ...irnsOf(attacker, victim).filter(({ foreign }) => foreign.startsWith('irn:connectors:')),
  ];
  const link = '/flow/link/set-registered';
  const role = [{ foreign: victim.canary, absent: absentCanary }];
  const user = { email: 'nobody@canary.example', lastName: 'X', password: 'tidal lantern orbit cedar' };
  return [
    ...connectors,
    attempt('/groups', (id) => ({ name: 'x', tagIds: [id] }), named('tagId'), 'tagIds'),
    attempt('/cloud-appliances', (id) => ({ ...appliance, tagIds: [id] }), named('tagId'), 'tagIds'),
    attempt(link, (from) => ({ name: 'x', from, to: of('connid') }), ends, 'from'),
    attempt(link, (to) => ({ name: 'x', from: of('connid'), to }), ends, 'to'),
    attempt(
      `/groups/${of('groupId')}/capacities`,
      (id) => ({ capacityId: id, allocation: 1 }),
      named('capacityId'),
      'capacityId',
    ),
    attempt(
      `/groups/${of('groupId')}/capacities`,
      (id) => ({ capacityId: id, allocation: 1 }),
      named('allocationId'),
      'capacityId',
    ),
    attempt('/users', (name) => ({ ...user, role: name }), role, 'role'),
    attempt(
      '/users',
      (id) => ({ ...user, role: 'no-such-role', organisationId: id }),
      named('organisationId'),
      'organisationId',
    ),
    attempt('/organisations', (id) => ({ name: 'x', parentId: id }), named('organisationId'), 'parentId'),
    attempt(
      '/flow/connector/check-name',
      (name) => ({ name }),
      [{ foreign: victim.canary, absent: absentCanary }],
      'name',
    ),
    {
      field: 'line protocol',
      method: 'POST',
      path: '/metrics/write',
      options: (irn) => ({ raw: `interface,irn=${irn} ifHCInOctets=1i ${Date.now() * 1e6}` }),
      references: irnsOf(attacker, victim),
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

/** An organisation's record contains the id of its parent, which may be sent back. */
const isOwnParent = ({ path }: Operation, attacker: Tenant, victim: Tenant): boolean =>
  path === '/organisations/{organisationId}' && parents[attacker.name] === victim.name;

/** Changes of the attacker's records with one reference to the victim. */
const changes = (operations: Operation[], attacker: Tenant, victim: Tenant): Attempt[] =>
  operations
    .filter(({ method }) => method === 'PUT')
    .flatMap((operation) => {
      const path = fillPath(operation.path, recordsOf(attacker));
      const attempt = (field: string, body: (name: string) => object, references: Reference[]): Attempt => ({
        field,
        method: 'PUT',
        path,
        options: (name) => ({ body: body(name) }),
        references,
      });
      return [
        ...keys
          .filter((key) => key !== 'parentId' || !isOwnParent(operation, attacker, victim))
          .map((key) => attempt(key, (name) => ({ [key]: name }), valuesFor(key, attacker, victim))),
        attempt('tagIds', (id) => ({ tagIds: [id] }), [{ foreign: first(victim, 'tagId'), absent: absentId }]),
        attempt('cloudApplianceID', (id) => ({ entreprise: { cloudApplianceID: id } }), [
          { foreign: first(victim, 'cloudAppliancesId'), absent: absentId },
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

function valuesFor(key: string, attacker: Tenant, victim: Tenant): Reference[] {
  if (key === 'role') return [{ foreign: victim.canary, absent: absentCanary }];
  if (key === 'irn') return irnsOf(attacker, victim).slice(0, 1);
  return [{ foreign: first(victim, recordOf[key] ?? key), absent: absentId }];
}

const undocumented = ['organisationId', 'organisation_id', 'scope', 'service-scope'];

/** Every filter of every list, and undocumented parameters, with ids, resource names and the canary of the victim. */
const filters = (operations: Operation[], attacker: Tenant, victim: Tenant): Attempt[] =>
  operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) =>
      [...operation.filters, ...undocumented].map((filter): Attempt => {
        const isUndocumented = undocumented.includes(filter);
        const references = isUndocumented
          ? [{ foreign: victim.id, absent: absentId }]
          : [
              ...idsOf(victim),
              ...irnsOf(attacker, victim).slice(0, filter === 'linkedTo' ? undefined : 2),
              { foreign: victim.canary, absent: absentCanary },
            ];
        const before = operation.query ? `${operation.query}&` : '?';
        return {
          field: `?${filter}`,
          method: 'GET',
          path: fillPath(operation.path, recordsOf(attacker)),
          options: () => ({}),
          query: (name) => `${before}${filter}=${encodeURIComponent(name)}`,
          references,
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

/** Headers without meaning to the service that contain the victim's id. */
const unknownHeaders = (operations: Operation[], attacker: Tenant, victim: Tenant): Attempt[] =>
  operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) =>
      headers.map((header) => ({
        field: header,
        method: 'GET',
        path: fillPath(operation.path, recordsOf(attacker)) + operation.query,
        options: (name: string) => ({ headers: { [header]: name } }),
        references: [{ foreign: victim.id, absent: absentId }],
      })),
    );

/** The response without the reference, which it may repeat, for example in links to further pages. */
function withoutReference(response: ApiResponse, value: string): string {
  const text = comparable(response);
  return [value, encodeURIComponent(value)].reduce((rest, encoded) => rest.replaceAll(encoded, '…'), text);
}

/** Paths whose responses change all the time: points of series, reports until now, and the state of the fabric. */
const isLive = (path: string): boolean =>
  /^\/metrics\/(query\/irn\/[^/]+\/[^/]+\/run|capacities)|^\/connectors\/[^/]+\/(prefixes|looking-glass)/.test(path);

export type Send = (client: Client, method: string, path: string, options: CallOptions) => Promise<ApiResponse>;

export interface Pair {
  attacker: Tenant;
  /** Acts for the attacker. */
  client: Client;
  victim: Tenant;
  operations: Operation[];
  /** A parent may write metrics of its direct children. */
  isParent: boolean;
  /** Only every n-th reference is sent, beginning at the offset. */
  every: number;
  offset: number;
}

/** Reads come before writes, as writes appear in the attacker's audit trail. */
const attemptsOf = { reading: [filters, unknownHeaders], writing: [creations, changes] };

/** Sends every attempt with references to the victim. Returns the number of references. */
export async function sendReferences(pair: Pair, by: keyof typeof attemptsOf, send: Send): Promise<number> {
  const { attacker, client, victim, operations, isParent, every, offset } = pair;
  const attempts = attemptsOf[by]
    .flatMap((attemptsFor) => attemptsFor(operations, attacker, victim))
    .flatMap((attempt) => attempt.references.map((reference) => ({ attempt, reference })))
    .filter(({ attempt }) => !(isParent && attempt.field === 'line protocol'))
    .filter((_, index) => index % every === offset);
  for (const { attempt, reference } of attempts) {
    const { method, path, options, query = () => '' } = attempt;
    const sendWith = (value: string) => send(client, method, path + query(value), options(value));
    const [foreign, absent] = [await sendWith(reference.foreign), await sendWith(reference.absent)];
    const where = `${attacker.name} ${method} ${path} with ${attempt.field} ${reference.foreign} of ${victim.name}`;
    assert.ok(!foreign.text.replaceAll(reference.foreign, '').includes(victim.canary), `${where} shows its canary`);
    if (isLive(path)) assert.equal(foreign.status, absent.status, where);
    else if (comparable(foreign) !== comparable(absent))
      assert.equal(
        withoutReference(foreign, reference.foreign),
        withoutReference(absent, reference.absent),
        `${where} distinguishes other tenants' records from missing ones`,
      );
  }
  return attempts.length;
}
