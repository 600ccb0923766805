-- What administrators write of a canvas or a campaign before they publish it. There may be no flow with this id yet.
create table flow_draft (
  workspace_id int not null,
  kind         text not null check (kind in ('canvas', 'campaign')),
  -- the canvas_id or campaign_id of the interface
  id           text not null,
  -- of the definition, for lists; empty when it has none
  name         text not null,
  -- JSON as answers show it, without the texts of secret headers. A draft may have what no definition may have, so it is kept as text
  definition   text not null,
  -- the encrypted texts of secret headers, as JSON; null when there are none
  secrets      bytea,
  -- of the definition
  bytes        int not null,
  -- the version of the flow that the draft began with; null for a flow that did not exist
  base_version int,
  author_kind  text not null,
  author_id    text not null,
  author_name  text not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, kind, id)
);
