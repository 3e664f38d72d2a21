// Schemas and wire format of organisations.
import { Type } from 'typebox';
import { wireTimestamp } from '../../values/timestamps.ts';
import { nullable, timestamp, uuidSchema } from '../schemas.ts';
import type { OrganisationRow } from './store.ts';

export const capacitySchema = Type.Object(
  {
    id: uuidSchema(),
    capacity: Type.Integer({ description: 'Bits per second' }),
    duration: Type.Integer({ description: 'Months' }),
    isRegional: Type.Boolean({ description: 'Within one region' }),
    region1Id: uuidSchema(),
    region2Id: nullable(uuidSchema()),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { title: 'SubscribedCapacity' },
);

const nestedFields = { id: uuidSchema(), createdAt: timestamp, updatedAt: timestamp, organisationId: uuidSchema() };
const textSchema = nullable(Type.String());
// Two spellings of one field. With a title they share a schema: generators derive the same name from both spellings.
const parentId = Type.Union([uuidSchema(), Type.Null()], {
  title: 'ParentId',
  description: 'The parent of the organisation; null at the top',
});
const organisationFields = {
  id: uuidSchema(),
  name: Type.String(),
  address: Type.Object(
    { ...nestedFields, street: textSchema, city: textSchema, zipcode: textSchema, country: textSchema },
    { title: 'Address' },
  ),
  invoice: Type.Object(
    { ...nestedFields, tvasubjection: nullable(Type.Boolean()), tvanumber: textSchema, tvaintra: textSchema },
    { title: 'Invoice' },
  ),
  phone: textSchema,
  parentId,
  parent_id: parentId,
  reseller: Type.Boolean(),
  capacities: nullable(Type.Array(capacitySchema)),
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const organisationSchema = Type.Object(organisationFields, { title: 'Organisation' });
const childSchema = Type.Object(
  { id: uuidSchema(), name: Type.String(), reseller: Type.Boolean(), childrenCount: Type.Integer() },
  { title: 'ChildOrganisation' },
);
export const organisationWithChildrenSchema = Type.Object(
  { ...organisationFields, children: Type.Array(childSchema) },
  { title: 'OrganisationWithChildren' },
);

export interface SubscribedCapacityRow {
  id: string;
  capacity_bps: string | number;
  duration_months: number;
  region1_id: string;
  region2_id: string | null;
  created_at: string;
  updated_at: string;
}

export const wireCapacity = (row: SubscribedCapacityRow) => ({
  id: row.id,
  capacity: Number(row.capacity_bps),
  duration: row.duration_months,
  isRegional: row.region2_id === null,
  region1Id: row.region1_id,
  region2Id: row.region2_id,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

export const wireOrganisation = (row: OrganisationRow) => ({
  id: row.id,
  name: row.name,
  address: {
    id: row.address_id,
    createdAt: wireTimestamp(row.address_created_at),
    updatedAt: wireTimestamp(row.address_updated_at),
    organisationId: row.id,
    street: row.street,
    city: row.city,
    zipcode: row.zipcode,
    country: row.country,
  },
  invoice: {
    id: row.invoice_id,
    createdAt: wireTimestamp(row.invoice_created_at),
    updatedAt: wireTimestamp(row.invoice_updated_at),
    organisationId: row.id,
    tvasubjection: row.tvasubjection,
    tvanumber: row.tvanumber,
    tvaintra: row.tvaintra,
  },
  phone: row.phone,
  parentId: row.parent_id,
  parent_id: row.parent_id,
  reseller: row.reseller,
  capacities: row.capacities.length ? row.capacities.map(wireCapacity) : null,
  createdAt: wireTimestamp(row.created_at),
  updatedAt: wireTimestamp(row.updated_at),
});

export const wireChild = (row: { id: string; name: string; reseller: boolean; children_count: number }) => ({
  id: row.id,
  name: row.name,
  reseller: row.reseller,
  childrenCount: row.children_count,
});

const exampleTimestamps = { createdAt: '2026-11-14T09:30:00.123456Z', updatedAt: '2026-11-14T09:30:00.123456Z' };
const exampleId = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
export const organisationExample = {
  id: exampleId,
  name: 'Atlas Retail',
  address: {
    id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
    ...exampleTimestamps,
    organisationId: exampleId,
    street: '12 Quai des Docks',
    city: 'Marseille',
    zipcode: '13002',
    country: 'France',
  },
  invoice: {
    id: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a12',
    ...exampleTimestamps,
    organisationId: exampleId,
    tvasubjection: true,
    tvanumber: 'FR 32 123456789',
    tvaintra: null,
  },
  phone: '+33 4 91 55 01 00',
  parentId: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  parent_id: 'a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33',
  reseller: false,
  capacities: null,
  ...exampleTimestamps,
};
