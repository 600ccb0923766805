-- Ids that identity providers give to the roles and teams that SCIM shows as groups.

create table scim_group (
  group_id     text primary key,
  external_id  text not null
);
