import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, sql } from '../../base/db/sql.ts'

/** A table with rows of its own: not a partitioned one, but each of its partitions. */
export type StoredTable = { readonly name: string; readonly bytes: number; readonly columns: readonly string[] }

/** Where the rows of a copy are, and where its sequences were. */
export type Copy = {
  /** The schema with a table for each table that had rows. */
  readonly schema: string
  readonly tables: readonly string[]
  readonly sequences: readonly { readonly name: string; readonly last: string }[]
  readonly bytes: number
}

/** Emptying a larger table takes longer than making it anew. */
const deleteBytesMax = 65_536
/** The migrations of a database never change while it is open. */
const constantTable = 'migration'

/** Lists the tables that have had rows since they were created, by name. */
export async function listFilledTables(tx: Tx): Promise<StoredTable[]> {
  const rows = await tx.query<{ name: string; bytes: string; columns: string[] }>(sql`
    select c.relname::text as name, pg_relation_size(c.oid)::int8 as bytes,
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> ${constantTable}
      and pg_relation_size(c.oid) > 0
    order by c.relname`)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** Copies rows of tables into a schema of their own, which replaces one of the same name. `scopes` limits the rows of a table. */
export async function createCopy(
  tx: Tx,
  schema: string,
  tables: readonly StoredTable[],
  scopes?: ReadonlyMap<string, string>,
): Promise<Copy> {
  const creations = tables.map(({ name }) => {
    const scope = scopes?.get(name)
    return `create unlogged table ${schema}."${name}" as select * from only "${name}"${scope === undefined ? '' : ` t where ${scope}`}`
  })
  await tx.query(raw([`drop schema if exists ${schema} cascade`, `create schema ${schema}`, ...creations].join(';\n')))
  const sequences = await tx.query<{ name: string; last: string }>(sql`
    select sequencename::text as name, last_value as last from pg_sequences where schemaname = 'public' and last_value is not null`)
  const [size] = await tx.query<{ bytes: string }>(sql`
    select coalesce(sum(pg_total_relation_size(oid)), 0)::int8 as bytes from pg_class
    where relnamespace = ${schema}::regnamespace and relkind = 'r'`)
  return { schema, tables: tables.map(({ name }) => name), sequences, bytes: Number(size!.bytes) }
}

export async function dropCopy(tx: Tx, { schema }: Pick<Copy, 'schema'>): Promise<void> {
  await tx.query(raw(`drop schema if exists ${schema} cascade`))
}

/** Removes all rows, and inserts those of the copy. */
export async function restoreAll(tx: Tx, copy: Copy): Promise<void> {
  const filled = await listFilledTables(tx)
  const large = filled.filter(({ bytes }) => bytes > deleteBytesMax).map(({ name }) => `"${name}"`)
  const small = filled.filter(({ bytes }) => bytes <= deleteBytesMax)
  const known = new Map(copy.sequences.map(({ name, last }) => [name, last]))
  const sequences = await tx.query<{ name: string }>(sql`
    select sequencename::text as name from pg_sequences where schemaname = 'public' and last_value is not null`)
  await tx.query(
    raw(
      [
        ...(large.length > 0 ? [`truncate ${large.join(', ')}`] : []),
        ...small.map(({ name }) => `delete from only "${name}"`),
        ...insertionsOf(copy),
        ...sequences.map(({ name }) => {
          const last = known.get(name)
          return last === undefined ? `alter sequence "${name}" restart` : `select setval('"${name}"', ${last})`
        }),
      ].join(';\n'),
    ),
  )
  await forgetStatistics(tx, large)
}

/** Removes the rows in the scopes, in their order, and inserts those of the copy. */
export async function restoreScope(
  tx: Tx,
  scopes: ReadonlyMap<string, string>,
  copy: Pick<Copy, 'schema' | 'tables'> | undefined,
): Promise<void> {
  const deletions = [...scopes].map(([name, scope]) => `delete from only "${name}" t where ${scope}`)
  const statements = [...deletions, ...(copy ? insertionsOf(copy) : [])]
  if (statements.length > 0) await tx.query(raw(statements.join(';\n')))
}

function insertionsOf({ schema, tables }: Pick<Copy, 'schema' | 'tables'>): string[] {
  return tables.map((name) => `insert into "${name}" overriding system value select * from ${schema}."${name}"`)
}

/** Removes what the planner knows of rows that are gone. */
async function forgetStatistics(tx: Tx, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  await tx.query(sql`delete from pg_statistic where starelid = any(${textArray(tables)}::text[]::regclass[])`)
}
