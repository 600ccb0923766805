-- The list of people begins with the newest. The columns do not change after a person is made, so updates of people stay cheap.
create index profile_newest on profile (workspace_id, created_at, profile_id) where merged_into is null;
