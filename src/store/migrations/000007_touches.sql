-- Who changes a record says so, so that whatever was remembered of it is forgotten: in the transaction itself (patchbay.touched, which the
-- process reads with its commit), and to the other processes when it commits (the channel patchbay_touched). It is said once for a table and
-- organisation, by triggers, so that it cannot be left out: not by a command, not by a cascade, not by hand.

create function tell_touched(what text, owner uuid) returns void language plpgsql as $$
declare
  word text := what || ' ' || coalesce(owner::text, '');
  told text := coalesce(nullif(current_setting('patchbay.touched', true), ''), ';');
begin
  if told = '*' or strpos(told, ';' || word || ';') > 0 then return; end if;
  -- Who touches so many is quicker told as who touches all.
  if length(told) > 4000 then word := '*'; end if;
  perform set_config('patchbay.touched', case word when '*' then word else told || word || ';' end, true);
  -- A process knows by its own name what it was told already.
  perform pg_notify('patchbay_touched', word || '|' || coalesce(current_setting('patchbay.process', true), ''));
end $$;

create function tell_record() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then perform tell_touched(tg_table_name, old.organisation_id);
  else perform tell_touched(tg_table_name, new.organisation_id); end if;
  return null;
end $$;

-- What belongs to nobody.
create function tell_shared() returns trigger language plpgsql as $$
begin
  perform tell_touched(tg_table_name, null);
  return null;
end $$;

-- What a parent sees of its children: both are told.
create function tell_family() returns trigger language plpgsql security definer set search_path = public as $$
declare
  owner uuid := case tg_op when 'DELETE' then old.organisation_id else new.organisation_id end;
begin
  perform tell_touched(tg_table_name, owner);
  perform tell_touched(tg_table_name, parent_id) from organisations where id = owner and parent_id is not null;
  return null;
end $$;

create function tell_organisation() returns trigger language plpgsql as $$
begin
  perform tell_touched('organisations', new.id);
  if new.parent_id is not null then perform tell_touched('organisations', new.parent_id); end if;
  return null;
end $$;

-- That somebody reported again what was known is nothing new.
create function tell_connector() returns trigger language plpgsql as $$
begin
  old.reported_at := new.reported_at;
  if old is distinct from new then perform tell_touched('connectors', new.organisation_id); end if;
  return null;
end $$;

do $$
declare
  name text;
  teller text;
begin
  for name, teller in values
      ('users', 'tell_record'), ('roles', 'tell_record'), ('tags', 'tell_record'), ('groups', 'tell_record'), ('allocations', 'tell_record'),
      ('appliances', 'tell_record'), ('connectors', 'tell_record'), ('links', 'tell_record'), ('group_tags', 'tell_record'),
      ('appliance_tags', 'tell_record'), ('connector_tags', 'tell_record'), ('link_tags', 'tell_record'),
      ('addresses', 'tell_family'), ('invoices', 'tell_family'), ('product_pools', 'tell_family'), ('subscribed_capacities', 'tell_family'),
      ('organisations', 'tell_organisation'),
      ('regions', 'tell_shared'), ('cities', 'tell_shared'), ('families', 'tell_shared'), ('destinations', 'tell_shared'),
      ('appliance_models', 'tell_shared') loop
    execute format('create trigger tells_comings after insert on %I for each row execute function %I()', name, teller);
    if name <> 'organisations' then
      execute format('create trigger tells_goings after delete on %I for each row execute function %I()', name, teller);
    end if;
    if name <> 'connectors' then
      execute format('create trigger tells_changes after update on %I for each row when (old.* is distinct from new.*) execute function %I()', name, teller);
    end if;
  end loop;
end $$;
create trigger tells_changes after update on connectors for each row execute function tell_connector();
-- A new token changes nothing that is known of the others, and nobody is let in with one that refreshes.
create trigger tells_changes after update on tokens for each row when (old.kind <> 'refresh') execute function tell_record();
create trigger tells_goings after delete on tokens for each row when (old.kind <> 'refresh') execute function tell_record();
