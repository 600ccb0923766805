-- Flows, orders, journeys, messages and their outcomes.

-- A flow is a canvas, or a campaign, which is a canvas of one message. Versions of a flow never change: an entry stays on the version
-- that was current when it began.
create table flow (
  flow_id      int generated always as identity primary key,
  workspace_id int not null,
  kind         text not null check (kind in ('canvas', 'campaign')),
  -- the canvas_id or campaign_id of the interface
  id           text not null,
  name         text not null,
  description  text not null default '',
  tags         text[] not null default '{}',
  state        text not null check (state in ('draft', 'active', 'paused', 'archived')),
  class        text not null check (class in ('marketing', 'transactional')),
  -- the version of new entries
  version      int not null,
  -- when its schedule is planned next (business time); null without a schedule
  plan_at      timestamptz,
  -- its state has changed, and its entries and messages were not updated yet
  unsettled    boolean not null default false,
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- when it was deleted; the row stays, because people have received something from it
  deleted_at   timestamptz,
  -- first and last entry, including the control group
  first_entry_at timestamptz,
  last_entry_at timestamptz,
  unique (workspace_id, kind, id)
);
create index flow_plan on flow (plan_at) where plan_at is not null;
create index flow_unsettled on flow (updated_at) where unsettled;

create table flow_version (
  flow_id    int not null,
  version    int not null,
  -- as in the workspace file: src/messaging/flows/schema.ts
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (flow_id, version)
);

-- What flows listen for: only this is written as a signal. A row for each name; '' stands for every name.
create table watched (
  workspace_id int not null,
  kind         text not null check (kind in ('event', 'purchase', 'attribute', 'engagement')),
  name         text not null,
  -- whether it writes a signal; otherwise changes are only recorded for explanations
  signals      boolean not null,
  since        timestamptz not null,
  primary key (workspace_id, kind, name)
);

-- The send ids of campaigns, by which sends are counted.
create table send (
  workspace_id int not null,
  send_id      text not null,
  flow_id      int not null,
  created_at   timestamptz not null,
  primary key (workspace_id, send_id)
);

-- Secrets that the service must be able to read again, such as passwords, are encrypted with the secret of the installation. A dump
-- without the row of `installation` reveals none of them.
create table credential (
  id           text not null,
  workspace_id int not null,
  name         text not null,
  user_name    text not null,
  password     bytea not null,
  -- the origins it may be sent to, such as https://files.example.com; empty for all
  origins      text[] not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

create table dkim_key (
  id           text not null,
  workspace_id int not null,
  -- the domain of From that it signs, with its subdomains
  name         text not null,
  selector     text not null,
  private_key  bytea not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

-- An order: what is sent to whom, and when. Its slots say when it is due for which people; each recipient is a message or an entry.
create table dispatch (
  dispatch_id  uuid primary key,
  workspace_id int not null,
  -- the id of a schedule that was created through the interface
  schedule_id  uuid unique,
  class        text not null check (class in ('marketing', 'transactional')),
  state        text not null check (state in ('active', 'paused', 'cancelled')),
  -- the request, read and checked: src/messaging/orders/sending.ts
  sending      jsonb not null,
  -- the requested time; null for at once
  schedule     jsonb,
  send_id      text,
  created_at   timestamptz not null,
  -- lateness counts from here
  resumed_at   timestamptz,
  updated_at   timestamptz not null,
  -- its state has changed, and its messages were not updated yet
  unsettled    boolean not null default false,
  flow_id int
);
create index dispatch_unsettled on dispatch (updated_at) where unsettled;
create index dispatch_by_time on dispatch (workspace_id, created_at, dispatch_id);
-- A deletion removes the identifiers of the person from recipients.
create index dispatch_recipients on dispatch using gin ((sending -> 'recipients') jsonb_path_ops);
-- Orders of a flow for its whole audience.
create index dispatch_of_flow on dispatch (flow_id, created_at) where flow_id is not null and sending -> 'recipients' is null;
create index dispatch_by_flow on dispatch (flow_id) where flow_id is not null;

-- A due slot is expanded into messages or entries page by page, with its cursor in the same transaction. Leases are machine time,
-- `due_at` is business time.
create table dispatch_slot (
  dispatch_id  uuid not null,
  -- '' everybody; a time zone; '-' people without one; '*' people who are left at the end; '!' missed people who are sent to after all
  zone         text not null,
  workspace_id int not null,
  -- the class of its order
  class        text not null default 'marketing',
  due_at       timestamptz not null,
  -- waiting; held: its order is paused; running; done; cancelled; missed: it was too late
  state        text not null check (state in ('waiting', 'held', 'running', 'done', 'cancelled', 'missed')),
  -- its recipients end with this reason and get no message: their local time had passed when the schedule was created
  reason       text,
  -- the profile id of the last recipient found; the bucket is in the id
  after_id     bigint,
  expanded     bigint not null default 0,
  -- how many identifiers named nobody
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

-- The journey of one person through a flow. A recipient who did not enter has an entry that ended at once, so that no recipient is
-- processed twice.
create table entry (
  bucket       int not null,
  profile_id   bigint not null,
  entry_id     uuid not null,
  workspace_id int not null,
  flow_id      int not null,
  version      int not null,
  class        text not null,
  -- the order that started it; null when a signal did
  dispatch_id  uuid,
  -- arriving: the step runs at due_at; waiting: until due_at; listening: for a signal until due_at; sending: until its message has
  -- ended; calling: a webhook is being called; ended
  state        text not null check (state in ('arriving', 'waiting', 'listening', 'sending', 'calling', 'ended')),
  -- the flow is paused
  held         boolean not null default false,
  -- how it ended: src/messaging/journeys/entry.ts
  ended        text,
  variant      text,
  in_control   boolean not null default false,
  step         text not null default '',
  -- how often the entry has come to the step
  visit        int not null default 0,
  visits       jsonb not null default '{}',
  -- a message step without a next step: the entry ends with the message
  is_last      boolean not null default false,
  -- business time
  due_at       timestamptz,
  -- the properties it was triggered with, and those of its event
  properties   jsonb,
  event        jsonb,
  -- the best hour for the person, and how it was found
  timing       jsonb,
  entered_at   timestamptz not null,
  ended_at     timestamptz,
  -- the lease of the webhook call (machine time)
  lease        uuid,
  leased_until timestamptz,
  attempts     int not null default 0,
  -- a merge gave the person two entries of one order: this one is kept, and does not count
  is_duplicate boolean not null default false,
  primary key (bucket, entry_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create index entry_due on entry (workspace_id, class, due_at) where state in ('arriving', 'waiting', 'listening') and not held;
create index entry_by_person on entry (bucket, profile_id, flow_id);
create unique index entry_by_order on entry (bucket, dispatch_id, profile_id) where dispatch_id is not null and not is_duplicate;
create index entry_of_order on entry (dispatch_id, state, ended) where dispatch_id is not null;
create index entry_open on entry (flow_id, held, version, step) where state <> 'ended';
create index entry_ended on entry (workspace_id, ended_at) where state = 'ended';
create index entry_calling on entry (workspace_id, class, due_at) where state = 'calling';

-- How many entries deleted people had.
create table deleted_entries (
  flow_id int not null,
  ended   text not null,
  count   bigint not null,
  primary key (flow_id, ended)
);

-- One message to one person on one channel. Its states: src/messaging/delivery/states.ts.
create table message (
  message_id   bigint not null,
  profile_id   bigint not null,
  bucket       int not null,
  workspace_id int not null,
  -- the order, or the entry with step and visit
  cause        uuid not null,
  step         text not null default '',
  visit        int not null default 0,
  channel      text not null,
  class        text not null,
  state        text not null check (state in ('queued', 'held', 'leased', 'handed_over', 'accepted', 'suppressed', 'aborted',
    'cancelled', 'missed', 'bounced', 'failed', 'uncertain')),
  -- why it ended: one of src/messaging/ledger/reasons.ts
  reason       text,
  -- when it was first due, and when it is tried next (business time)
  planned_at   timestamptz not null,
  due_at       timestamptz not null,
  -- the lease of the worker that has it (machine time); a claim counts an attempt unless it was throttled
  lease        uuid,
  leased_until timestamptz,
  attempts     int not null default 0,
  -- which rates have granted it: 0 none; 1 that of its domain
  rates_granted smallint not null default 0,
  -- an earlier attempt has no known outcome: it is sent again, or ends as uncertain
  maybe_sent   boolean not null default false,
  -- set at the hand-over: address, subject, targets of links; then the response of the server
  address      text,
  subject      text,
  links        text[],
  warnings     text[],
  response     text,
  ended_at     timestamptz,
  -- facts that arrive after it was accepted
  bounced_at    timestamptz,
  complained_at timestamptz,
  -- flow, version and variant; the content of a message of an entry is in the step of the version
  flow_id int,
  flow_version int,
  variant text,
  primary key (bucket, message_id),
  unique (bucket, cause, profile_id, step, visit, channel)
) with (fillfactor = 80);
create index message_queued on message (workspace_id, class, due_at) where state = 'queued';
create index message_leased on message (leased_until) where state in ('leased', 'handed_over');
-- The counts of an order are read from this index alone.
create index message_by_cause on message (cause, state, reason);
create index message_by_person on message (bucket, profile_id, planned_at);
create index message_uncertain on message (workspace_id, ended_at) where state = 'uncertain';
create index message_by_flow on message (flow_id, state) where flow_id is not null and state in ('queued', 'held');

-- How many messages deleted people had.
create table deleted_messages (
  cause   uuid not null,
  channel text not null,
  reason  text not null,
  count   bigint not null,
  primary key (cause, channel, reason)
);

-- How fast mail is sent, for all processes together: by the whole transport ('') and to each domain. Times are business time.
create table send_rate (
  transport  text not null,
  domain     text not null,
  -- allowed messages per second; halved when a server throttles, and growing back afterwards
  per_second double precision not null,
  -- the earliest time at which a message may go; at most a second ahead
  free_at    timestamptz not null,
  slowed_at  timestamptz,
  primary key (transport, domain)
);

-- Every decision about a person and a message, by week of `time` like history. Rows never change.
create table decision (
  profile_id   bigint not null,
  time         timestamptz not null,
  -- profile_id is 0 when nobody had the identifier; then the bucket is that of the identifier, and `asked` has it
  bucket       int not null,
  workspace_id int not null,
  -- the order or entry that it belongs to; an entry has step and visit
  cause        uuid not null,
  step         text not null default '',
  visit        int not null default 0,
  channel      text not null,
  -- the message that it ended; null without one
  message_id   bigint,
  -- one of src/messaging/ledger/reasons.ts
  reason       text not null,
  asked        jsonb,
  -- the rule that decided, and its inputs, each with the time as of which it held
  rule         text,
  inputs       jsonb,
  flow_id int
) partition by range (time);
create table decision_old partition of decision default;
create index decision_by_person on decision (bucket, profile_id, time);
create index decision_by_cause on decision (cause, time);

-- Mail that is kept here because no mail server is configured. `bucket` and `profile_id` are 0 for mail to accounts of the dashboard.
create table inbox (
  bucket       int not null,
  profile_id   bigint not null,
  mail_id      bigint not null,
  workspace_id int not null,
  message_id   bigint,
  address      text not null,
  subject      text not null,
  at           timestamptz not null,
  -- the mail as it would be sent
  source       bytea not null,
  primary key (bucket, mail_id)
);
create index inbox_by_time on inbox (workspace_id, at, mail_id);
-- A merge moves a mail to another bucket, so its id does not tell the bucket.
create index inbox_by_id on inbox (workspace_id, mail_id);

-- Opens and clicks of messages. Those of machines (prefetching, scanners) are counted apart.
create table engagement (
  bucket       int not null,
  profile_id   bigint not null,
  message_id   bigint not null,
  kind         text not null check (kind in ('opened', 'clicked', 'machine_opened', 'machine_clicked', 'unsubscribed')),
  -- the position of the link in the message; -1 without a link
  link         int not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  count        int not null,
  primary key (bucket, profile_id, message_id, kind, link)
);

-- Tokens with which a mail provider signed its requests. Each is valid for one request, in all processes. Times are machine time.
create table webhook_token (
  workspace_id int not null,
  -- sha256 of the token
  token_hash   bytea not null,
  -- soon, while its request is processed, because the process may die; then the end of the validity of the signature
  expires_at   timestamptz not null,
  primary key (workspace_id, token_hash)
);
create index webhook_token_expired on webhook_token (expires_at);
