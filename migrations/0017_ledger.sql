-- Every decision about a person and a message, as it was taken, in weeks of `time` like history. Nothing is ever changed here.
create table decision (
  profile_id   bigint not null,
  time         timestamptz not null,
  -- 0 when nobody had the identifier: then the bucket is that of the identifier, and `asked` says it
  bucket       int not null,
  workspace_id int not null,
  -- the dispatch, or the entry of a canvas, that it belongs to; step and visit are of a canvas
  cause        uuid not null,
  step         text not null default '',
  visit        int not null default 0,
  channel      text not null,
  -- the message that it ended; null when there was none
  message_id   bigint,
  -- one of ledger/reasons.ts
  reason       text not null,
  asked        jsonb,
  -- which rule decided and what it read, each input with the time as of which it held
  rule         text,
  inputs       jsonb
) partition by range (time);
create table decision_old partition of decision default;
create index decision_by_person on decision (bucket, profile_id, time);
create index decision_by_cause on decision (cause, time);

-- What remains of the messages of deleted people: how many there were, without anybody in it.
create table deleted_messages (
  cause   uuid not null,
  channel text not null,
  reason  text not null,
  count   bigint not null,
  primary key (cause, channel, reason)
);
