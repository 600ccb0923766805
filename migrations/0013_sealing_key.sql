-- The key of encrypted secrets, itself encrypted with a root secret that is not in the database. Null: `secret` is their key, so that a
-- backup of the database alone reveals them.
alter table installation add column sealing_key bytea;
-- which root secret opens the sealing key
alter table installation add column root_key_id text;
alter table installation add check ((sealing_key is null) = (root_key_id is null));
