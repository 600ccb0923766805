-- Everything that belongs to a person or to an address. Every table has a bucket, and every key starts with it.
create table profile (
  profile_id    bigint not null,
  bucket        int not null,
  workspace_id  int not null,
  random_bucket int not null,
  external_id   text,
  email         text,
  phone         text,
  first_name    text,
  last_name     text,
  gender        text,
  dob           text,
  country       text,
  home_city     text,
  language      text,
  time_zone     text,
  image_url     text,
  longitude     double precision,
  latitude      double precision,
  facebook      jsonb,
  twitter       jsonb,
  email_subscribe      text not null default 'subscribed',
  email_subscribe_at   timestamptz,
  email_opted_in_at    timestamptz,
  email_unsubscribed_at timestamptz,
  push_subscribe       text not null default 'subscribed',
  push_subscribe_at    timestamptz,
  push_opted_in_at     timestamptz,
  push_unsubscribed_at timestamptz,
  email_open_tracking_disabled  boolean not null default false,
  email_click_tracking_disabled boolean not null default false,
  date_of_first_session timestamptz,
  date_of_last_session  timestamptz,
  marked_email_as_spam_at timestamptz,
  total_revenue double precision not null default 0,
  custom        jsonb not null default '{}',
  -- epoch milliseconds of the custom values that read as a date
  typed         jsonb not null default '{}',
  merged_bucket int,
  merged_into   bigint,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- sessions of all apps, including those of merged profiles
  session_count int not null default 0,
  attributed_campaign text,
  attributed_source text,
  attributed_adgroup text,
  attributed_ad text,
  primary key (bucket, profile_id)
) with (fillfactor = 80);
-- Scheduled sends look people up by zone, and a zone seldom changes. An index on a column that changes often would end HOT updates.
create index profile_time_zone on profile (workspace_id, time_zone);
-- People who have unsubscribed, by time. Few people are in it, and only a change of the state or the address touches it: other
-- updates of a person stay HOT.
create index profile_unsubscribed on profile (workspace_id, email_unsubscribed_at, email)
  where email_subscribe = 'unsubscribed';

-- External ids, aliases and push tokens, each of exactly one person. For an e-mail address or phone number the row has no owner: it is
-- the lock while nobody has the address.
create table identifier (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null,
  value        text not null,
  owner_bucket int,
  owner_id     bigint,
  primary key (bucket, workspace_id, kind, value)
);

-- The owners of an e-mail address or phone number: any number of people.
create table contact (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null,
  value        text not null,
  owner_bucket int not null,
  owner_id     bigint not null,
  primary key (bucket, workspace_id, kind, value, owner_bucket, owner_id)
);

-- The aliases of a person, in the bucket of the person. They are looked up through `identifier`.
create table profile_alias (
  bucket      int not null,
  profile_id  bigint not null,
  alias_label text not null,
  alias_name  text not null,
  primary key (bucket, profile_id, alias_label)
);

-- External ids that a person had before a rename; they name the person until they are removed.
create table former_id (
  bucket      int not null,
  profile_id  bigint not null,
  external_id text not null,
  at          timestamptz not null,
  primary key (bucket, profile_id, external_id)
);

-- People who lost an identifier, by the number of the version `identity` at that moment. Caches read the rows that are newer than
-- their version. Rows are deleted after a minute; a cache that missed some is emptied.
create table identity_change (
  number     bigint not null,
  bucket     int not null,
  profile_id bigint not null,
  at         timestamptz not null,
  primary key (bucket, number, profile_id)
);
create index identity_change_by_number on identity_change (number);

create table push_token (
  bucket      int not null,
  profile_id  bigint not null,
  app_id      text not null,
  token       text not null,
  device_id   text not null,
  notifications_enabled boolean not null,
  created_at  timestamptz not null,
  primary key (bucket, profile_id, app_id, token)
);

-- A device belongs to one person. It is looked up through `identifier` (kind device).
create table device (
  bucket       int not null,
  profile_id   bigint not null,
  device_id    text not null,
  model        text,
  os           text,
  carrier      text,
  idfv         text,
  idfa         text,
  google_ad_id text,
  roku_ad_id   text,
  ad_tracking_enabled boolean,
  created_at   timestamptz not null,
  primary key (bucket, profile_id, device_id)
);

create table app_use (
  bucket     int not null,
  profile_id bigint not null,
  app_id     text not null,
  version    text,
  sessions   int not null,
  first_used timestamptz,
  last_used  timestamptz,
  uninstalled_at timestamptz,
  primary key (bucket, profile_id, app_id)
);

-- Sessions that were counted, so that a session that is sent again counts once. The next call of the device deletes old ones.
create table app_session (
  bucket      int not null,
  profile_id  bigint not null,
  device_id   text not null,
  app_id      text not null,
  -- as sent, even when it is in the future
  started_at  timestamptz not null,
  recorded_at timestamptz not null,
  primary key (bucket, profile_id, device_id, app_id, started_at)
);

create table card_click (
  bucket     int not null,
  profile_id bigint not null,
  card       text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, card)
);

-- A group state that was set for a person. `address_state` has those set by or for an address; the later stamp is in effect.
create table membership (
  bucket     int not null,
  profile_id bigint not null,
  group_id   int not null,
  state      text not null,
  stamp      timestamptz not null,
  primary key (bucket, profile_id, group_id)
);

create table address_state (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null,
  value        text not null,
  group_id     int not null,
  state        text not null,
  stamp        timestamptz not null,
  primary key (bucket, workspace_id, kind, value, group_id)
);
-- States of e-mail addresses themselves. They are read whenever a person gets an address, and are far fewer than group states.
create index address_state_own on address_state (bucket, value) where group_id = 0;

-- Addresses to which nothing is sent. The key is the keyed hash of the address, as in `address_state`, and outlives the people who
-- have it. The plain address is removed when the last person who has it is deleted.
create table suppression (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('email')),
  value        text not null,
  -- hard_bounce, spam and soft_bounces were observed; blocklist was requested
  reason       text not null check (reason in ('hard_bounce', 'spam', 'soft_bounces', 'blocklist')),
  address      text,
  -- what the server or provider said
  told         text,
  at           timestamptz not null,
  primary key (bucket, workspace_id, kind, value, reason)
);
create index suppression_by_time on suppression (workspace_id, at);

-- Consecutive soft bounces. A mail that is delivered in between restarts the count.
create table soft_bounce (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('email')),
  value        text not null,
  count        int not null,
  -- time of the last one
  at           timestamptz not null,
  primary key (bucket, workspace_id, kind, value)
);

-- Partitioned by week of `time`; weeks are made ahead of the clock, rows older than the first week go to the default partition.
create table event (
  profile_id bigint not null,
  time       timestamptz not null,
  bucket     int not null,
  name_id    int not null,
  app_id     int,
  properties text
) partition by range (time);
create table event_old partition of event default;
create index event_by_person on event (bucket, profile_id, name_id, time);

create table purchase (
  profile_id bigint not null,
  time       timestamptz not null,
  price      double precision not null,
  bucket     int not null,
  name_id    int not null,
  app_id     int,
  quantity   int not null,
  currency   text not null,
  properties text
) partition by range (time);
create table purchase_old partition of purchase default;
create index purchase_by_person on purchase (bucket, profile_id, name_id, time) include (quantity);

-- How many events and purchases deleted people had, per day (UTC).
create table deleted_history (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('event', 'purchase')),
  name_id      int not null,
  day          date not null,
  count        bigint not null,
  primary key (bucket, workspace_id, kind, name_id, day)
);

-- When a person last received a message on a channel. Conditions on the last message received read it.
create table last_received (
  bucket     int not null,
  profile_id bigint not null,
  channel    text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, channel)
);

-- When a person last opened or clicked a message of a channel.
create table last_engaged (
  bucket     int not null,
  profile_id bigint not null,
  channel    text not null,
  kind       text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, channel, kind)
);

-- What a person received from a flow, and when they were in it. Re-entry is decided under the lock of this row.
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
  -- how long an event may still be a conversion; converted lists those that happened
  converting_until        timestamptz,
  converted               text[] not null default '{}',
  -- why the person did not enter last time, so that the same refusal is not recorded with every event
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

-- What exports and backups say about a flow: the names in its current version. Messaging writes it in the transaction that defines the
-- flow. Rows of deleted flows stay.
create table flow_outline (
  flow_id      int primary key,
  workspace_id int not null,
  kind         text not null check (kind in ('canvas', 'campaign')),
  -- the canvas_id or campaign_id of the interface
  id           text not null,
  name         text not null,
  -- the version of the outline
  version      int not null,
  -- {variants: {id: name}, steps: {id: name}, conversions: [name], control_percent}
  outline      jsonb not null,
  unique (workspace_id, kind, id)
);

-- An accepted event, purchase, attribute change or engagement that a flow listens for. It is written in the transaction that accepted
-- it, and deleted when it was processed.
create table signal (
  bucket       int not null,
  profile_id   bigint not null,
  -- made like a profile id
  signal_id    bigint not null,
  workspace_id int not null,
  -- bucket / 256. One worker at a time processes a lane, so that the signals of a person are processed in order
  lane         smallint not null,
  kind         text not null check (kind in ('event', 'purchase', 'attribute', 'engagement')),
  -- the name of the event, product, attribute or engagement
  name         text not null,
  -- its own time as sent, and when it was accepted
  time         timestamptz not null,
  at           timestamptz not null,
  properties   text,
  -- price times quantity of a purchase
  amount       double precision,
  -- the message of an engagement
  message_id   bigint,
  -- it could not be processed, which is a defect of ours; the next process that starts tries again
  failed       boolean not null default false,
  -- signals are only looked up in the order in which they are processed
  primary key (lane, at, signal_id, bucket)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
create index signal_by_person on signal (bucket, profile_id);

create table signal_lane (
  lane smallint primary key
);
insert into signal_lane (lane) select generate_series(0, 15);

-- Every change of an attribute that a condition of a flow reads, by week, so that a past decision can be explained.
create table attribute_change (
  profile_id   bigint not null,
  time         timestamptz not null,
  bucket       int not null,
  workspace_id int not null,
  name         text not null,
  -- the new value; null when it was removed
  value        jsonb
) partition by range (time);
create table attribute_change_old partition of attribute_change default;
create index attribute_change_by_person on attribute_change (bucket, profile_id, name, time);

-- Work items: accepted merges, deletions and identifications, carried out in the order of acceptance. `asked` is removed when a person
-- in it is deleted; then only the outcome remains.
create table work (
  bucket       int not null,
  request_id   uuid not null,
  position     int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('merge', 'delete', 'identify')),
  asked        jsonb,
  -- keyed hashes of the identifiers in `asked` and of the people acted on; a deletion finds the row by them
  person_hashes text[] not null,
  -- waiting; moving: done, except for history that still has to be moved; done
  state        text not null check (state in ('waiting', 'moving', 'done')),
  outcome      text,
  -- the merged or deleted profile, and the kept profile
  from_bucket  int,
  from_id      bigint,
  into_bucket  int,
  into_id      bigint,
  accepted_at  timestamptz not null,
  finished_at  timestamptz,
  -- the profiles that had been merged into a deleted one: some of their history may still have to be deleted
  merged_ids   bigint[],
  primary key (bucket, request_id, position)
);
create index work_unfinished on work (accepted_at, request_id, position) where state <> 'done';
create index work_by_time on work (workspace_id, accepted_at, request_id, position);
create index work_by_person on work using gin (person_hashes);

-- Merged profiles, in the bucket of the kept profile. While `moved` is false some of their history may still have the old id; it is
-- read through this row.
create table merged_profile (
  bucket      int not null,
  profile_id  bigint not null,
  from_bucket int not null,
  from_id     bigint not null,
  moved       boolean not null default false,
  at          timestamptz not null,
  primary key (bucket, profile_id, from_bucket, from_id)
);
-- Profiles whose history was not moved yet: few, and read with every scan of all history.
create index merged_profile_pending on merged_profile (bucket, profile_id) where not moved;

-- The last imported part of a person whose lines are too many for one request, until all parts are imported.
create table import_part (
  bucket     int not null,
  profile_id bigint not null,
  part       int not null,
  at         timestamptz not null,
  primary key (bucket, profile_id)
);
