--! breaking
-- What transactions have added to tallies is moved there, because changes get another form. What is kept by days is counted at noon.
insert into tally as t (bucket, subject, slot, part, count, amount)
select ('x' || left(md5(subject), 3))::bit(12)::int, subject, slot, part, sum(count), sum(amount)
from (
  select u.subject, u.part, u.count, u.amount,
    case
      when zone.name is null then u.slot
      else ((u.slot at time zone zone.name)::date + time '12:00') at time zone zone.name
    end as slot
  from tally_change c
  cross join lateral unnest(c.subjects, c.parts, c.slots, c.counts, c.amounts) u(subject, part, slot, count, amount)
  left join workspace w on u.subject like 'daily %' and w.workspace_id::text = split_part(u.subject, ' ', 2)
  cross join lateral (
    select case when u.subject like 'daily %' then coalesce(w.settings->>'time_zone', 'UTC') end) zone (name)) r
group by subject, slot, part
on conflict (bucket, subject, slot, part) do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;

delete from tally_change;
alter table tally_change drop column slots, drop column counts, drop column amounts, add column entries bytea not null;
-- Each subject and part is there once; the rows in `entries` name them by position. They are few bytes, which cost more to compress than to
-- store until they are moved.
alter table tally_change alter column entries set storage external;
