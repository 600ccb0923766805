-- Pieces of text that messages are made of: small and shared.

create table content_block (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  content      text not null,
  -- names of the blocks that the content mentions
  mentions     text[] not null default '{}',
  state        text not null check (state in ('active', 'draft')),
  tags         text[] not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

-- Names may repeat: messages name a template by its id.
create table email_template (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  subject      text not null default '',
  preheader    text,
  body         text not null default '',
  plaintext_body text,
  should_inline_css boolean,
  tags         text[] not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id)
);
