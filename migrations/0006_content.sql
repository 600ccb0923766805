-- Catalogs, content blocks and templates.

-- All items of a catalog are in one bucket, that of its workspace and name, so that a look-up, a page, a selection and a write reach
-- one shard each. The primary key is the order of the list.
create table catalog (
  catalog_id   int primary key,
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  -- [{name, type, token}], id first; items name a field by its token, and a token is never used again
  fields       jsonb not null,
  next_token   int not null,
  -- totals of its items; a transaction that writes items locks this row
  num_items    int not null default 0,
  storage_size bigint not null default 0,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, name)
);

create table catalog_selection (
  catalog_id    int not null,
  name          text not null,
  description   text not null default '',
  -- {filters: [{field, operator, value}], results_limit, sort_field, sort_order}
  definition    jsonb not null,
  created_at    timestamptz not null,
  primary key (catalog_id, name)
);

create table catalog_item (
  bucket     int not null,
  catalog_id int not null,
  item_id    text collate "C" not null,
  -- values by token, each of the type of its field; null values are left out
  fields     jsonb not null,
  updated_at timestamptz not null,
  primary key (bucket, catalog_id, item_id)
);

-- What was deleted and is still stored in items: a whole catalog, or the values of one field. It is cleared page by page.
create table catalog_cleanup (
  catalog_id   int not null,
  -- empty for the whole catalog
  token        text not null,
  workspace_id int not null,
  name         text not null,
  primary key (catalog_id, token)
);

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

-- Names are not unique: messages refer to a template by its id.
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
