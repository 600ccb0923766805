import type { Tx } from '../../base/db/db.ts'
import { quoteName, raw, sql } from '../../base/db/sql.ts'

/** A table that has rows of its own: an ordinary one, or a partition. */
export type Relation = {
  readonly name: string
  /** The table that it is a partition of, or itself. */
  readonly table: string
  /** The bounds of a partition, as they are written in SQL; null for an ordinary table. */
  readonly bounds: string | null
  /** In SQL, without generated ones. */
  readonly columns: string
  readonly has_bucket: boolean
  readonly blocks: number
  /** With long values, which are stored elsewhere. */
  readonly bytes: number
}

/** What is not moved: each database has its own. */
const own = ['migration', 'database_move', 'database_move_part']

/** Lists the tables, those with a primary key of people included, in the order of their names. */
export async function listRelations(tx: Tx): Promise<Relation[]> {
  const rows = await tx.query<Omit<Relation, 'blocks' | 'bytes'> & { blocks: string; bytes: string }>(sql`
    select c.relname::text as name, coalesce(p.relname, c.relname)::text as table, pg_get_expr(c.relpartbound, c.oid) as bounds,
      a.columns, a.has_bucket,
      pg_relation_size(c.oid) / current_setting('block_size')::int as blocks, pg_table_size(c.oid) as bytes
    from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid
      left join pg_class p on p.oid = i.inhparent
      cross join lateral (
        select string_agg(quote_ident(attname), ', ' order by attname) as columns, bool_or(attname = 'bucket') as has_bucket
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') a
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> all(${own})
    order by c.relname`)
  return rows.map((row) => ({ ...row, blocks: Number(row.blocks), bytes: Number(row.bytes) }))
}

/** Says whether there is anything in the schema of a database. */
export async function isEmpty(tx: Tx): Promise<boolean> {
  const [found] = await tx.query(sql`
    select 1 from pg_class where relnamespace = current_schema()::regnamespace limit 1`)
  return found === undefined
}

/** Creates a partition of the source, unless the target has it. */
export async function createPartition(tx: Tx, { name, table, bounds }: Relation): Promise<void> {
  await tx.query(raw(`create table if not exists ${quoteName(name)} partition of ${quoteName(table)} ${bounds}`))
}

/** Empties the tables of a target. A partition is emptied with its table. */
export async function emptyTables(tx: Tx, tables: readonly string[]): Promise<void> {
  await tx.query(raw(`truncate ${tables.map(quoteName).join(', ')}`))
}

/** Returns the statement that reads the rows of some blocks. The rows of a block stay in it while nobody writes. */
export function readBlocks({ name, columns }: Relation, from: number, until: number): string {
  return `copy (select ${columns} from only ${quoteName(name)} where ctid >= '(${from},0)'::tid and ctid < '(${until},0)'::tid)
    to stdout (format binary)`
}

/** Returns the statement that writes them. */
export function writeRows({ table, columns }: Relation): string {
  return `copy ${quoteName(table)} (${columns}) from stdin (format binary)`
}

/** Counts rows, and adds up a hash of each: the sum depends on every value and not on the order. `buckets` chooses some rows. */
export async function sumRows(
  tx: Tx,
  { table, columns }: Pick<Relation, 'table' | 'columns'>,
  buckets?: readonly number[],
): Promise<{ rows: string; sum: string }> {
  const some = buckets === undefined ? sql`` : sql`where bucket = any(${buckets})`
  const [found] = await tx.query<{ rows: string; sum: string }>(sql`
    select count(*) as rows, coalesce(sum(('x' || substr(md5(row(${raw(columns)})::text), 1, 14))::bit(56)::bigint), 0)::text as sum
    from ${raw(quoteName(table))} ${some}`)
  return found!
}

export async function countRows(tx: Tx, table: string): Promise<number> {
  const [found] = await tx.query<{ rows: string }>(sql`select count(*) as rows from ${raw(quoteName(table))}`)
  return Number(found!.rows)
}

export type Sequence = { readonly name: string; readonly last_value: string | null }

export async function listSequences(tx: Tx): Promise<Sequence[]> {
  return tx.query<Sequence>(sql`
    select sequencename::text as name, last_value from pg_sequences where schemaname = current_schema() order by sequencename`)
}

/** Lets a sequence go on after this value. Null is one that was never used. */
export async function setSequence(tx: Tx, { name, last_value }: Sequence): Promise<void> {
  if (last_value === null) return
  await tx.query(sql`select setval(${quoteName(name)}::regclass, ${last_value}::bigint)`)
}

/** Counts the sessions of other processes of Easel on this database. */
export async function countOtherSessions(tx: Tx, applicationName: string): Promise<number> {
  const [found] = await tx.query<{ others: string }>(sql`
    select count(*) as others from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like ${`${applicationName}%`}`)
  return Number(found!.others)
}
