--! breaking
-- How often something happened in a quarter of an hour. The subject is an event or a product (the id of its name) or a measure of the
-- workspace, the part an app (the id of its name) or empty. People who are deleted or merged stay counted.
create table tally (
  bucket int not null,
  subject text collate "C" not null,
  slot timestamptz not null,
  part text collate "C" not null,
  count bigint not null,
  amount double precision not null,
  primary key (bucket, subject, slot, part)
) with (fillfactor = 80);

-- What a transaction adds to tallies. A job adds it to the table above.
create table tally_change (
  bucket int not null,
  change_id uuid not null,
  subjects text[] not null,
  parts text[] not null,
  slots timestamptz[] not null,
  counts bigint[] not null,
  amounts double precision[] not null,
  primary key (bucket, change_id)
);

-- What was there before is counted once.
create temporary table counted (subject text, part text, slot timestamptz, count bigint, amount double precision) on commit drop;

insert into counted
select name_id, coalesce(app_id::text, ''), date_bin('15 minutes', time, '1970-01-01Z'), count(*), 0
from event group by 1, 2, 3;

insert into counted
select name_id, coalesce(app_id::text, ''), date_bin('15 minutes', time, '1970-01-01Z'), sum(quantity), sum(price * quantity)
from purchase group by 1, 2, 3;

insert into counted
select name_id, '', day::timestamp at time zone 'UTC', count, 0 from deleted_history;

insert into counted
select 'purchases ' || n.workspace_id, c.part, c.slot, c.count, c.amount
from counted c join name n on n.name_id::text = c.subject and n.kind = 'product';

insert into counted
select 'new_users ' || workspace_id, '', date_bin('15 minutes', created_at, '1970-01-01Z'), count(*), 0
from profile where merged_into is null group by 1, 3;

insert into counted
select 'sessions ' || p.workspace_id, coalesce(a.name_id::text, s.app_id), date_bin('15 minutes', s.started_at, '1970-01-01Z'), count(*), 0
from app_session s
join profile p on p.bucket = s.bucket and p.profile_id = s.profile_id
left join name a on a.workspace_id = p.workspace_id and a.kind = 'app' and a.name = s.app_id
group by 1, 2, 3;

insert into counted
select 'uninstalls ' || p.workspace_id, coalesce(a.name_id::text, u.app_id), date_bin('15 minutes', u.uninstalled_at, '1970-01-01Z'),
  count(*), 0
from app_use u
join profile p on p.bucket = u.bucket and p.profile_id = u.profile_id
left join name a on a.workspace_id = p.workspace_id and a.kind = 'app' and a.name = u.app_id
where u.uninstalled_at is not null
group by 1, 2, 3;

-- A day on which somebody was active counts for thirty days, until the next one: a 1 where it begins, a -1 where it ends.
with active as (
  select distinct p.workspace_id, s.bucket, s.profile_id, app.part,
    (s.started_at at time zone coalesce(w.settings->>'time_zone', 'UTC'))::date as day,
    coalesce(w.settings->>'time_zone', 'UTC') as zone
  from app_session s
  join profile p on p.bucket = s.bucket and p.profile_id = s.profile_id
  join workspace w on w.workspace_id = p.workspace_id
  left join name a on a.workspace_id = p.workspace_id and a.kind = 'app' and a.name = s.app_id
  cross join lateral (values (''), (coalesce(a.name_id::text, s.app_id))) app (part)),
spans as (
  select workspace_id, part, zone, day,
    least(day + 30, lead(day) over (partition by bucket, profile_id, part order by day)) as until
  from active)
insert into counted
select c.measure || workspace_id, part, c.day::timestamp at time zone zone, c.count, 0
from spans cross join lateral (values ('dau ', day, 1), ('mau ', day, 1), ('mau ', until, -1)) c (measure, day, count);

insert into tally (bucket, subject, slot, part, count, amount)
select ('x' || left(md5(subject), 3))::bit(12)::int, subject, slot, part, sum(count), sum(amount)
from counted group by subject, slot, part;

drop table deleted_history;
