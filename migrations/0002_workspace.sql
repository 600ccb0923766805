-- Workspaces and their settings: small tables that every process caches.

create table installation (
  only_one   boolean primary key default true check (only_one),
  secret     bytea not null,
  created_at timestamptz not null,
  -- the time of the virtual clock; null with the system clock
  virtual_now timestamptz,
  -- sha256 of the admin token; its text is shown once and not stored
  admin_token_hash bytea,
  -- the version of the tz database with which local times were planned; null while it is unknown
  zone_rules text
);

create table workspace (
  workspace_id int primary key,
  id           text not null unique,
  name         text not null,
  settings     jsonb not null default '{}',
  created_at   timestamptz not null
);

create table app (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  platform     text not null,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
);

create table subscription_group (
  group_id     int primary key,
  workspace_id int not null,
  id           text not null,
  name         text not null,
  channel      text not null check (channel in ('email', 'sms')),
  archived     boolean not null default false,
  created_at   timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, name)
);

-- Event names, product ids and app ids as small numbers.
create table name (
  name_id      int primary key,
  workspace_id int not null,
  kind         text not null,
  name         text not null,
  unique (workspace_id, kind, name)
);

-- Every write by an account, a SCIM token or the admin token, recorded in the transaction of the write. Rows never change.
create table audit (
  audit_id     bigint generated always as identity primary key,
  time         timestamptz not null,
  -- null when it concerns the whole installation
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
  -- without secrets; only the members that differ when both are set
  before       jsonb,
  after        jsonb
);
create index audit_by_time on audit (time, audit_id);
create index audit_by_workspace on audit (workspace_id, audit_id);
create index audit_by_actor on audit (actor_kind, actor_id, audit_id);
create index audit_by_action on audit (action, audit_id);
create index audit_by_target on audit (target_kind, target_id, audit_id);
