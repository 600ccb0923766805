--! long
-- What analysts ask of one person by its external id is read by indexes. Before, every view read whole tables.

-- Of external ids that the person has now. Only the creation and a rename of a person touch it.
create index profile_external_id on profile (external_id) where merged_into is null and external_id is not null;
-- The rows that a merge has left, by the person that was kept.
create index profile_merged_into on profile (merged_into) where merged_into is not null;

-- A person has one external id in one column, so that a condition on it reaches the index: first those who are themselves, then those who
-- were merged. The views that join this one compare the bucket as a range. It finds the rows of one person by the keys that begin with the
-- bucket, and a planner does not take it for independent of the id: with an equation it would expect one row where there are thousands.
create or replace view current_person as
select c.profile_id, c.workspace_number, w.id as workspace_id, w.name as workspace, c.external_id,
  c.digits || encode(substring(sha256(
    (select substring(bit_send(('x' || rpad(encode(secret, 'hex'), 128, '0'))::bit(512) # ('x' || repeat('5c', 64))::bit(512)) from 5)
      from installation)
    || sha256(
      (select substring(bit_send(('x' || rpad(encode(secret, 'hex'), 128, '0'))::bit(512) # ('x' || repeat('36', 64))::bit(512)) from 5)
      from installation)
      || convert_to(c.digits, 'UTF8'))) from 1 for 4), 'hex') as service_id,
  c.bucket, c.is_merged
from (
  select p.profile_id, p.bucket, p.workspace_id as workspace_number, p.external_id, lpad(to_hex(p.profile_id), 16, '0') as digits,
    false as is_merged
  from profile p where p.merged_into is null
  union all
  select p.profile_id, p.bucket, p.workspace_id, k.external_id, lpad(to_hex(k.profile_id), 16, '0'), true
  from profile p join profile k on k.profile_id = p.merged_into and k.merged_into is null
  where p.merged_into is not null) c
join workspace w on w.workspace_id = c.workspace_number;

create or replace view easel_people as
select c.workspace_id, c.workspace, c.service_id, c.external_id, p.email, p.phone, p.first_name, p.last_name, p.gender, p.dob, p.country,
  p.home_city, p.language, p.time_zone, p.longitude, p.latitude, p.random_bucket, p.email_subscribe, p.email_opted_in_at,
  p.email_unsubscribed_at, p.push_subscribe, p.push_opted_in_at, p.push_unsubscribed_at, p.marked_email_as_spam_at,
  p.date_of_first_session, p.date_of_last_session, p.session_count, p.total_revenue, p.attributed_campaign, p.attributed_source,
  p.attributed_adgroup, p.attributed_ad, p.custom as custom_attributes, p.created_at, p.updated_at
from profile p
join current_person c on c.profile_id = p.profile_id and c.bucket <= p.bucket and c.bucket >= p.bucket
where p.merged_into is null;

create or replace view easel_events as
select c.workspace_id, c.workspace, c.service_id, c.external_id, e.time, n.name as event, n_app.name as app_id, a.name as app,
  e.properties::jsonb as properties
from event e
join current_person c on c.profile_id = e.profile_id and c.bucket <= e.bucket and c.bucket >= e.bucket
join name n on n.name_id = e.name_id
left join name n_app on n_app.name_id = e.app_id
left join app a on a.workspace_id = n_app.workspace_id and a.id = n_app.name;

create or replace view easel_purchases as
select c.workspace_id, c.workspace, c.service_id, c.external_id, e.time, n.name as product_id, e.price, e.currency, e.quantity,
  e.price * e.quantity as revenue, n_app.name as app_id, a.name as app, e.properties::jsonb as properties
from purchase e
join current_person c on c.profile_id = e.profile_id and c.bucket <= e.bucket and c.bucket >= e.bucket
join name n on n.name_id = e.name_id
left join name n_app on n_app.name_id = e.app_id
left join app a on a.workspace_id = n_app.workspace_id and a.id = n_app.name;

create or replace view easel_messages as
select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id::text as message_id, m.channel, m.class, m.state, m.reason,
  f.kind as flow_kind, f.id as flow_id, f.name as flow, m.flow_version, nullif(m.step, '') as step,
  coalesce(n.outline -> 'steps' ->> m.step, nullif(m.step, '')) as step_name, m.visit,
  coalesce(n.outline -> 'variants' ->> m.variant, m.variant) as variant,
  replace(case when m.flow_version is null then m.cause else e.dispatch_id end::text, '-', '') as dispatch_id,
  replace(case when m.flow_version is not null then m.cause end::text, '-', '') as entry_id, m.address,
  case when m.class = 'marketing' then m.subject end as subject, m.attempts, m.planned_at, m.due_at, m.ended_at, m.bounced_at,
  m.complained_at
from message m
join current_person c on c.profile_id = m.profile_id and c.bucket <= m.bucket and c.bucket >= m.bucket
left join entry e on e.entry_id = m.cause and m.flow_version is not null
left join flow f on f.flow_id = m.flow_id
left join flow_outline n on n.flow_id = m.flow_id;

create or replace view easel_decisions as
select w.id as workspace_id, w.name as workspace, c.service_id, c.external_id, d.asked, d.time, nullif(d.channel, '') as channel,
  d.reason, case when d.channel <> 'webhook' then d.rule end as rule, f.kind as flow_kind, f.id as flow_id, f.name as flow,
  nullif(d.step, '') as step, coalesce(n.outline -> 'steps' ->> d.step, nullif(d.step, '')) as step_name, d.visit,
  d.message_id::text as message_id, replace(coalesce(e.dispatch_id, o.dispatch_id)::text, '-', '') as dispatch_id,
  replace(case when e.entry_id is not null or d.step <> '' then d.cause end::text, '-', '') as entry_id
from decision d
join workspace w on w.workspace_id = d.workspace_id
left join current_person c on c.profile_id = d.profile_id and c.bucket <= d.bucket and c.bucket >= d.bucket
left join entry e on e.entry_id = d.cause
left join dispatch o on o.dispatch_id = d.cause
left join flow f on f.flow_id = d.flow_id
left join flow_outline n on n.flow_id = d.flow_id
where d.profile_id = 0 or c.profile_id is not null;

create or replace view easel_entries as
select c.workspace_id, c.workspace, c.service_id, c.external_id, replace(e.entry_id::text, '-', '') as entry_id, f.kind as flow_kind,
  f.id as flow_id, f.name as flow, e.version as flow_version, e.class, replace(e.dispatch_id::text, '-', '') as dispatch_id, e.state,
  e.held as is_held, e.ended, coalesce(n.outline -> 'variants' ->> e.variant, e.variant) as variant, e.in_control,
  nullif(e.step, '') as step, coalesce(n.outline -> 'steps' ->> e.step, nullif(e.step, '')) as step_name, e.visit, e.due_at,
  e.entered_at, e.ended_at
from entry e
join current_person c on c.profile_id = e.profile_id and c.bucket <= e.bucket and c.bucket >= e.bucket
left join flow f on f.flow_id = e.flow_id
left join flow_outline n on n.flow_id = e.flow_id;

create or replace view easel_entry_steps as
select c.workspace_id, c.workspace, c.service_id, c.external_id, replace(e.entry_id::text, '-', '') as entry_id, f.kind as flow_kind,
  f.id as flow_id, f.name as flow, t.position::int as position, t.arrival ->> 0 as step,
  coalesce(n.outline -> 'steps' ->> (t.arrival ->> 0), t.arrival ->> 0) as step_name,
  to_timestamp((t.arrival ->> 1)::float8 / 1000) as arrived_at, nullif(t.arrival ->> 2, '') as path
from entry e
cross join lateral jsonb_array_elements(e.trail) with ordinality t(arrival, position)
join current_person c on c.profile_id = e.profile_id and c.bucket <= e.bucket and c.bucket >= e.bucket
left join flow f on f.flow_id = e.flow_id
left join flow_outline n on n.flow_id = e.flow_id;

create or replace view easel_received as
select c.workspace_id, c.workspace, c.service_id, c.external_id, f.kind as flow_kind, f.id as flow_id, f.name as flow, r.entries,
  r.last_entered_at, r.last_received_at, r.last_exited_at, coalesce(n.outline -> 'variants' ->> r.variant, r.variant) as variant,
  r.in_control, r.opened_at, r.clicked_at, to_jsonb(r.converted) as converted, r.refused, r.refused_at
from received r
join current_person c on c.profile_id = r.profile_id and c.bucket <= r.bucket and c.bucket >= r.bucket
join flow f on f.flow_id = r.flow_id
left join flow_outline n on n.flow_id = r.flow_id;

create or replace view easel_cohort_members as
select c.workspace_id, c.workspace, c.service_id, c.external_id, o.partner, o.id as cohort_id, o.name as cohort, m.added_at
from cohort_member m
join current_person c on c.profile_id = m.profile_id and c.bucket <= m.bucket and c.bucket >= m.bucket
join cohort o on o.cohort_id = m.cohort_id;

create or replace view easel_app_uses as
select c.workspace_id, c.workspace, c.service_id, c.external_id, u.app_id, a.name as app, a.platform, u.version, u.sessions,
  u.first_used, u.last_used, u.uninstalled_at
from app_use u
join current_person c on c.profile_id = u.profile_id and c.bucket <= u.bucket and c.bucket >= u.bucket
left join app a on a.workspace_id = c.workspace_number and a.id = u.app_id;

-- The next views are unions. A condition on the external id reaches each part only when the part itself has the column.

create or replace view easel_identifiers as
select c.workspace_id, c.workspace, c.service_id, c.external_id, 'external_id' as kind, null::text as label, c.external_id as value
from current_person c
where c.external_id is not null and not c.is_merged
union all
select c.workspace_id, c.workspace, c.service_id, c.external_id, 'alias', i.alias_label, i.alias_name
from profile_alias i
join current_person c on c.profile_id = i.profile_id and c.bucket <= i.bucket and c.bucket >= i.bucket
union all
select c.workspace_id, c.workspace, c.service_id, c.external_id, 'former_external_id', null, i.external_id
from former_id i
join current_person c on c.profile_id = i.profile_id and c.bucket <= i.bucket and c.bucket >= i.bucket;

create or replace view easel_addresses as
select h.workspace_id, h.workspace, h.service_id, h.external_id, h.kind, h.address, h.state, h.state_at, s.reason as suppression_reason,
  s.at as suppressed_at, coalesce(b.count, 0) as soft_bounces
from (
  select c.workspace_id, c.workspace, c.service_id, c.external_id, p.workspace_id as workspace_number, 'email' as kind,
    p.email as address, p.email_subscribe as state, p.email_subscribe_at as state_at,
    encode(sha256((select secret from installation)
          || convert_to(concat_ws(U&'\001f', p.workspace_id, 'email', p.email), 'UTF8')), 'hex') as hashed
  from profile p
  join current_person c on c.profile_id = p.profile_id and c.bucket <= p.bucket and c.bucket >= p.bucket
  where p.email is not null and p.merged_into is null
  union all
  select c.workspace_id, c.workspace, c.service_id, c.external_id, p.workspace_id, 'phone',
    case when p.phone ~ '^\+[1-9]\d{6,14}$' then p.phone
      when length(p.phone) <= 64 and regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') ~ '^\+[1-9]\d{6,14}$'
        then regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') end, null, null, null
  from profile p
  join current_person c on c.profile_id = p.profile_id and c.bucket <= p.bucket and c.bucket >= p.bucket
  where p.phone is not null and p.merged_into is null) h
left join (
  select distinct on (workspace_id, kind, value) workspace_id, kind, value, reason, at from suppression
  order by workspace_id, kind, value, at, reason) s
  on s.workspace_id = h.workspace_number and s.kind = h.kind and s.value = h.hashed
left join soft_bounce b on b.workspace_id = h.workspace_number and b.kind = h.kind and b.value = h.hashed
where h.address is not null;

create or replace view easel_engagements as
select m.workspace_id, m.workspace, m.service_id, m.external_id, m.message_id::text as message_id, m.channel, m.class,
  f.kind as flow_kind, f.id as flow_id, f.name as flow, nullif(m.step, '') as step,
  coalesce(n.outline -> 'steps' ->> m.step, nullif(m.step, '')) as step_name,
  coalesce(n.outline -> 'variants' ->> m.variant, m.variant) as variant, m.kind,
  case when m.kind in ('clicked', 'machine_clicked') and m.class = 'marketing'
    then split_part(split_part(m.url, '?', 1), '#', 1) end as link,
  m.first_at, m.last_at, m.count
from (
  select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant, x.kind,
    m.links[x.link + 1] as url, x.first_at, x.last_at, x.count
  from engagement x
  join message m on m.message_id = x.message_id and m.bucket <= x.bucket and m.bucket >= x.bucket
  join current_person c on c.profile_id = m.profile_id and c.bucket <= m.bucket and c.bucket >= m.bucket
  union all
  select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant,
    'bounced', null, m.bounced_at, m.bounced_at, 1
  from message m
  join current_person c on c.profile_id = m.profile_id and c.bucket <= m.bucket and c.bucket >= m.bucket
  where m.bounced_at is not null
  union all
  select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant,
    'complained', null, m.complained_at, m.complained_at, 1
  from message m
  join current_person c on c.profile_id = m.profile_id and c.bucket <= m.bucket and c.bucket >= m.bucket
  where m.complained_at is not null) m
left join flow f on f.flow_id = m.flow_id
left join flow_outline n on n.flow_id = m.flow_id;
