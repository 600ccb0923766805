-- Catalogs are small and shared. The items of one are together in the bucket of its workspace and name, so that a look-up, a page, a
-- selection and a write reach one shard each, and the primary key is the order of the list.

create table catalog (
  catalog_id   int primary key,
  workspace_id int not null,
  id           text not null,
  name         text not null,
  description  text not null default '',
  -- [{name, type, token}], the first is id; a token stands for the field in items and is never given again
  fields       jsonb not null,
  next_token   int not null,
  -- what its items come to: whoever writes items holds this row
  num_items    int not null default 0,
  storage_size bigint not null default 0,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, name)
);
insert into counter (name, value) values ('catalog', 0);

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
  -- values by token, each as its field's type wants it; what is null is not in it
  fields     jsonb not null,
  updated_at timestamptz not null,
  primary key (bucket, catalog_id, item_id)
);

-- What is gone for everybody and still in items: a whole catalog, or the values of one of its fields. Cleared page by page.
create table catalog_remains (
  catalog_id   int not null,
  -- empty for the whole catalog
  token        text not null,
  workspace_id int not null,
  name         text not null,
  primary key (catalog_id, token)
);
