-- A dispatch is one order to send: what, to whom, when. Its slots say when it falls due for whom; its messages are the people.

create table dispatch (
  dispatch_id  uuid primary key,
  workspace_id int not null,
  -- of what was scheduled through the interface
  schedule_id  uuid unique,
  class        text not null check (class in ('marketing', 'transactional')),
  state        text not null check (state in ('active', 'paused', 'cancelled')),
  -- what was asked for, read and checked: dispatch/sending.ts
  sending      jsonb not null,
  -- when it was asked for; null for at once
  schedule     jsonb,
  send_id      text,
  created_at   timestamptz not null,
  -- lateness counts from here
  resumed_at   timestamptz,
  updated_at   timestamptz not null,
  -- its state has changed, and messages of it have not followed yet
  unsettled    boolean not null default false
);
create index dispatch_unsettled on dispatch (updated_at) where unsettled;
create index dispatch_by_time on dispatch (workspace_id, created_at, dispatch_id);
-- Whoever is deleted is taken out of what names them.
create index dispatch_recipients on dispatch using gin ((sending -> 'recipients') jsonb_path_ops);

-- A due slot is expanded page by page into messages, its cursor in the same transaction. Leases are machine time, `due_at` is business
-- time.
create table dispatch_slot (
  dispatch_id  uuid not null,
  -- '' everybody; a time zone; '-' whoever has none; '*' whoever is left at the end; '!' whom it missed, sent to after all
  zone         text not null,
  workspace_id int not null,
  -- that of its dispatch
  class        text not null default 'marketing',
  due_at       timestamptz not null,
  -- waiting; held: its dispatch is paused; running; done; cancelled; missed: it was too late
  state        text not null check (state in ('waiting', 'held', 'running', 'done', 'cancelled', 'missed')),
  -- its people end with this reason instead of being sent to: their local time had passed when the schedule was made
  reason       text,
  -- the last one who was found; his bucket is in the id
  after_id     bigint,
  expanded     bigint not null default 0,
  -- identifiers that nobody had
  unknown      int not null default 0,
  lease        uuid,
  leased_until timestamptz,
  attempts     int not null default 0,
  failure      text,
  primary key (dispatch_id, zone)
);
create index dispatch_slot_due on dispatch_slot (class, due_at) where state = 'waiting';
create index dispatch_slot_ahead on dispatch_slot (workspace_id) where state in ('waiting', 'held') and zone in ('', '*');
create index dispatch_slot_leased on dispatch_slot (leased_until) where state = 'running';

-- One person, one channel, one cause: what becomes of it. States and who may leave them: dispatch/states.ts.
create table message (
  message_id   bigint not null,
  profile_id   bigint not null,
  bucket       int not null,
  workspace_id int not null,
  -- the dispatch, or the entry of a canvas with step and visit
  cause        uuid not null,
  step         text not null default '',
  visit        int not null default 0,
  channel      text not null,
  class        text not null,
  state        text not null check (state in ('queued', 'held', 'leased', 'handed_over', 'accepted', 'suppressed', 'aborted',
    'cancelled', 'missed', 'bounced', 'failed', 'uncertain')),
  -- why it ended: one of ledger/reasons.ts
  reason       text,
  -- when it was first due, and when it is tried next: business time
  planned_at   timestamptz not null,
  due_at       timestamptz not null,
  -- who works on it, until when nobody else does (machine time); every claim counts an attempt, a throttled one does not
  lease        uuid,
  leased_until timestamptz,
  attempts     int not null default 0,
  -- which of the rates have let it go: 0 none; 1 that of its domain
  room         smallint not null default 0,
  -- a server may have had it before, and nobody knows: it is sent again, or ends as uncertain
  doubted      boolean not null default false,
  -- since the hand-over: where it went, what it was called, where its links lead, what the server said
  address      text,
  subject      text,
  links        text[],
  warnings     text[],
  response     text,
  ended_at     timestamptz,
  -- facts that come after it was accepted
  bounced_at    timestamptz,
  complained_at timestamptz,
  primary key (bucket, message_id),
  unique (bucket, cause, profile_id, step, visit, channel)
) with (fillfactor = 80);
create index message_queued on message (workspace_id, class, due_at) where state = 'queued';
create index message_leased on message (leased_until) where state in ('leased', 'handed_over');
-- Everything that the counts of a dispatch are made of, so that they are read from the index alone.
create index message_by_cause on message (cause, state, reason);
create index message_by_person on message (bucket, profile_id, planned_at);
create index message_uncertain on message (workspace_id, ended_at) where state = 'uncertain';

-- How fast mail goes out, for all processes together: the whole transport ('') and each recipient domain. Business time.
create table send_rate (
  transport  text not null,
  domain     text not null,
  -- messages a second that are allowed now; halved when a server says it is too much, growing back afterwards
  per_second double precision not null,
  -- the earliest moment that has room; a second ahead at most, because nothing is booked
  free_at    timestamptz not null,
  slowed_at  timestamptz,
  primary key (transport, domain)
);
