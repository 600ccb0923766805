-- A flow is a canvas or a campaign, which is a canvas of one message. What it does is a version, and versions never change: whoever has
-- entered stays on the one that was current then.
create table flow (
  flow_id      int generated always as identity primary key,
  workspace_id int not null,
  kind         text not null check (kind in ('canvas', 'campaign')),
  -- the canvas_id or campaign_id of the interface
  id           text not null,
  name         text not null,
  description  text not null default '',
  tags         text[] not null default '{}',
  state        text not null check (state in ('draft', 'active', 'paused', 'archived')),
  class        text not null check (class in ('marketing', 'transactional')),
  -- the version whom enters now gets
  version      int not null,
  -- when its schedule is planned next; business time, null where it has none
  plan_at      timestamptz,
  -- its state has changed, and entries and messages of it have not followed yet
  unsettled    boolean not null default false,
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- it was deleted: nobody is shown it any more, and its row stays for what people received of it
  deleted_at   timestamptz,
  unique (workspace_id, kind, id)
);
create index flow_plan on flow (plan_at) where plan_at is not null;
create index flow_unsettled on flow (updated_at) where unsettled;

create table flow_version (
  flow_id    int not null,
  version    int not null,
  -- as the workspace file gives it: flows/schema.ts
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (flow_id, version)
);

-- What flows listen to: of everything that happens only this is written down as a signal. A row for each name; '' stands for all.
create table watched (
  workspace_id int not null,
  kind         text not null check (kind in ('event', 'purchase', 'attribute', 'engagement')),
  name         text not null,
  -- whether a change wakes somebody; otherwise it is only kept, so that it can be told later
  signals      boolean not null,
  since        timestamptz not null,
  primary key (workspace_id, kind, name)
);
insert into version (name, number) values ('watched', 1);

-- Identifiers under which sends of a campaign are counted.
create table send (
  workspace_id int not null,
  send_id      text not null,
  flow_id      int not null,
  created_at   timestamptz not null,
  primary key (workspace_id, send_id)
);
