-- The records of the service. Every invariant that two requests could break together is a constraint here, with a name that
-- problems.ts translates. Records of a tenant name their organisation, and what they refer to is referred to together with it, so that
-- nothing can point over the wall.

-- When a record is made: now, unless the transaction retells what happened earlier (the demo world does).
create function record_time() returns timestamptz language sql stable parallel safe
  return coalesce(nullif(current_setting('patchbay.retold_time', true), '')::timestamptz, statement_timestamp());
do $$
declare name text;
begin
  foreach name in array array['organisations', 'addresses', 'invoices', 'users', 'logins', 'audit'] loop
    execute format('alter table %I alter column created_at set default record_time(), alter column updated_at set default record_time()', name);
  end loop;
end $$;

-- The catalogue: what the operator offers, and where. It belongs to nobody and is replaced by npm run catalogue.

-- Where the sites of a city are connected; destinations name their own edge.
alter table cities add column edge_code text;

create table families (
  id uuid primary key default gen_random_uuid(),
  short_name text not null unique,
  created_at timestamptz not null default record_time()
);

create table destinations (
  id uuid primary key default gen_random_uuid(),
  family_id uuid not null references families,
  csp_city text not null,
  locode text not null references cities,
  edge_code text not null,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (family_id, csp_city)
);
create index destinations_by_city on destinations (locode);

create table appliance_models (
  id uuid primary key default gen_random_uuid(),
  model_name text not null unique,
  vendor text not null,
  type text not null,
  max_capacity text not null,
  connectors_number integer not null check (connectors_number > 0),
  dual_powered boolean not null,
  flowtypes text not null,
  uplink_media text not null,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time()
);

-- What was sold: pools of connectors, and bandwidth between and within regions.

create table product_pools (
  organisation_id uuid not null references organisations,
  family_id uuid not null references families,
  region_id uuid not null references regions,
  total integer not null,
  used integer not null default 0,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  primary key (organisation_id, family_id, region_id),
  constraint product_pools_hold_used check (used between 0 and total)
);
create index product_pools_by_creation on product_pools (organisation_id, created_at, family_id, region_id);

create table subscribed_capacities (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null references organisations,
  capacity_bps bigint not null check (capacity_bps > 0),
  -- The sum of the allocations that draw on it.
  allocated_bps bigint not null default 0,
  duration_months integer not null check (duration_months between 1 and 120),
  region1_id uuid not null references regions,
  region2_id uuid references regions check (region2_id <> region1_id),
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id),
  constraint capacities_cover_allocations check (allocated_bps between 0 and capacity_bps)
);
create index subscribed_capacities_by_creation on subscribed_capacities (organisation_id, created_at, id);

create table tags (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null references organisations,
  name text not null,
  description text,
  color text,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id),
  constraint tags_name_unique unique (organisation_id, name)
);
create index tags_by_creation on tags (organisation_id, created_at, id);

create table groups (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null references organisations,
  name text not null,
  description text,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id)
);
create index groups_by_creation on groups (organisation_id, created_at, id);

create table allocations (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  capacity_id uuid not null,
  allocation_bps bigint not null check (allocation_bps > 0),
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  constraint allocations_once unique (organisation_id, group_id, capacity_id),
  constraint allocations_group foreign key (organisation_id, group_id) references groups (organisation_id, id),
  constraint allocations_capacity foreign key (organisation_id, capacity_id) references subscribed_capacities (organisation_id, id)
);
create index allocations_by_creation on allocations (organisation_id, group_id, created_at, id);
create index allocations_by_capacity on allocations (organisation_id, capacity_id);

create table appliances (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null references organisations,
  name text not null,
  description text,
  kind text not null check (kind in ('cloudAppliance', 'routingAppliance')),
  site_name text not null,
  locode text not null references cities,
  model_id uuid not null references appliance_models,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id)
);
create index appliances_by_creation on appliances (organisation_id, created_at, id);
create index appliances_by_kind on appliances (organisation_id, kind, created_at, id);
create index appliances_by_city on appliances (locode);
create index appliances_by_model on appliances (model_id);

-- One for each edge that a group has had connectors on.
create table routers (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  edge_code text not null,
  created_at timestamptz not null default record_time(),
  unique (organisation_id, id),
  constraint routers_once unique (organisation_id, group_id, edge_code),
  constraint routers_group foreign key (organisation_id, group_id) references groups (organisation_id, id) on delete cascade
);

-- A connector to a provider has a family and a destination, one to a site an appliance. Where it stands (city and edge) is
-- written down: it stays there when the catalogue changes. What only its kind knows is in details; secrets lie elsewhere.
create table connectors (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  name text not null,
  description text,
  -- Made through the flow operations; the others were imported from an earlier system.
  flow boolean not null default true,
  state text not null default 'registered' check (state in ('registered', 'in-deployment', 'deployed', 'delivered', 'error')),
  status smallint not null default 3 check (status between 0 and 3),
  status_since timestamptz not null default record_time(),
  gateway_id uuid not null default gen_random_uuid(),
  -- The virtual interface that a connector to a site has on its appliance: the same thing, seen from there.
  interface_id uuid unique,
  family_id uuid references families,
  destination_id uuid references destinations,
  appliance_id uuid,
  router_id uuid not null,
  locode text not null references cities,
  edge_code text not null,
  bandwidth_bps bigint not null,
  bgp_descriptions text[] not null default '{}',
  router_interfaces text[] not null default '{}',
  details jsonb not null,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id),
  unique (organisation_id, group_id, id),
  check ((family_id is null) = (destination_id is null)),
  check ((destination_id is null) = (appliance_id is not null)),
  check ((appliance_id is null) = (interface_id is null)),
  constraint connectors_name_unique unique (organisation_id, name),
  constraint connectors_group foreign key (organisation_id, group_id) references groups (organisation_id, id),
  constraint connectors_appliance foreign key (organisation_id, appliance_id) references appliances (organisation_id, id),
  constraint connectors_router foreign key (organisation_id, router_id) references routers (organisation_id, id)
);
-- The list and each of its filters, in the order of the list.
create index connectors_by_creation on connectors (organisation_id, created_at, id);
create index connectors_by_group on connectors (organisation_id, group_id, created_at, id) include (flow);
create index connectors_by_family on connectors (organisation_id, family_id, created_at, id);
create index connectors_by_destination on connectors (organisation_id, destination_id, created_at, id);
create index connectors_by_city on connectors (organisation_id, locode, created_at, id);
create index connectors_by_edge on connectors (organisation_id, edge_code, created_at, id);
create index connectors_by_health on connectors (organisation_id, (status = 0), created_at, id) include (status);
create index connectors_by_origin on connectors (organisation_id, flow, created_at, id);
create index connectors_by_router on connectors (organisation_id, router_id);
create index connectors_by_appliance on connectors (organisation_id, appliance_id, created_at, id) where appliance_id is not null;
create unique index connectors_vlan_unique on connectors (organisation_id, appliance_id, ((details ->> 'vlan')::integer)) where appliance_id is not null;
create index connectors_at_destination on connectors (destination_id);

-- BGP, pairing and service keys, sealed with a key that is not in this database (keys.ts).
create table connector_secrets (
  organisation_id uuid not null,
  connector_id uuid not null,
  field text not null,
  key_id text not null,
  sealed bytea not null,
  primary key (connector_id, field),
  constraint connector_secrets_connector foreign key (organisation_id, connector_id) references connectors (organisation_id, id) on delete cascade
);
create index connector_secrets_by_key on connector_secrets (key_id);

-- Nothing is sealed with a key that was retired. The fact is share-locked until the writer's transaction ends, so that retiring a key
-- waits for those who still seal with it; who comes too late runs again, like any loser of a race, and finds the new key.
create function refuse_retired_key() returns trigger language plpgsql security definer set search_path = public as $$
begin
  perform from service_facts where name = 'sealing key' and value = new.key_id for share;
  if not found then
    raise exception 'the sealing key % was retired', new.key_id using errcode = '40001';
  end if;
  return new;
end $$;
create trigger connector_secrets_sealed_anew before insert or update on connector_secrets
  for each row execute function refuse_retired_key();

create table links (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  name text not null,
  description text,
  flow boolean not null default true,
  state text not null default 'registered' check (state in ('registered', 'in-deployment', 'deployed', 'delivered', 'error')),
  from_id uuid not null,
  to_id uuid not null,
  created_at timestamptz not null default record_time(),
  updated_at timestamptz not null default record_time(),
  unique (organisation_id, id),
  check (from_id <> to_id),
  constraint links_name_unique unique (organisation_id, name),
  constraint links_from foreign key (organisation_id, group_id, from_id) references connectors (organisation_id, group_id, id),
  constraint links_to foreign key (organisation_id, group_id, to_id) references connectors (organisation_id, group_id, id)
);
create unique index links_pair_unique on links (least(from_id, to_id), greatest(from_id, to_id));
create index links_by_group on links (organisation_id, group_id, created_at, id) include (flow);
create index links_by_from on links (organisation_id, from_id);
create index links_by_to on links (organisation_id, to_id);

-- Which tags a record has. A tag that goes away leaves every record by itself.
do $$
declare kind text;
begin
  foreach kind in array array['group', 'appliance', 'connector', 'link'] loop
    execute format('create table %1$s_tags (
      organisation_id uuid not null,
      %1$s_id uuid not null,
      tag_id uuid not null,
      primary key (%1$s_id, tag_id),
      constraint %1$s_tags_record foreign key (organisation_id, %1$s_id) references %1$ss (organisation_id, id) on delete cascade,
      constraint %1$s_tags_tag foreign key (organisation_id, tag_id) references tags (organisation_id, id) on delete cascade)', kind);
    execute format('create index %1$s_tags_by_tag on %1$s_tags (tag_id, %1$s_id)', kind);
  end loop;
end $$;

-- Blocks of addresses that the platform gives to connectors whose makers named none (see rules of the connectors).
create sequence address_blocks minvalue 0 maxvalue 1048575 cycle;

-- The wall.
do $$
declare name text;
begin
  foreach name in array array['tags', 'groups', 'allocations', 'appliances', 'routers', 'connectors',
      'connector_secrets', 'links', 'group_tags', 'appliance_tags', 'connector_tags', 'link_tags'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (organisation_id = (select current_organisation()) or (select is_everywhere()))', name);
    execute format('grant select, insert, update, delete on %I to patchbay_app', name);
  end loop;
  -- A parent sees what it sold to a child; to change it, it enters the child.
  foreach name in array array['product_pools', 'subscribed_capacities'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (organisation_id = (select current_organisation()) or (select is_everywhere()))', name);
    execute format('create policy parent_reads on %I for select using ((select true from organisations where organisations.id = organisation_id))', name);
    execute format('grant select, insert, update, delete on %I to patchbay_app', name);
  end loop;
end $$;

-- Asked of each row by its key; an "exists" is turned into a look at all organisations first.
alter policy with_organisation on addresses using ((select true from organisations where organisations.id = organisation_id));
alter policy with_organisation on invoices using ((select true from organisations where organisations.id = organisation_id));

grant select on families, destinations, appliance_models to patchbay_app;
grant usage on sequence address_blocks to patchbay_app;
