-- Something that happened and that a flow listens to, written in the transaction that accepted it, gone when it was acted upon.
create table signal (
  bucket       int not null,
  profile_id   bigint not null,
  -- made like the id of a profile
  signal_id    bigint not null,
  workspace_id int not null,
  -- bucket / 256: one worker at a time takes those of a lane, so that those of a person are acted upon in order
  lane         smallint not null,
  kind         text not null check (kind in ('event', 'purchase', 'attribute', 'engagement')),
  -- the event, the product, the attribute; what was done with a message
  name         text not null,
  -- when it happened, as it was told, and when it was accepted
  time         timestamptz not null,
  at           timestamptz not null,
  properties   text,
  -- price times quantity of a purchase
  amount       double precision,
  -- the message that somebody engaged with
  message_id   bigint,
  -- nobody could act upon it: our mistake; tried again by the next process that starts
  failed       boolean not null default false,
  -- the order in which they are acted upon is the only one they are looked for in
  primary key (lane, at, signal_id, bucket)
);
create index signal_by_person on signal (bucket, profile_id);

create table signal_lane (
  lane smallint primary key
);
insert into signal_lane (lane) select generate_series(0, 15);

-- Every change of an attribute that some flow's conditions read, in weeks, so that it can be told later what held when.
create table attribute_change (
  profile_id   bigint not null,
  time         timestamptz not null,
  bucket       int not null,
  workspace_id int not null,
  name         text not null,
  -- from then on; null when it was removed
  value        jsonb
) partition by range (time);
create table attribute_change_old partition of attribute_change default;
create index attribute_change_by_person on attribute_change (bucket, profile_id, name, time);
