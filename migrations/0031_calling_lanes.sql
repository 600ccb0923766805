-- Webhooks are called of every workspace its share.
drop index entry_calling;
create index entry_calling on entry (workspace_id, class, due_at) where state = 'calling';
