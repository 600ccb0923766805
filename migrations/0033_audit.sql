-- Who wrote what: every write by an account, a SCIM token or the admin token, in the transaction of what was written. Never changed.
create table audit (
  audit_id     bigint generated always as identity primary key,
  time         timestamptz not null,
  -- null: of the installation as a whole
  workspace_id int,
  actor_kind   text not null check (actor_kind in ('account', 'scim', 'admin', 'system')),
  actor_id     text not null,
  actor_name   text not null,
  ip           text not null,
  request_id   text not null,
  -- `<noun>.<verb>`: account.create, segments.update, clock.move
  action       text not null,
  target_kind  text not null,
  target_id    text not null,
  target_name  text,
  -- without secrets; what differs when both are there
  before       jsonb,
  after        jsonb
);
create index audit_by_time on audit (time, audit_id);
create index audit_by_workspace on audit (workspace_id, audit_id);
create index audit_by_actor on audit (actor_kind, actor_id, audit_id);
create index audit_by_action on audit (action, audit_id);
create index audit_by_target on audit (target_kind, target_id, audit_id);
