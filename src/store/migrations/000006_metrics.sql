-- Metrics of the embedded engine. Points land together, as they were written (batches), and are soon packed into one row for each series and day
-- (blocks), with sums of its hours beside it for long ranges. Whoever reads takes both: a batch comes before what a block has of its time.

-- One quantity of one connector or link, from one origin. Nothing refers to the record: what is left of a deleted one is cleared away later.
create table metric_series (
  -- Batches name a series in four bytes.
  id bigint generated always as identity (maxvalue 4294967295) primary key,
  organisation_id uuid not null references organisations on delete cascade,
  subject_id uuid not null,
  field smallint not null,
  origin smallint not null,
  constraint metric_series_once unique (subject_id, field, origin)
);
create index metric_series_by_organisation on metric_series (organisation_id);

-- What was just written, as it came: for each request a row for each shard of its series, until it is packed within a minute or two. Whoever asks
-- for a series reads what its shard has. Times are milliseconds since 1970.
create table metric_batches (
  organisation_id uuid not null,
  shard smallint not null,
  id bigint generated always as identity,
  from_ms bigint not null,
  to_ms bigint not null,
  points bytea not null,
  primary key (organisation_id, shard, id)
);
create index metric_batches_in_order on metric_batches (id);
-- They come and go all day, and packed numbers do not compress.
alter table metric_batches alter points set storage external;
alter table metric_batches set (toast_tuple_target = 8160, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

create table metric_blocks (
  organisation_id uuid not null,
  series_id bigint not null,
  -- Days since 1970-01-01.
  day integer not null,
  samples bytea not null,
  hours bytea not null,
  primary key (series_id, day)
);
create index metric_blocks_by_day on metric_blocks (day);
-- A day of five-minute samples has 2.4 KB: it stays beside its key, and packed numbers do not compress.
alter table metric_blocks alter samples set storage external, alter hours set storage plain;
-- It is written anew with each packing: room beside it keeps that on its page.
alter table metric_blocks set (toast_tuple_target = 8160, fillfactor = 70);

-- What a connector used, by the hours of a day: the sums of its five-minute values, and which of them there are.
create table metric_usage (
  organisation_id uuid not null,
  subject_id uuid not null,
  origin smallint not null,
  day integer not null,
  hours bytea not null,
  primary key (subject_id, day, origin)
);
create index metric_usage_by_day on metric_usage (day);

-- When somebody outside the fabric last told how a connector is. Their word stands for a quarter of an hour.
alter table connectors add column reported_at timestamptz;
create index connectors_reported on connectors (reported_at) where reported_at is not null;

-- When a group was last measured, so that of several services one does it.
alter table fabric_groups add column measured_at timestamptz not null default '-infinity';
create index fabric_groups_by_measure on fabric_groups (measured_at);

-- What a leg does worse than its length alone on purpose (npm run fabric -- impair).
create table link_impairments (
  organisation_id uuid not null,
  link_id uuid primary key,
  delay_ms double precision not null check (delay_ms between 0 and 2000),
  loss_percent double precision not null check (loss_percent between 0 and 100),
  constraint link_impairments_link foreign key (organisation_id, link_id) references links (organisation_id, id) on delete cascade
);

-- How far what the demo world is said to have measured has been told.
create table demo_history (end_ms bigint not null, first_day integer not null, done_day integer not null);
create unique index demo_history_once on demo_history ((true));
alter table demo_history enable row level security;
create policy service on demo_history using ((select is_everywhere()));
grant select, insert, update on demo_history to patchbay_app;

do $$
declare name text;
begin
  foreach name in array array['metric_series', 'metric_batches', 'metric_blocks', 'metric_usage', 'link_impairments'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (organisation_id = (select current_organisation()) or (select is_everywhere()))', name);
    execute format('grant select, insert, update, delete on %I to patchbay_app', name);
  end loop;
end $$;
