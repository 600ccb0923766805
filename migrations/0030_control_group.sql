-- An export without a segment has the people of the global control group.
alter table segment_export alter column segment_id drop not null;
create unique index segment_export_open_group on segment_export (workspace_id)
  where segment_id is null and state in ('waiting', 'running');
