-- The feed: what happened to people and their messages, in the order in which programs read it.

-- The feed of a workspace that has or had one.
create table feed (
  workspace_id  int primary key,
  -- whether events are written: it is the setting, or there is a webhook
  is_on         boolean not null,
  -- the position of the newest event that readers see
  last_position bigint not null default 0,
  -- events up to this position are no longer kept, or were not written
  lost_position bigint not null default 0
);

-- An event is written in the transaction of what it reports, without a position. A worker gives positions in the order in which events
-- become visible, so that a reader who has seen a position never misses one below it.
create table feed_event (
  bucket       int not null,
  -- whose event it is now: a merge moves it to the kept person. 0 for the deletion of a person
  profile_id   bigint not null,
  event_id     uuid not null,
  workspace_id int not null,
  -- the person that it was about when it happened
  subject_id   bigint not null,
  -- src/people/feed/event-types.ts
  type         text not null,
  -- business time, and the order among events of one transaction with the same time
  time         timestamptz not null,
  rank         int not null,
  position     bigint,
  -- the person that was merged into this one
  merged_id    bigint,
  external_id  text,
  message_id   bigint,
  flow_id      int,
  -- the address of the message, or of the changed subscription
  address      text,
  -- a JSON object of what else is to say
  details      text,
  primary key (bucket, profile_id, event_id)
);
create index feed_event_waiting on feed_event (workspace_id, time, rank, event_id) where position is null;
create index feed_event_by_position on feed_event (workspace_id, position) where position is not null;
