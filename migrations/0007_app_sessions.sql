-- Sessions that are counted already, so that one which is sent again counts once. The device's next call takes away old ones.
create table app_session (
  bucket      int not null,
  profile_id  bigint not null,
  device_id   text not null,
  app_id      text not null,
  -- as it was sent, even if that was in the future
  started_at  timestamptz not null,
  recorded_at timestamptz not null,
  primary key (bucket, profile_id, device_id, app_id, started_at)
);
