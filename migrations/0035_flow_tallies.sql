-- What the series of canvases and campaigns need to count each person once a day, and each conversion once: when a message of the flow was
-- received before the last one, the sends of both, and the conversions that were counted since the last entry or message of a campaign.
alter table received
  add column previous_received_at timestamptz,
  add column send_id text,
  add column previous_send_id text,
  add column counted_conversions text[] not null default '{}';

-- What was there before is counted once, as far as rows are kept.
create temporary table counted (
  workspace_id int, flow_id int, variant text, step text, channel text, measure text, at timestamptz, count bigint
) on commit drop;

insert into counted
select m.workspace_id, m.flow_id, m.variant, m.step, m.channel, c.measure, c.at, 1
from message m cross join lateral (values
  ('sent', m.ended_at, m.state = 'accepted'),
  ('returned', m.ended_at, m.state = 'accepted' and m.bounced_at is not null),
  ('bounces', m.bounced_at, m.bounced_at is not null),
  ('reported_spam', m.complained_at, m.complained_at is not null)) c (measure, at, is_counted)
where m.flow_id is not null and c.is_counted;

insert into counted
select m.workspace_id, m.flow_id, m.variant, m.step, m.channel, c.measure, e.first_at, c.count
from engagement e
join message m on m.bucket = e.bucket and m.message_id = e.message_id and m.profile_id = e.profile_id
cross join lateral (values
  ('opens', e.count::bigint, e.kind = 'opened'),
  ('unique_opens', 1, e.kind = 'opened'),
  ('clicks', e.count, e.kind = 'clicked'),
  ('unique_clicks', 1, e.kind = 'clicked' and not exists (
    select 1 from engagement f where f.bucket = e.bucket and f.profile_id = e.profile_id and f.message_id = e.message_id
      and f.kind = 'clicked' and (f.first_at, f.link) < (e.first_at, e.link))),
  ('unsubscribes', 1, e.kind = 'unsubscribed')) c (measure, count, is_counted)
where m.flow_id is not null and c.is_counted;

insert into counted
select workspace_id, flow_id, variant, '', '', 'entries', entered_at, 1
from entry where variant is not null and not in_control and not is_duplicate and state <> 'arriving';

with days as (
  select m.workspace_id, m.flow_id, m.variant, m.profile_id, m.ended_at,
    (m.ended_at at time zone coalesce(w.settings->>'time_zone', 'UTC'))::date as day
  from message m join workspace w on w.workspace_id = m.workspace_id
  where m.flow_id is not null and m.state = 'accepted')
insert into counted
select workspace_id, flow_id, (array_agg(variant order by ended_at))[1], '', '', 'unique_recipients', min(ended_at), 1
from days group by workspace_id, flow_id, profile_id, day;

insert into tally (bucket, subject, slot, part, count, amount)
select ('x' || left(md5(subject), 3))::bit(12)::int, subject, slot, part, sum(count), 0
from (
  select 'daily ' || c.workspace_id || ' flow ' || c.flow_id as subject,
    ((c.at at time zone zone.name)::date + time '12:00') at time zone zone.name as slot,
    '[' || to_json(coalesce(c.variant, '')) || ',' || to_json(c.step) || ',' || to_json(c.channel) || ',' || to_json(c.measure)
      || ']' as part,
    c.count
  from counted c
  join workspace w on w.workspace_id = c.workspace_id
  cross join lateral (select coalesce(w.settings->>'time_zone', 'UTC')) zone (name)) c
group by subject, slot, part;
