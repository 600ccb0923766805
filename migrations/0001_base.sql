-- Versions of caches, counters, and what requests leave behind.

-- The version of each cache. The transaction that makes a cache stale raises it; every flush reads it. The row `work` is also the lock
-- of the one worker that carries out accepted work, so that work is done in the order of acceptance.
create table version (
  name   text primary key,
  number bigint not null
);
insert into version (name, number) values ('workspace', 1), ('identity', 1), ('work', 1), ('watched', 1), ('account', 1);

-- The last id that was taken from each small dictionary. Ids are taken in blocks; gaps are harmless.
create table counter (
  name  text primary key,
  value int not null
);
insert into counter (name, value) values ('workspace', 0), ('subscription_group', 0), ('name', 0), ('catalog', 0);

-- One row per flush of the intake, written in its transaction. When the connection is lost during COMMIT, this row tells whether the
-- flush was committed.
create table flush (
  bucket   int not null,
  flush_id uuid not null,
  at       timestamptz not null,
  primary key (bucket, flush_id)
);

-- How much of each rate limit is used, a row per window of machine time. Processes take one or a chunk at a time.
create table rate_window (
  workspace_id int not null,
  limit_name   text not null,
  window_start bigint not null,
  used         bigint not null,
  primary key (workspace_id, limit_name, window_start)
);

-- Answers to requests with an Idempotency-Key, written in the transaction that did the work: the same request again gets the same
-- answer. A row without an answer is the lock of the transaction that is at work. Times are machine time.
create table idempotency (
  workspace_id int not null,
  -- sha256 of the key as sent; body_hash is that of the body
  key_hash     bytea not null,
  path         text not null,
  body_hash    bytea,
  status       int,
  -- json keeps the order of members
  reply        json,
  expires_at   timestamptz not null,
  primary key (workspace_id, key_hash, path)
);
create index idempotency_expired on idempotency (expires_at);
