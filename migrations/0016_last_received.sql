-- When somebody last received a message of a channel: what "last message received" asks about.

create table last_received (
  bucket     int not null,
  profile_id bigint not null,
  channel    text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, channel)
);

-- Whose history has not followed yet: few, and asked for whenever everybody's is.
create index absorbed_pending on absorbed (bucket, profile_id) where not moved;
