-- What people did with their messages, as it was seen. A machine's opens and clicks (prefetching, scanners) are apart.
create table engagement (
  bucket       int not null,
  profile_id   bigint not null,
  message_id   bigint not null,
  kind         text not null check (kind in ('opened', 'clicked', 'machine_opened', 'machine_clicked', 'unsubscribed')),
  -- the place of the link in the message; -1 where there is none
  link         int not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  count        int not null,
  primary key (bucket, profile_id, message_id, kind, link)
);

-- When a person last did something with a channel's messages.
create table last_engaged (
  bucket     int not null,
  profile_id bigint not null,
  channel    text not null,
  kind       text not null,
  at         timestamptz not null,
  primary key (bucket, profile_id, channel, kind)
);
