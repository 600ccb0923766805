--! breaking
--! long
-- The webhooks of canvases are messages from now on, as all others. Entries that wait for the answer of one run their step again, which
-- queues the message: its key is that of the earlier calls, so a receiver recognizes a repetition. A paused flow did not hold such entries
-- back, because their calls looked at its state; now it holds them back as all others.
update entry e set state = 'arriving', due_at = e.entered_at, held = f.state = 'paused'
from flow f where f.flow_id = e.flow_id and e.state = 'calling';
drop index entry_calling;
alter table entry drop column lease, drop column leased_until, drop column attempts, drop constraint entry_state_check,
  add constraint entry_state_check check (state in ('arriving', 'waiting', 'listening', 'sending', 'ended'));
comment on column easel_entries.state is 'arriving, waiting, listening, sending or ended.';
