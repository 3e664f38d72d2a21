-- Failed sign-ins are counted for an account and the client's network, so that a stranger cannot lock out the user.
-- logins.failures_in_a_row and logins.locked_until are no longer used; earlier replicas still write them.

create function login_network(address inet) returns cidr
  language sql immutable parallel safe
  return network(set_masklen(address, case family(address) when 4 then 24 else 56 end));

create table login_networks (
  user_id uuid not null references users on delete cascade,
  organisation_id uuid not null references organisations on delete cascade,
  network cidr not null,
  failures_in_a_row integer not null default 0,
  locked_until timestamptz,
  last_login_at timestamptz,
  last_failed_login_at timestamptz,
  primary key (user_id, network)
);

-- Failures from all networks in the current window of an hour. When they reach the limit, the account is locked for networks from
-- which nobody has signed in to it for a while.
alter table logins
  add column window_started_at timestamptz,
  add column window_failures integer not null default 0,
  add column strangers_locked_until timestamptz,
  add column reset_requests timestamptz[] not null default '{}';

alter table login_networks enable row level security;
create policy tenant on login_networks
  using (organisation_id = (select current_organisation()) or (select is_everywhere()));
grant select, insert, update, delete on login_networks to patchbay_app;
