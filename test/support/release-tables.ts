import { createHash } from 'node:crypto'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'

/** The rows of a table: its columns, and a checksum of what is in them, without regard to their order. */
export type TableContent = { readonly columns: readonly string[]; readonly rows: number; readonly checksum: string }

/** Returns the tables with rows. With `only`, the columns of those tables, whatever the tables have more by now. */
export async function contentOfTables(
  db: Db,
  only?: Readonly<Record<string, TableContent>>,
): Promise<Record<string, TableContent>> {
  const columns = await db.query<{ table_name: string; names: string[] }>(sql`
    select c.relname as table_name, array_agg(a.attname::text order by a.attname) as names
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname`)
  const content: Record<string, TableContent> = {}
  for (const { table_name, names } of columns) {
    const wanted = only ? (only[table_name]?.columns ?? []).filter((name) => names.includes(name)) : names
    if (wanted.length === 0) continue
    const list = wanted.map((name) => `"${name}"`).join(', ')
    const rows = await db.query<{ row: string }>(
      raw(`select row_to_json(t)::text as row from (select ${list} from "${table_name}") t`),
    )
    if (rows.length === 0) continue
    const text = rows
      .map(({ row }) => row)
      .sort()
      .join('\n')
    content[table_name] = {
      columns: wanted,
      rows: rows.length,
      checksum: createHash('sha256').update(text).digest('hex'),
    }
  }
  return content
}
