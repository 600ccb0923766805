-- Pages on which people choose their mail, written by an administrator.
create table preference_center (
  workspace_id int not null,
  id           text not null,
  name         text not null,
  title        text not null,
  page_html    text not null,
  -- shown after the form was saved
  confirmation_html text not null,
  -- {"meta-viewport-content", "link-tags": [{rel, type, sizes, href}]}
  options      jsonb not null,
  state        text not null check (state in ('active', 'draft')),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);
