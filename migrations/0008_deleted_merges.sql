-- The profiles that had been merged into a deleted one: some of their history may still have to go with it.
alter table work add column absorbed_ids bigint[];
