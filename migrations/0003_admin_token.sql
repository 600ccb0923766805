-- sha256 of the token that opens /admin; its text is shown once and kept nowhere.
alter table installation add column admin_token_hash bytea;
