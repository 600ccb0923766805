-- A move of everything to another database, or from one. Only a database that is being moved, or was moved, has a row.
create table database_move (
  only_one boolean primary key default true check (only_one),
  move_id  uuid not null,
  -- what this database is in the move; a target has its row only until everything is here
  role     text not null check (role in ('source', 'target')),
  -- the other database, without a password
  other    text not null,
  begun_at timestamptz not null,
  -- when the other one had everything
  ended_at timestamptz
);

-- How far each table of a target is.
create table database_move_part (
  -- the table or partition of the source
  relation   text primary key,
  -- the first block of the source that was not copied yet
  next_block bigint not null,
  -- how many rows were copied
  rows       bigint not null
);
