-- The bounds of resellers, and address blocks that belong to one connector.
--
-- Both are enforced here, so that replicas of an earlier version cannot pass them.

-- A reseller with a parent hands out no more than it has. Organisations at the top have no bound: the operator sells.
create function is_bounded(organisation uuid) returns boolean language sql stable security definer set search_path = public
  return exists (select from organisations where id = organisation and reseller and parent_id is not null);

-- What its children have and what it uses itself must fit into the reseller's own pool.
create function check_product_bound(seller uuid, family uuid, region uuid, violated text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  own integer;
  taken integer;
  handed_out bigint;
begin
  -- Whoever takes from this pool holds its row until the end of the transaction. The sum is read afterwards and sees all that ended.
  select total, used into own, taken from product_pools
    where organisation_id = seller and family_id = family and region_id = region for no key update;
  select coalesce(sum(pools.total), 0) into handed_out
    from organisations children join product_pools pools on pools.organisation_id = children.id
    where children.parent_id = seller and pools.family_id = family and pools.region_id = region;
  if coalesce(taken, 0) + handed_out > coalesce(own, 0) then
    raise exception 'a reseller of % products uses % and hands out %', coalesce(own, 0), coalesce(taken, 0), handed_out
      using errcode = 'check_violation', constraint = violated;
  end if;
end $$;

create function bound_products() returns trigger language plpgsql security definer set search_path = public as $$
declare
  parent uuid;
begin
  if tg_op = 'UPDATE' and new.used > old.used and is_bounded(new.organisation_id) then
    perform check_product_bound(new.organisation_id, new.family_id, new.region_id, 'product_pools_use_within_bound');
  end if;
  if tg_op = 'UPDATE' and new.total < old.total and is_bounded(new.organisation_id) then
    perform check_product_bound(new.organisation_id, new.family_id, new.region_id, 'product_pools_hold_used');
  end if;
  if new.total > (case tg_op when 'UPDATE' then old.total else 0 end) then
    select parent_id into parent from organisations where id = new.organisation_id;
    if is_bounded(parent) then
      perform check_product_bound(parent, new.family_id, new.region_id, 'product_pools_sale_within_bound');
    end if;
  end if;
  return null;
end $$;
create trigger bounds_creation after insert on product_pools for each row execute function bound_products();
create trigger bounds_change after update on product_pools for each row
  when (new.used > old.used or new.total <> old.total) execute function bound_products();

-- The same for bandwidth, for each region or pair of regions. least and greatest ignore null: a capacity within one region has it as both.
create function check_capacity_bound(seller uuid, one uuid, other uuid, violated text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  low uuid := least(one, other);
  high uuid := greatest(one, other);
  spare numeric;
  handed_out numeric;
begin
  -- A region may have several capacities: there is no single row to lock.
  perform pg_advisory_xact_lock(hashtextextended(format('capacity bound %s %s %s', seller, low, high), 0));
  select coalesce(sum(capacity_bps - allocated_bps), 0) into spare from subscribed_capacities
    where organisation_id = seller and least(region1_id, region2_id) = low and greatest(region1_id, region2_id) = high;
  select coalesce(sum(capacity_bps), 0) into handed_out
    from organisations children join subscribed_capacities capacities on capacities.organisation_id = children.id
    where children.parent_id = seller and least(region1_id, region2_id) = low and greatest(region1_id, region2_id) = high;
  if handed_out > spare then
    raise exception 'a reseller hands out % bps and has % bps', handed_out, spare
      using errcode = 'check_violation', constraint = violated;
  end if;
end $$;

create function bound_capacities() returns trigger language plpgsql security definer set search_path = public as $$
declare
  parent uuid;
begin
  if tg_op = 'UPDATE' and new.allocated_bps > old.allocated_bps and is_bounded(new.organisation_id) then
    perform check_capacity_bound(new.organisation_id, new.region1_id, new.region2_id, 'capacities_use_within_bound');
  end if;
  if tg_op = 'DELETE' then
    if is_bounded(old.organisation_id) then
      perform check_capacity_bound(old.organisation_id, old.region1_id, old.region2_id, 'capacities_cover_children');
    end if;
    return null;
  end if;
  if tg_op = 'UPDATE' and new.capacity_bps < old.capacity_bps and is_bounded(new.organisation_id) then
    perform check_capacity_bound(new.organisation_id, new.region1_id, new.region2_id, 'capacities_cover_children');
  end if;
  if new.capacity_bps > (case tg_op when 'UPDATE' then old.capacity_bps else 0 end) then
    select parent_id into parent from organisations where id = new.organisation_id;
    if is_bounded(parent) then
      perform check_capacity_bound(parent, new.region1_id, new.region2_id, 'capacities_sale_within_bound');
    end if;
  end if;
  return null;
end $$;
create trigger bounds_creation after insert or delete on subscribed_capacities for each row execute function bound_capacities();
create trigger bounds_change after update on subscribed_capacities for each row
  when (new.allocated_bps > old.allocated_bps or new.capacity_bps <> old.capacity_bps) execute function bound_capacities();

-- The address blocks of a connector: the first and the second network that the platform chose for it. They are its own until it is deleted.
create table connector_address_blocks (
  organisation_id uuid not null,
  connector_id uuid not null,
  position smallint not null check (position in (0, 1)),
  block integer not null check (block between 0 and 1048575),
  primary key (connector_id, position),
  constraint connector_address_blocks_once unique (block),
  constraint connector_address_blocks_connector foreign key (organisation_id, connector_id) references connectors (organisation_id, id) on delete cascade
);

-- Blocks that were given back. A deleted connector may still be torn down for a while, so a block rests before it is given again.
create table free_address_blocks (
  block integer primary key,
  freed_at timestamptz not null default clock_timestamp()
);
create index free_address_blocks_by_age on free_address_blocks (freed_at);

create function free_address_block() returns trigger language plpgsql security definer set search_path = public as $$
begin
  insert into free_address_blocks (block) values (old.block) on conflict (block) do update set freed_at = excluded.freed_at;
  return null;
end $$;
create trigger frees_block after delete on connector_address_blocks for each row execute function free_address_block();

-- The block of a connector at a position, drawn if it has none: one that was freed, else the next of the sequence. The sequence goes round, and
-- skips what is taken.
create function draw_address_block(connector uuid, wanted smallint) returns integer
  language plpgsql security definer set search_path = public as $$
declare
  owner uuid;
  drawn integer;
begin
  select organisation_id into owner from connectors
    where id = connector and (organisation_id = current_organisation() or is_everywhere());
  select block into drawn from connector_address_blocks where connector_id = connector and position = wanted;
  if found then return drawn; end if;
  delete from free_address_blocks where block = (
    select block from free_address_blocks where freed_at < clock_timestamp() - interval '1 hour'
    order by freed_at limit 1 for update skip locked)
    returning block into drawn;
  for attempt in 0..1048576 loop
    if drawn is null then drawn := nextval('address_blocks'); end if;
    insert into connector_address_blocks (organisation_id, connector_id, position, block)
      values (owner, connector, wanted, drawn) on conflict on constraint connector_address_blocks_once do nothing;
    if found then
      delete from free_address_blocks where block = drawn;
      return drawn;
    end if;
    drawn := null;
  end loop;
  raise exception 'all address blocks are in use' using errcode = 'configuration_limit_exceeded';
end $$;

-- The blocks that connectors have already. Of two with the same one, which earlier versions could give, the older keeps it.
with held as (
  select connectors.organisation_id, connectors.id, connectors.created_at, (field.key = 'secondarySubnet')::integer as position,
    ((split_part(field.value, '/', 1)::inet - '100.64.0.0'::inet) / 4)::integer as block
  from connectors cross join lateral jsonb_each_text(details) as field
  where field.value ~ '^100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.[0-9]{1,3}\.[0-9]{1,3}(/[0-9]{1,2})?$'
), oldest as (
  select distinct on (block) * from held order by block, created_at, id
)
insert into connector_address_blocks (organisation_id, connector_id, position, block)
  select distinct on (id, position) organisation_id, id, position, block from oldest order by id, position, block;

alter table connector_address_blocks enable row level security;
create policy tenant on connector_address_blocks using (organisation_id = (select current_organisation()) or (select is_everywhere()));
grant select, delete on connector_address_blocks to patchbay_app;
alter table free_address_blocks enable row level security;
create policy service on free_address_blocks using ((select is_everywhere()));
grant select on free_address_blocks to patchbay_app;
