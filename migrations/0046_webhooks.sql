-- Webhooks: receivers to which the events of a feed are sent, one request for each event.

create table webhook (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  url          text not null,
  -- src/people/feed/event-types.ts; empty for all
  event_types  text[] not null,
  -- what administrators want; a webhook that is set aside sends nothing either
  state        text not null check (state in ('active', 'paused')),
  -- sealed; the previous one signs as well until its time (machine time)
  secret       bytea not null,
  previous_secret bytea,
  previous_until  timestamptz,
  -- everything up to this position of the feed was delivered, and these positions behind it
  position     bigint not null,
  ahead        bigint[] not null default '{}',
  -- rises when the position is set by hand, so that a delivery in flight does not set it again
  turn         int not null default 0,
  -- attempts that failed since the last that succeeded, and when the first of them was. All times are machine time
  failures     int not null default 0,
  failing_since timestamptz,
  due_at       timestamptz not null,
  delivered_at timestamptz,
  set_aside_at timestamptz,
  set_aside_because text,
  -- positions that were passed over, because their events were no longer kept
  lost_positions bigint not null default 0,
  lease        uuid,
  leased_until timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

-- The newest requests to each webhook.
create table webhook_attempt (
  workspace_id int not null,
  webhook_id   text not null,
  attempt_id   uuid not null,
  event_id     uuid not null,
  type         text not null,
  -- null for a test
  position     bigint,
  -- the person that the event is about; null after the person was deleted
  subject_id   bigint,
  -- machine time
  at           timestamptz not null,
  duration_ms  int not null,
  -- the status of the answer, or why there was none
  status       int,
  error        text,
  -- the beginning of the body of an answer that was no success
  answer       text,
  primary key (workspace_id, webhook_id, attempt_id)
);
create index webhook_attempt_newest on webhook_attempt (workspace_id, webhook_id, at);
create index webhook_attempt_at on webhook_attempt (at);
create index webhook_attempt_subject on webhook_attempt (subject_id) where subject_id is not null;
