-- The steps at which an entry has arrived, as `messaging/entries/trail.ts` writes them. Entries from before have an empty trail.
alter table entry add column trail jsonb not null default '[]';

-- The entries of a canvas or a campaign, newest first. The expression keeps statements about one person's entries away from this index: a
-- planner that takes the table for small would read all people of the flow.
create index entry_of_flow on entry ((flow_id + 0), entered_at, entry_id);
