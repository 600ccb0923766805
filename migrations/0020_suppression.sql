-- Addresses that are not written to. The key is the keyed hash of the address (like address_state), which outlives its people; the
-- plain address goes when the last person who has it is deleted.
create table suppression (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('email')),
  value        text not null,
  -- hard_bounce, spam, soft_bounces: what was seen; blocklist: somebody said so
  reason       text not null check (reason in ('hard_bounce', 'spam', 'soft_bounces', 'blocklist')),
  address      text,
  -- what the server or provider said
  told         text,
  at           timestamptz not null,
  primary key (bucket, workspace_id, kind, value, reason)
);
create index suppression_by_time on suppression (workspace_id, at);

-- Soft bounces in a row; a mail that arrived in between begins the row anew.
create table soft_bounce (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('email')),
  value        text not null,
  count        int not null,
  -- when the last of them was seen
  at           timestamptz not null,
  primary key (bucket, workspace_id, kind, value)
);
