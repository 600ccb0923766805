-- Provisioning: tokens that may not grant, and names of roles that are unique also for the database.

alter table scim_token add column may_grant boolean not null default true;

-- Deferrable, so that one statement can exchange two names.
alter table role add constraint role_by_name unique (workspace_id, name) deferrable initially immediate;
alter table permission_set add constraint permission_set_by_name unique (workspace_id, name) deferrable initially immediate;
alter table team add constraint team_by_name unique (workspace_id, name) deferrable initially immediate;
