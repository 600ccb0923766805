-- Administrators list messages, newest first. They decide that an uncertain message is left as it is.
create index message_newest on message (workspace_id, planned_at, message_id);
alter table message add column left_at timestamptz;
