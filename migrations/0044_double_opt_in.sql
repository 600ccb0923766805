-- Double opt-in: a person is in a group only after a button behind a link in a mail was pressed.
-- {"enabled", "from", "reply_to", "subject", "body", "plaintext_body", "valid_hours", "sends_max", "through_api", "language", "texts"}
alter table subscription_group add column double_opt_in jsonb;

-- What people were asked to confirm. A row that was confirmed stays: it proves the consent.
create table confirmation (
  bucket          int not null,
  profile_id      bigint not null,
  group_id        int not null,
  -- in the link, with a signature; a link that was replaced has another one
  confirmation_id bigint not null,
  workspace_id    int not null,
  -- the e-mail address that the mail went to
  address         text not null,
  source          text not null check (source in ('form', 'api', 'preferences')),
  form_id         text,
  -- of the built-in wording
  language        text not null,
  requested_at    timestamptz not null,
  -- networks of the people who asked and confirmed, not their whole IP addresses; null when it is not known
  requested_from  text,
  -- the last mail
  dispatch_id     uuid not null,
  sent_at         timestamptz not null,
  sent_count      int not null,
  expires_at      timestamptz not null,
  confirmed_at    timestamptz,
  confirmed_from  text,
  primary key (bucket, profile_id, group_id)
);
create index confirmation_open on confirmation (expires_at) where confirmed_at is null;
create index confirmation_newest on confirmation (workspace_id, group_id, requested_at, confirmation_id);

-- Pages on which people sign up for a group.
create table sign_up_form (
  workspace_id          int not null,
  id                    text not null,
  name                  text not null,
  subscription_group_id text not null,
  state                 text not null check (state in ('active', 'paused')),
  -- the other members of the entry in the workspace file
  definition            jsonb not null,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

-- How often forms were used, by hashes of who used them; machine time.
create table sign_up_attempt (
  key      bytea primary key,
  count    int not null,
  began_at timestamptz not null
);
create index sign_up_attempt_old on sign_up_attempt (began_at);
