import type { Tx } from '../src/base/db/db.ts'
import { raw } from '../src/base/db/sql.ts'

type Column = { readonly table: string; readonly text: string }
type Table = { readonly table: string; readonly tail: string }
type Line = { readonly table: string; readonly text: string }

/** All tables except the weekly partitions, which depend on the clock. */
const isKept = `c.relnamespace = 'public'::regnamespace and not (c.relispartition and c.relname ~ '_[0-9]+')`

const tables = `
  select c.relname as table,
    coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
      || coalesce(' -- partition of ' || i.inhparent::regclass || ' ' || pg_get_expr(c.relpartbound, c.oid), '')
      || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as tail
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid
  where c.relkind in ('r', 'p') and ${isKept} order by 1`

const columns = `
  select c.relname as table,
    a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
         else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end as text
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and ${isKept} order by c.relname, a.attnum`

const constraints = `
  select c.relname as table, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as text
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.contype <> 'n' and ${isKept} order by c.relname, k.conname`

const indexes = `
  select c.relname as table, pg_get_indexdef(x.indexrelid) as text
  from pg_index x join pg_class c on c.oid = x.indrelid
  where ${isKept} and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.conrelid = c.oid)
  order by c.relname, x.indexrelid::regclass::text`

const rest = `
  select '' as table, text from (
    select pg_get_functiondef(p.oid) || ';' as text from pg_proc p where p.pronamespace = 'public'::regnamespace
    union all
    select 'create sequence ' || c.relname || ';' from pg_class c where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace
    union all
    select 'create view ' || c.relname || ' as ' || pg_get_viewdef(c.oid) from pg_class c
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
  ) s order by text`

/** Returns the schema of a migrated database as text, read from the catalog, so that a reviewer sees what a migration changes. */
export async function printSchema(db: Tx): Promise<string> {
  const read = <T extends object>(text: string) => db.query<T>(raw(text))
  const [all, cells, rules, keys, others] = [
    await read<Table>(tables),
    await read<Column>(columns),
    await read<Line>(constraints),
    await read<Line>(indexes),
    await read<Line>(rest),
  ]
  const parts = all.map(({ table, tail }) => {
    const own = (lines: readonly Line[]) => lines.filter((line) => line.table === table).map(({ text }) => text)
    const body = [...own(cells), ...own(rules)].map((line) => `  ${line}`).join(',\n')
    return [`create table ${table} (\n${body}\n)${tail};`, ...own(keys).map((key) => `${key};`)].join('\n')
  })
  const head = '-- The schema after all migrations, without the weekly partitions. Written by npm run generate.'
  return `${[head, ...parts, ...others.map(({ text }) => text)].join('\n\n')}\n`
}
