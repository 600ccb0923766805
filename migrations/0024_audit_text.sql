-- The texts of audit rows that may name a person, so that a deletion finds them: e-mail addresses in lower case, phone numbers, and values
-- that conditions and lists compare people with (src/workspace/audit/text-store.ts).
create table audit_text (
  text         text not null,
  audit_id     bigint not null,
  -- 0 for a row that concerns the whole installation
  workspace_id int not null,
  -- a person with this text was deleted; the row of the audit still has it
  is_erased    boolean not null default false,
  primary key (text, audit_id)
);
create index audit_text_by_row on audit_text (audit_id);
create index audit_text_erased on audit_text (audit_id) where is_erased;

insert into audit_text (text, audit_id, workspace_id)
select distinct t.text, a.audit_id, coalesce(a.workspace_id, 0)
from audit a cross join lateral (
  select lower(v #>> '{}') as text
  from jsonb_path_query(jsonb_build_array(a.before, a.after),
    'strict $.** ? (@.type() == "string" && @ like_regex "^[^@ ]+@[^@ ]+$|^[+][1-9][0-9]{6,14}$")') v
  union all
  select v #>> '{}'
  from jsonb_path_query(jsonb_build_array(a.before, a.after),
    'lax $.** ? (@.type() == "object").keyvalue() ? (@.key == "value" || @.key == "external_id" || @.key == "external_ids"
      || @.key == "reserved_external_ids" || @.key == "alias_name").value[*]
      ? (@.type() == "string" && !(@ like_regex "^[^@ ]+@[^@ ]+$|^[+][1-9][0-9]{6,14}$"))') v) t
where a.kind = 'change' and a.target_kind <> 'account' and octet_length(t.text) between 1 and 1000;
