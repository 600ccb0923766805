import type { Tx } from '../src/base/db/db.ts'
import { raw } from '../src/base/db/sql.ts'

type ViewColumn = {
  readonly view: string
  readonly about: string
  readonly name: string
  readonly type: string
  readonly meaning: string
}

const columns = `
  select c.relname::text as view, coalesce(obj_description(c.oid, 'pg_class'), '') as about, a.attname::text as name,
    case format_type(a.atttypid, a.atttypmod) when 'timestamp with time zone' then 'timestamptz'
      else format_type(a.atttypid, a.atttypmod) end as type,
    coalesce(col_description(c.oid, a.attnum), '') as meaning
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and c.relname like 'easel\\_%'
  order by c.relname, a.attnum`

/** Returns the columns of the views for analysts, with what the comments of the database say of them. */
export function listViewColumns(db: Tx): Promise<ViewColumn[]> {
  return db.query<ViewColumn>(raw(columns))
}

/** Returns the page that lists the views for analysts and their columns. */
export async function printViews(db: Tx): Promise<string> {
  const views = Map.groupBy(await listViewColumns(db), ({ view }) => view)
  const head = `# Views for analysts

What each column has. [SQL for analysts](sql.md) says how to read them. Names and columns are a promise: later versions add some, and rename
or remove none. Written by \`npm run generate\` from the comments in the database, which \`\\d+ easel_people\` shows in \`psql\` too.`
  const parts = [...views].map(([view, all]) => {
    const rows = all.map(({ name, type, meaning }) => `| \`${name}\` | ${type} | ${meaning.replaceAll('|', '\\|')} |`)
    return `## ${view}\n\n${all[0]!.about}\n\n| column | type | meaning |\n|---|---|---|\n${rows.join('\n')}`
  })
  return `${[head, ...parts].join('\n\n')}\n`
}
