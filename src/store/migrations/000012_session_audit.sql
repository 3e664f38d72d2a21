-- The audit trail records sessions, the changed fields of an update, and the parent that acted for a child.
alter table audit
  drop constraint audit_action_check,
  add constraint audit_action_check check (action in ('create', 'update', 'delete', 'deploy', 'sign-in', 'sign-in-refused', 'lock',
    'reset-asked', 'reset', 'sign-out', 'refresh-reused')) not valid,
  add column changes jsonb,
  add column on_behalf_id uuid,
  add column user_agent text;
alter table audit validate constraint audit_action_check;
