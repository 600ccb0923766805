import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { inBuckets } from '../conditions/joins-store.ts'
import { inRange, type PeopleRange } from '../conditions/select-people-store.ts'

/** A name that some people of a sample have. `types` are those of JSON; `examples` are JSON texts, the most frequent first. */
export type SampledName = { name: string; people: number; types: string[]; examples: string[] }

/** Events or purchases that are read of all people of a sample together. */
const happenedMax = 100_000
/** Bytes of an example as JSON. */
const exampleBytesMax = 200

export type NameQuestion = { readonly prefix: string; readonly limit: number; readonly examples: number }

/** Counts the people of a range. */
export async function countRange(tx: Tx, workspace_id: number, range: PeopleRange): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from profile p where ${inRange(tx, workspace_id, range)}`)
  return row!.count
}

/** Lists the custom attributes that the people of a range have, those of most people first. */
export function sampleAttributes(
  tx: Tx,
  workspace_id: number,
  range: PeopleRange,
  question: NameQuestion,
): Promise<SampledName[]> {
  const found = sql`
    select p.profile_id, a.key as name, a.value from profile p cross join lateral jsonb_each(p.custom) a(key, value)
    where ${inRange(tx, workspace_id, range)} and ${begins(raw('a.key'), question.prefix)}`
  return describeValues(tx, found, question)
}

/** Lists the properties that an event had for the people of a range, those of most people first. */
export function sampleProperties(
  tx: Tx,
  workspace_id: number,
  range: PeopleRange,
  name_id: number,
  question: NameQuestion,
): Promise<SampledName[]> {
  const found = sql`
    select h.profile_id, a.key as name, a.value
    from (${happened(tx, 'event', workspace_id, range, sql`e.name_id = ${name_id}::int4 and e.properties is not null`)}) h
    cross join lateral jsonb_each(h.properties::jsonb) a(key, value) where ${begins(raw('a.key'), question.prefix)}`
  return describeValues(tx, found, question)
}

/** Lists the names of events, or the ids of products, that the people of a range have in their history, those of most people first. */
export function sampleHistory(
  tx: Tx,
  workspace_id: number,
  range: PeopleRange,
  kind: 'event' | 'product',
  { prefix, limit }: NameQuestion,
): Promise<SampledName[]> {
  return tx.query<SampledName>(sql`
    select n.name, count(distinct h.profile_id)::int4 as people, '{}'::text[] as types, '{}'::text[] as examples
    from (${happened(tx, kind === 'event' ? 'event' : 'purchase', workspace_id, range, raw('true'))}) h
    join name n on n.name_id = h.name_id
    where ${begins(raw('n.name'), prefix)} group by n.name order by people desc, n.name collate "C" limit ${limit}::int4`)
}

/** Lists the first names of a kind that begin with a text, in the order of their characters. */
export async function listNamesFrom(
  tx: Tx,
  workspace_id: number,
  kind: 'attribute' | 'event' | 'product',
  { prefix, limit }: NameQuestion,
): Promise<string[]> {
  const ofKind = kind === 'attribute' ? raw('attribute_name n where true') : sql`name n where n.kind = ${kind}`
  const rows = await tx.query<{ name: string }>(sql`
    select n.name from ${ofKind} and n.workspace_id = ${workspace_id}::int4 and ${begins(raw('n.name'), prefix)}
    order by n.name collate "C" limit ${limit}::int4`)
  return rows.map(({ name }) => name)
}

function happened(tx: Tx, table: 'event' | 'purchase', workspace_id: number, range: PeopleRange, which: Sql): Sql {
  return sql`
    select e.profile_id, e.name_id, e.properties from profile p join ${raw(table)} e on e.bucket = p.bucket and e.profile_id = p.profile_id
    where ${inRange(tx, workspace_id, range)} and ${inBuckets('e', range.buckets)} and ${which}
    limit ${happenedMax}::int4`
}

function describeValues(tx: Tx, found: Sql, { limit, examples }: NameQuestion): Promise<SampledName[]> {
  const isExample = sql`
    jsonb_typeof(f.value) in ('string', 'number', 'boolean') and octet_length(f.value::text) <= ${exampleBytesMax}::int4`
  return tx.query<SampledName>(sql`
    with found as materialized (${found}),
    named as (
      select name, count(distinct profile_id)::int4 as people, array_agg(distinct jsonb_typeof(value)) as types
      from found group by name order by people desc, name collate "C" limit ${limit}::int4),
    valued as (
      select f.name, f.value::text as text,
        row_number() over (partition by f.name order by count(*) desc, f.value::text collate "C") as position
      from found f join named n on n.name = f.name where ${isExample} group by f.name, f.value)
    select n.name, n.people, n.types,
      coalesce(array_agg(v.text order by v.position) filter (where v.text is not null), '{}') as examples
    from named n left join valued v on v.name = n.name and v.position <= ${examples}::int4
    group by n.name, n.people, n.types order by n.people desc, n.name collate "C"`)
}

function begins(name: Sql, prefix: string): Sql {
  return sql`starts_with(lower(${name}), lower(${prefix}::text))`
}
