-- What an SDK tells of a person: devices, use of apps, cards clicked. Each row in the person's own bucket.

alter table profile
  -- sessions of all apps, those of merged profiles included
  add column session_count int not null default 0,
  add column attributed_campaign text,
  add column attributed_source text,
  add column attributed_adgroup text,
  add column attributed_ad text;

-- A device belongs to one person; `identifier` (kind device) has the way in.
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

create table card_click (
  bucket     int not null,
  profile_id bigint not null,
  card       text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, card)
);
