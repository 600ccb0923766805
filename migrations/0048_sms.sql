-- Phone numbers that a provider refuses for good: no text message is sent to them. The value is the keyed hash of the number, and the
-- plain number is removed with the last person who has it.
create table invalid_phone (
  bucket       int not null,
  workspace_id int not null,
  value        text not null,
  phone        text,
  reason       text not null check (reason in ('provider_error', 'deactivated')),
  told         text,
  at           timestamptz not null,
  primary key (bucket, workspace_id, value)
);
create index invalid_phone_by_time on invalid_phone (workspace_id, at);
