-- The schema after all migrations, without the weekly partitions. Written by npm run generate.

create table account (
  account_id uuid not null,
  user_name text not null,
  given_name text not null,
  family_name text not null,
  department text,
  active boolean not null,
  external_id text,
  display_name text,
  locale text,
  emails jsonb not null,
  permissions jsonb not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_sign_in_at timestamp with time zone,
  title text,
  user_type text,
  ims jsonb not null default '[]'::jsonb,
  constraint account_pkey PRIMARY KEY (account_id)
);
CREATE UNIQUE INDEX account_by_name ON public.account USING btree (lower((user_name COLLATE "C")));
CREATE INDEX account_by_time ON public.account USING btree (created_at, account_id);

create table address_state (
  bucket integer not null,
  workspace_id integer not null,
  kind text not null,
  value text not null,
  group_id integer not null,
  state text not null,
  stamp timestamp with time zone not null,
  constraint address_state_pkey PRIMARY KEY (bucket, workspace_id, kind, value, group_id)
);
CREATE INDEX address_state_own ON public.address_state USING btree (bucket, value) WHERE (group_id = 0);

create table api_key (
  id text not null,
  workspace_id integer not null,
  name text not null,
  key_hash bytea not null,
  key_start text not null,
  permissions text[] not null,
  allowed_ips text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  strict boolean not null default false,
  constraint api_key_key_hash_key UNIQUE (key_hash),
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table app (
  workspace_id integer not null,
  id text not null,
  name text not null,
  platform text not null,
  created_at timestamp with time zone not null,
  constraint app_pkey PRIMARY KEY (workspace_id, id)
);

create table app_session (
  bucket integer not null,
  profile_id bigint not null,
  device_id text not null,
  app_id text not null,
  started_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint app_session_pkey PRIMARY KEY (bucket, profile_id, device_id, app_id, started_at)
);

create table app_use (
  bucket integer not null,
  profile_id bigint not null,
  app_id text not null,
  version text,
  sessions integer not null,
  first_used timestamp with time zone,
  last_used timestamp with time zone,
  uninstalled_at timestamp with time zone,
  constraint app_use_pkey PRIMARY KEY (bucket, profile_id, app_id)
);

create table attribute_change (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  workspace_id integer not null,
  name text not null,
  value jsonb
) partition by RANGE ("time");
CREATE INDEX attribute_change_by_person ON ONLY public.attribute_change USING btree (bucket, profile_id, name, "time");

create table attribute_change_old (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  workspace_id integer not null,
  name text not null,
  value jsonb
) -- partition of attribute_change DEFAULT;
CREATE INDEX attribute_change_old_bucket_profile_id_name_time_idx ON public.attribute_change_old USING btree (bucket, profile_id, name, "time");

create table attribute_name (
  workspace_id integer not null,
  name text not null,
  types integer not null,
  constraint attribute_name_pkey PRIMARY KEY (workspace_id, name)
);

create table audit (
  audit_id bigint not null,
  time timestamp with time zone not null,
  workspace_id integer,
  actor_kind text not null,
  actor_id text not null,
  actor_name text not null,
  ip text not null,
  request_id text not null,
  action text not null,
  target_kind text not null,
  target_id text not null,
  target_name text,
  before jsonb,
  after jsonb,
  kind text not null default 'change'::text,
  constraint audit_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['account'::text, 'scim'::text, 'admin'::text, 'system'::text, 'key'::text, 'anonymous'::text]))),
  constraint audit_kind_check CHECK ((kind = ANY (ARRAY['change'::text, 'access'::text, 'refusal'::text]))),
  constraint audit_pkey PRIMARY KEY (audit_id)
);
CREATE INDEX audit_by_action ON public.audit USING btree (action, audit_id);
CREATE INDEX audit_by_actor ON public.audit USING btree (actor_kind, actor_id, audit_id);
CREATE INDEX audit_by_kind ON public.audit USING btree (kind, audit_id);
CREATE INDEX audit_by_target ON public.audit USING btree (target_kind, target_id, audit_id);
CREATE INDEX audit_by_time ON public.audit USING btree ("time", audit_id);
CREATE INDEX audit_by_workspace ON public.audit USING btree (workspace_id, audit_id);

create table audit_text (
  text text not null,
  audit_id bigint not null,
  workspace_id integer not null,
  is_erased boolean not null default false,
  constraint audit_text_pkey PRIMARY KEY (text, audit_id)
);
CREATE INDEX audit_text_by_row ON public.audit_text USING btree (audit_id);
CREATE INDEX audit_text_erased ON public.audit_text USING btree (audit_id) WHERE is_erased;

create table card_click (
  bucket integer not null,
  profile_id bigint not null,
  card text not null,
  at timestamp with time zone not null,
  constraint card_click_pkey PRIMARY KEY (bucket, profile_id, card)
);

create table catalog (
  catalog_id integer not null,
  workspace_id integer not null,
  id text not null,
  name text not null,
  description text not null default ''::text,
  fields jsonb not null,
  next_token integer not null,
  num_items integer not null default 0,
  storage_size bigint not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  kept_selections integer not null default 0,
  constraint catalog_pkey PRIMARY KEY (catalog_id),
  constraint catalog_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint catalog_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table catalog_cleanup (
  catalog_id integer not null,
  token text not null,
  workspace_id integer not null,
  name text not null,
  constraint catalog_cleanup_pkey PRIMARY KEY (catalog_id, token)
);

create table catalog_item (
  bucket integer not null,
  catalog_id integer not null,
  item_id text collate "C" not null,
  fields jsonb not null,
  updated_at timestamp with time zone not null,
  constraint catalog_item_pkey PRIMARY KEY (bucket, catalog_id, item_id)
);

create table catalog_selection (
  catalog_id integer not null,
  name text not null,
  description text not null default ''::text,
  definition jsonb not null,
  created_at timestamp with time zone not null,
  selection_id integer not null,
  is_filled boolean not null default false,
  constraint catalog_selection_pkey PRIMARY KEY (catalog_id, name),
  constraint catalog_selection_selection_id_key UNIQUE (selection_id)
);

create table cohort (
  cohort_id integer not null,
  workspace_id integer not null,
  partner text not null,
  id text not null,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint cohort_pkey PRIMARY KEY (cohort_id),
  constraint cohort_workspace_id_partner_id_key UNIQUE (workspace_id, partner, id)
);

create table cohort_member (
  bucket integer not null,
  profile_id bigint not null,
  cohort_id integer not null,
  added_at timestamp with time zone not null,
  constraint cohort_member_pkey PRIMARY KEY (bucket, profile_id, cohort_id)
);
CREATE INDEX cohort_member_of_cohort ON public.cohort_member USING btree (cohort_id);

create table confirmation (
  bucket integer not null,
  profile_id bigint not null,
  group_id integer not null,
  confirmation_id bigint not null,
  workspace_id integer not null,
  address text not null,
  source text not null,
  form_id text,
  language text not null,
  requested_at timestamp with time zone not null,
  requested_from text,
  dispatch_id uuid not null,
  sent_at timestamp with time zone not null,
  sent_count integer not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  confirmed_from text,
  keyword text,
  link_hashes text[] not null default '{}'::text[],
  constraint confirmation_pkey PRIMARY KEY (bucket, profile_id, group_id),
  constraint confirmation_source_check CHECK ((source = ANY (ARRAY['form'::text, 'api'::text, 'preferences'::text])))
);
CREATE INDEX confirmation_newest ON public.confirmation USING btree (workspace_id, group_id, requested_at, confirmation_id);
CREATE INDEX confirmation_open ON public.confirmation USING btree (expires_at) WHERE (confirmed_at IS NULL);

create table contact (
  bucket integer not null,
  workspace_id integer not null,
  kind text not null,
  value text not null,
  owner_bucket integer not null,
  owner_id bigint not null,
  constraint contact_pkey PRIMARY KEY (bucket, workspace_id, kind, value, owner_bucket, owner_id)
);

create table content_block (
  workspace_id integer not null,
  id text not null,
  name text not null,
  description text not null default ''::text,
  content text not null,
  mentions text[] not null default '{}'::text[],
  state text not null,
  tags text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint content_block_pkey PRIMARY KEY (workspace_id, id),
  constraint content_block_state_check CHECK ((state = ANY (ARRAY['active'::text, 'draft'::text]))),
  constraint content_block_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table counter (
  name text not null,
  value integer not null,
  constraint counter_pkey PRIMARY KEY (name)
);

create table credential (
  id text not null,
  workspace_id integer not null,
  name text not null,
  user_name text not null,
  password bytea not null,
  origins text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint credential_pkey PRIMARY KEY (workspace_id, id),
  constraint credential_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table database_move (
  only_one boolean not null default true,
  move_id uuid not null,
  role text not null,
  other text not null,
  begun_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint database_move_only_one_check CHECK (only_one),
  constraint database_move_pkey PRIMARY KEY (only_one),
  constraint database_move_role_check CHECK ((role = ANY (ARRAY['source'::text, 'target'::text])))
);

create table database_move_part (
  relation text not null,
  next_block bigint not null,
  rows bigint not null,
  constraint database_move_part_pkey PRIMARY KEY (relation)
);

create table decision (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  workspace_id integer not null,
  cause uuid not null,
  step text not null default ''::text,
  visit integer not null default 0,
  channel text not null,
  message_id bigint,
  reason text not null,
  asked jsonb,
  rule text,
  inputs jsonb,
  flow_id integer
) partition by RANGE ("time");
CREATE INDEX decision_by_cause ON ONLY public.decision USING btree (cause, "time");
CREATE INDEX decision_by_person ON ONLY public.decision USING btree (bucket, profile_id, "time");

create table decision_old (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  workspace_id integer not null,
  cause uuid not null,
  step text not null default ''::text,
  visit integer not null default 0,
  channel text not null,
  message_id bigint,
  reason text not null,
  asked jsonb,
  rule text,
  inputs jsonb,
  flow_id integer
) -- partition of decision DEFAULT;
CREATE INDEX decision_old_bucket_profile_id_time_idx ON public.decision_old USING btree (bucket, profile_id, "time");
CREATE INDEX decision_old_cause_time_idx ON public.decision_old USING btree (cause, "time");

create table deleted_entries (
  flow_id integer not null,
  ended text not null,
  count bigint not null,
  constraint deleted_entries_pkey PRIMARY KEY (flow_id, ended)
);

create table deleted_messages (
  cause uuid not null,
  channel text not null,
  reason text not null,
  count bigint not null,
  constraint deleted_messages_pkey PRIMARY KEY (cause, channel, reason)
);

create table deleted_names (
  number bigint not null,
  workspace_id integer not null,
  names bytea not null,
  at timestamp with time zone not null,
  constraint deleted_names_pkey PRIMARY KEY (number)
);

create table device (
  bucket integer not null,
  profile_id bigint not null,
  device_id text not null,
  model text,
  os text,
  carrier text,
  idfv text,
  idfa text,
  google_ad_id text,
  roku_ad_id text,
  ad_tracking_enabled boolean,
  created_at timestamp with time zone not null,
  constraint device_pkey PRIMARY KEY (bucket, profile_id, device_id)
);

create table dispatch (
  dispatch_id uuid not null,
  workspace_id integer not null,
  schedule_id uuid,
  class text not null,
  state text not null,
  sending jsonb not null,
  schedule jsonb,
  send_id text,
  created_at timestamp with time zone not null,
  resumed_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  unsettled boolean not null default false,
  flow_id integer,
  constraint dispatch_class_check CHECK ((class = ANY (ARRAY['marketing'::text, 'transactional'::text]))),
  constraint dispatch_pkey PRIMARY KEY (dispatch_id),
  constraint dispatch_schedule_id_key UNIQUE (schedule_id),
  constraint dispatch_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'cancelled'::text])))
);
CREATE INDEX dispatch_by_flow ON public.dispatch USING btree (flow_id) WHERE (flow_id IS NOT NULL);
CREATE INDEX dispatch_by_time ON public.dispatch USING btree (workspace_id, created_at, dispatch_id);
CREATE INDEX dispatch_of_flow ON public.dispatch USING btree (flow_id, created_at) WHERE ((flow_id IS NOT NULL) AND ((sending -> 'recipients'::text) IS NULL));
CREATE INDEX dispatch_recipients ON public.dispatch USING gin (((sending -> 'recipients'::text)) jsonb_path_ops);
CREATE INDEX dispatch_unsettled ON public.dispatch USING btree (updated_at) WHERE unsettled;

create table dispatch_slot (
  dispatch_id uuid not null,
  zone text not null,
  workspace_id integer not null,
  class text not null default 'marketing'::text,
  due_at timestamp with time zone not null,
  state text not null,
  reason text,
  after_id bigint,
  expanded bigint not null default 0,
  unknown integer not null default 0,
  lease uuid,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  failure text,
  constraint dispatch_slot_pkey PRIMARY KEY (dispatch_id, zone),
  constraint dispatch_slot_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'running'::text, 'done'::text, 'cancelled'::text, 'missed'::text])))
);
CREATE INDEX dispatch_slot_ahead ON public.dispatch_slot USING btree (workspace_id) WHERE ((state = ANY (ARRAY['waiting'::text, 'held'::text])) AND (zone = ANY (ARRAY[''::text, '*'::text])));
CREATE INDEX dispatch_slot_due ON public.dispatch_slot USING btree (class, due_at) WHERE (state = 'waiting'::text);
CREATE INDEX dispatch_slot_leased ON public.dispatch_slot USING btree (leased_until) WHERE (state = 'running'::text);

create table dkim_key (
  id text not null,
  workspace_id integer not null,
  name text not null,
  selector text not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint dkim_key_pkey PRIMARY KEY (workspace_id, id),
  constraint dkim_key_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table email_template (
  workspace_id integer not null,
  id text not null,
  name text not null,
  description text not null default ''::text,
  subject text not null default ''::text,
  preheader text,
  body text not null default ''::text,
  plaintext_body text,
  should_inline_css boolean,
  tags text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint email_template_pkey PRIMARY KEY (workspace_id, id)
);

create table engagement (
  bucket integer not null,
  profile_id bigint not null,
  message_id bigint not null,
  kind text not null,
  link integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  count integer not null,
  constraint engagement_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'clicked'::text, 'machine_opened'::text, 'machine_clicked'::text, 'unsubscribed'::text]))),
  constraint engagement_pkey PRIMARY KEY (bucket, profile_id, message_id, kind, link)
);

create table entry (
  bucket integer not null,
  profile_id bigint not null,
  entry_id uuid not null,
  workspace_id integer not null,
  flow_id integer not null,
  version integer not null,
  class text not null,
  dispatch_id uuid,
  state text not null,
  held boolean not null default false,
  ended text,
  variant text,
  in_control boolean not null default false,
  step text not null default ''::text,
  visit integer not null default 0,
  visits jsonb not null default '{}'::jsonb,
  is_last boolean not null default false,
  due_at timestamp with time zone,
  properties jsonb,
  event jsonb,
  timing jsonb,
  entered_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  is_duplicate boolean not null default false,
  trail jsonb not null default '[]'::jsonb,
  constraint entry_pkey PRIMARY KEY (bucket, entry_id),
  constraint entry_state_check CHECK ((state = ANY (ARRAY['arriving'::text, 'waiting'::text, 'listening'::text, 'sending'::text, 'ended'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);
CREATE UNIQUE INDEX entry_by_order ON public.entry USING btree (bucket, dispatch_id, profile_id) WHERE ((dispatch_id IS NOT NULL) AND (NOT is_duplicate));
CREATE INDEX entry_by_person ON public.entry USING btree (bucket, profile_id, flow_id);
CREATE INDEX entry_due ON public.entry USING btree (workspace_id, class, due_at) WHERE ((state = ANY (ARRAY['arriving'::text, 'waiting'::text, 'listening'::text])) AND (NOT held));
CREATE INDEX entry_ended ON public.entry USING btree (workspace_id, ended_at) WHERE (state = 'ended'::text);
CREATE INDEX entry_of_flow ON public.entry USING btree (((flow_id + 0)), entered_at, entry_id);
CREATE INDEX entry_of_order ON public.entry USING btree (dispatch_id, state, ended) WHERE (dispatch_id IS NOT NULL);
CREATE INDEX entry_open ON public.entry USING btree (flow_id, held, version, step) WHERE (state <> 'ended'::text);
CREATE INDEX entry_pending ON public.entry USING btree (flow_id, version, step) WHERE ((state = 'arriving'::text) AND (dispatch_id IS NOT NULL) AND (due_at > entered_at));

create table event (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  name_id integer not null,
  app_id integer,
  properties text
) partition by RANGE ("time");
CREATE INDEX event_by_person ON ONLY public.event USING btree (bucket, profile_id, name_id, "time");

create table event_old (
  profile_id bigint not null,
  time timestamp with time zone not null,
  bucket integer not null,
  name_id integer not null,
  app_id integer,
  properties text
) -- partition of event DEFAULT;
CREATE INDEX event_old_bucket_profile_id_name_id_time_idx ON public.event_old USING btree (bucket, profile_id, name_id, "time");

create table feed (
  workspace_id integer not null,
  is_on boolean not null,
  last_position bigint not null default 0,
  lost_position bigint not null default 0,
  constraint feed_pkey PRIMARY KEY (workspace_id)
);

create table feed_event (
  bucket integer not null,
  profile_id bigint not null,
  event_id uuid not null,
  workspace_id integer not null,
  subject_id bigint not null,
  type text not null,
  time timestamp with time zone not null,
  rank integer not null,
  position bigint,
  merged_id bigint,
  external_id text,
  message_id bigint,
  flow_id integer,
  address text,
  details text,
  constraint feed_event_pkey PRIMARY KEY (bucket, profile_id, event_id)
);
CREATE INDEX feed_event_by_position ON public.feed_event USING btree (workspace_id, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX feed_event_waiting ON public.feed_event USING btree (workspace_id, "time", rank, event_id) WHERE ("position" IS NULL);

create table flow (
  flow_id integer not null,
  workspace_id integer not null,
  kind text not null,
  id text not null,
  name text not null,
  description text not null default ''::text,
  tags text[] not null default '{}'::text[],
  state text not null,
  class text not null,
  version integer not null,
  plan_at timestamp with time zone,
  unsettled boolean not null default false,
  first_sent_at timestamp with time zone,
  last_sent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  first_entry_at timestamp with time zone,
  last_entry_at timestamp with time zone,
  constraint flow_class_check CHECK ((class = ANY (ARRAY['marketing'::text, 'transactional'::text]))),
  constraint flow_kind_check CHECK ((kind = ANY (ARRAY['canvas'::text, 'campaign'::text]))),
  constraint flow_pkey PRIMARY KEY (flow_id),
  constraint flow_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'archived'::text]))),
  constraint flow_workspace_id_kind_id_key UNIQUE (workspace_id, kind, id)
);
CREATE INDEX flow_plan ON public.flow USING btree (plan_at) WHERE (plan_at IS NOT NULL);
CREATE INDEX flow_unsettled ON public.flow USING btree (updated_at) WHERE unsettled;

create table flow_draft (
  workspace_id integer not null,
  kind text not null,
  id text not null,
  name text not null,
  definition text not null,
  secrets bytea,
  bytes integer not null,
  base_version integer,
  author_kind text not null,
  author_id text not null,
  author_name text not null,
  updated_at timestamp with time zone not null,
  constraint flow_draft_kind_check CHECK ((kind = ANY (ARRAY['canvas'::text, 'campaign'::text]))),
  constraint flow_draft_pkey PRIMARY KEY (workspace_id, kind, id)
);

create table flow_outline (
  flow_id integer not null,
  workspace_id integer not null,
  kind text not null,
  id text not null,
  name text not null,
  version integer not null,
  outline jsonb not null,
  constraint flow_outline_kind_check CHECK ((kind = ANY (ARRAY['canvas'::text, 'campaign'::text]))),
  constraint flow_outline_pkey PRIMARY KEY (flow_id),
  constraint flow_outline_workspace_id_kind_id_key UNIQUE (workspace_id, kind, id)
);

create table flow_version (
  flow_id integer not null,
  version integer not null,
  definition jsonb not null,
  created_at timestamp with time zone not null,
  constraint flow_version_pkey PRIMARY KEY (flow_id, version)
);

create table flush (
  bucket integer not null,
  flush_id uuid not null,
  at timestamp with time zone not null,
  constraint flush_pkey PRIMARY KEY (bucket, flush_id)
);

create table former_id (
  bucket integer not null,
  profile_id bigint not null,
  external_id text not null,
  at timestamp with time zone not null,
  constraint former_id_pkey PRIMARY KEY (bucket, profile_id, external_id)
);

create table idempotency (
  workspace_id integer not null,
  key_hash bytea not null,
  path text not null,
  body_hash bytea,
  status integer,
  reply json,
  expires_at timestamp with time zone not null,
  constraint idempotency_pkey PRIMARY KEY (workspace_id, key_hash, path)
);
CREATE INDEX idempotency_expired ON public.idempotency USING btree (expires_at);

create table identifier (
  bucket integer not null,
  workspace_id integer not null,
  kind text not null,
  value text not null,
  owner_bucket integer,
  owner_id bigint,
  constraint identifier_pkey PRIMARY KEY (bucket, workspace_id, kind, value)
);

create table identity_change (
  number bigint not null,
  bucket integer not null,
  profile_id bigint not null,
  at timestamp with time zone not null,
  constraint identity_change_pkey PRIMARY KEY (bucket, number, profile_id)
);
CREATE INDEX identity_change_by_number ON public.identity_change USING btree (number);

create table import_part (
  bucket integer not null,
  profile_id bigint not null,
  part integer not null,
  at timestamp with time zone not null,
  constraint import_part_pkey PRIMARY KEY (bucket, profile_id)
);

create table inbox (
  bucket integer not null,
  profile_id bigint not null,
  mail_id bigint not null,
  workspace_id integer not null,
  message_id bigint,
  address text not null,
  subject text not null,
  at timestamp with time zone not null,
  source bytea not null,
  channel text not null default 'email'::text,
  constraint inbox_pkey PRIMARY KEY (bucket, mail_id)
);
CREATE INDEX inbox_by_id ON public.inbox USING btree (workspace_id, mail_id);
CREATE INDEX inbox_by_time ON public.inbox USING btree (workspace_id, at, mail_id);

create table installation (
  only_one boolean not null default true,
  secret bytea not null,
  created_at timestamp with time zone not null,
  virtual_now timestamp with time zone,
  admin_token_hash bytea,
  zone_rules text,
  sealing_key bytea,
  root_key_id text,
  constraint installation_check CHECK (((sealing_key IS NULL) = (root_key_id IS NULL))),
  constraint installation_only_one_check CHECK (only_one),
  constraint installation_pkey PRIMARY KEY (only_one)
);

create table invalid_phone (
  bucket integer not null,
  workspace_id integer not null,
  value text not null,
  phone text,
  reason text not null,
  told text,
  at timestamp with time zone not null,
  constraint invalid_phone_pkey PRIMARY KEY (bucket, workspace_id, value),
  constraint invalid_phone_reason_check CHECK ((reason = ANY (ARRAY['provider_error'::text, 'deactivated'::text])))
);
CREATE INDEX invalid_phone_by_time ON public.invalid_phone USING btree (workspace_id, at);

create table last_engaged (
  bucket integer not null,
  profile_id bigint not null,
  channel text not null,
  kind text not null,
  at timestamp with time zone not null,
  constraint last_engaged_pkey PRIMARY KEY (bucket, profile_id, channel, kind)
);

create table last_received (
  bucket integer not null,
  profile_id bigint not null,
  channel text not null,
  at timestamp with time zone not null,
  constraint last_received_pkey PRIMARY KEY (bucket, profile_id, channel)
);

create table media (
  hash text not null,
  workspace_id integer not null,
  extension text not null,
  name text not null,
  size integer not null,
  content bytea not null,
  created_at timestamp with time zone not null,
  constraint media_extension_check CHECK ((extension = ANY (ARRAY['png'::text, 'jpg'::text, 'gif'::text, 'pdf'::text]))),
  constraint media_pkey PRIMARY KEY (hash, workspace_id)
);
CREATE INDEX media_workspace ON public.media USING btree (workspace_id);

create table membership (
  bucket integer not null,
  profile_id bigint not null,
  group_id integer not null,
  state text not null,
  stamp timestamp with time zone not null,
  constraint membership_pkey PRIMARY KEY (bucket, profile_id, group_id)
);

create table merged_profile (
  bucket integer not null,
  profile_id bigint not null,
  from_bucket integer not null,
  from_id bigint not null,
  moved boolean not null default false,
  at timestamp with time zone not null,
  constraint merged_profile_pkey PRIMARY KEY (bucket, profile_id, from_bucket, from_id)
);
CREATE INDEX merged_profile_pending ON public.merged_profile USING btree (bucket, profile_id) WHERE (NOT moved);

create table message (
  message_id bigint not null,
  profile_id bigint not null,
  bucket integer not null,
  workspace_id integer not null,
  cause uuid not null,
  step text not null default ''::text,
  visit integer not null default 0,
  channel text not null,
  class text not null,
  state text not null,
  reason text,
  planned_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  lease uuid,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  rates_granted smallint not null default 0,
  maybe_sent boolean not null default false,
  address text,
  subject text,
  links text[],
  warnings text[],
  response text,
  ended_at timestamp with time zone,
  bounced_at timestamp with time zone,
  complained_at timestamp with time zone,
  flow_id integer,
  flow_version integer,
  variant text,
  crashes smallint not null default 0,
  left_at timestamp with time zone,
  constraint message_bucket_cause_profile_id_step_visit_channel_key UNIQUE (bucket, cause, profile_id, step, visit, channel),
  constraint message_pkey PRIMARY KEY (bucket, message_id),
  constraint message_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'held'::text, 'leased'::text, 'handed_over'::text, 'accepted'::text, 'suppressed'::text, 'aborted'::text, 'cancelled'::text, 'missed'::text, 'bounced'::text, 'failed'::text, 'uncertain'::text])))
) with (fillfactor=80);
CREATE INDEX message_by_cause ON public.message USING btree (cause, state, reason);
CREATE INDEX message_by_flow ON public.message USING btree (flow_id, state) WHERE ((flow_id IS NOT NULL) AND (state = ANY (ARRAY['queued'::text, 'held'::text])));
CREATE INDEX message_by_person ON public.message USING btree (bucket, profile_id, planned_at);
CREATE INDEX message_leased ON public.message USING btree (leased_until) WHERE (state = ANY (ARRAY['leased'::text, 'handed_over'::text]));
CREATE INDEX message_newest ON public.message USING btree (workspace_id, planned_at, message_id);
CREATE INDEX message_set_aside ON public.message USING btree (workspace_id, ended_at) WHERE (reason = 'set_aside'::text);
CREATE INDEX message_suspect ON public.message USING btree (workspace_id, class, due_at) WHERE ((state = 'queued'::text) AND (crashes > 0));
CREATE INDEX message_uncertain ON public.message USING btree (workspace_id, ended_at) WHERE (state = 'uncertain'::text);
CREATE INDEX message_waiting ON public.message USING btree (workspace_id, channel, class, due_at) WHERE (state = 'queued'::text);

create table migration (
  number integer not null,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamp with time zone not null,
  constraint migration_pkey PRIMARY KEY (number)
);

create table name (
  name_id integer not null,
  workspace_id integer not null,
  kind text not null,
  name text not null,
  constraint name_pkey PRIMARY KEY (name_id),
  constraint name_workspace_id_kind_name_key UNIQUE (workspace_id, kind, name)
);

create table permission_set (
  workspace_id integer not null,
  id text not null,
  name text not null,
  permissions jsonb not null,
  created_at timestamp with time zone not null,
  constraint permission_set_by_name UNIQUE (workspace_id, name) DEFERRABLE,
  constraint permission_set_pkey PRIMARY KEY (workspace_id, id)
);

create table preference_center (
  workspace_id integer not null,
  id text not null,
  name text not null,
  title text not null,
  page_html text not null,
  confirmation_html text not null,
  options jsonb not null,
  state text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint preference_center_pkey PRIMARY KEY (workspace_id, id),
  constraint preference_center_state_check CHECK ((state = ANY (ARRAY['active'::text, 'draft'::text]))),
  constraint preference_center_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table profile (
  profile_id bigint not null,
  bucket integer not null,
  workspace_id integer not null,
  random_bucket integer not null,
  external_id text,
  email text,
  phone text,
  first_name text,
  last_name text,
  gender text,
  dob text,
  country text,
  home_city text,
  language text,
  time_zone text,
  image_url text,
  longitude double precision,
  latitude double precision,
  facebook jsonb,
  twitter jsonb,
  email_subscribe text not null default 'subscribed'::text,
  email_subscribe_at timestamp with time zone,
  email_opted_in_at timestamp with time zone,
  email_unsubscribed_at timestamp with time zone,
  push_subscribe text not null default 'subscribed'::text,
  push_subscribe_at timestamp with time zone,
  push_opted_in_at timestamp with time zone,
  push_unsubscribed_at timestamp with time zone,
  email_open_tracking_disabled boolean not null default false,
  email_click_tracking_disabled boolean not null default false,
  date_of_first_session timestamp with time zone,
  date_of_last_session timestamp with time zone,
  marked_email_as_spam_at timestamp with time zone,
  total_revenue double precision not null default 0,
  custom jsonb not null default '{}'::jsonb,
  typed jsonb not null default '{}'::jsonb,
  merged_bucket integer,
  merged_into bigint,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  session_count integer not null default 0,
  attributed_campaign text,
  attributed_source text,
  attributed_adgroup text,
  attributed_ad text,
  constraint profile_pkey PRIMARY KEY (bucket, profile_id)
) with (fillfactor=80);
CREATE INDEX profile_external_id ON public.profile USING btree (external_id) WHERE ((merged_into IS NULL) AND (external_id IS NOT NULL));
CREATE INDEX profile_merged_into ON public.profile USING btree (merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX profile_newest ON public.profile USING btree (workspace_id, created_at, profile_id) WHERE (merged_into IS NULL);
CREATE INDEX profile_time_zone ON public.profile USING btree (workspace_id, time_zone);
CREATE INDEX profile_unsubscribed ON public.profile USING btree (workspace_id, email_unsubscribed_at, email) WHERE (email_subscribe = 'unsubscribed'::text);

create table profile_alias (
  bucket integer not null,
  profile_id bigint not null,
  alias_label text not null,
  alias_name text not null,
  constraint profile_alias_pkey PRIMARY KEY (bucket, profile_id, alias_label)
);

create table purchase (
  profile_id bigint not null,
  time timestamp with time zone not null,
  price double precision not null,
  bucket integer not null,
  name_id integer not null,
  app_id integer,
  quantity integer not null,
  currency text not null,
  properties text
) partition by RANGE ("time");
CREATE INDEX purchase_by_person ON ONLY public.purchase USING btree (bucket, profile_id, name_id, "time") INCLUDE (quantity);

create table purchase_old (
  profile_id bigint not null,
  time timestamp with time zone not null,
  price double precision not null,
  bucket integer not null,
  name_id integer not null,
  app_id integer,
  quantity integer not null,
  currency text not null,
  properties text
) -- partition of purchase DEFAULT;
CREATE INDEX purchase_old_bucket_profile_id_name_id_time_quantity_idx ON public.purchase_old USING btree (bucket, profile_id, name_id, "time") INCLUDE (quantity);

create table push_token (
  bucket integer not null,
  profile_id bigint not null,
  app_id text not null,
  token text not null,
  device_id text not null,
  notifications_enabled boolean not null,
  created_at timestamp with time zone not null,
  constraint push_token_pkey PRIMARY KEY (bucket, profile_id, app_id, token)
);

create table rate_window (
  workspace_id integer not null,
  limit_name text not null,
  window_start bigint not null,
  used bigint not null,
  constraint rate_window_pkey PRIMARY KEY (workspace_id, limit_name, window_start)
);

create table received (
  bucket integer not null,
  profile_id bigint not null,
  flow_id integer not null,
  workspace_id integer not null,
  entries integer not null default 0,
  last_entered_at timestamp with time zone,
  last_entered_control_at timestamp with time zone,
  last_exited_at timestamp with time zone,
  last_received_at timestamp with time zone,
  variant text,
  in_control boolean not null default false,
  opened_at timestamp with time zone,
  clicked_at timestamp with time zone,
  converting_until timestamp with time zone,
  converted text[] not null default '{}'::text[],
  refused text,
  refused_at timestamp with time zone,
  previous_received_at timestamp with time zone,
  send_id text,
  previous_send_id text,
  counted_conversions text[] not null default '{}'::text[],
  constraint received_pkey PRIMARY KEY (bucket, profile_id, flow_id)
);
CREATE INDEX received_refused ON public.received USING btree (refused_at) WHERE ((entries = 0) AND (refused_at IS NOT NULL));

create table received_step (
  bucket integer not null,
  profile_id bigint not null,
  flow_id integer not null,
  step text not null,
  last_received_at timestamp with time zone not null,
  constraint received_step_pkey PRIMARY KEY (bucket, profile_id, flow_id, step)
);

create table role (
  workspace_id integer not null,
  id text not null,
  name text not null,
  permissions jsonb not null,
  created_at timestamp with time zone not null,
  constraint role_by_name UNIQUE (workspace_id, name) DEFERRABLE,
  constraint role_pkey PRIMARY KEY (workspace_id, id)
);

create table scim_group (
  group_id text not null,
  external_id text not null,
  constraint scim_group_pkey PRIMARY KEY (group_id)
);

create table scim_token (
  id text not null,
  name text not null,
  token_hash bytea not null,
  token_start text not null,
  origin text,
  allowed_ips text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  may_grant boolean not null default true,
  constraint scim_token_pkey PRIMARY KEY (id),
  constraint scim_token_token_hash_key UNIQUE (token_hash)
);

create table segment (
  workspace_id integer not null,
  id text not null,
  name text not null,
  description text not null default ''::text,
  audience jsonb not null,
  tags text[] not null default '{}'::text[],
  analytics_tracking_enabled boolean not null default true,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint segment_pkey PRIMARY KEY (workspace_id, id),
  constraint segment_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table segment_export (
  id text not null,
  workspace_id integer not null,
  segment_id text,
  request jsonb not null,
  state text not null,
  lease text,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  object text,
  files integer not null default 0,
  people integer not null default 0,
  bytes bigint not null default 0,
  failure text,
  callback_state text,
  callback_attempts integer not null default 0,
  callback_at timestamp with time zone,
  callback_failure text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone,
  deleted bigint[],
  constraint segment_export_callback_state_check CHECK ((callback_state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text]))),
  constraint segment_export_pkey PRIMARY KEY (id),
  constraint segment_export_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX segment_export_by_time ON public.segment_export USING btree (workspace_id, created_at, id);
CREATE INDEX segment_export_expired ON public.segment_export USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE UNIQUE INDEX segment_export_open ON public.segment_export USING btree (workspace_id, segment_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE UNIQUE INDEX segment_export_open_group ON public.segment_export USING btree (workspace_id) WHERE ((segment_id IS NULL) AND (state = ANY (ARRAY['waiting'::text, 'running'::text])));
CREATE INDEX segment_export_untold ON public.segment_export USING btree (callback_at) WHERE (callback_state = 'waiting'::text);
CREATE INDEX segment_export_waiting ON public.segment_export USING btree (created_at, id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

create table segment_size (
  workspace_id integer not null,
  segment_id text not null,
  day date not null,
  size integer not null,
  constraint segment_size_pkey PRIMARY KEY (workspace_id, segment_id, day)
);

create table selection_item (
  bucket integer not null,
  catalog_id integer not null,
  item_id text collate "C" not null,
  selection_id integer not null,
  descending boolean not null,
  text_key text collate "C",
  json_key jsonb,
  constraint selection_item_pkey PRIMARY KEY (bucket, catalog_id, item_id, selection_id)
);
CREATE INDEX selection_item_ascending ON public.selection_item USING btree (bucket, selection_id, text_key, json_key, item_id) WHERE (NOT descending);
CREATE INDEX selection_item_descending ON public.selection_item USING btree (bucket, selection_id, text_key DESC NULLS LAST, json_key DESC NULLS LAST, item_id) WHERE descending;

create table send (
  workspace_id integer not null,
  send_id text not null,
  flow_id integer not null,
  created_at timestamp with time zone not null,
  constraint send_pkey PRIMARY KEY (workspace_id, send_id)
);

create table send_rate (
  transport text not null,
  domain text not null,
  per_second double precision not null,
  free_at timestamp with time zone not null,
  slowed_at timestamp with time zone,
  constraint send_rate_pkey PRIMARY KEY (transport, domain)
);

create table session (
  session_hash bytea not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ip text not null,
  user_agent text not null,
  constraint session_pkey PRIMARY KEY (session_hash)
);
CREATE INDEX session_by_account ON public.session USING btree (account_id);
CREATE INDEX session_expiry ON public.session USING btree (expires_at);

create table sign_in_attempt (
  key bytea not null,
  count integer not null,
  began_at timestamp with time zone not null,
  constraint sign_in_attempt_pkey PRIMARY KEY (key)
);

create table sign_in_identity (
  issuer text not null,
  subject text not null,
  account_id uuid not null,
  bound_at timestamp with time zone not null,
  constraint sign_in_identity_issuer_account_id_key UNIQUE (issuer, account_id),
  constraint sign_in_identity_pkey PRIMARY KEY (issuer, subject)
);
CREATE INDEX sign_in_identity_by_account ON public.sign_in_identity USING btree (account_id);

create table sign_in_link (
  token_hash bytea not null,
  account_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_link_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX sign_in_link_expiry ON public.sign_in_link USING btree (expires_at);

create table sign_up_attempt (
  key bytea not null,
  count integer not null,
  began_at timestamp with time zone not null,
  constraint sign_up_attempt_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_up_attempt_old ON public.sign_up_attempt USING btree (began_at);

create table sign_up_form (
  workspace_id integer not null,
  id text not null,
  name text not null,
  subscription_group_id text not null,
  state text not null,
  definition jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sign_up_form_pkey PRIMARY KEY (workspace_id, id),
  constraint sign_up_form_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text]))),
  constraint sign_up_form_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table signal (
  bucket integer not null,
  profile_id bigint not null,
  signal_id bigint not null,
  workspace_id integer not null,
  lane smallint not null,
  kind text not null,
  name text not null,
  time timestamp with time zone not null,
  at timestamp with time zone not null,
  properties text,
  amount double precision,
  message_id bigint,
  failed boolean not null default false,
  constraint signal_kind_check CHECK ((kind = ANY (ARRAY['event'::text, 'purchase'::text, 'attribute'::text, 'engagement'::text]))),
  constraint signal_pkey PRIMARY KEY (lane, at, signal_id, bucket)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX signal_by_person ON public.signal USING btree (bucket, profile_id);

create table signal_lane (
  lane smallint not null,
  constraint signal_lane_pkey PRIMARY KEY (lane)
);

create table soft_bounce (
  bucket integer not null,
  workspace_id integer not null,
  kind text not null,
  value text not null,
  count integer not null,
  at timestamp with time zone not null,
  constraint soft_bounce_kind_check CHECK ((kind = 'email'::text)),
  constraint soft_bounce_pkey PRIMARY KEY (bucket, workspace_id, kind, value)
);

create table subscription_group (
  group_id integer not null,
  workspace_id integer not null,
  id text not null,
  name text not null,
  channel text not null,
  archived boolean not null default false,
  created_at timestamp with time zone not null,
  double_opt_in jsonb,
  constraint subscription_group_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint subscription_group_pkey PRIMARY KEY (group_id),
  constraint subscription_group_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint subscription_group_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table suppression (
  bucket integer not null,
  workspace_id integer not null,
  kind text not null,
  value text not null,
  reason text not null,
  address text,
  told text,
  at timestamp with time zone not null,
  constraint suppression_kind_check CHECK ((kind = 'email'::text)),
  constraint suppression_pkey PRIMARY KEY (bucket, workspace_id, kind, value, reason),
  constraint suppression_reason_check CHECK ((reason = ANY (ARRAY['hard_bounce'::text, 'spam'::text, 'soft_bounces'::text, 'blocklist'::text])))
);
CREATE INDEX suppression_by_time ON public.suppression USING btree (workspace_id, at);

create table tally (
  bucket integer not null,
  subject text collate "C" not null,
  slot timestamp with time zone not null,
  part text collate "C" not null,
  count bigint not null,
  amount double precision not null,
  constraint tally_pkey PRIMARY KEY (bucket, subject, slot, part)
) with (fillfactor=80);

create table tally_change (
  bucket integer not null,
  change_id uuid not null,
  subjects text[] not null,
  parts text[] not null,
  entries bytea not null,
  constraint tally_change_pkey PRIMARY KEY (bucket, change_id)
);

create table team (
  workspace_id integer not null,
  id text not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint team_by_name UNIQUE (workspace_id, name) DEFERRABLE,
  constraint team_pkey PRIMARY KEY (workspace_id, id)
);

create table traffic_hour (
  workspace_id integer not null,
  hour timestamp with time zone not null,
  route text not null,
  class smallint not null,
  count bigint not null,
  items bigint not null,
  ms bigint not null,
  constraint traffic_hour_pkey PRIMARY KEY (workspace_id, hour, route, class)
);

create table traffic_minute (
  workspace_id integer not null,
  minute timestamp with time zone not null,
  route text not null,
  class smallint not null,
  writer integer not null,
  count integer not null,
  items bigint not null,
  ms bigint not null,
  constraint traffic_minute_pkey PRIMARY KEY (workspace_id, minute, route, class, writer)
);

create table transactional_send (
  dispatch_id uuid not null,
  workspace_id integer not null,
  campaign_id text not null,
  external_send_id text,
  is_current boolean not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone not null,
  reason text,
  ended_at timestamp with time zone,
  delivered_at timestamp with time zone,
  told integer not null default 0,
  attempts integer not null default 0,
  due_at timestamp with time zone,
  constraint transactional_send_pkey PRIMARY KEY (dispatch_id)
);
CREATE INDEX transactional_send_due_of_workspace ON public.transactional_send USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX transactional_send_expired ON public.transactional_send USING btree (expires_at);
CREATE UNIQUE INDEX transactional_send_once ON public.transactional_send USING btree (workspace_id, external_send_id) WHERE is_current;

create table version (
  name text not null,
  number bigint not null,
  constraint version_pkey PRIMARY KEY (name)
);

create table watched (
  workspace_id integer not null,
  kind text not null,
  name text not null,
  signals boolean not null,
  since timestamp with time zone not null,
  constraint watched_kind_check CHECK ((kind = ANY (ARRAY['event'::text, 'purchase'::text, 'attribute'::text, 'engagement'::text]))),
  constraint watched_pkey PRIMARY KEY (workspace_id, kind, name)
);

create table webhook (
  workspace_id integer not null,
  id text not null,
  name text not null,
  url text not null,
  event_types text[] not null,
  state text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamp with time zone,
  position bigint not null,
  ahead bigint[] not null default '{}'::bigint[],
  turn integer not null default 0,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  due_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  set_aside_at timestamp with time zone,
  set_aside_because text,
  lost_positions bigint not null default 0,
  lease uuid,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_pkey PRIMARY KEY (workspace_id, id),
  constraint webhook_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text]))),
  constraint webhook_workspace_id_name_key UNIQUE (workspace_id, name)
);

create table webhook_attempt (
  workspace_id integer not null,
  webhook_id text not null,
  attempt_id uuid not null,
  event_id uuid not null,
  type text not null,
  position bigint,
  subject_id bigint,
  at timestamp with time zone not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer text,
  constraint webhook_attempt_pkey PRIMARY KEY (workspace_id, webhook_id, attempt_id)
);
CREATE INDEX webhook_attempt_at ON public.webhook_attempt USING btree (at);
CREATE INDEX webhook_attempt_newest ON public.webhook_attempt USING btree (workspace_id, webhook_id, at);
CREATE INDEX webhook_attempt_subject ON public.webhook_attempt USING btree (subject_id) WHERE (subject_id IS NOT NULL);

create table webhook_token (
  workspace_id integer not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint webhook_token_pkey PRIMARY KEY (workspace_id, token_hash)
);
CREATE INDEX webhook_token_expired ON public.webhook_token USING btree (expires_at);

create table work (
  bucket integer not null,
  request_id uuid not null,
  position integer not null,
  workspace_id integer not null,
  kind text not null,
  asked jsonb,
  person_hashes text[] not null,
  state text not null,
  outcome text,
  from_bucket integer,
  from_id bigint,
  into_bucket integer,
  into_id bigint,
  accepted_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  merged_ids bigint[],
  constraint work_kind_check CHECK ((kind = ANY (ARRAY['merge'::text, 'delete'::text, 'identify'::text]))),
  constraint work_pkey PRIMARY KEY (bucket, request_id, "position"),
  constraint work_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'moving'::text, 'done'::text])))
);
CREATE INDEX work_by_person ON public.work USING gin (person_hashes);
CREATE INDEX work_by_time ON public.work USING btree (workspace_id, accepted_at, request_id, "position");
CREATE INDEX work_unfinished ON public.work USING btree (accepted_at, request_id, "position") WHERE (state <> 'done'::text);

create table workspace (
  workspace_id integer not null,
  id text not null,
  name text not null,
  settings jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  constraint workspace_id_key UNIQUE (id),
  constraint workspace_pkey PRIMARY KEY (workspace_id)
);

create sequence audit_audit_id_seq;

create sequence deleted_names_number_seq;

create sequence flow_flow_id_seq;

create view current_person as  SELECT c.profile_id,
    c.workspace_number,
    w.id AS workspace_id,
    w.name AS workspace,
    c.external_id,
    (c.digits || encode(SUBSTRING(sha256((( SELECT SUBSTRING(bit_send(((('x'::text || rpad(encode(installation.secret, 'hex'::text), 128, '0'::text)))::bit(512) # (('x'::text || repeat('5c'::text, 64)))::bit(512))) FROM 5) AS "substring"
           FROM installation) || sha256((( SELECT SUBSTRING(bit_send(((('x'::text || rpad(encode(installation.secret, 'hex'::text), 128, '0'::text)))::bit(512) # (('x'::text || repeat('36'::text, 64)))::bit(512))) FROM 5) AS "substring"
           FROM installation) || convert_to(c.digits, 'UTF8'::name))))) FROM 1 FOR 4), 'hex'::text)) AS service_id,
    c.bucket,
    c.is_merged
   FROM (( SELECT p.profile_id,
            p.bucket,
            p.workspace_id AS workspace_number,
            p.external_id,
            lpad(to_hex(p.profile_id), 16, '0'::text) AS digits,
            false AS is_merged
           FROM profile p
          WHERE (p.merged_into IS NULL)
        UNION ALL
         SELECT p.profile_id,
            p.bucket,
            p.workspace_id,
            k.external_id,
            lpad(to_hex(k.profile_id), 16, '0'::text) AS lpad,
            true
           FROM (profile p
             JOIN profile k ON (((k.profile_id = p.merged_into) AND (k.merged_into IS NULL))))
          WHERE (p.merged_into IS NOT NULL)) c
     JOIN workspace w ON ((w.workspace_id = c.workspace_number)));

create view easel_addresses as  SELECT h.workspace_id,
    h.workspace,
    h.service_id,
    h.external_id,
    h.kind,
    h.address,
    h.state,
    h.state_at,
    s.reason AS suppression_reason,
    s.at AS suppressed_at,
    COALESCE(b.count, 0) AS soft_bounces
   FROM ((( SELECT c.workspace_id,
            c.workspace,
            c.service_id,
            c.external_id,
            p.workspace_id AS workspace_number,
            'email'::text AS kind,
            p.email AS address,
            p.email_subscribe AS state,
            p.email_subscribe_at AS state_at,
            encode(sha256((( SELECT installation.secret
                   FROM installation) || convert_to(concat_ws(''::text, p.workspace_id, 'email', p.email), 'UTF8'::name))), 'hex'::text) AS hashed
           FROM (profile p
             JOIN current_person c ON (((c.profile_id = p.profile_id) AND (c.bucket <= p.bucket) AND (c.bucket >= p.bucket))))
          WHERE ((p.email IS NOT NULL) AND (p.merged_into IS NULL))
        UNION ALL
         SELECT c.workspace_id,
            c.workspace,
            c.service_id,
            c.external_id,
            p.workspace_id,
            'phone'::text,
                CASE
                    WHEN (p.phone ~ '^\+[1-9]\d{6,14}$'::text) THEN p.phone
                    WHEN ((length(p.phone) <= 64) AND (regexp_replace(p.phone, '[ .\-()[\]]'::text, ''::text, 'g'::text) ~ '^\+[1-9]\d{6,14}$'::text)) THEN regexp_replace(p.phone, '[ .\-()[\]]'::text, ''::text, 'g'::text)
                    ELSE NULL::text
                END AS "case",
            NULL::text,
            NULL::timestamp with time zone,
            NULL::text
           FROM (profile p
             JOIN current_person c ON (((c.profile_id = p.profile_id) AND (c.bucket <= p.bucket) AND (c.bucket >= p.bucket))))
          WHERE ((p.phone IS NOT NULL) AND (p.merged_into IS NULL))) h
     LEFT JOIN ( SELECT DISTINCT ON (suppression.workspace_id, suppression.kind, suppression.value) suppression.workspace_id,
            suppression.kind,
            suppression.value,
            suppression.reason,
            suppression.at
           FROM suppression
          ORDER BY suppression.workspace_id, suppression.kind, suppression.value, suppression.at, suppression.reason) s ON (((s.workspace_id = h.workspace_number) AND (s.kind = h.kind) AND (s.value = h.hashed))))
     LEFT JOIN soft_bounce b ON (((b.workspace_id = h.workspace_number) AND (b.kind = h.kind) AND (b.value = h.hashed))))
  WHERE (h.address IS NOT NULL);

create view easel_app_uses as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    u.app_id,
    a.name AS app,
    a.platform,
    u.version,
    u.sessions,
    u.first_used,
    u.last_used,
    u.uninstalled_at
   FROM ((app_use u
     JOIN current_person c ON (((c.profile_id = u.profile_id) AND (c.bucket <= u.bucket) AND (c.bucket >= u.bucket))))
     LEFT JOIN app a ON (((a.workspace_id = c.workspace_number) AND (a.id = u.app_id))));

create view easel_catalog_items as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    k.id AS catalog_id,
    k.name AS catalog,
    i.item_id,
    i.fields,
    i.updated_at
   FROM ((catalog_item i
     JOIN catalog k ON ((k.catalog_id = i.catalog_id)))
     JOIN workspace w ON ((w.workspace_id = k.workspace_id)));

create view easel_cohort_members as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    o.partner,
    o.id AS cohort_id,
    o.name AS cohort,
    m.added_at
   FROM ((cohort_member m
     JOIN current_person c ON (((c.profile_id = m.profile_id) AND (c.bucket <= m.bucket) AND (c.bucket >= m.bucket))))
     JOIN cohort o ON ((o.cohort_id = m.cohort_id)));

create view easel_decisions as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    c.service_id,
    c.external_id,
    d.asked,
    d."time",
    NULLIF(d.channel, ''::text) AS channel,
    d.reason,
        CASE
            WHEN (d.channel <> 'webhook'::text) THEN d.rule
            ELSE NULL::text
        END AS rule,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    NULLIF(d.step, ''::text) AS step,
    COALESCE(((n.outline -> 'steps'::text) ->> d.step), NULLIF(d.step, ''::text)) AS step_name,
    d.visit,
    (d.message_id)::text AS message_id,
    replace((COALESCE(e.dispatch_id, o.dispatch_id))::text, '-'::text, ''::text) AS dispatch_id,
    replace((
        CASE
            WHEN ((e.entry_id IS NOT NULL) OR (d.step <> ''::text)) THEN d.cause
            ELSE NULL::uuid
        END)::text, '-'::text, ''::text) AS entry_id
   FROM ((((((decision d
     JOIN workspace w ON ((w.workspace_id = d.workspace_id)))
     LEFT JOIN current_person c ON (((c.profile_id = d.profile_id) AND (c.bucket <= d.bucket) AND (c.bucket >= d.bucket))))
     LEFT JOIN entry e ON ((e.entry_id = d.cause)))
     LEFT JOIN dispatch o ON ((o.dispatch_id = d.cause)))
     LEFT JOIN flow f ON ((f.flow_id = d.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = d.flow_id)))
  WHERE ((d.profile_id = 0) OR (c.profile_id IS NOT NULL));

create view easel_dispatches as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    replace((d.dispatch_id)::text, '-'::text, ''::text) AS dispatch_id,
    d.class,
    d.state,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    d.send_id,
    COALESCE(s.slots, 0) AS slots,
    COALESCE(s.done, 0) AS slots_done,
    COALESCE(s.recipients, (0)::bigint) AS recipients,
    COALESCE(s.unknown, (0)::bigint) AS unknown_recipients,
    s.first_due_at,
    s.last_due_at,
    d.created_at,
    d.updated_at
   FROM (((dispatch d
     JOIN workspace w ON ((w.workspace_id = d.workspace_id)))
     LEFT JOIN ( SELECT dispatch_slot.dispatch_id,
            (count(*))::integer AS slots,
            (count(*) FILTER (WHERE (dispatch_slot.state = 'done'::text)))::integer AS done,
            (sum(dispatch_slot.expanded))::bigint AS recipients,
            sum(dispatch_slot.unknown) AS unknown,
            min(dispatch_slot.due_at) AS first_due_at,
            max(dispatch_slot.due_at) AS last_due_at
           FROM dispatch_slot
          GROUP BY dispatch_slot.dispatch_id) s ON ((s.dispatch_id = d.dispatch_id)))
     LEFT JOIN flow f ON ((f.flow_id = d.flow_id)));

create view easel_engagements as  SELECT m.workspace_id,
    m.workspace,
    m.service_id,
    m.external_id,
    (m.message_id)::text AS message_id,
    m.channel,
    m.class,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    NULLIF(m.step, ''::text) AS step,
    COALESCE(((n.outline -> 'steps'::text) ->> m.step), NULLIF(m.step, ''::text)) AS step_name,
    COALESCE(((n.outline -> 'variants'::text) ->> m.variant), m.variant) AS variant,
    m.kind,
        CASE
            WHEN ((m.kind = ANY (ARRAY['clicked'::text, 'machine_clicked'::text])) AND (m.class = 'marketing'::text)) THEN split_part(split_part(m.url, '?'::text, 1), '#'::text, 1)
            ELSE NULL::text
        END AS link,
    m.first_at,
    m.last_at,
    m.count
   FROM ((( SELECT c.workspace_id,
            c.workspace,
            c.service_id,
            c.external_id,
            m_1.message_id,
            m_1.channel,
            m_1.class,
            m_1.flow_id,
            m_1.step,
            m_1.variant,
            x.kind,
            m_1.links[(x.link + 1)] AS url,
            x.first_at,
            x.last_at,
            x.count
           FROM ((engagement x
             JOIN message m_1 ON (((m_1.message_id = x.message_id) AND (m_1.bucket <= x.bucket) AND (m_1.bucket >= x.bucket))))
             JOIN current_person c ON (((c.profile_id = m_1.profile_id) AND (c.bucket <= m_1.bucket) AND (c.bucket >= m_1.bucket))))
        UNION ALL
         SELECT c.workspace_id,
            c.workspace,
            c.service_id,
            c.external_id,
            m_1.message_id,
            m_1.channel,
            m_1.class,
            m_1.flow_id,
            m_1.step,
            m_1.variant,
            'bounced'::text,
            NULL::text,
            m_1.bounced_at,
            m_1.bounced_at,
            1
           FROM (message m_1
             JOIN current_person c ON (((c.profile_id = m_1.profile_id) AND (c.bucket <= m_1.bucket) AND (c.bucket >= m_1.bucket))))
          WHERE (m_1.bounced_at IS NOT NULL)
        UNION ALL
         SELECT c.workspace_id,
            c.workspace,
            c.service_id,
            c.external_id,
            m_1.message_id,
            m_1.channel,
            m_1.class,
            m_1.flow_id,
            m_1.step,
            m_1.variant,
            'complained'::text,
            NULL::text,
            m_1.complained_at,
            m_1.complained_at,
            1
           FROM (message m_1
             JOIN current_person c ON (((c.profile_id = m_1.profile_id) AND (c.bucket <= m_1.bucket) AND (c.bucket >= m_1.bucket))))
          WHERE (m_1.complained_at IS NOT NULL)) m
     LEFT JOIN flow f ON ((f.flow_id = m.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = m.flow_id)));

create view easel_entries as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    replace((e.entry_id)::text, '-'::text, ''::text) AS entry_id,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    e.version AS flow_version,
    e.class,
    replace((e.dispatch_id)::text, '-'::text, ''::text) AS dispatch_id,
    e.state,
    e.held AS is_held,
    e.ended,
    COALESCE(((n.outline -> 'variants'::text) ->> e.variant), e.variant) AS variant,
    e.in_control,
    NULLIF(e.step, ''::text) AS step,
    COALESCE(((n.outline -> 'steps'::text) ->> e.step), NULLIF(e.step, ''::text)) AS step_name,
    e.visit,
    e.due_at,
    e.entered_at,
    e.ended_at
   FROM (((entry e
     JOIN current_person c ON (((c.profile_id = e.profile_id) AND (c.bucket <= e.bucket) AND (c.bucket >= e.bucket))))
     LEFT JOIN flow f ON ((f.flow_id = e.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = e.flow_id)));

create view easel_entry_steps as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    replace((e.entry_id)::text, '-'::text, ''::text) AS entry_id,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    (t."position")::integer AS "position",
    (t.arrival ->> 0) AS step,
    COALESCE(((n.outline -> 'steps'::text) ->> (t.arrival ->> 0)), (t.arrival ->> 0)) AS step_name,
    to_timestamp((((t.arrival ->> 1))::double precision / (1000)::double precision)) AS arrived_at,
    NULLIF((t.arrival ->> 2), ''::text) AS path
   FROM ((((entry e
     CROSS JOIN LATERAL jsonb_array_elements(e.trail) WITH ORDINALITY t(arrival, "position"))
     JOIN current_person c ON (((c.profile_id = e.profile_id) AND (c.bucket <= e.bucket) AND (c.bucket >= e.bucket))))
     LEFT JOIN flow f ON ((f.flow_id = e.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = e.flow_id)));

create view easel_events as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    e."time",
    n.name AS event,
    n_app.name AS app_id,
    a.name AS app,
    (e.properties)::jsonb AS properties
   FROM ((((event e
     JOIN current_person c ON (((c.profile_id = e.profile_id) AND (c.bucket <= e.bucket) AND (c.bucket >= e.bucket))))
     JOIN name n ON ((n.name_id = e.name_id)))
     LEFT JOIN name n_app ON ((n_app.name_id = e.app_id)))
     LEFT JOIN app a ON (((a.workspace_id = n_app.workspace_id) AND (a.id = n_app.name))));

create view easel_flow_steps as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    (t."position")::integer AS "position",
    (t.step ->> 'id'::text) AS step,
    COALESCE((t.step ->> 'name'::text), (t.step ->> 'id'::text)) AS step_name,
    (t.step ->> 'type'::text) AS type
   FROM (((flow f
     JOIN workspace w ON ((w.workspace_id = f.workspace_id)))
     JOIN flow_version v ON (((v.flow_id = f.flow_id) AND (v.version = f.version))))
     CROSS JOIN LATERAL jsonb_array_elements(
        CASE
            WHEN (jsonb_typeof((v.definition -> 'steps'::text)) = 'array'::text) THEN (v.definition -> 'steps'::text)
            ELSE '[]'::jsonb
        END) WITH ORDINALITY t(step, "position"));

create view easel_flows as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    f.description,
    to_jsonb(f.tags) AS tags,
    f.state,
    f.class,
    f.version,
    v.created_at AS version_created_at,
    f.first_sent_at,
    f.last_sent_at,
    f.first_entry_at,
    f.last_entry_at,
    f.created_at,
    f.updated_at,
    f.deleted_at
   FROM ((flow f
     JOIN workspace w ON ((w.workspace_id = f.workspace_id)))
     LEFT JOIN flow_version v ON (((v.flow_id = f.flow_id) AND (v.version = f.version))));

create view easel_identifiers as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    'external_id'::text AS kind,
    NULL::text AS label,
    c.external_id AS value
   FROM current_person c
  WHERE ((c.external_id IS NOT NULL) AND (NOT c.is_merged))
UNION ALL
 SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    'alias'::text AS kind,
    i.alias_label AS label,
    i.alias_name AS value
   FROM (profile_alias i
     JOIN current_person c ON (((c.profile_id = i.profile_id) AND (c.bucket <= i.bucket) AND (c.bucket >= i.bucket))))
UNION ALL
 SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    'former_external_id'::text AS kind,
    NULL::text AS label,
    i.external_id AS value
   FROM (former_id i
     JOIN current_person c ON (((c.profile_id = i.profile_id) AND (c.bucket <= i.bucket) AND (c.bucket >= i.bucket))));

create view easel_messages as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    (m.message_id)::text AS message_id,
    m.channel,
    m.class,
    m.state,
    m.reason,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    m.flow_version,
    NULLIF(m.step, ''::text) AS step,
    COALESCE(((n.outline -> 'steps'::text) ->> m.step), NULLIF(m.step, ''::text)) AS step_name,
    m.visit,
    COALESCE(((n.outline -> 'variants'::text) ->> m.variant), m.variant) AS variant,
    replace((
        CASE
            WHEN (m.flow_version IS NULL) THEN m.cause
            ELSE e.dispatch_id
        END)::text, '-'::text, ''::text) AS dispatch_id,
    replace((
        CASE
            WHEN (m.flow_version IS NOT NULL) THEN m.cause
            ELSE NULL::uuid
        END)::text, '-'::text, ''::text) AS entry_id,
    m.address,
        CASE
            WHEN (m.class = 'marketing'::text) THEN m.subject
            ELSE NULL::text
        END AS subject,
    m.attempts,
    m.planned_at,
    m.due_at,
    m.ended_at,
    m.bounced_at,
    m.complained_at
   FROM ((((message m
     JOIN current_person c ON (((c.profile_id = m.profile_id) AND (c.bucket <= m.bucket) AND (c.bucket >= m.bucket))))
     LEFT JOIN entry e ON (((e.entry_id = m.cause) AND (m.flow_version IS NOT NULL))))
     LEFT JOIN flow f ON ((f.flow_id = m.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = m.flow_id)));

create view easel_people as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    p.email,
    p.phone,
    p.first_name,
    p.last_name,
    p.gender,
    p.dob,
    p.country,
    p.home_city,
    p.language,
    p.time_zone,
    p.longitude,
    p.latitude,
    p.random_bucket,
    p.email_subscribe,
    p.email_opted_in_at,
    p.email_unsubscribed_at,
    p.push_subscribe,
    p.push_opted_in_at,
    p.push_unsubscribed_at,
    p.marked_email_as_spam_at,
    p.date_of_first_session,
    p.date_of_last_session,
    p.session_count,
    p.total_revenue,
    p.attributed_campaign,
    p.attributed_source,
    p.attributed_adgroup,
    p.attributed_ad,
    p.custom AS custom_attributes,
    p.created_at,
    p.updated_at
   FROM (profile p
     JOIN current_person c ON (((c.profile_id = p.profile_id) AND (c.bucket <= p.bucket) AND (c.bucket >= p.bucket))))
  WHERE (p.merged_into IS NULL);

create view easel_purchases as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    e."time",
    n.name AS product_id,
    e.price,
    e.currency,
    e.quantity,
    (e.price * (e.quantity)::double precision) AS revenue,
    n_app.name AS app_id,
    a.name AS app,
    (e.properties)::jsonb AS properties
   FROM ((((purchase e
     JOIN current_person c ON (((c.profile_id = e.profile_id) AND (c.bucket <= e.bucket) AND (c.bucket >= e.bucket))))
     JOIN name n ON ((n.name_id = e.name_id)))
     LEFT JOIN name n_app ON ((n_app.name_id = e.app_id)))
     LEFT JOIN app a ON (((a.workspace_id = n_app.workspace_id) AND (a.id = n_app.name))));

create view easel_received as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    f.kind AS flow_kind,
    f.id AS flow_id,
    f.name AS flow,
    r.entries,
    r.last_entered_at,
    r.last_received_at,
    r.last_exited_at,
    COALESCE(((n.outline -> 'variants'::text) ->> r.variant), r.variant) AS variant,
    r.in_control,
    r.opened_at,
    r.clicked_at,
    to_jsonb(r.converted) AS converted,
    r.refused,
    r.refused_at
   FROM (((received r
     JOIN current_person c ON (((c.profile_id = r.profile_id) AND (c.bucket <= r.bucket) AND (c.bucket >= r.bucket))))
     JOIN flow f ON ((f.flow_id = r.flow_id)))
     LEFT JOIN flow_outline n ON ((n.flow_id = r.flow_id)));

create view easel_segment_sizes as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    s.id AS segment_id,
    s.name AS segment,
    z.day,
    z.size
   FROM ((segment_size z
     JOIN workspace w ON ((w.workspace_id = z.workspace_id)))
     JOIN segment s ON (((s.workspace_id = z.workspace_id) AND (s.id = z.segment_id))));

create view easel_segments as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    s.id AS segment_id,
    s.name AS segment,
    s.description,
    to_jsonb(s.tags) AS tags,
    z.size,
    z.day AS size_day,
    s.created_at,
    s.updated_at
   FROM ((segment s
     JOIN workspace w ON ((w.workspace_id = s.workspace_id)))
     LEFT JOIN LATERAL ( SELECT x.size,
            x.day
           FROM segment_size x
          WHERE ((x.workspace_id = s.workspace_id) AND (x.segment_id = s.id))
          ORDER BY x.day DESC
         LIMIT 1) z ON (true));

create view easel_subscription_groups as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    g.id AS subscription_group_id,
    g.name AS subscription_group,
    g.channel,
    g.archived AS is_archived,
    g.created_at
   FROM (subscription_group g
     JOIN workspace w ON ((w.workspace_id = g.workspace_id)));

create view easel_subscriptions as  SELECT c.workspace_id,
    c.workspace,
    c.service_id,
    c.external_id,
    g.id AS subscription_group_id,
    g.name AS subscription_group,
    g.channel,
    e.state,
    e.stamp AS state_at,
    e.state_of
   FROM ((( SELECT DISTINCT ON (s.bucket, s.profile_id, s.group_id) s.bucket,
            s.profile_id,
            s.group_id,
            s.state,
            s.stamp,
            s.state_of
           FROM ( SELECT m.bucket,
                    m.profile_id,
                    m.group_id,
                    m.state,
                    m.stamp,
                    'person'::text AS state_of
                   FROM membership m
                UNION ALL
                 SELECT h.bucket,
                    h.profile_id,
                    a.group_id,
                    a.state,
                    a.stamp,
                    'address'::text
                   FROM ((( SELECT p.bucket,
                            p.profile_id,
                            p.workspace_id,
                            'email'::text AS kind,
                            'email'::text AS channel,
                            encode(sha256((( SELECT installation.secret
                                   FROM installation) || convert_to(concat_ws(''::text, p.workspace_id, 'email', p.email), 'UTF8'::name))), 'hex'::text) AS hashed
                           FROM profile p
                          WHERE ((p.email IS NOT NULL) AND (p.merged_into IS NULL))
                        UNION ALL
                         SELECT p.bucket,
                            p.profile_id,
                            p.workspace_id,
                            'phone'::text,
                            'sms'::text,
                            encode(sha256((( SELECT installation.secret
                                   FROM installation) || convert_to(concat_ws(''::text, p.workspace_id, 'phone', p.number), 'UTF8'::name))), 'hex'::text) AS encode
                           FROM ( SELECT p_1.bucket,
                                    p_1.profile_id,
                                    p_1.workspace_id,
CASE
 WHEN (p_1.phone ~ '^\+[1-9]\d{6,14}$'::text) THEN p_1.phone
 WHEN ((length(p_1.phone) <= 64) AND (regexp_replace(p_1.phone, '[ .\-()[\]]'::text, ''::text, 'g'::text) ~ '^\+[1-9]\d{6,14}$'::text)) THEN regexp_replace(p_1.phone, '[ .\-()[\]]'::text, ''::text, 'g'::text)
 ELSE NULL::text
END AS number
                                   FROM profile p_1
                                  WHERE ((p_1.phone IS NOT NULL) AND (p_1.merged_into IS NULL))) p
                          WHERE (p.number IS NOT NULL)) h
                     JOIN address_state a ON (((a.workspace_id = h.workspace_id) AND (a.kind = h.kind) AND (a.value = h.hashed))))
                     JOIN subscription_group g_1 ON (((g_1.group_id = a.group_id) AND (g_1.channel = h.channel))))) s
          ORDER BY s.bucket, s.profile_id, s.group_id, s.stamp DESC, s.state_of DESC) e
     JOIN current_person c ON ((c.profile_id = e.profile_id)))
     JOIN subscription_group g ON ((g.group_id = e.group_id)));

create view easel_suppressions as  SELECT w.id AS workspace_id,
    w.name AS workspace,
    s.kind,
    s.address,
    s.reason,
    s.at AS suppressed_at
   FROM (suppression s
     JOIN workspace w ON ((w.workspace_id = s.workspace_id)));

create view easel_workspaces as  SELECT id AS workspace_id,
    name AS workspace,
    created_at
   FROM workspace w;
