-- The identifiers of deleted people, encrypted, for as long as a process may have requests in memory that name them.
create table deleted_names (
  number bigint generated always as identity primary key,
  workspace_id integer not null,
  names bytea not null,
  at timestamptz not null
);
