-- Attributes of accounts that identity providers send: the job title, the kind of user, and addresses of instant messaging.
alter table account add column title text, add column user_type text, add column ims jsonb not null default '[]';
