-- The names of custom attributes that a workspace has had, and the data types of their values as the bits of one number: 1 boolean,
-- 2 number, 4 string, 8 time, 16 array, 32 object, 64 array of objects.
create table attribute_name (
  workspace_id int not null,
  name         text not null,
  types        int not null,
  primary key (workspace_id, name)
);

-- What people have already, the names of most people first: a workspace has at most 10,000.
insert into attribute_name (workspace_id, name, types)
select workspace_id, name, types
from (
  select workspace_id, name, bit_or(type) as types,
    row_number() over (partition by workspace_id order by sum(people) desc, name collate "C") as position
  from (
    select workspace_id, name, type, count(*) as people
    from (
      select p.workspace_id, c.key as name,
        case jsonb_typeof(c.value)
          when 'boolean' then 1
          when 'number' then 2
          when 'string' then case when p.typed ? c.key then 8 else 4 end
          when 'array' then case when c.value @? '$[*] ? (@.type() == "object")' then 64 else 16 end
          when 'object' then 32
        end as type
      from profile p cross join lateral jsonb_each(p.custom) c
      where p.merged_into is null and p.custom <> '{}') each_value
    where type is not null
    group by workspace_id, name, type) each_type
  group by workspace_id, name) each_name
where position <= 10000;
