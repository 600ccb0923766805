-- What analysts read: views with stable names and columns (docs/sql.md). They are a promise: a column is added, never renamed or removed.
-- CONTRIBUTING.md says how a later migration changes a table under a view.

-- The person whose rows are stored under an id: the person itself, or the kept one after a merge. Rows of deleted people have none. For the
-- other views only: analysts cannot read it. The service id is made as in `src/base/ids.ts`: 16 digits of the id, and 8 of its HMAC
-- (SHA-256) under the secret of the installation. PostgreSQL has no HMAC, so its two rounds are written out; the keys are computed once a
-- statement. Views join by unique ids without the bucket: a planner takes the two conditions for independent, expects
-- one row where there are thousands, and chooses nested loops.
create view current_person as
select c.profile_id, c.workspace_number, w.id as workspace_id, w.name as workspace, c.external_id,
  c.digits || encode(substring(sha256(
    (select substring(bit_send(('x' || rpad(encode(secret, 'hex'), 128, '0'))::bit(512) # ('x' || repeat('5c', 64))::bit(512)) from 5)
      from installation)
    || sha256(
      (select substring(bit_send(('x' || rpad(encode(secret, 'hex'), 128, '0'))::bit(512) # ('x' || repeat('36', 64))::bit(512)) from 5)
      from installation)
      || convert_to(c.digits, 'UTF8'))) from 1 for 4), 'hex') as service_id
from (
  select p.profile_id, p.workspace_id as workspace_number,
    case when p.merged_into is null then p.external_id else k.external_id end as external_id,
    lpad(to_hex(coalesce(p.merged_into, p.profile_id)), 16, '0') as digits
  from profile p
  left join profile k on k.profile_id = p.merged_into and k.merged_into is null
  where p.merged_into is null or k.profile_id is not null) c
join workspace w on w.workspace_id = c.workspace_number;

create view easel_workspaces as
select w.id as workspace_id, w.name as workspace, w.created_at
from workspace w;

comment on view easel_workspaces is
  'The workspaces. People, content and settings of different workspaces are kept apart.';
comment on column easel_workspaces.workspace_id is 'The id of the workspace.';
comment on column easel_workspaces.workspace is 'The name of the workspace.';
comment on column easel_workspaces.created_at is 'When the workspace was created.';

create view easel_people as
select c.workspace_id, c.workspace, c.service_id, c.external_id, p.email, p.phone, p.first_name, p.last_name, p.gender, p.dob, p.country,
  p.home_city, p.language, p.time_zone, p.longitude, p.latitude, p.random_bucket, p.email_subscribe, p.email_opted_in_at,
  p.email_unsubscribed_at, p.push_subscribe, p.push_opted_in_at, p.push_unsubscribed_at, p.marked_email_as_spam_at,
  p.date_of_first_session, p.date_of_last_session, p.session_count, p.total_revenue, p.attributed_campaign, p.attributed_source,
  p.attributed_adgroup, p.attributed_ad, p.custom as custom_attributes, p.created_at, p.updated_at
from profile p
join current_person c on c.profile_id = p.profile_id
where p.merged_into is null;

comment on view easel_people is
  'The people. Merged and deleted people are absent.';
comment on column easel_people.workspace_id is 'The id of the workspace.';
comment on column easel_people.workspace is 'The name of the workspace.';
comment on column easel_people.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_people.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_people.email is 'The e-mail address, in lower case.';
comment on column easel_people.phone is 'The phone number as it was sent.';
comment on column easel_people.first_name is 'The first name.';
comment on column easel_people.last_name is 'The last name.';
comment on column easel_people.gender is 'M, F, O (other), N (not applicable) or P (prefers not to say).';
comment on column easel_people.dob is 'The date of birth, YYYY-MM-DD.';
comment on column easel_people.country is 'The country, a code of two letters (ISO 3166-1).';
comment on column easel_people.home_city is 'The city.';
comment on column easel_people.language is 'The language, a code of two letters (ISO 639-1).';
comment on column easel_people.time_zone is 'The time zone, such as Europe/Paris.';
comment on column easel_people.longitude is 'The longitude of the last known position.';
comment on column easel_people.latitude is 'The latitude of the last known position.';
comment on column easel_people.random_bucket is 'A number from 0 to 9999 that never changes, for samples and control groups.';
comment on column easel_people.email_subscribe is 'Whether the person takes marketing mail: opted_in, subscribed or unsubscribed.';
comment on column easel_people.email_opted_in_at is 'When the person opted in to mail last.';
comment on column easel_people.email_unsubscribed_at is 'When the person unsubscribed from mail last.';
comment on column easel_people.push_subscribe is 'Whether the person takes push messages: opted_in, subscribed or unsubscribed.';
comment on column easel_people.push_opted_in_at is 'When the person opted in to push messages last.';
comment on column easel_people.push_unsubscribed_at is 'When the person unsubscribed from push messages last.';
comment on column easel_people.marked_email_as_spam_at is 'When the person reported a mail as spam.';
comment on column easel_people.date_of_first_session is 'When the person used an app first.';
comment on column easel_people.date_of_last_session is 'When the person used an app last.';
comment on column easel_people.session_count is 'How many sessions the person had in all apps.';
comment on column easel_people.total_revenue is 'The sum of price times quantity of all purchases, without conversion of currencies.';
comment on column easel_people.attributed_campaign is 'The campaign to which the person''s install is attributed.';
comment on column easel_people.attributed_source is 'The source to which it is attributed.';
comment on column easel_people.attributed_adgroup is 'The ad group to which it is attributed.';
comment on column easel_people.attributed_ad is 'The ad to which it is attributed.';
comment on column easel_people.custom_attributes is 'The custom attributes, an object: custom_attributes ->> ''plan''.';
comment on column easel_people.created_at is 'When the profile was created.';
comment on column easel_people.updated_at is 'When the profile was changed last.';

create view easel_identifiers as
select c.workspace_id, c.workspace, c.service_id, c.external_id, i.kind, i.label, i.value
from (
  select bucket, profile_id, 'external_id' as kind, null as label, external_id as value from profile
  where external_id is not null and merged_into is null
  union all
  select bucket, profile_id, 'alias', alias_label, alias_name from profile_alias
  union all
  select bucket, profile_id, 'former_external_id', null, external_id from former_id) i
join current_person c on c.profile_id = i.profile_id;

comment on view easel_identifiers is
  'The identifiers of people besides their addresses.';
comment on column easel_identifiers.workspace_id is 'The id of the workspace.';
comment on column easel_identifiers.workspace is 'The name of the workspace.';
comment on column easel_identifiers.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_identifiers.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_identifiers.kind is 'external_id, alias, or former_external_id after a rename.';
comment on column easel_identifiers.label is 'The label of an alias; null for other kinds.';
comment on column easel_identifiers.value is 'The identifier.';

create view easel_addresses as
select c.workspace_id, c.workspace, c.service_id, c.external_id, h.kind, h.address, h.state, h.state_at, s.reason as suppression_reason,
  s.at as suppressed_at, coalesce(b.count, 0) as soft_bounces
from (
  select p.bucket, p.profile_id, p.workspace_id, 'email' as kind, p.email as address, p.email_subscribe as state,
    p.email_subscribe_at as state_at,
    encode(sha256((select secret from installation)
          || convert_to(concat_ws(U&'\001f', p.workspace_id, 'email', p.email), 'UTF8')), 'hex') as hashed
  from profile p where p.email is not null and p.merged_into is null
  union all
  select p.bucket, p.profile_id, p.workspace_id, 'phone', case when p.phone ~ '^\+[1-9]\d{6,14}$' then p.phone
      when length(p.phone) <= 64 and regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') ~ '^\+[1-9]\d{6,14}$'
        then regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') end, null, null, null
  from profile p where p.phone is not null and p.merged_into is null) h
join current_person c on c.profile_id = h.profile_id
left join (
  select distinct on (workspace_id, kind, value) workspace_id, kind, value, reason, at from suppression
  order by workspace_id, kind, value, at, reason) s on s.workspace_id = h.workspace_id and s.kind = h.kind and s.value = h.hashed
left join soft_bounce b on b.workspace_id = h.workspace_id and b.kind = h.kind and b.value = h.hashed
where h.address is not null;

comment on view easel_addresses is
  'The e-mail addresses and phone numbers of people.';
comment on column easel_addresses.workspace_id is 'The id of the workspace.';
comment on column easel_addresses.workspace is 'The name of the workspace.';
comment on column easel_addresses.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_addresses.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_addresses.kind is 'email or phone.';
comment on column easel_addresses.address is 'The e-mail address, or the phone number in E.164 such as +4930123456.';
comment on column easel_addresses.state is
  'Whether the person takes marketing messages at an e-mail address: opted_in, subscribed or unsubscribed; null for a phone.';
comment on column easel_addresses.state_at is 'When that state was set; null when it never was.';
comment on column easel_addresses.suppression_reason is
  'Why nothing is sent to the address: hard_bounce, spam, soft_bounces or blocklist; null when it is not suppressed.';
comment on column easel_addresses.suppressed_at is 'Since when it is suppressed.';
comment on column easel_addresses.soft_bounces is 'How many mails in a row bounced for a while only.';

create view easel_suppressions as
select w.id as workspace_id, w.name as workspace, s.kind, s.address, s.reason, s.at as suppressed_at
from suppression s
join workspace w on w.workspace_id = s.workspace_id;

comment on view easel_suppressions is
  'The addresses to which nothing is sent. Nobody may have such an address.';
comment on column easel_suppressions.workspace_id is 'The id of the workspace.';
comment on column easel_suppressions.workspace is 'The name of the workspace.';
comment on column easel_suppressions.kind is 'email.';
comment on column easel_suppressions.address is 'The address; null for one of which only a hash is kept, because its person was deleted.';
comment on column easel_suppressions.reason is 'hard_bounce, spam, soft_bounces or blocklist.';
comment on column easel_suppressions.suppressed_at is 'Since when it is suppressed.';

create view easel_subscription_groups as
select w.id as workspace_id, w.name as workspace, g.id as subscription_group_id, g.name as subscription_group, g.channel,
  g.archived as is_archived, g.created_at
from subscription_group g
join workspace w on w.workspace_id = g.workspace_id;

comment on view easel_subscription_groups is
  'The subscription groups: topics of messages.';
comment on column easel_subscription_groups.workspace_id is 'The id of the workspace.';
comment on column easel_subscription_groups.workspace is 'The name of the workspace.';
comment on column easel_subscription_groups.subscription_group_id is 'The id of the group.';
comment on column easel_subscription_groups.subscription_group is 'The name of the group.';
comment on column easel_subscription_groups.channel is 'email or sms.';
comment on column easel_subscription_groups.is_archived is 'Whether the group is no longer used.';
comment on column easel_subscription_groups.created_at is 'When the group was created.';

create view easel_subscriptions as
select c.workspace_id, c.workspace, c.service_id, c.external_id, g.id as subscription_group_id, g.name as subscription_group, g.channel,
  e.state, e.stamp as state_at, e.state_of
from (
  select distinct on (s.bucket, s.profile_id, s.group_id) s.bucket, s.profile_id, s.group_id, s.state, s.stamp, s.state_of
  from (
    select m.bucket, m.profile_id, m.group_id, m.state, m.stamp, 'person' as state_of from membership m
    union all
    select h.bucket, h.profile_id, a.group_id, a.state, a.stamp, 'address'
    from (
      select p.bucket, p.profile_id, p.workspace_id, 'email' as kind, 'email' as channel,
        encode(sha256((select secret from installation)
          || convert_to(concat_ws(U&'\001f', p.workspace_id, 'email', p.email), 'UTF8')), 'hex') as hashed
      from profile p where p.email is not null and p.merged_into is null
      union all
      select p.bucket, p.profile_id, p.workspace_id, 'phone', 'sms',
        encode(sha256((select secret from installation)
          || convert_to(concat_ws(U&'\001f', p.workspace_id, 'phone', p.number), 'UTF8')), 'hex')
      from (
        select p.bucket, p.profile_id, p.workspace_id, case when p.phone ~ '^\+[1-9]\d{6,14}$' then p.phone
      when length(p.phone) <= 64 and regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') ~ '^\+[1-9]\d{6,14}$'
        then regexp_replace(p.phone, '[ .\-()[\]]', '', 'g') end as number
        from profile p where p.phone is not null and p.merged_into is null) p where p.number is not null) h
    join address_state a on a.workspace_id = h.workspace_id and a.kind = h.kind and a.value = h.hashed
    join subscription_group g on g.group_id = a.group_id and g.channel = h.channel) s
  order by s.bucket, s.profile_id, s.group_id, s.stamp desc, s.state_of desc) e
join current_person c on c.profile_id = e.profile_id
join subscription_group g on g.group_id = e.group_id;

comment on view easel_subscriptions is
  'The state of people in subscription groups that is in effect: the later one of the person''s own state and that of the '
  'address. A person without a state in a group has no row.';
comment on column easel_subscriptions.workspace_id is 'The id of the workspace.';
comment on column easel_subscriptions.workspace is 'The name of the workspace.';
comment on column easel_subscriptions.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_subscriptions.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_subscriptions.subscription_group_id is 'The id of the group.';
comment on column easel_subscriptions.subscription_group is 'The name of the group.';
comment on column easel_subscriptions.channel is 'email or sms.';
comment on column easel_subscriptions.state is 'subscribed or unsubscribed.';
comment on column easel_subscriptions.state_at is 'When that state was set.';
comment on column easel_subscriptions.state_of is 'person or address: which of the two states is in effect.';

create view easel_events as
select c.workspace_id, c.workspace, c.service_id, c.external_id, e.time, n.name as event, n_app.name as app_id, a.name as app,
  e.properties::jsonb as properties
from event e
join current_person c on c.profile_id = e.profile_id
join name n on n.name_id = e.name_id
left join name n_app on n_app.name_id = e.app_id
left join app a on a.workspace_id = n_app.workspace_id and a.id = n_app.name;

comment on view easel_events is
  'The custom events of people.';
comment on column easel_events.workspace_id is 'The id of the workspace.';
comment on column easel_events.workspace is 'The name of the workspace.';
comment on column easel_events.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_events.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_events.time is 'When it happened.';
comment on column easel_events.event is 'The name of the event.';
comment on column easel_events.app_id is 'The id of the app; null when none was given.';
comment on column easel_events.app is 'The name of the app.';
comment on column easel_events.properties is 'The properties, an object; null without any.';

create view easel_purchases as
select c.workspace_id, c.workspace, c.service_id, c.external_id, e.time, n.name as product_id, e.price, e.currency, e.quantity,
  e.price * e.quantity as revenue, n_app.name as app_id, a.name as app, e.properties::jsonb as properties
from purchase e
join current_person c on c.profile_id = e.profile_id
join name n on n.name_id = e.name_id
left join name n_app on n_app.name_id = e.app_id
left join app a on a.workspace_id = n_app.workspace_id and a.id = n_app.name;

comment on view easel_purchases is
  'The purchases of people.';
comment on column easel_purchases.workspace_id is 'The id of the workspace.';
comment on column easel_purchases.workspace is 'The name of the workspace.';
comment on column easel_purchases.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_purchases.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_purchases.time is 'When it happened.';
comment on column easel_purchases.product_id is 'The id of the product.';
comment on column easel_purchases.price is 'The price of one piece, in the currency.';
comment on column easel_purchases.currency is 'The currency, a code of three letters (ISO 4217).';
comment on column easel_purchases.quantity is 'How many pieces.';
comment on column easel_purchases.revenue is 'Price times quantity, in the currency.';
comment on column easel_purchases.app_id is 'The id of the app; null when none was given.';
comment on column easel_purchases.app is 'The name of the app.';
comment on column easel_purchases.properties is 'The properties, an object; null without any.';

create view easel_messages as
select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id::text as message_id, m.channel, m.class, m.state, m.reason,
  f.kind as flow_kind, f.id as flow_id, f.name as flow, m.flow_version, nullif(m.step, '') as step,
  coalesce(n.outline -> 'steps' ->> m.step, nullif(m.step, '')) as step_name, m.visit,
  coalesce(n.outline -> 'variants' ->> m.variant, m.variant) as variant,
  replace(case when m.flow_version is null then m.cause else e.dispatch_id end::text, '-', '') as dispatch_id,
  replace(case when m.flow_version is not null then m.cause end::text, '-', '') as entry_id, m.address,
  case when m.class = 'marketing' then m.subject end as subject, m.attempts, m.planned_at, m.due_at, m.ended_at, m.bounced_at,
  m.complained_at
from message m
join current_person c on c.profile_id = m.profile_id
left join entry e on e.entry_id = m.cause and m.flow_version is not null
left join flow f on f.flow_id = m.flow_id
left join flow_outline n on n.flow_id = m.flow_id;

comment on view easel_messages is
  'The messages to people: what is to be sent, was sent, or was not.';
comment on column easel_messages.workspace_id is 'The id of the workspace.';
comment on column easel_messages.workspace is 'The name of the workspace.';
comment on column easel_messages.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_messages.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_messages.message_id is 'The id of the message.';
comment on column easel_messages.channel is 'email.';
comment on column easel_messages.class is 'marketing or transactional.';
comment on column easel_messages.state is
  'queued, held, leased, handed_over, accepted, suppressed, aborted, cancelled, missed, bounced, failed or uncertain.';
comment on column easel_messages.reason is
  'How it ended, by the closed list of the ledger, such as sent or unsubscribed; null while it waits.';
comment on column easel_messages.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_messages.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_messages.flow is 'The name of the canvas or campaign.';
comment on column easel_messages.flow_version is 'The version of the canvas or campaign that made it; null for a message of a dispatch.';
comment on column easel_messages.step is 'The id of the step of the canvas; null outside a canvas.';
comment on column easel_messages.step_name is 'The name of the step in the current version; its id when it has no name there.';
comment on column easel_messages.visit is
  'How often the person had come to the step; 0 outside a canvas. A message that was sent again by hand has 1000 more.';
comment on column easel_messages.variant is 'The name of the variant in the current version, or its id; null without variants.';
comment on column easel_messages.dispatch_id is 'The id of the dispatch; null when an event of the person began it.';
comment on column easel_messages.entry_id is 'The id of the entry in the canvas or campaign; null for a message of a dispatch.';
comment on column easel_messages.address is 'The address to which it went; null before it is handed over.';
comment on column easel_messages.subject is
  'The subject; null for transactional messages, whose subjects may have codes, and before it is rendered.';
comment on column easel_messages.attempts is 'How often a worker has claimed it.';
comment on column easel_messages.planned_at is 'When it was planned.';
comment on column easel_messages.due_at is 'When it is or was due.';
comment on column easel_messages.ended_at is 'When it ended: sent or not.';
comment on column easel_messages.bounced_at is 'When it was returned.';
comment on column easel_messages.complained_at is 'When the person reported it as spam.';

create view easel_engagements as
select c.workspace_id, c.workspace, c.service_id, c.external_id, m.message_id::text as message_id, m.channel, m.class,
  f.kind as flow_kind, f.id as flow_id, f.name as flow, nullif(m.step, '') as step,
  coalesce(n.outline -> 'steps' ->> m.step, nullif(m.step, '')) as step_name,
  coalesce(n.outline -> 'variants' ->> m.variant, m.variant) as variant, m.kind,
  case when m.kind in ('clicked', 'machine_clicked') and m.class = 'marketing'
    then split_part(split_part(m.url, '?', 1), '#', 1) end as link,
  m.first_at, m.last_at, m.count
from (
  select m.bucket, m.profile_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant, x.kind, m.links[x.link + 1] as url,
    x.first_at, x.last_at, x.count
  from engagement x
  join message m on m.message_id = x.message_id
  union all
  select m.bucket, m.profile_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant, 'bounced', null,
    m.bounced_at, m.bounced_at, 1
  from message m where m.bounced_at is not null
  union all
  select m.bucket, m.profile_id, m.message_id, m.channel, m.class, m.flow_id, m.step, m.variant, 'complained', null,
    m.complained_at, m.complained_at, 1
  from message m where m.complained_at is not null) m
join current_person c on c.profile_id = m.profile_id
left join flow f on f.flow_id = m.flow_id
left join flow_outline n on n.flow_id = m.flow_id;

comment on view easel_engagements is
  'What became of messages: opens, clicks, bounces, complaints and unsubscriptions, a row for each kind and link of a message.';
comment on column easel_engagements.workspace_id is 'The id of the workspace.';
comment on column easel_engagements.workspace is 'The name of the workspace.';
comment on column easel_engagements.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_engagements.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_engagements.message_id is 'The id of the message.';
comment on column easel_engagements.channel is 'email.';
comment on column easel_engagements.class is 'marketing or transactional.';
comment on column easel_engagements.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_engagements.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_engagements.flow is 'The name of the canvas or campaign.';
comment on column easel_engagements.step is 'The id of the step of the canvas; null outside a canvas.';
comment on column easel_engagements.step_name is 'The name of the step in the current version; its id when it has no name there.';
comment on column easel_engagements.variant is 'The name of the variant in the current version, or its id; null without variants.';
comment on column easel_engagements.kind is
  'opened, clicked, unsubscribed, bounced, complained; machine_opened and machine_clicked are programs that read mail before people do.';
comment on column easel_engagements.link is
  'The address of the clicked link up to its query; null for other kinds and for transactional messages.';
comment on column easel_engagements.first_at is 'When it happened first.';
comment on column easel_engagements.last_at is 'When it happened last.';
comment on column easel_engagements.count is 'How often it happened.';

create view easel_decisions as
select w.id as workspace_id, w.name as workspace, c.service_id, c.external_id, d.asked, d.time, nullif(d.channel, '') as channel,
  d.reason, case when d.channel <> 'webhook' then d.rule end as rule, f.kind as flow_kind, f.id as flow_id, f.name as flow,
  nullif(d.step, '') as step, coalesce(n.outline -> 'steps' ->> d.step, nullif(d.step, '')) as step_name, d.visit,
  d.message_id::text as message_id, replace(coalesce(e.dispatch_id, o.dispatch_id)::text, '-', '') as dispatch_id,
  replace(case when e.entry_id is not null or d.step <> '' then d.cause end::text, '-', '') as entry_id
from decision d
join workspace w on w.workspace_id = d.workspace_id
left join current_person c on c.profile_id = d.profile_id
left join entry e on e.entry_id = d.cause
left join dispatch o on o.dispatch_id = d.cause
left join flow f on f.flow_id = d.flow_id
left join flow_outline n on n.flow_id = d.flow_id
where d.profile_id = 0 or c.profile_id is not null;

comment on view easel_decisions is
  'The ledger: what was decided about people and messages, and why.';
comment on column easel_decisions.workspace_id is 'The id of the workspace.';
comment on column easel_decisions.workspace is 'The name of the workspace.';
comment on column easel_decisions.service_id is 'The id that Easel gave the person; null when nobody had the identifier.';
comment on column easel_decisions.external_id is 'The id that your systems gave the person.';
comment on column easel_decisions.asked is 'The identifier that nobody had, an object; null otherwise.';
comment on column easel_decisions.time is 'When it was decided.';
comment on column easel_decisions.channel is 'email or webhook; null for a decision about an entry.';
comment on column easel_decisions.reason is
  'The reason, by the closed list of the ledger, such as sent, unsubscribed or frequency_capped.';
comment on column easel_decisions.rule is 'The rule that decided, in words; null for webhooks.';
comment on column easel_decisions.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_decisions.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_decisions.flow is 'The name of the canvas or campaign.';
comment on column easel_decisions.step is 'The id of the step of the canvas; null outside a canvas.';
comment on column easel_decisions.step_name is 'The name of the step in the current version; its id when it has no name there.';
comment on column easel_decisions.visit is 'How often the person had come to the step.';
comment on column easel_decisions.message_id is 'The id of the message; null when there was none.';
comment on column easel_decisions.dispatch_id is 'The id of the dispatch, while it is kept.';
comment on column easel_decisions.entry_id is 'The id of the entry in the canvas or campaign.';

create view easel_entries as
select c.workspace_id, c.workspace, c.service_id, c.external_id, replace(e.entry_id::text, '-', '') as entry_id, f.kind as flow_kind,
  f.id as flow_id, f.name as flow, e.version as flow_version, e.class, replace(e.dispatch_id::text, '-', '') as dispatch_id, e.state,
  e.held as is_held, e.ended, coalesce(n.outline -> 'variants' ->> e.variant, e.variant) as variant, e.in_control,
  nullif(e.step, '') as step, coalesce(n.outline -> 'steps' ->> e.step, nullif(e.step, '')) as step_name, e.visit, e.due_at,
  e.entered_at, e.ended_at
from entry e
join current_person c on c.profile_id = e.profile_id
left join flow f on f.flow_id = e.flow_id
left join flow_outline n on n.flow_id = e.flow_id;

comment on view easel_entries is
  'The journeys: one way of a person through a canvas or campaign.';
comment on column easel_entries.workspace_id is 'The id of the workspace.';
comment on column easel_entries.workspace is 'The name of the workspace.';
comment on column easel_entries.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_entries.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_entries.entry_id is 'The id of the entry.';
comment on column easel_entries.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_entries.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_entries.flow is 'The name of the canvas or campaign.';
comment on column easel_entries.flow_version is 'The version of the canvas or campaign that the entry follows.';
comment on column easel_entries.class is 'marketing or transactional.';
comment on column easel_entries.dispatch_id is 'The id of the dispatch that made it; null when an event of the person began it.';
comment on column easel_entries.state is 'arriving, waiting, listening, sending, calling or ended.';
comment on column easel_entries.is_held is 'Whether it is held back, because the canvas is paused.';
comment on column easel_entries.ended is 'How it ended: completed, or a reason such as exited or control_group; null while it goes on.';
comment on column easel_entries.variant is 'The name of the variant in the current version, or its id; null without variants.';
comment on column easel_entries.in_control is 'Whether the person is in the control group, and gets nothing.';
comment on column easel_entries.step is 'The id of the step of the canvas; null outside a canvas.';
comment on column easel_entries.step_name is 'The name of the step in the current version; its id when it has no name there.';
comment on column easel_entries.visit is 'How often it has come to this step.';
comment on column easel_entries.due_at is 'When it goes on; null when something else than time moves it.';
comment on column easel_entries.entered_at is 'When the person entered.';
comment on column easel_entries.ended_at is 'When it ended.';

create view easel_entry_steps as
select c.workspace_id, c.workspace, c.service_id, c.external_id, replace(e.entry_id::text, '-', '') as entry_id, f.kind as flow_kind,
  f.id as flow_id, f.name as flow, t.position::int as position, t.arrival ->> 0 as step,
  coalesce(n.outline -> 'steps' ->> (t.arrival ->> 0), t.arrival ->> 0) as step_name,
  to_timestamp((t.arrival ->> 1)::float8 / 1000) as arrived_at, nullif(t.arrival ->> 2, '') as path
from entry e
cross join lateral jsonb_array_elements(e.trail) with ordinality t(arrival, position)
join current_person c on c.profile_id = e.profile_id
left join flow f on f.flow_id = e.flow_id
left join flow_outline n on n.flow_id = e.flow_id;

comment on view easel_entry_steps is
  'The steps at which entries have arrived, the first 200 of each entry.';
comment on column easel_entry_steps.workspace_id is 'The id of the workspace.';
comment on column easel_entry_steps.workspace is 'The name of the workspace.';
comment on column easel_entry_steps.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_entry_steps.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_entry_steps.entry_id is 'The id of the entry.';
comment on column easel_entry_steps.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_entry_steps.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_entry_steps.flow is 'The name of the canvas or campaign.';
comment on column easel_entry_steps.position is 'The number of the arrival in its entry, from 1.';
comment on column easel_entry_steps.step is 'The id of the step of the canvas; null outside a canvas.';
comment on column easel_entry_steps.step_name is 'The name of the step in the current version; its id when it has no name there.';
comment on column easel_entry_steps.arrived_at is 'When it arrived.';
comment on column easel_entry_steps.path is
  'The way out of the step before: yes, no, otherwise, or the number of a path from 0; null where there is one way.';

create view easel_received as
select c.workspace_id, c.workspace, c.service_id, c.external_id, f.kind as flow_kind, f.id as flow_id, f.name as flow, r.entries,
  r.last_entered_at, r.last_received_at, r.last_exited_at, coalesce(n.outline -> 'variants' ->> r.variant, r.variant) as variant,
  r.in_control, r.opened_at, r.clicked_at, to_jsonb(r.converted) as converted, r.refused, r.refused_at
from received r
join current_person c on c.profile_id = r.profile_id
join flow f on f.flow_id = r.flow_id
left join flow_outline n on n.flow_id = r.flow_id;

comment on view easel_received is
  'What people had of canvases and campaigns so far, a row for each person and canvas or campaign.';
comment on column easel_received.workspace_id is 'The id of the workspace.';
comment on column easel_received.workspace is 'The name of the workspace.';
comment on column easel_received.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_received.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_received.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_received.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_received.flow is 'The name of the canvas or campaign.';
comment on column easel_received.entries is 'How often the person has entered.';
comment on column easel_received.last_entered_at is 'When the person entered last.';
comment on column easel_received.last_received_at is 'When the person got a message of it last.';
comment on column easel_received.last_exited_at is 'When the person left it last.';
comment on column easel_received.variant is 'The name of the variant in the current version, or its id; null without variants.';
comment on column easel_received.in_control is 'Whether the person is in its control group.';
comment on column easel_received.opened_at is 'When the person opened a mail of it first.';
comment on column easel_received.clicked_at is 'When the person clicked in a mail of it first.';
comment on column easel_received.converted is 'The names of the conversions that the person has made, a list.';
comment on column easel_received.refused is 'Why the person could not enter last; null when never.';
comment on column easel_received.refused_at is 'When that was.';

create view easel_dispatches as
select w.id as workspace_id, w.name as workspace, replace(d.dispatch_id::text, '-', '') as dispatch_id, d.class, d.state,
  f.kind as flow_kind, f.id as flow_id, f.name as flow, d.send_id, coalesce(s.slots, 0) as slots, coalesce(s.done, 0) as slots_done,
  coalesce(s.recipients, 0) as recipients, coalesce(s.unknown, 0) as unknown_recipients, s.first_due_at, s.last_due_at, d.created_at,
  d.updated_at
from dispatch d
join workspace w on w.workspace_id = d.workspace_id
left join (
  select dispatch_id, count(*)::int as slots, (count(*) filter (where state = 'done'))::int as done, sum(expanded)::int8 as recipients,
    sum(unknown)::int8 as unknown, min(due_at) as first_due_at, max(due_at) as last_due_at
  from dispatch_slot group by dispatch_id) s on s.dispatch_id = d.dispatch_id
left join flow f on f.flow_id = d.flow_id;

comment on view easel_dispatches is
  'The dispatches: accepted requests to send something to recipients.';
comment on column easel_dispatches.workspace_id is 'The id of the workspace.';
comment on column easel_dispatches.workspace is 'The name of the workspace.';
comment on column easel_dispatches.dispatch_id is 'The id of the dispatch.';
comment on column easel_dispatches.class is 'marketing or transactional.';
comment on column easel_dispatches.state is 'active, paused or cancelled.';
comment on column easel_dispatches.flow_kind is 'canvas or campaign; null for a message that was sent by request alone.';
comment on column easel_dispatches.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_dispatches.flow is 'The name of the canvas or campaign.';
comment on column easel_dispatches.send_id is 'The send_id that the request gave.';
comment on column easel_dispatches.slots is 'How many parts it has that are due at different times, such as one for each time zone.';
comment on column easel_dispatches.slots_done is 'How many of them are done.';
comment on column easel_dispatches.recipients is 'How many recipients have got a message or an entry so far.';
comment on column easel_dispatches.unknown_recipients is 'How many identifiers nobody had.';
comment on column easel_dispatches.first_due_at is 'When the first part is or was due.';
comment on column easel_dispatches.last_due_at is 'When the last part is or was due.';
comment on column easel_dispatches.created_at is 'When it was accepted.';
comment on column easel_dispatches.updated_at is 'When it was changed last.';

create view easel_flows as
select w.id as workspace_id, w.name as workspace, f.kind as flow_kind, f.id as flow_id, f.name as flow, f.description,
  to_jsonb(f.tags) as tags, f.state, f.class, f.version, v.created_at as version_created_at, f.first_sent_at, f.last_sent_at,
  f.first_entry_at, f.last_entry_at, f.created_at, f.updated_at, f.deleted_at
from flow f
join workspace w on w.workspace_id = f.workspace_id
left join flow_version v on v.flow_id = f.flow_id and v.version = f.version;

comment on view easel_flows is
  'The canvases and campaigns, with their current version.';
comment on column easel_flows.workspace_id is 'The id of the workspace.';
comment on column easel_flows.workspace is 'The name of the workspace.';
comment on column easel_flows.flow_kind is 'canvas or campaign.';
comment on column easel_flows.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_flows.flow is 'The name.';
comment on column easel_flows.description is 'The description.';
comment on column easel_flows.tags is 'The tags, a list of texts.';
comment on column easel_flows.state is 'draft, active, paused or archived.';
comment on column easel_flows.class is 'marketing or transactional.';
comment on column easel_flows.version is 'The number of the current version.';
comment on column easel_flows.version_created_at is 'When the current version was published.';
comment on column easel_flows.first_sent_at is 'When the first message was sent.';
comment on column easel_flows.last_sent_at is 'When the last message was sent.';
comment on column easel_flows.first_entry_at is 'When the first person entered.';
comment on column easel_flows.last_entry_at is 'When the last person entered.';
comment on column easel_flows.created_at is 'When it was created.';
comment on column easel_flows.updated_at is 'When it was changed last.';
comment on column easel_flows.deleted_at is 'When it was deleted; null otherwise.';

create view easel_flow_steps as
select w.id as workspace_id, w.name as workspace, f.kind as flow_kind, f.id as flow_id, f.name as flow, t.position::int as position,
  t.step ->> 'id' as step, coalesce(t.step ->> 'name', t.step ->> 'id') as step_name, t.step ->> 'type' as type
from flow f
join workspace w on w.workspace_id = f.workspace_id
join flow_version v on v.flow_id = f.flow_id and v.version = f.version
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(v.definition -> 'steps') = 'array' then v.definition -> 'steps' else '[]' end)
  with ordinality t(step, position);

comment on view easel_flow_steps is
  'The steps of the current versions of canvases.';
comment on column easel_flow_steps.workspace_id is 'The id of the workspace.';
comment on column easel_flow_steps.workspace is 'The name of the workspace.';
comment on column easel_flow_steps.flow_kind is 'canvas or campaign.';
comment on column easel_flow_steps.flow_id is 'The canvas_id or campaign_id.';
comment on column easel_flow_steps.flow is 'The name of the canvas or campaign.';
comment on column easel_flow_steps.position is 'The number of the step in the definition, from 1.';
comment on column easel_flow_steps.step is 'The id of the step.';
comment on column easel_flow_steps.step_name is 'The name of the step; its id when it has none.';
comment on column easel_flow_steps.type is 'What the step does, such as message or delay.';

create view easel_segments as
select w.id as workspace_id, w.name as workspace, s.id as segment_id, s.name as segment, s.description, to_jsonb(s.tags) as tags, z.size,
  z.day as size_day, s.created_at, s.updated_at
from segment s
join workspace w on w.workspace_id = s.workspace_id
left join lateral (
  select x.size, x.day from segment_size x where x.workspace_id = s.workspace_id and x.segment_id = s.id
  order by x.day desc limit 1) z on true;

comment on view easel_segments is
  'The segments, with their size on the last day on which it was counted.';
comment on column easel_segments.workspace_id is 'The id of the workspace.';
comment on column easel_segments.workspace is 'The name of the workspace.';
comment on column easel_segments.segment_id is 'The id of the segment.';
comment on column easel_segments.segment is 'The name.';
comment on column easel_segments.description is 'The description.';
comment on column easel_segments.tags is 'The tags, a list of texts.';
comment on column easel_segments.size is 'How many people it had when it was counted last; null before that.';
comment on column easel_segments.size_day is 'The day of that count.';
comment on column easel_segments.created_at is 'When it was created.';
comment on column easel_segments.updated_at is 'When it was changed last.';

create view easel_segment_sizes as
select w.id as workspace_id, w.name as workspace, s.id as segment_id, s.name as segment, z.day, z.size
from segment_size z
join workspace w on w.workspace_id = z.workspace_id
join segment s on s.workspace_id = z.workspace_id and s.id = z.segment_id;

comment on view easel_segment_sizes is
  'The sizes of segments by days.';
comment on column easel_segment_sizes.workspace_id is 'The id of the workspace.';
comment on column easel_segment_sizes.workspace is 'The name of the workspace.';
comment on column easel_segment_sizes.segment_id is 'The id of the segment.';
comment on column easel_segment_sizes.segment is 'The name.';
comment on column easel_segment_sizes.day is 'The day.';
comment on column easel_segment_sizes.size is 'How many people it had.';

create view easel_cohort_members as
select c.workspace_id, c.workspace, c.service_id, c.external_id, o.partner, o.id as cohort_id, o.name as cohort, m.added_at
from cohort_member m
join current_person c on c.profile_id = m.profile_id
join cohort o on o.cohort_id = m.cohort_id;

comment on view easel_cohort_members is
  'The people of cohorts, which partners have sent.';
comment on column easel_cohort_members.workspace_id is 'The id of the workspace.';
comment on column easel_cohort_members.workspace is 'The name of the workspace.';
comment on column easel_cohort_members.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_cohort_members.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_cohort_members.partner is 'The partner.';
comment on column easel_cohort_members.cohort_id is 'The id of the cohort.';
comment on column easel_cohort_members.cohort is 'The name of the cohort.';
comment on column easel_cohort_members.added_at is 'When the person was added.';

create view easel_app_uses as
select c.workspace_id, c.workspace, c.service_id, c.external_id, u.app_id, a.name as app, a.platform, u.version, u.sessions,
  u.first_used, u.last_used, u.uninstalled_at
from app_use u
join current_person c on c.profile_id = u.profile_id
left join app a on a.workspace_id = c.workspace_number and a.id = u.app_id;

comment on view easel_app_uses is
  'Which apps people use.';
comment on column easel_app_uses.workspace_id is 'The id of the workspace.';
comment on column easel_app_uses.workspace is 'The name of the workspace.';
comment on column easel_app_uses.service_id is 'The id that Easel gave the person: 24 hexadecimal digits. It joins the views.';
comment on column easel_app_uses.external_id is 'The id that your systems gave the person; null when there is none.';
comment on column easel_app_uses.app_id is 'The id of the app.';
comment on column easel_app_uses.app is 'The name of the app.';
comment on column easel_app_uses.platform is 'The platform of the app.';
comment on column easel_app_uses.version is 'The version that the person used last.';
comment on column easel_app_uses.sessions is 'How many sessions the person had.';
comment on column easel_app_uses.first_used is 'When the person used it first.';
comment on column easel_app_uses.last_used is 'When the person used it last.';
comment on column easel_app_uses.uninstalled_at is 'When it was uninstalled; null while it is installed.';

create view easel_catalog_items as
select w.id as workspace_id, w.name as workspace, k.id as catalog_id, k.name as catalog, i.item_id, i.fields, i.updated_at
from catalog_item i
join catalog k on k.catalog_id = i.catalog_id
join workspace w on w.workspace_id = k.workspace_id;

comment on view easel_catalog_items is
  'The items of catalogs.';
comment on column easel_catalog_items.workspace_id is 'The id of the workspace.';
comment on column easel_catalog_items.workspace is 'The name of the workspace.';
comment on column easel_catalog_items.catalog_id is 'The id of the catalog.';
comment on column easel_catalog_items.catalog is 'The name of the catalog.';
comment on column easel_catalog_items.item_id is 'The id of the item.';
comment on column easel_catalog_items.fields is 'The fields, an object.';
comment on column easel_catalog_items.updated_at is 'When the item was changed last.';
