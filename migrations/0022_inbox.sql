-- Mail that was delivered here because no mail server is configured. `bucket` and `profile_id` are 0 where nobody is meant, as in
-- mail to accounts of the dashboard.
create table inbox (
  bucket       int not null,
  profile_id   bigint not null,
  mail_id      bigint not null,
  workspace_id int not null,
  message_id   bigint,
  address      text not null,
  subject      text not null,
  at           timestamptz not null,
  -- the mail as it would have gone over the wire
  source       bytea not null,
  primary key (bucket, mail_id)
);
create index inbox_by_time on inbox (workspace_id, at, mail_id);
-- A mail moves with its person when profiles are merged, so its id does not say where it is.
create index inbox_by_id on inbox (workspace_id, mail_id);
