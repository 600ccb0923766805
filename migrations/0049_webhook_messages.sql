--! long
-- The webhooks of canvases are messages from now on, as all others. Entries that wait for the answer of one run their step again, which
-- queues the message: its key is that of the earlier calls, so a receiver recognizes a repetition.
update entry set state = 'arriving', due_at = entered_at, lease = null, leased_until = null where state = 'calling';
drop index entry_calling;
