-- The processes that use this database, so that a virtual clock stays alone. Only on databases that several processes can share.
create table running_process (
  process_id uuid primary key,
  -- where it runs, for the error of another process
  host       text not null,
  pid        int not null,
  clock      text not null check (clock in ('system', 'virtual')),
  -- machine time; a process that was killed stops renewing it
  expires_at timestamptz not null
);
