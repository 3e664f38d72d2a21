-- The operator can remove an organisation (npm run admin). Its audit trail stays until it is pruned.
-- Requests lock organisations before the other two; the same order prevents deadlocks with them.
lock table organisations, audit, metric_series in access exclusive mode;
alter table audit drop constraint audit_organisation_id_fkey;

-- The series of a removed organisation are deleted together with their blocks, like those of deleted connectors.
alter table metric_series drop constraint metric_series_organisation_id_fkey;

create function uncount_child() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update organisations set children_count = children_count - 1 where id = old.parent_id;
  return null;
end $$;
create trigger organisations_uncount_children after delete on organisations for each row
  when (old.parent_id is not null) execute function uncount_child();

create or replace function tell_organisation() returns trigger language plpgsql as $$
declare
  told organisations := case tg_op when 'DELETE' then old else new end;
begin
  perform tell_touched('organisations', told.id);
  if told.parent_id is not null then perform tell_touched('organisations', told.parent_id); end if;
  return null;
end $$;
create trigger tells_goings after delete on organisations for each row execute function tell_organisation();
