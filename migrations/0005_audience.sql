-- Segments and their exports.

-- Stored conditions, and how many people each segment had per day.
create table segment (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  -- the condition as given (specification 2.6, with more leaves)
  audience     jsonb not null,
  tags         text[] not null default '{}',
  -- whether its size is recorded every day
  analytics_tracking_enabled boolean not null default true,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

create table segment_size (
  workspace_id int not null,
  segment_id   text not null,
  day          date not null,
  size         int not null,
  primary key (workspace_id, segment_id, day)
);

-- Exports of segments to files: accepted by a request, written by a worker, deleted when they expire. Leases, retries and expiry are
-- machine time.
create table segment_export (
  -- the object_prefix of the answer
  id            text primary key,
  workspace_id  int not null,
  segment_id    text not null,
  -- the request: fields, custom attributes, format, callback
  request       jsonb not null,
  state         text not null check (state in ('waiting', 'running', 'done', 'failed')),
  -- the worker that writes it, and when its lease ends
  lease         text,
  leased_until  timestamptz,
  attempts      int not null default 0,
  -- the result: the file in the directory of exports, or why there is none
  object        text,
  files         int not null default 0,
  people        int not null default 0,
  bytes         bigint not null default 0,
  failure       text,
  -- the calls of callback_endpoint
  callback_state    text check (callback_state in ('waiting', 'done', 'failed')),
  callback_attempts int not null default 0,
  callback_at       timestamptz,
  callback_failure  text,
  created_at    timestamptz not null,
  finished_at   timestamptz,
  expires_at    timestamptz
);
-- One export of a segment at a time.
create unique index segment_export_open on segment_export (workspace_id, segment_id) where state in ('waiting', 'running');
create index segment_export_waiting on segment_export (created_at, id) where state in ('waiting', 'running');
create index segment_export_untold on segment_export (callback_at) where callback_state = 'waiting';
create index segment_export_by_time on segment_export (workspace_id, created_at, id);
create index segment_export_expired on segment_export (expires_at) where expires_at is not null;
