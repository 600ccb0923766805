-- What was accepted to be done soon: an item of a request to merge, delete or identify is a row, carried out in the order of
-- acceptance. `asked` goes when somebody in it is deleted; then only the outcome remains.
create table work (
  bucket       int not null,
  request_id   uuid not null,
  position     int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('merge', 'delete', 'identify')),
  asked        jsonb,
  -- keyed hashes of the identifiers in `asked` and of the people acted on: how a deletion finds the row
  mentions     text[] not null,
  -- waiting; moving: done but for history that still has to follow; done
  state        text not null check (state in ('waiting', 'moving', 'done')),
  outcome      text,
  -- whom it acted on: the merged or deleted profile, and the one that was kept
  from_bucket  int,
  from_id      bigint,
  into_bucket  int,
  into_id      bigint,
  accepted_at  timestamptz not null,
  finished_at  timestamptz,
  primary key (bucket, request_id, position)
);
create index work_unfinished on work (accepted_at, request_id, position) where state <> 'done';
create index work_by_time on work (workspace_id, accepted_at, request_id, position);
create index work_by_mention on work using gin (mentions);

-- One worker at a time carries work out, so that its order is the order of acceptance: this row is its lock.
insert into version (name, number) values ('work', 1);

-- Profiles that were merged into one, in the bucket of the one that was kept. While `moved` is false some of their history may
-- still be under the old id, and is read through this row.
create table absorbed (
  bucket      int not null,
  profile_id  bigint not null,
  from_bucket int not null,
  from_id     bigint not null,
  moved       boolean not null default false,
  at          timestamptz not null,
  primary key (bucket, profile_id, from_bucket, from_id)
);

-- External ids that a person had before a rename; they name the person until they are removed.
create table former_id (
  bucket      int not null,
  profile_id  bigint not null,
  external_id text not null,
  at          timestamptz not null,
  primary key (bucket, profile_id, external_id)
);

-- People of whom an identifier names somebody else now, or nobody, by the number of the version `identity` that says so. Caches
-- read what is newer than what they know; rows go after a minute, and who missed them forgets everything.
create table identity_change (
  number     bigint not null,
  bucket     int not null,
  profile_id bigint not null,
  at         timestamptz not null,
  primary key (bucket, number, profile_id)
);
create index identity_change_by_number on identity_change (number);

-- What remains of deleted people's events and purchases: how many there were on a day (UTC).
create table deleted_history (
  bucket       int not null,
  workspace_id int not null,
  kind         text not null check (kind in ('event', 'purchase')),
  name_id      int not null,
  day          date not null,
  count        bigint not null,
  primary key (bucket, workspace_id, kind, name_id, day)
);
