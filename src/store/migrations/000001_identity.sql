-- Identity and tenancy. Two walls keep tenants apart: every query of the application names its organisation, and row-level
-- security checks it again. The application works as the role patchbay_app, which owns nothing; each transaction says for
-- which organisation it works (patchbay.organisation), or that it is the service itself (patchbay.everywhere), and sees
-- nothing when it says neither. Stamps are of the statement, so that records made in one transaction keep their order.

create function current_organisation() returns uuid language sql stable parallel safe
  return nullif(current_setting('patchbay.organisation', true), '')::uuid;
create function is_everywhere() returns boolean language sql stable parallel safe
  return coalesce(current_setting('patchbay.everywhere', true), '') = 'on';

create table service_facts (
  name text primary key,
  value text not null
);

create table regions (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  slug text not null unique,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);

create table cities (
  locode text primary key check (locode ~ '^[A-Z]{2}[A-Z2-9]{3}$'),
  name text not null,
  country text not null,
  state text,
  zipcode integer not null,
  slacity text not null unique,
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  region_id uuid not null references regions
);

create table organisations (
  id uuid primary key default gen_random_uuid(),
  code text not null unique check (code ~ '^[0-9a-z]{12}$'),
  name text not null,
  phone text,
  parent_id uuid references organisations,
  reseller boolean not null default false,
  -- A reader sees an organisation and its children, not theirs: what it may know of those is their number.
  children_count integer not null default 0,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);
create index organisations_by_creation on organisations (parent_id, created_at, id);
create index organisations_by_name on organisations (parent_id, name, id);
create index organisations_by_update on organisations (parent_id, updated_at, id);

create function count_child() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update organisations set children_count = children_count + 1 where id = new.parent_id;
  return null;
end $$;
create trigger organisations_count_children after insert on organisations for each row
  when (new.parent_id is not null) execute function count_child();

create table addresses (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null unique references organisations on delete cascade,
  street text, city text, zipcode text, country text,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);

create table invoices (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null unique references organisations on delete cascade,
  tvasubjection boolean, tvanumber text, tvaintra text,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);

-- Shipped roles have no organisation; they are written by the service at its start (resources/roles/shipped.ts).
create table roles (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid references organisations on delete cascade,
  name text not null,
  policies jsonb not null,
  revision integer not null default 1,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp(),
  constraint roles_name_unique unique nulls not distinct (organisation_id, name)
);

create table users (
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity unique,
  organisation_id uuid not null references organisations on delete cascade,
  role_id uuid not null,
  email text not null,
  email_key text not null,
  first_name text,
  last_name text not null,
  enabled boolean not null default true,
  password_hash text,
  contact jsonb,
  preference jsonb,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp(),
  constraint users_email_key_unique unique (email_key),
  constraint users_role_exists foreign key (role_id) references roles
);
create index users_by_creation on users (organisation_id, created_at, id);
create index users_by_role on users (role_id);

-- Bookkeeping of sign-ins, apart from the user so that signing in changes no user record.
create table logins (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references users on delete cascade,
  organisation_id uuid not null references organisations on delete cascade,
  successes integer not null default 0,
  failures integer not null default 0,
  failures_in_a_row integer not null default 0,
  locked_until timestamptz,
  first_login_at timestamptz,
  last_login_at timestamptz,
  last_failed_login_at timestamptz,
  user_agent_first_login text,
  ip_first_login text,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);

create table api_clients (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  secret_hash bytea not null,
  created_at timestamptz not null default statement_timestamp()
);

-- All tokens that descend from one sign-in. Revoking is deleting: the tokens go with their family.
create table session_families (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  organisation_id uuid not null references organisations on delete cascade,
  client_id uuid not null references api_clients on delete cascade,
  created_at timestamptz not null default statement_timestamp()
);
create index session_families_by_user on session_families (user_id);

create table tokens (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('access', 'refresh', 'personal', 'reset')),
  hash bytea not null unique,
  user_id uuid not null references users on delete cascade,
  organisation_id uuid not null references organisations on delete cascade,
  family_id uuid references session_families on delete cascade,
  name text,
  comment text,
  expires_in_seconds integer not null,
  created_at timestamptz not null default statement_timestamp(),
  expires_at timestamptz not null,
  rotated_at timestamptz,
  check ((kind in ('access', 'refresh')) = (family_id is not null)),
  check ((kind = 'personal') = (name is not null))
);
create index tokens_by_user on tokens (user_id, kind, created_at, id);
create index tokens_by_family on tokens (family_id);
create index tokens_by_expiry on tokens (expires_at);

-- Who acts for a child works behind the child's wall and cannot see itself from there; this much it must know of itself.
create function caller_stands(caller uuid, token uuid) returns table (role_id uuid, revision integer)
  language sql stable security definer set search_path = public
  begin atomic
    select users.role_id, roles.revision from users join roles on roles.id = users.role_id
    where users.id = caller and users.enabled
      and exists (select from tokens where tokens.id = token and tokens.expires_at > now());
  end;

create table audit (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null references organisations,
  action text not null check (action in ('create', 'update', 'delete', 'deploy')),
  client_ip text not null,
  service_irn text not null,
  service_name text not null,
  service_type text not null,
  user_id uuid,
  user_name text not null,
  created_at timestamptz not null default statement_timestamp(),
  updated_at timestamptz not null default statement_timestamp()
);
create index audit_newest on audit (organisation_id, created_at desc, id desc);
create index audit_newest_by_action on audit (organisation_id, action, created_at desc, id desc);
create index audit_newest_by_type on audit (organisation_id, service_type, created_at desc, id desc);
create index audit_newest_by_user on audit (organisation_id, user_id, created_at desc, id desc);

-- Answers kept for repetition with the same Idempotency-Key. Only keyed hashes of what was asked are stored.
create table idempotency_records (
  key_hash bytea primary key,
  organisation_id uuid not null references organisations on delete cascade,
  request_hash bytea not null,
  status integer not null,
  body text,
  created_at timestamptz not null default statement_timestamp()
);
create index idempotency_records_by_age on idempotency_records (created_at);

-- The wall.
do $$
declare name text;
begin
  foreach name in array array['users', 'logins', 'session_families', 'tokens', 'audit', 'idempotency_records'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (organisation_id = (select current_organisation()) or (select is_everywhere()))', name);
  end loop;
end $$;

alter table organisations enable row level security;
create policy own_or_child on organisations
  using (id = (select current_organisation()) or parent_id = (select current_organisation()) or (select is_everywhere()));

-- Address and invoice are seen where their organisation is: the inner query passes the wall above.
alter table addresses enable row level security;
create policy with_organisation on addresses
  using (exists (select from organisations where organisations.id = organisation_id));
alter table invoices enable row level security;
create policy with_organisation on invoices
  using (exists (select from organisations where organisations.id = organisation_id));

alter table roles enable row level security;
create policy shipped_are_read on roles for select
  using (organisation_id is null or organisation_id = (select current_organisation()) or (select is_everywhere()));
create policy own_are_written on roles for all
  using (organisation_id = (select current_organisation()) or (organisation_id is not null and (select is_everywhere())));

alter table api_clients enable row level security;
create policy service_only on api_clients using ((select is_everywhere()));

grant usage on schema public to patchbay_app;
grant select on service_facts, regions, cities to patchbay_app;
-- Organisations are never deleted: the audit trail and the children hang on them.
grant select, insert, update on organisations to patchbay_app;
grant select, insert, update, delete on addresses, invoices, roles, users, logins, api_clients, session_families, tokens, idempotency_records to patchbay_app;
-- The audit trail only grows: the application cannot change or remove a row.
grant select, insert on audit to patchbay_app;
