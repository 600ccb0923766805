-- The audit also has requests that were observed: reading people, downloads, refusals. Unlike changes they are not recorded in the
-- transaction of a write, and each kind is kept for a time of its own.
alter table audit drop constraint audit_actor_kind_check;
alter table audit add constraint audit_actor_kind_check
  check (actor_kind in ('account', 'scim', 'admin', 'system', 'key', 'anonymous'));
-- change: in the transaction of a write; access: observed, of a known caller; refusal: observed, anybody can cause it
alter table audit add column kind text not null default 'change' check (kind in ('change', 'access', 'refusal'));
create index audit_by_kind on audit (kind, audit_id);
