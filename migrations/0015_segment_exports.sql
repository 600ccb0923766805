-- Exports of segments to files: accepted here, written by a worker, gone when they expire. Small and shared: no bucket, no person
-- in them. Leases, retries and expiry are machine time.

create table segment_export (
  -- the object_prefix of the answer
  id            text primary key,
  workspace_id  int not null,
  segment_id    text not null,
  -- what was asked for: fields, custom attributes, format, where to tell
  request       jsonb not null,
  state         text not null check (state in ('waiting', 'running', 'done', 'failed')),
  -- who writes it and until when; nobody else claims it before that
  lease         text,
  leased_until  timestamptz,
  attempts      int not null default 0,
  -- what came of it: the file in the folder of exports, or why there is none
  object        text,
  files         int not null default 0,
  people        int not null default 0,
  bytes         bigint not null default 0,
  failure       text,
  -- what came of telling the callback_endpoint
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
