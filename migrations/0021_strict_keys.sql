-- A strict key: an object of which a part would not be kept is refused.
alter table api_key add column strict boolean not null default false;
