-- Somebody whose lines are too many for one request is imported part by part: the last part that is here, until all are.
create table import_part (
  bucket     int not null,
  profile_id bigint not null,
  part       int not null,
  at         timestamptz not null,
  primary key (bucket, profile_id)
);
