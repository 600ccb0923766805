-- API keys, accounts of the dashboard, and their permissions.

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

-- Tokens are stored as hashes.
create table scim_token (
  id              text primary key,
  name            text not null,
  token_hash      bytea not null unique,
  token_start     text not null,
  -- the required X-Request-Origin; null when the header is optional
  origin          text,
  allowed_ips     text[] not null default '{}',
  created_at      timestamptz not null,
  last_used_at    timestamptz
);

-- People who may sign in to the dashboard: what SCIM calls users.
create table account (
  account_id      uuid primary key,
  user_name       text not null,
  given_name      text not null,
  family_name     text not null,
  department      text,
  active          boolean not null,
  external_id     text,
  display_name    text,
  locale          text,
  emails          jsonb not null,
  -- ids of declared teams, roles and permission sets: src/accounts/permissions/permissions.ts
  permissions     jsonb not null,
  -- rises with every change; it is the ETag
  version         int not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  last_sign_in_at timestamptz
);
-- Only A to Z are folded: case rules differ between languages.
create unique index account_by_name on account (lower(user_name collate "C"));
create index account_by_time on account (created_at, account_id);

create table session (
  session_hash bytea primary key,
  account_id   uuid not null,
  -- machine time
  created_at   timestamptz not null,
  seen_at      timestamptz not null,
  expires_at   timestamptz not null,
  ip           text not null,
  user_agent   text not null
);
create index session_by_account on session (account_id);
create index session_expiry on session (expires_at);

-- A link that signs one account in, once.
create table sign_in_link (
  token_hash bytea primary key,
  -- null for the first account, which is created when the link is used
  account_id uuid,
  -- machine time
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index sign_in_link_expiry on sign_in_link (expires_at);

-- Attempts to sign in, counted by e-mail address and by network. Times are machine time.
create table sign_in_attempt (
  key        bytea primary key,
  count      int not null,
  began_at   timestamptz not null
);

-- Teams, roles and permission sets as the workspace file declares them.
create table team (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
);

create table role (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  permissions  jsonb not null,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
);

create table permission_set (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  permissions  jsonb not null,
  created_at   timestamptz not null,
  primary key (workspace_id, id)
);
