-- How often the process ended while it prepared the message. Such a message is prepared alone, and set aside in the end.
alter table message add column crashes smallint not null default 0;
create index message_suspect on message (workspace_id, class, due_at) where state = 'queued' and crashes > 0;
create index message_set_aside on message (workspace_id, ended_at) where reason = 'set_aside';
