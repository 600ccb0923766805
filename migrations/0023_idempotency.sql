-- Answers to requests that came with an Idempotency-Key, written in the transaction that did what was asked: the same request again
-- gets the same answer. Without an answer a row is what that transaction locks. Machine time.
create table idempotency (
  workspace_id int not null,
  -- sha256 of the key as sent, and of what was asked with it
  key_hash     bytea not null,
  path         text not null,
  body_hash    bytea,
  status       int,
  -- as it was said: json keeps the order of members
  reply        json,
  expires_at   timestamptz not null,
  primary key (workspace_id, key_hash, path)
);
create index idempotency_expired on idempotency (expires_at);
