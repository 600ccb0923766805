-- The link that makes the first administrator is derived from the secret of the installation and has no row.
delete from sign_in_link where account_id is null;
alter table sign_in_link alter column account_id set not null;
