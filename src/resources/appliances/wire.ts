// Schemas and representations of appliances, their models and virtual interfaces in the API.
import { Type } from 'typebox';
import { mapInSlices } from '../../concurrency/time-slices.ts';
import { site } from '../../connector-kinds/site.ts';
import type { Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { nullable, tagIds, timestamp, uuidSchema } from '../schemas.ts';
import type { ApplianceRow, InterfaceRow, ModelRow } from './store.ts';

export const modelSchema = Type.Object(
  {
    id: uuidSchema(),
    createdAt: timestamp,
    updatedAt: timestamp,
    modelName: Type.String(),
    maxCapacity: Type.String(),
    connectorsNumber: Type.Integer(),
    dualPowered: Type.Boolean(),
    flowtypes: Type.String(),
    vendor: Type.String(),
    type: Type.String(),
    uplinkMedia: Type.String(),
  },
  { title: 'CloudApplianceModel' },
);

export const wireModel = (row: ModelRow) => ({
  id: row.id,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
  modelName: row.model_name,
  maxCapacity: row.max_capacity,
  connectorsNumber: row.connectors_number,
  dualPowered: row.dual_powered,
  flowtypes: row.flowtypes,
  vendor: row.vendor,
  type: row.type,
  uplinkMedia: row.uplink_media,
});

const text = Type.String();
export const virtualInterfaceSchema = Type.Object(
  {
    id: uuidSchema(),
    irn: text,
    cloudApplianceId: uuidSchema(),
    GatewayID: uuidSchema(),
    name: text,
    description: nullable(text),
    tagIds: Type.Array(uuidSchema()),
    cmeIfDescription: text,
    organisationId: uuidSchema(),
    linkedEntrepriseConnectorName: text,
    custParameters: Type.Object(
      {
        bgpKey: Type.Null({ description: 'Never shown here' }),
        gwAs: text,
        gwIP: text,
        gwSubnetMask: text,
        ipAddress: text,
        peerAs: text,
        peerIP: text,
        gwUnit: Type.Integer(),
        vlanID: Type.Integer(),
      },
      { title: 'CustomerParameters' },
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'CloudVirtualInterface' },
);

/** `gw` fields describe the platform's end of the session, `peer` fields the customer's. */
function wireParameters(details: Record<string, unknown>) {
  const value = (name: string): string => String(details[name] ?? '');
  return {
    bgpKey: null,
    gwAs: value('serviceCloudApplianceASN'),
    gwIP: value('cloudApplianceCloudVirtualInterfaceIP'),
    gwSubnetMask: value('cmeMask'),
    ipAddress: value('cloudApplianceCloudVirtualInterfaceIP'),
    peerAs: value('customerASN'),
    peerIP: value('cmeGatewayIP'),
    gwUnit: Number(details.vlan),
    vlanID: Number(details.vlan),
  };
}

export const wireInterface = (scope: Scope) => (row: InterfaceRow) => ({
  id: row.interface_id ?? '',
  irn: formatIrn('cloudgateway', scope.organisationCode, row.interface_id ?? '', site.name),
  cloudApplianceId: row.appliance_id ?? '',
  GatewayID: row.gateway_id,
  name: row.name,
  description: row.description,
  tagIds: row.tag_ids ?? [],
  cmeIfDescription: `${row.name} (VLAN ${row.details.vlan})`,
  organisationId: row.organisation_id,
  linkedEntrepriseConnectorName: row.name,
  custParameters: wireParameters(row.details),
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

const fields = {
  id: uuidSchema(),
  irn: text,
  name: text,
  description: nullable(text),
  kind: Type.Union([Type.Literal('cloudAppliance'), Type.Literal('routingAppliance')]),
  tagIds,
  organisationId: uuidSchema(),
  siteName: text,
  slacity: text,
  region: Type.String({ description: 'Slug of the region' }),
  cloudApplianceModelID: uuidSchema(),
  cloudApplianceModel: modelSchema,
  custCloudApplianceInterface: Type.String({ description: 'Port towards the customer’s network' }),
  svcCloudApplianceInterface: Type.String({ description: 'Port towards the platform' }),
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const listedApplianceSchema = Type.Object(
  { ...fields, cloudVirtualInterfaces: Type.Array(virtualInterfaceSchema) },
  { title: 'ListedCloudAppliance' },
);
export const applianceSchema = Type.Object(
  {
    ...fields,
    cloudVirtualInterfaces: Type.Record(Type.String(), virtualInterfaceSchema, { description: 'By their ids' }),
  },
  { title: 'CloudAppliance' },
);

const ports = (row: ApplianceRow) =>
  row.model_type === 'virtual'
    ? { custCloudApplianceInterface: 'eth1', svcCloudApplianceInterface: 'eth0' }
    : { custCloudApplianceInterface: 'ge-0/0/1', svcCloudApplianceInterface: 'xe-0/1/0' };

const wireFields = (scope: Scope, row: ApplianceRow) => ({
  id: row.id,
  irn: formatIrn('cpe', scope.organisationCode, row.id),
  name: row.name,
  description: row.description,
  kind: row.kind,
  tagIds: row.tag_ids,
  organisationId: row.organisation_id,
  siteName: row.site_name,
  slacity: row.slacity,
  region: row.region,
  cloudApplianceModelID: row.model_id,
  cloudApplianceModel: wireModel({
    ...row,
    id: row.model_id,
    type: row.model_type,
    created_at: row.model_created_at,
    updated_at: row.model_updated_at,
  }),
  ...ports(row),
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

export async function wireAppliances(scope: Scope, rows: ApplianceRow[], interfaces: InterfaceRow[]) {
  const byAppliance = Map.groupBy(await mapInSlices(interfaces, wireInterface(scope)), (one) => one.cloudApplianceId);
  return rows.map((row) => ({ ...wireFields(scope, row), cloudVirtualInterfaces: byAppliance.get(row.id) ?? [] }));
}

export async function wireAppliance(scope: Scope, row: ApplianceRow, interfaces: InterfaceRow[]) {
  const all = await mapInSlices(interfaces, wireInterface(scope));
  return {
    ...wireFields(scope, row),
    cloudVirtualInterfaces: Object.fromEntries(all.map((one) => [one.id, one] as const)),
  };
}

const timestamps = { createdAt: '2026-11-14T09:30:00.123456Z', updatedAt: '2026-11-14T09:30:00.123456Z' };
const id = '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11';
export const exampleModel = {
  id: '6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21',
  ...timestamps,
  modelName: 'Edge 1000',
  maxCapacity: '1Gbps',
  connectorsNumber: 16,
  dualPowered: true,
  flowtypes: 'l3',
  vendor: 'Patchbay Hardware',
  type: 'router',
  uplinkMedia: '1000BASE-LX',
};
export const exampleInterface = {
  id: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
  irn: 'irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty',
  cloudApplianceId: id,
  GatewayID: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  name: 'lyon-store-04',
  description: 'Lyon, Part-Dieu',
  tagIds: [],
  cmeIfDescription: 'lyon-store-04 (VLAN 204)',
  organisationId: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  linkedEntrepriseConnectorName: 'lyon-store-04',
  custParameters: {
    bgpKey: null,
    gwAs: '64512',
    gwIP: '192.0.2.17',
    gwSubnetMask: '255.255.255.252',
    ipAddress: '192.0.2.17',
    peerAs: '64620',
    peerIP: '192.0.2.18',
    gwUnit: 204,
    vlanID: 204,
  },
  ...timestamps,
};
const exampleFields = {
  id,
  irn: 'irn:cpe:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
  name: 'cpe-par-01',
  description: null,
  kind: 'cloudAppliance',
  tagIds: null,
  organisationId: exampleInterface.organisationId,
  siteName: 'Paris, Bercy',
  slacity: 'paris',
  region: 'europe',
  cloudApplianceModelID: exampleModel.id,
  cloudApplianceModel: exampleModel,
  custCloudApplianceInterface: 'ge-0/0/1',
  svcCloudApplianceInterface: 'xe-0/1/0',
  ...timestamps,
};
export const exampleListed = { ...exampleFields, cloudVirtualInterfaces: [exampleInterface] };
export const example = { ...exampleFields, cloudVirtualInterfaces: { [exampleInterface.id]: exampleInterface } };
