--! long
-- Messages are claimed channel by channel: the backlog of one channel is not read for another.
create index message_waiting on message (workspace_id, channel, class, due_at) where state = 'queued';
drop index message_queued;
-- The inbox keeps the messages of every channel without a transport.
alter table inbox add column channel text not null default 'email';
