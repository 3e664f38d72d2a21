-- Time that decides what has expired. It goes on when the database's clock is set back: what was over stays over, and what has a minute left has
-- a minute left.

-- How far this time is ahead of the clock, and the latest moment that is known to have passed. The service moves it on each second.
create table clock (
  is_only boolean primary key default true check (is_only),
  ahead interval not null default interval '0',
  latest timestamptz not null default clock_timestamp()
);
-- One row, written each second: there is always room on its page for the next version of it.
alter table clock set (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
insert into clock default values;

-- Between a jump back and the second in which it is noticed, time stands still.
create view present as select greatest(clock_timestamp() + ahead, latest) as moment, latest from clock;

alter table clock enable row level security;
create policy service on clock using ((select is_everywhere()));
grant select, update on clock to patchbay_app;
grant select on present to patchbay_app;

create or replace function caller_stands(caller uuid, token uuid) returns table (role_id uuid, revision integer)
  language sql stable security definer set search_path = public
  begin atomic
    select users.role_id, roles.revision from users join roles on roles.id = users.role_id
    where users.id = caller and users.enabled
      and exists (select from tokens where tokens.id = token and tokens.expires_at > (select moment from present));
  end;
