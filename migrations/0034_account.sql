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
  -- by the ids of what the workspace file declares: accounts/permissions.ts
  permissions     jsonb not null,
  -- moves with every change: the ETag
  version         int not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  last_sign_in_at timestamptz
);
-- A to Z only: other languages turn other letters, and not all of them alike.
create unique index account_by_name on account (lower(user_name collate "C"));
create index account_by_time on account (created_at, account_id);

-- Hashes only.
create table scim_token (
  id              text primary key,
  name            text not null,
  token_hash      bytea not null unique,
  token_start     text not null,
  -- what X-Request-Origin must say; null: it need not be there
  origin          text,
  allowed_ips     text[] not null default '{}',
  created_at      timestamptz not null,
  last_used_at    timestamptz
);

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

-- A link that signs somebody in, once.
create table sign_in_link (
  token_hash bytea primary key,
  -- null: the first account, made when the link is used
  account_id uuid,
  -- machine time
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index sign_in_link_expiry on sign_in_link (expires_at);

-- Attempts to sign in, counted by address and by network. Machine time.
create table sign_in_try (
  key        bytea primary key,
  count      int not null,
  began_at   timestamptz not null
);

-- What the workspace file declares for permissions of accounts.
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
insert into version (name, number) values ('account', 1);
