-- What the service must be able to say again, such as passwords, is encrypted with the installation's secret: whoever reads a dump
-- without its row of `installation` reads nothing.

create table credential (
  id           text not null,
  workspace_id int not null,
  name         text not null,
  user_name    text not null,
  password     bytea not null,
  -- where it may be sent: origins such as https://files.example.com; empty for anywhere
  origins      text[] not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

create table dkim_key (
  id           text not null,
  workspace_id int not null,
  -- the domain of From that it signs, with its subdomains
  name         text not null,
  selector     text not null,
  private_key  bytea not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);
