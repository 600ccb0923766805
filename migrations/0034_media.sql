-- Pictures and documents for messages, at an address that is made of their hash.
create table media (
  -- SHA-256 in hexadecimal digits
  hash         text not null,
  workspace_id int not null,
  extension    text not null check (extension in ('png', 'jpg', 'gif', 'pdf')),
  name         text not null,
  -- bytes of the content
  size         int not null,
  content      bytea not null,
  created_at   timestamptz not null,
  primary key (hash, workspace_id)
);
create index media_workspace on media (workspace_id);
-- These files are packed already.
alter table media alter column content set storage external;
