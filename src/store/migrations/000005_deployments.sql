-- Deployments: what was asked for, how it goes, and who is at it.

-- Small numbers that name things in a fabric, where nothing that a customer wrote may stand. They are never given twice.
alter table routers add column number bigint generated always as identity constraint routers_number_unique unique;
alter table connectors add column number bigint generated always as identity constraint connectors_number_unique unique;
alter table links add column number bigint generated always as identity constraint links_number_unique unique;

-- Of each connector or link that was ever to be deployed: the last deployment, and what happened to it since.
create table deployments (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  connector_id uuid unique,
  link_id uuid unique,
  -- Goes up with each wish, so that a run knows whether it carried out the last one.
  wish bigint not null default 1,
  -- From the wish until the record has the state that came of it.
  is_open boolean not null default true,
  asked_at timestamptz not null default clock_timestamp(),
  -- The run that carries it out, and when it was last heard of. Nobody else writes here while it is.
  run bigint,
  alive_at timestamptz,
  origin text,
  steps jsonb not null default '[]',
  cause text,
  advice text,
  check (num_nonnulls(connector_id, link_id) = 1),
  check ((cause is null) = (advice is null)),
  constraint deployments_connector foreign key (organisation_id, connector_id) references connectors (organisation_id, id) on delete cascade,
  constraint deployments_link foreign key (organisation_id, link_id) references links (organisation_id, id) on delete cascade
);
create index deployments_open on deployments (coalesce(alive_at, asked_at)) where is_open;
create index deployments_open_by_group on deployments (group_id) where is_open;

-- Groups that somebody has to go to because something was taken away (or came from elsewhere). They outlive the records, even the group.
create table errands (
  id bigint generated always as identity primary key,
  group_id uuid not null,
  asked_at timestamptz not null default clock_timestamp()
);
create index errands_by_group on errands (group_id);

-- Tokens only go up: what is done in a fabric with an older one than it has seen is refused there.
create sequence fabric_tokens;

-- Whose turn it is to change the fabric of a group, and when it was last compared with the records.
create table fabric_groups (
  group_id uuid primary key,
  token bigint not null,
  held_until timestamptz not null,
  swept_at timestamptz not null default clock_timestamp(),
  -- Something was changed since: others of the group may be better or worse off.
  is_due boolean not null default true
);
create index fabric_groups_by_sweep on fabric_groups (swept_at);
create index fabric_groups_due on fabric_groups (group_id) where is_due;

-- What the other side of a connector does wrong on purpose (npm run fabric -- fault).
create table far_end_faults (
  organisation_id uuid not null,
  connector_id uuid primary key,
  fault text not null check (fault in ('key', 'asn', 'down', 'flood')),
  constraint far_end_faults_connector foreign key (organisation_id, connector_id) references connectors (organisation_id, id) on delete cascade
);

-- What the simulated fabric holds. It stands for machines elsewhere: nothing refers to the records, and only its driver comes here.
create table simulated_groups (group_id uuid primary key, token bigint not null);
create table simulated_items (
  group_id uuid not null,
  key text not null,
  place text not null,
  fingerprint text not null,
  description text not null,
  concerns text[] not null,
  primary key (group_id, key)
);

-- Those that were asked for before there was anybody to do it, and those that are at work already.
insert into deployments (organisation_id, group_id, connector_id)
  select organisation_id, group_id, id from connectors where state = 'in-deployment';
insert into deployments (organisation_id, group_id, link_id)
  select organisation_id, group_id, id from links where state = 'in-deployment';
insert into errands (group_id) select distinct group_id from connectors where state <> 'registered';

do $$
declare name text;
begin
  foreach name in array array['deployments', 'far_end_faults'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (organisation_id = (select current_organisation()) or (select is_everywhere()))', name);
    execute format('grant select, insert, update, delete on %I to patchbay_app', name);
  end loop;
  -- These belong to the service itself; whoever asks for a teardown only adds an errand.
  foreach name in array array['fabric_groups', 'simulated_groups', 'simulated_items'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy service on %I using ((select is_everywhere()))', name);
    execute format('grant select, insert, update, delete on %I to patchbay_app', name);
  end loop;
  alter table errands enable row level security;
  create policy anybody_asks on errands for insert with check (true);
  create policy service on errands using ((select is_everywhere()));
  grant select, insert, update, delete on errands to patchbay_app;
  grant usage on sequence fabric_tokens to patchbay_app;
end $$;

-- An answer that is still being waited for after its transaction: who repeats the request before that time is told so.
alter table idempotency_records add column unfinished_until timestamptz;
