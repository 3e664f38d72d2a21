-- The bounds of resellers hold in transactions of every isolation level.
--
-- A request with If-Match runs in repeatable read. There, a lock that only waits is not enough: the transaction goes on with the snapshot from
-- before the wait. Each check therefore writes the row that it waits for, so that a transaction with an earlier snapshot fails and is repeated.

create or replace function check_product_bound(seller uuid, family uuid, region uuid, violated text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  own integer;
  taken integer;
  handed_out bigint;
begin
  -- Whoever takes from this pool holds its row until the end of the transaction. The sum is read afterwards and sees all that ended.
  update product_pools set total = total
    where organisation_id = seller and family_id = family and region_id = region returning total, used into own, taken;
  select coalesce(sum(pools.total), 0) into handed_out
    from organisations children join product_pools pools on pools.organisation_id = children.id
    where children.parent_id = seller and pools.family_id = family and pools.region_id = region;
  if coalesce(taken, 0) + handed_out > coalesce(own, 0) then
    raise exception 'a reseller of % products uses % and hands out %', coalesce(own, 0), coalesce(taken, 0), handed_out
      using errcode = 'check_violation', constraint = violated;
  end if;
end $$;

-- A region may have several capacities. This is the one row for all of them that a check writes.
create table capacity_bounds (
  organisation_id uuid not null references organisations (id) on delete cascade,
  low_region_id uuid not null,
  high_region_id uuid not null,
  checks bigint not null default 1,
  primary key (organisation_id, low_region_id, high_region_id)
);
alter table capacity_bounds enable row level security;
create policy service on capacity_bounds using ((select is_everywhere()));
grant select on capacity_bounds to patchbay_app;

create or replace function check_capacity_bound(seller uuid, one uuid, other uuid, violated text) returns void
  language plpgsql security definer set search_path = public as $$
declare
  low uuid := least(one, other);
  high uuid := greatest(one, other);
  spare numeric;
  handed_out numeric;
begin
  insert into capacity_bounds as bounds (organisation_id, low_region_id, high_region_id) values (seller, low, high)
    on conflict (organisation_id, low_region_id, high_region_id) do update set checks = bounds.checks + 1;
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
