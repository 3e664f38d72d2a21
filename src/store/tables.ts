// The rows as Kysely sees them. Timestamps are text as PostgreSQL writes them (see timestamps.ts); the migrations decide.

import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { FarEndFault } from '../values/far-end-fault.ts';

type Made<T> = Generated<T>;
type Stamp = ColumnType<string, string | Date | undefined, string | Date>;
type NullableStamp = ColumnType<string | null, string | Date | null | undefined, string | Date | null>;

/** Bits per second: 8 bytes, which the driver gives as text. */
type Bits = ColumnType<string, number, number>;

/** Given by the database, once and for all. */
type Numbered = ColumnType<string, never, never>;

interface Stamped {
  id: Made<string>;
  created_at: Stamp;
  updated_at: Stamp;
}

export interface Contact {
  phone?: string | null;
  site?: string | null;
}

export interface Preference {
  language?: string | null;
}

export interface Policy {
  act: string;
  obj: string;
  res: string;
  eft: 'allow' | 'deny';
}

/** How far a connector or link has come. No other word ever appears. */
export type DeploymentState = 'registered' | 'in-deployment' | 'deployed' | 'delivered' | 'error';

/** One thing that was done for a deployment, or that happened to what was deployed. */
export interface Step {
  name: string;
  startedAt: string;
  /** Null while it goes on. */
  endedAt: string | null;
  outcome: 'running' | 'done' | 'failed';
  message: string;
}

export interface Tables {
  service_facts: { name: string; value: string };
  regions: Stamped & { name: string; slug: string };
  cities: {
    locode: string;
    name: string;
    country: string;
    state: string | null;
    zipcode: number;
    slacity: string;
    latitude: number;
    longitude: number;
    region_id: string;
    edge_code: string;
  };
  families: { id: Made<string>; short_name: string; created_at: Stamp };
  destinations: Stamped & { family_id: string; csp_city: string; locode: string; edge_code: string };
  appliance_models: Stamped & {
    model_name: string;
    vendor: string;
    type: string;
    max_capacity: string;
    connectors_number: number;
    dual_powered: boolean;
    flowtypes: string;
    uplink_media: string;
  };
  product_pools: Omit<Stamped, 'id'> & {
    organisation_id: string;
    family_id: string;
    region_id: string;
    total: number;
    used: Made<number>;
  };
  subscribed_capacities: Stamped & {
    organisation_id: string;
    capacity_bps: Bits;
    allocated_bps: ColumnType<string, number | undefined, number>;
    duration_months: number;
    region1_id: string;
    region2_id: string | null;
  };
  tags: Stamped & { organisation_id: string; name: string; description: string | null; color: string | null };
  groups: Stamped & { organisation_id: string; name: string; description: string | null };
  allocations: Stamped & { organisation_id: string; group_id: string; capacity_id: string; allocation_bps: Bits };
  appliances: Stamped & {
    organisation_id: string;
    name: string;
    description: string | null;
    kind: 'cloudAppliance' | 'routingAppliance';
    site_name: string;
    locode: string;
    model_id: string;
  };
  routers: {
    id: Made<string>;
    organisation_id: string;
    group_id: string;
    edge_code: string;
    created_at: Stamp;
    number: Numbered;
  };
  connectors: Stamped & {
    organisation_id: string;
    group_id: string;
    name: string;
    description: string | null;
    flow: Made<boolean>;
    state: Made<DeploymentState>;
    status: Made<number>;
    status_since: Stamp;
    reported_at: NullableStamp;
    gateway_id: Made<string>;
    interface_id: string | null;
    family_id: string | null;
    destination_id: string | null;
    appliance_id: string | null;
    router_id: string;
    locode: string;
    edge_code: string;
    bandwidth_bps: Bits;
    bgp_descriptions: Made<string[]>;
    router_interfaces: Made<string[]>;
    details: JSONColumnType<Record<string, unknown>, string, string>;
    number: Numbered;
  };
  connector_secrets: {
    organisation_id: string;
    connector_id: string;
    field: string;
    key_id: string;
    sealed: Buffer;
  };
  links: Stamped & {
    organisation_id: string;
    group_id: string;
    name: string;
    description: string | null;
    flow: Made<boolean>;
    state: Made<DeploymentState>;
    from_id: string;
    to_id: string;
    number: Numbered;
  };
  deployments: {
    id: Made<string>;
    organisation_id: string;
    group_id: string;
    connector_id: string | null;
    link_id: string | null;
    wish: ColumnType<string, number | undefined, number>;
    is_open: Made<boolean>;
    asked_at: Stamp;
    run: ColumnType<string | null, string | null | undefined, string | null>;
    alive_at: NullableStamp;
    origin: string | null;
    steps: ColumnType<Step[], string | undefined, string>;
    cause: string | null;
    advice: string | null;
  };
  errands: { id: ColumnType<string, never, never>; group_id: string; asked_at: Stamp };
  fabric_groups: {
    group_id: string;
    token: string;
    held_until: Stamp;
    swept_at: Stamp;
    is_due: Made<boolean>;
    measured_at: Stamp;
  };
  link_impairments: { organisation_id: string; link_id: string; delay_ms: number; loss_percent: number };
  demo_history: { end_ms: ColumnType<string, number, never>; first_day: number; done_day: number };
  metric_series: {
    id: Numbered;
    organisation_id: string;
    subject_id: string;
    field: number;
    origin: number;
  };
  metric_batches: {
    organisation_id: string;
    shard: number;
    id: Numbered;
    from_ms: string;
    to_ms: string;
    points: Buffer;
  };
  metric_blocks: { organisation_id: string; series_id: string; day: number; samples: Buffer; hours: Buffer };
  metric_usage: { organisation_id: string; subject_id: string; origin: number; day: number; hours: Buffer };
  far_end_faults: { organisation_id: string; connector_id: string; fault: FarEndFault };
  simulated_groups: { group_id: string; token: ColumnType<string, number, number> };
  simulated_items: {
    group_id: string;
    key: string;
    place: string;
    fingerprint: string;
    description: string;
    concerns: string[];
  };
  group_tags: { organisation_id: string; group_id: string; tag_id: string };
  appliance_tags: { organisation_id: string; appliance_id: string; tag_id: string };
  connector_tags: { organisation_id: string; connector_id: string; tag_id: string };
  link_tags: { organisation_id: string; link_id: string; tag_id: string };
  organisations: Stamped & {
    code: string;
    name: string;
    phone: string | null;
    parent_id: string | null;
    reseller: boolean;
    children_count: Made<number>;
  };
  addresses: Stamped & {
    organisation_id: string;
    street: string | null;
    city: string | null;
    zipcode: string | null;
    country: string | null;
  };
  invoices: Stamped & {
    organisation_id: string;
    tvasubjection: boolean | null;
    tvanumber: string | null;
    tvaintra: string | null;
  };
  roles: Stamped & {
    organisation_id: string | null;
    name: string;
    policies: JSONColumnType<Policy[], string, string>;
    revision: Made<number>;
  };
  users: Stamped & {
    number: Made<string>;
    organisation_id: string;
    role_id: string;
    email: string;
    email_key: string;
    first_name: string | null;
    last_name: string;
    enabled: Made<boolean>;
    password_hash: string | null;
    contact: JSONColumnType<Contact, string | null, string | null> | null;
    preference: JSONColumnType<Preference, string | null, string | null> | null;
  };
  logins: Stamped & {
    user_id: string;
    organisation_id: string;
    successes: Made<number>;
    failures: Made<number>;
    failures_in_a_row: Made<number>;
    locked_until: NullableStamp;
    first_login_at: NullableStamp;
    last_login_at: NullableStamp;
    last_failed_login_at: NullableStamp;
    user_agent_first_login: string | null;
    ip_first_login: string | null;
  };
  api_clients: { id: Made<string>; name: string; secret_hash: Buffer; created_at: Stamp };
  session_families: {
    id: Made<string>;
    user_id: string;
    organisation_id: string;
    client_id: string;
    created_at: Stamp;
  };
  tokens: {
    id: Made<string>;
    kind: 'access' | 'refresh' | 'personal' | 'reset';
    hash: Buffer;
    user_id: string;
    organisation_id: string;
    family_id: string | null;
    name: string | null;
    comment: string | null;
    expires_in_seconds: number;
    created_at: Stamp;
    expires_at: Stamp;
    rotated_at: NullableStamp;
  };
  audit: Stamped & {
    organisation_id: string;
    action: 'create' | 'update' | 'delete' | 'deploy';
    client_ip: string;
    service_irn: string;
    service_name: string;
    service_type: string;
    user_id: string | null;
    user_name: string;
  };
  idempotency_records: {
    key_hash: Buffer;
    organisation_id: string;
    request_hash: Buffer;
    status: number;
    body: string | null;
    created_at: Stamp;
    unfinished_until: NullableStamp;
  };
}
