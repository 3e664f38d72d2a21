// The row types of all tables for Kysely; the migrations are authoritative. Timestamps are text (values/timestamps.ts).
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { FarEndFault } from '../values/far-end-fault.ts';

type Timestamp = ColumnType<string, string | Date | undefined, string | Date>;
type NullableTimestamp = ColumnType<string | null, string | Date | null | undefined, string | Date | null>;

/** 8 bytes, which the driver returns as text. */
type BitsPerSecond = ColumnType<string, number, number>;

interface TimestampedRow {
  id: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
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

/** The deployment state of a connector or link. */
export const deploymentStates = ['registered', 'in-deployment', 'deployed', 'delivered', 'error'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

/** The statuses of the monitoring plug-in convention, indexed by their number. */
export const statusNames = ['ok', 'warning', 'critical', 'unknown'] as const;

/** A step of a deployment run, or an event of the deployed record. */
export interface Step {
  name: string;
  startedAt: string;
  /** Null while the step is running. */
  endedAt: string | null;
  outcome: 'running' | 'done' | 'failed';
  message: string;
}

/** A field that an update changed. */
export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

export const recordActions = ['create', 'update', 'delete', 'deploy'] as const;
export type RecordAction = (typeof recordActions)[number];

export const sessionActions = [
  'sign-in',
  'sign-in-refused',
  'lock',
  'reset-asked',
  'reset',
  'sign-out',
  'refresh-reused',
] as const;
export type SessionAction = (typeof sessionActions)[number];

export interface Tables {
  service_facts: { name: string; value: string };
  regions: TimestampedRow & { name: string; slug: string };
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
  families: { id: Generated<string>; short_name: string; created_at: Timestamp };
  destinations: TimestampedRow & { family_id: string; csp_city: string; locode: string; edge_code: string };
  appliance_models: TimestampedRow & {
    model_name: string;
    vendor: string;
    type: string;
    max_capacity: string;
    connectors_number: number;
    dual_powered: boolean;
    flowtypes: string;
    uplink_media: string;
  };
  product_pools: Omit<TimestampedRow, 'id'> & {
    organisation_id: string;
    family_id: string;
    region_id: string;
    total: number;
    used: Generated<number>;
  };
  subscribed_capacities: TimestampedRow & {
    organisation_id: string;
    capacity_bps: BitsPerSecond;
    allocated_bps: ColumnType<string, number | undefined, number>;
    duration_months: number;
    region1_id: string;
    region2_id: string | null;
  };
  tags: TimestampedRow & { organisation_id: string; name: string; description: string | null; color: string | null };
  groups: TimestampedRow & { organisation_id: string; name: string; description: string | null };
  allocations: TimestampedRow & {
    organisation_id: string;
    group_id: string;
    capacity_id: string;
    allocation_bps: BitsPerSecond;
  };
  appliances: TimestampedRow & {
    organisation_id: string;
    name: string;
    description: string | null;
    kind: 'cloudAppliance' | 'routingAppliance';
    site_name: string;
    locode: string;
    model_id: string;
  };
  routers: {
    id: Generated<string>;
    organisation_id: string;
    group_id: string;
    edge_code: string;
    created_at: Timestamp;
    number: GeneratedAlways<string>;
  };
  connectors: TimestampedRow & {
    organisation_id: string;
    group_id: string;
    name: string;
    description: string | null;
    flow: Generated<boolean>;
    state: Generated<DeploymentState>;
    status: Generated<number>;
    status_since: Timestamp;
    reported_at: NullableTimestamp;
    gateway_id: Generated<string>;
    interface_id: string | null;
    family_id: string | null;
    destination_id: string | null;
    appliance_id: string | null;
    router_id: string;
    locode: string;
    edge_code: string;
    bandwidth_bps: BitsPerSecond;
    bgp_descriptions: Generated<string[]>;
    router_interfaces: Generated<string[]>;
    details: JSONColumnType<Record<string, unknown>, string, string>;
    number: GeneratedAlways<string>;
  };
  connector_address_blocks: {
    organisation_id: string;
    connector_id: string;
    position: number;
    block: number;
  };
  connector_secrets: {
    organisation_id: string;
    connector_id: string;
    field: string;
    key_id: string;
    sealed: Buffer;
  };
  links: TimestampedRow & {
    organisation_id: string;
    group_id: string;
    name: string;
    description: string | null;
    flow: Generated<boolean>;
    state: Generated<DeploymentState>;
    from_id: string;
    to_id: string;
    number: GeneratedAlways<string>;
  };
  deployments: {
    id: Generated<string>;
    organisation_id: string;
    group_id: string;
    connector_id: string | null;
    link_id: string | null;
    wish: ColumnType<string, number | undefined, number>;
    is_open: Generated<boolean>;
    asked_at: Timestamp;
    run: ColumnType<string | null, string | null | undefined, string | null>;
    alive_at: NullableTimestamp;
    origin: string | null;
    steps: ColumnType<Step[], string | undefined, string>;
    cause: string | null;
    advice: string | null;
  };
  errands: { id: GeneratedAlways<string>; group_id: string; asked_at: Timestamp };
  fabric_groups: {
    group_id: string;
    token: string;
    held_until: Timestamp;
    swept_at: Timestamp;
    is_due: Generated<boolean>;
    measured_at: Timestamp;
  };
  link_impairments: { organisation_id: string; link_id: string; delay_ms: number; loss_percent: number };
  demo_history: { end_ms: ColumnType<string, number, never>; first_day: number; done_day: number };
  metric_series: {
    id: GeneratedAlways<string>;
    organisation_id: string;
    subject_id: string;
    field: number;
    origin: number;
  };
  metric_batches: {
    organisation_id: string;
    shard: number;
    id: GeneratedAlways<string>;
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
  organisations: TimestampedRow & {
    code: string;
    name: string;
    phone: string | null;
    parent_id: string | null;
    reseller: boolean;
    children_count: Generated<number>;
  };
  addresses: TimestampedRow & {
    organisation_id: string;
    street: string | null;
    city: string | null;
    zipcode: string | null;
    country: string | null;
  };
  invoices: TimestampedRow & {
    organisation_id: string;
    tvasubjection: boolean | null;
    tvanumber: string | null;
    tvaintra: string | null;
  };
  roles: TimestampedRow & {
    organisation_id: string | null;
    name: string;
    policies: JSONColumnType<Policy[], string, string>;
    revision: Generated<number>;
  };
  users: TimestampedRow & {
    number: Generated<string>;
    organisation_id: string;
    role_id: string;
    email: string;
    email_key: string;
    first_name: string | null;
    last_name: string;
    enabled: Generated<boolean>;
    password_hash: string | null;
    contact: JSONColumnType<Contact, string | null, string | null> | null;
    preference: JSONColumnType<Preference, string | null, string | null> | null;
  };
  logins: TimestampedRow & {
    user_id: string;
    organisation_id: string;
    successes: Generated<number>;
    failures: Generated<number>;
    window_started_at: NullableTimestamp;
    window_failures: Generated<number>;
    strangers_locked_until: NullableTimestamp;
    reset_requests: Generated<string[]>;
    first_login_at: NullableTimestamp;
    last_login_at: NullableTimestamp;
    last_failed_login_at: NullableTimestamp;
    user_agent_first_login: string | null;
    ip_first_login: string | null;
  };
  login_networks: {
    user_id: string;
    organisation_id: string;
    network: string;
    failures_in_a_row: Generated<number>;
    locked_until: NullableTimestamp;
    last_login_at: NullableTimestamp;
    last_failed_login_at: NullableTimestamp;
  };
  api_clients: { id: Generated<string>; name: string; secret_hash: Buffer; created_at: Timestamp };
  session_families: {
    id: Generated<string>;
    user_id: string;
    organisation_id: string;
    client_id: string;
    created_at: Timestamp;
  };
  tokens: {
    id: Generated<string>;
    kind: 'access' | 'refresh' | 'personal' | 'reset';
    hash: Buffer;
    user_id: string;
    organisation_id: string;
    family_id: string | null;
    name: string | null;
    comment: string | null;
    expires_in_seconds: number;
    created_at: Timestamp;
    expires_at: Timestamp;
    rotated_at: NullableTimestamp;
  };
  audit: TimestampedRow & {
    organisation_id: string;
    action: RecordAction | SessionAction;
    client_ip: string;
    changes: JSONColumnType<FieldChange[], string | null | undefined, never> | null;
    on_behalf_id: string | null;
    user_agent: string | null;
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
    created_at: Timestamp;
    unfinished_until: NullableTimestamp;
  };
}
