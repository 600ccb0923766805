-- Requests to /transactional/v1/campaigns/{campaign_id}/send: the same external_send_id sends once, and the status of the mail is told to
-- a URL of the workspace.
create table transactional_send (
  dispatch_id      uuid primary key,
  workspace_id     int not null,
  campaign_id      text not null,
  external_send_id text,
  -- whether a request with the same external_send_id gets the answer of this one; until expires_at, machine time
  is_current       boolean not null,
  expires_at       timestamptz not null,
  accepted_at      timestamptz not null,
  -- how the mail ended: a reason of the ledger; null while it is open
  reason           text,
  ended_at         timestamptz,
  delivered_at     timestamptz,
  -- how many events were told, and how often the next one was tried
  told             int not null default 0,
  attempts         int not null default 0,
  -- when to look or to try again, machine time; null when there is nothing to tell
  due_at           timestamptz
);
create unique index transactional_send_once on transactional_send (workspace_id, external_send_id) where is_current;
create index transactional_send_due on transactional_send (due_at) where due_at is not null;
create index transactional_send_expired on transactional_send (expires_at);
