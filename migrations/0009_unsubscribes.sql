-- Who has unsubscribed, by time. Few people are in it, and only a change of the state or of the address touches it: other updates
-- of a person stay HOT.
create index profile_unsubscribed on profile (workspace_id, email_unsubscribed_at, email)
  where email_subscribe = 'unsubscribed';

-- What was said of e-mail addresses themselves, asked whenever somebody gets one: far fewer than states of groups.
create index address_state_own on address_state (bucket, value) where group_id = 0;
