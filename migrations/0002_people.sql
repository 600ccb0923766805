-- Everything here belongs to a person or to an address: each table starts with the bucket, and so does every key.

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
  primary key (bucket, profile_id)
) with (fillfactor = 80);
-- The only secondary index: a zone seldom changes, and scheduled sends ask for it. Any other would end HOT updates.
create index profile_time_zone on profile (workspace_id, time_zone);

-- external_id, alias and push token of exactly one person; for e-mail and phone the anchor that is locked while nobody has the address.
create table identifier (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null,
  value        text not null,
  owner_bucket int,
  owner_id     bigint,
  primary key (bucket, workspace_id, kind, value)
);

-- Who has an e-mail address or a phone number: any number of people.
create table contact (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null,
  value        text not null,
  owner_bucket int not null,
  owner_id     bigint not null,
  primary key (bucket, workspace_id, kind, value, owner_bucket, owner_id)
);

-- A person's aliases, in the person's own bucket; `identifier` has the way in.
create table profile_alias (
  bucket      int not null,
  profile_id  bigint not null,
  alias_label text not null,
  alias_name  text not null,
  primary key (bucket, profile_id, alias_label)
);

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

-- Group state set for a person, and group state set by or for an address; the later stamp is in effect.
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

-- One row per group commit, written inside it: the answer to "did it happen?" when the connection was lost during COMMIT.
create table flush (
  bucket   int not null,
  flush_id uuid not null,
  at       timestamptz not null,
  primary key (bucket, flush_id)
);
