import type { Tx } from '../src/base/db/db.ts'
import { hasTable } from '../src/base/db/has-table.ts'
import { raw, sql } from '../src/base/db/sql.ts'

/** Lists the names of the applied migrations in order; none for a new database. */
export async function listMigrations(tx: Tx): Promise<string[]> {
  if (!(await hasTable(tx, 'migration'))) return []
  const rows = await tx.query<{ name: string }>(sql`select name from migration order by number`)
  return rows.map(({ name }) => name)
}

export type Engine = { version: string; fsync: string; full_page_writes: string; synchronous_commit: string }

export async function getEngine(tx: Tx): Promise<Engine> {
  const [row] = await tx.query<Engine>(
    raw(`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit`),
  )
  return row!
}

/** What the role of this session may do. */
export type OwnRights = {
  readonly database: string
  readonly is_superuser: boolean
  readonly creates_roles: boolean
  readonly owns_database: boolean
  /** Whether it reads more than the views. */
  readonly reads_tables: boolean
}

export async function getOwnRights(tx: Tx): Promise<OwnRights> {
  const [row] = await tx.query<OwnRights>(
    raw(`
    select current_database()::text as database, r.rolsuper as is_superuser, r.rolsuper or r.rolcreaterole as creates_roles,
      pg_has_role(d.datdba, 'member') as owns_database,
      coalesce((select has_table_privilege(c.oid, 'select') from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relname = 'profile'), false) as reads_tables
    from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`),
  )
  return row!
}

/** Lists the views for analysts, by name. */
export async function listAnalystViews(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    raw(`
    select relname::text as name from pg_class
    where relkind = 'v' and relnamespace = 'public'::regnamespace and relname like 'easel\\_%' order by 1`),
  )
  return rows.map(({ name }) => name)
}

export type ViewColumn = { readonly name: string; readonly type: string }

/** Lists the columns of a view in their order; none for a view that is not there. */
export function listColumns(tx: Tx, view: string): Promise<ViewColumn[]> {
  return tx.query<ViewColumn>(sql`
    select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and c.relname = ${view} order by a.attnum`)
}

/** Returns whether there is a role of this name, and whether it is an analyst: it logs in, reads the views, and owns nothing. */
export async function findRole(tx: Tx, name: string): Promise<{ is_analyst: boolean } | undefined> {
  const [row] = await tx.query<{ is_analyst: boolean }>(sql`
    select r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
      and has_table_privilege(r.oid, 'public.easel_people', 'select') and not has_table_privilege(r.oid, 'public.profile', 'select')
      as is_analyst
    from pg_roles r where r.rolname = ${name}`)
  return row
}
