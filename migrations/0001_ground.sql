-- Small tables that every process reads and caches: no bucket, no person in them.

create table installation (
  only_one   boolean primary key default true check (only_one),
  secret     bytea not null,
  created_at timestamptz not null,
  -- the virtual clock's reading; null on a system clock
  virtual_now timestamptz
);

-- A number per cache, raised in the transaction that makes the cache stale and read with each flush.
create table version (
  name   text primary key,
  number bigint not null
);
insert into version (name, number) values ('workspace', 1), ('identity', 1);

-- Blocks of ids for small dictionaries, taken whole; gaps are harmless.
create table counter (
  name  text primary key,
  value int not null
);
insert into counter (name, value) values ('workspace', 0), ('subscription_group', 0), ('name', 0);

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

create table api_key (
  id            text primary key,
  workspace_id  int not null,
  name          text not null,
  key_hash      bytea not null unique,
  key_start     text not null,
  permissions   text[] not null,
  allowed_ips   text[] not null default '{}',
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  unique (workspace_id, name)
);

-- One counted row per window of machine time; processes take from it singly or in chunks.
create table rate_window (
  workspace_id int not null,
  limit_name   text not null,
  window_start bigint not null,
  used         bigint not null,
  primary key (workspace_id, limit_name, window_start)
);

-- Event names, product ids and app ids as small numbers.
create table name (
  name_id      int primary key,
  workspace_id int not null,
  kind         text not null,
  name         text not null,
  unique (workspace_id, kind, name)
);
