-- Stored trees of conditions, and how many people each had on a day. Small and shared: no bucket, no person in them.

create table segment (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  -- the tree as it was given (specification 2.6 and more leaves)
  audience     jsonb not null,
  tags         text[] not null default '{}',
  -- whether its size is kept day by day
  analytics_tracking_enabled boolean not null default true,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

create table segment_size (
  workspace_id int not null,
  segment_id   text not null,
  day          date not null,
  size         int not null,
  primary key (workspace_id, segment_id, day)
);
