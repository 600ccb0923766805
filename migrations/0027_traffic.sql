-- Answered requests by minute. Each process writes the sums of its own rows, so writing again changes nothing.
create table traffic_minute (
  workspace_id integer not null,
  minute timestamptz not null,
  route text not null,
  class smallint not null,
  writer integer not null,
  count integer not null,
  items bigint not null,
  ms bigint not null,
  primary key (workspace_id, minute, route, class, writer)
);

-- The same by hour, of all processes together.
create table traffic_hour (
  workspace_id integer not null,
  hour timestamptz not null,
  route text not null,
  class smallint not null,
  count bigint not null,
  items bigint not null,
  ms bigint not null,
  primary key (workspace_id, hour, route, class)
);
