-- The account of an identity provider that signs in as an account of the dashboard, bound at the first sign-in.
create table sign_in_identity (
  issuer      text not null,
  subject     text not null,
  account_id  uuid not null,
  bound_at    timestamptz not null,
  primary key (issuer, subject),
  unique (issuer, account_id)
);
-- removing or forgetting the account
create index sign_in_identity_by_account on sign_in_identity (account_id);
