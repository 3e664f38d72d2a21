// Schemas and representations of groups and capacity allocations in the API.
import { Type } from 'typebox';
import type { Scope } from '../../store/database.ts';
import { formatIrn } from '../../values/irn.ts';
import { wireTimestamp } from '../../values/timestamps.ts';
import { nullable, tagIds, timestamp, uuidSchema } from '../schemas.ts';
import type { AllocationRow, GroupRow } from './store.ts';

export type CapacityUnit = 'bps' | 'kbps';

const count = Type.Integer({ minimum: 0 });
export const groupSchema = (unit: CapacityUnit) =>
  Type.Object(
    {
      id: uuidSchema(),
      irn: Type.String(),
      name: Type.String(),
      description: nullable(Type.String()),
      organisationId: uuidSchema(),
      organisationid: uuidSchema('The same as organisationId'),
      allocatedCapacity: nullable(
        Type.Integer({ description: `Sum of its allocations in ${unit}; null if there are none` }),
      ),
      tagIds,
      countConnectors: count,
      countFlowConnectors: count,
      countLinks: count,
      countFlowLinks: count,
      createdAt: timestamp,
      updatedAt: timestamp,
    },
    { title: 'Group' },
  );

export const wireGroup = (scope: Scope, unit: CapacityUnit) => (row: GroupRow) => ({
  id: row.id,
  irn: formatIrn('group', scope.organisationCode, row.id),
  name: row.name,
  description: row.description,
  organisationId: row.organisation_id,
  organisationid: row.organisation_id,
  allocatedCapacity:
    row.allocated_bps === null ? null : Math.floor(Number(row.allocated_bps) / (unit === 'kbps' ? 1000 : 1)),
  tagIds: row.tag_ids,
  countConnectors: row.connectors,
  countFlowConnectors: row.flow_connectors,
  countLinks: row.links,
  countFlowLinks: row.flow_links,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

export const allocationSchema = Type.Object(
  {
    id: uuidSchema(),
    irn: Type.String(),
    groupId: uuidSchema(),
    capacityId: uuidSchema(),
    allocation: Type.Integer({ description: 'Bits per second' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'GroupCapacityAllocation' },
);

export const wireAllocation = (scope: Scope) => (row: AllocationRow) => ({
  id: row.id,
  irn: formatIrn('capacity', scope.organisationCode, row.id),
  groupId: row.group_id,
  capacityId: row.capacity_id,
  allocation: Number(row.allocation_bps),
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

const timestamps = { createdAt: '2026-11-14T09:30:00.123456Z', updatedAt: '2026-11-14T09:30:00.123456Z' };
export const example = {
  id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
  irn: 'irn:group:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty',
  name: 'payments-eu',
  description: 'Card traffic between the stores and the clouds',
  organisationId: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  organisationid: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10',
  allocatedCapacity: 2_500_000_000,
  tagIds: null,
  countConnectors: 3,
  countFlowConnectors: 2,
  countLinks: 2,
  countFlowLinks: 2,
  ...timestamps,
};
export const exampleAllocation = {
  id: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  irn: 'irn:capacity:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab',
  groupId: example.id,
  capacityId: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21',
  allocation: 2_500_000_000,
  ...timestamps,
};
