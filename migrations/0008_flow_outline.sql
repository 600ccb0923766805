-- What exported people and backups say of a canvas or campaign: of its current version the names of variants, steps and conversions.
-- It belongs to what people have received, and is written in the transaction that defines the flow. Rows of deleted flows stay.
create table flow_outline (
  flow_id      int primary key,
  workspace_id int not null,
  kind         text not null check (kind in ('canvas', 'campaign')),
  -- the canvas_id or campaign_id of the interface
  id           text not null,
  name         text not null,
  -- of the definition; an outline of one version never changes
  version      int not null,
  -- {variants: {id: name}, steps: {id: name}, conversions: [name], control_percent}
  outline      jsonb not null,
  unique (workspace_id, kind, id)
);

insert into flow_outline (flow_id, workspace_id, kind, id, name, version, outline)
select f.flow_id, f.workspace_id, f.kind, f.id, f.name, f.version, jsonb_build_object(
  'variants', coalesce((
    select jsonb_object_agg(coalesce(n.given_id, regexp_replace(
      -- the id of a variant without one is made of the flow's id and its own name
      left(encode(sha256(convert_to('[' || to_json(f.id)::text || ',' || to_json(n.name)::text || ']', 'UTF8')), 'hex'), 32),
      '^(.{8})(.{4})(.{4})(.{4})(.{12})$', '\1-\2-\3-\4-\5')), n.name)
    from (
      select m.item ->> 'id' as given_id, coalesce(m.item ->> 'name', 'Variant ' || m.n) as name
      from jsonb_array_elements(case
        when f.kind = 'campaign' then v.definition -> 'messages'
        when jsonb_typeof(v.definition -> 'variants') = 'array' then v.definition -> 'variants'
        else '[{}]' end) with ordinality m(item, n)) n), '{}'),
  'steps', coalesce((
    select jsonb_object_agg(s.item ->> 'id', coalesce(s.item ->> 'name', s.item ->> 'id'))
    from jsonb_array_elements(case when f.kind = 'canvas' then v.definition -> 'steps' else '[]' end) s(item)), '{}'),
  'conversions', coalesce((
    select jsonb_agg(coalesce(c.item ->> 'name', 'Primary Conversion Event - ' || chr(64 + c.n::int)) order by c.n)
    from jsonb_array_elements(case
      when jsonb_typeof(v.definition -> 'conversions') = 'array' then v.definition -> 'conversions' else '[]' end)
      with ordinality c(item, n)), '[]'),
  'control_percent', coalesce(v.definition -> 'control_percent', '0'))
from flow f join flow_version v on v.flow_id = f.flow_id and v.version = f.version;
