-- Where somebody stands in a flow. Whoever was to enter and did not has an entry that ended at once, so that nobody is looked at twice.
create table entry (
  bucket       int not null,
  profile_id   bigint not null,
  entry_id     uuid not null,
  workspace_id int not null,
  flow_id      int not null,
  version      int not null,
  class        text not null,
  -- the order that brought it; null: something that happened did
  dispatch_id  uuid,
  -- arriving: the step is to be run at due_at; waiting: until due_at; listening: for something to happen until due_at; sending: until its
  -- message has ended; calling: a webhook is being called; ended
  state        text not null check (state in ('arriving', 'waiting', 'listening', 'sending', 'calling', 'ended')),
  -- the flow is paused
  held         boolean not null default false,
  -- how it ended: entries/entry.ts
  ended        text,
  variant      text,
  in_control   boolean not null default false,
  step         text not null default '',
  -- how often the step was come to
  visit        int not null default 0,
  visits       jsonb not null default '{}',
  -- of a message's step: there is no next one, so that the entry ends with the message
  is_last      boolean not null default false,
  -- business time
  due_at       timestamptz,
  -- what it was entered with, and the properties of what happened
  properties   jsonb,
  event        jsonb,
  -- the hour that suits the person, and how it was found
  timing       jsonb,
  entered_at   timestamptz not null,
  ended_at     timestamptz,
  -- who calls the webhook, until when nobody else does (machine time)
  lease        uuid,
  leased_until timestamptz,
  attempts     int not null default 0,
  -- the person has become somebody who has another entry of that order: it is kept, and is not the one that counts
  aside        boolean not null default false,
  primary key (bucket, entry_id)
) with (fillfactor = 80);
create index entry_due on entry (workspace_id, class, due_at) where state in ('arriving', 'waiting', 'listening') and not held;
create index entry_calling on entry (due_at) where state = 'calling';
create index entry_by_person on entry (bucket, profile_id, flow_id);
create unique index entry_by_order on entry (bucket, dispatch_id, profile_id) where dispatch_id is not null and not aside;
create index entry_of_order on entry (dispatch_id, state, ended) where dispatch_id is not null;
create index entry_open on entry (flow_id, held, version, step) where state <> 'ended';
create index entry_ended on entry (workspace_id, ended_at) where state = 'ended';

-- What somebody had of a flow: one row for both, that re-entry is judged by under its lock.
create table received (
  bucket                  int not null,
  profile_id              bigint not null,
  flow_id                 int not null,
  workspace_id            int not null,
  entries                 int not null default 0,
  last_entered_at         timestamptz,
  last_entered_control_at timestamptz,
  last_exited_at          timestamptz,
  last_received_at        timestamptz,
  variant                 text,
  in_control              boolean not null default false,
  opened_at               timestamptz,
  clicked_at              timestamptz,
  -- until when something that happens may be a conversion, and which were made
  converting_until        timestamptz,
  converted               text[] not null default '{}',
  -- why the person did not enter last time, so that the same is not told with every event
  refused                 text,
  refused_at              timestamptz,
  primary key (bucket, profile_id, flow_id)
);
create index received_refused on received (refused_at) where entries = 0 and refused_at is not null;
create table received_step (
  bucket           int not null,
  profile_id       bigint not null,
  flow_id          int not null,
  step             text not null,
  last_received_at timestamptz not null,
  primary key (bucket, profile_id, flow_id, step)
);

-- What remains of the entries of deleted people.
create table deleted_entries (
  flow_id int not null,
  ended   text not null,
  count   bigint not null,
  primary key (flow_id, ended)
);

-- The flow that a message is of, the version that says what, and the variant. Content of an entry's message is the version's step.
alter table message add column flow_id int, add column flow_version int, add column variant text;
create index message_by_flow on message (flow_id) where flow_id is not null and state in ('queued', 'held');
alter table decision add column flow_id int;
alter table dispatch add column flow_id int;
-- When a flow looked for people itself.
create index dispatch_of_flow on dispatch (flow_id, created_at) where flow_id is not null and sending -> 'recipients' is null;
create index dispatch_by_flow on dispatch (flow_id) where flow_id is not null;
