// Schemas and representations of connectors in the API.
import { type TObject, Type } from 'typebox';
import {
  type ConnectorKind,
  readModel,
  readModelSchema,
  type Values,
  writeModel,
  writeModelResponseSchema,
} from '../../connector-kinds/connector-kind.ts';
import { providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import type { Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { deploymentState, nullable, tagIds, timestamp, uuidSchema } from '../schemas.ts';
import type { ConnectorAction } from './rules.ts';
import { connectorKindOf } from './rules.ts';
import type { ConnectorRow, ConnectorSummaryRow } from './store.ts';

/** Alternative field names that requests may use. */
export const fieldAliases: Record<string, string> = {
  groupID: 'groupId',
  enterprise: 'entreprise',
  ...Object.fromEntries(
    [...providers, site].flatMap(({ fields }) =>
      fields.filter(({ name, writeName }) => name !== writeName).map(({ name, writeName }) => [name, writeName]),
    ),
  ),
};

const text = Type.String();
export const connectorSchema = Type.Object(
  {
    id: uuidSchema(),
    irn: text,
    connectorType: Type.Union([Type.Literal('cloudGateway'), Type.Literal('virtualGateway')]),
    connectorTypeId: uuidSchema(),
    name: text,
    description: nullable(text),
    tagIds,
    organisationId: uuidSchema(),
    groupId: uuidSchema(),
    region: Type.String({ description: 'Name of the region' }),
    slug: Type.String({ description: 'Slug of the region' }),
    longitude: Type.Number(),
    latitude: Type.Number(),
    routerIrn: Type.String({ description: 'The router of its group at its edge' }),
    bgpDescriptions: Type.Array(text),
    routerInterface: Type.Array(text),
    bandwidth: Type.Integer({ description: 'Bits per second' }),
    kind: text,
    state: deploymentState,
    status: Type.Integer({
      minimum: 0,
      maximum: 3,
      description: '0 OK, 1 warning, 2 critical, 3 unknown (registered, or no report for 15 minutes)',
    }),
    statusSince: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'Connector' },
);

/** Fields that callers cannot set. A request may contain them with their current values. */
export const readOnlyFields = [
  'id',
  'irn',
  'connectorType',
  'connectorTypeId',
  'organisationId',
  'region',
  'slug',
  'longitude',
  'latitude',
  'routerIrn',
  'bgpDescriptions',
  'routerInterface',
  'bandwidth',
  'kind',
  'state',
  'status',
  'statusSince',
  'createdAt',
  'updatedAt',
];

export const wireConnector = (scope: Scope) => (row: ConnectorSummaryRow) => ({
  id: row.id,
  irn: formatIrn('connector', scope.organisationCode, row.id),
  connectorType: row.family ? 'cloudGateway' : 'virtualGateway',
  connectorTypeId: row.gateway_id,
  name: row.name,
  description: row.description,
  tagIds: row.tag_ids,
  organisationId: row.organisation_id,
  groupId: row.group_id,
  region: row.region,
  slug: row.slug,
  longitude: row.longitude,
  latitude: row.latitude,
  routerIrn: formatIrn('ire', scope.organisationCode, row.router_id),
  bgpDescriptions: row.bgp_descriptions,
  routerInterface: row.router_interfaces,
  bandwidth: Number(row.bandwidth_bps),
  kind: 'single',
  state: row.state,
  status: row.status,
  statusSince: wireTimestamp(row.status_since),
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

const modelSchema = (
  use: 'read' | 'write',
  schemaOf: (kind: ConnectorKind) => TObject,
  extraFields: Record<string, typeof text>,
) =>
  Type.Object(
    {
      name: text,
      description: nullable(text),
      groupId: uuidSchema(),
      tagIds,
      csp: nullable(
        Type.Object(
          {
            cloudDestinationID: uuidSchema(),
            ...Object.fromEntries(providers.map((kind) => [kind.name, Type.Optional(schemaOf(kind))])),
          },
          { title: `csp.${use}` },
        ),
      ),
      entreprise: nullable(schemaOf(site)),
      ...extraFields,
    },
    { title: `Connector.${use}` },
  );

export const readWriteModelSchema = Type.Object(
  {
    actions: Type.Array(Type.Union([Type.Literal('update'), Type.Literal('delete'), Type.Literal('deploy')]), {
      description: 'What you may do now',
    }),
    read: modelSchema('read', readModelSchema, { irn: text, groupID: uuidSchema('The same as groupId') }),
    write: modelSchema('write', writeModelResponseSchema, {}),
    state: deploymentState,
  },
  { title: 'ConnectorReadWriteModel' },
);

export function wireReadWriteModel(scope: Scope, row: ConnectorRow, values: Values, actions: ConnectorAction[]) {
  const kind = connectorKindOf(row.family);
  const common = { name: row.name, description: row.description, groupId: row.group_id, tagIds: row.tag_ids };
  const byKind = (fields: Values) => ({
    csp: row.family ? { cloudDestinationID: row.destination_id, [kind.name]: fields } : null,
    entreprise: row.family ? null : fields,
  });
  const irn = formatIrn('connector', scope.organisationCode, row.id);
  return {
    actions,
    read: { ...common, ...byKind(readModel(kind, values)), irn, groupID: row.group_id },
    write: { ...common, ...byKind(writeModel(kind, values)) },
    state: row.state,
  };
}

const timestamps = { createdAt: '2026-11-14T09:30:00.123456Z', updatedAt: '2026-11-14T09:30:00.123456Z' };
export const example = {
  id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
  irn: 'irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
  connectorType: 'cloudGateway',
  connectorTypeId: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  name: 'fra-analytics-01',
  description: 'To Frankfurt, FRA1',
  tagIds: null,
  organisationId: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  groupId: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
  region: 'Europe',
  slug: 'europe',
  longitude: 8.68,
  latitude: 50.11,
  routerIrn: 'irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab',
  bgpDescriptions: [],
  routerInterface: [],
  bandwidth: 1_000_000_000,
  kind: 'single',
  state: 'registered',
  status: 3,
  statusSince: timestamps.createdAt,
  ...timestamps,
};

const common = { name: example.name, description: example.description, groupId: example.groupId, tagIds: null };
const exampleFields = {
  providerAAddress: '100.64.0.1/30',
  asNumber: 64710,
  providerAAccount: 123456789012,
  customerAddress: '100.64.0.2/30',
  platformAsNumber: 64512,
};
const cloudDestinationID = '6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21';
export const exampleModel = {
  actions: ['update', 'delete', 'deploy'],
  read: {
    ...common,
    csp: { cloudDestinationID, providerA: { ...exampleFields, dxvif: null } },
    entreprise: null,
    irn: example.irn,
    groupID: example.groupId,
  },
  write: { ...common, csp: { cloudDestinationID, providerA: exampleFields }, entreprise: null },
  state: 'registered',
};
export const exampleRequest = {
  name: example.name,
  groupId: example.groupId,
  csp: { cloudDestinationID, providerA: { asNumber: 64710, providerAAccount: 123456789012 } },
};
