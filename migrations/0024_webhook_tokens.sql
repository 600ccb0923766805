-- Words that requests of a mail provider were signed with: each is good for one request, whichever process takes it. Machine time.
create table webhook_token (
  workspace_id int not null,
  -- sha256 of the word
  token_hash   bytea not null,
  -- while its request is noted, soon: a process may die of it; then the end of the time in which the signature is good
  expires_at   timestamptz not null,
  primary key (workspace_id, token_hash)
);
create index webhook_token_expired on webhook_token (expires_at);
