-- Confirmations by text message. keyword: what the person replies, in capitals without spaces and marks; null for a mail with a link.
alter table confirmation add column keyword text;
-- SHA-256 of the tokens in links that other installations have sent, from which the person was imported; in hexadecimal.
alter table confirmation add column link_hashes text[] not null default '{}';
