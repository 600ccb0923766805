import type { Db, Tx } from './db.ts'
import type { CitusNode, Distribution, PlacedTable, SchemaFunction, SchemaTable } from './distribution-plan.ts'
import { hasTable } from './has-table.ts'
import { raw, sql } from './sql.ts'

/** A statement that copies a table has no deadline: a timer takes no more. */
const noDeadlineMs = 24 * 86_400_000

/** What a node keeps of the tables of the schema. */
export type NodeBytes = { readonly host: string; readonly port: number; readonly bytes: number }

/** Reads what Citus knows of the database. Undefined when the database has no Citus. */
export async function readDistribution(tx: Tx): Promise<Distribution | undefined> {
  if (!(await hasTable(tx, 'pg_dist_shard'))) return undefined
  const [server] = await tx.query<{ version: string; is_coordinator: boolean }>(sql`
    select citus_version() as version, coalesce((select groupid from pg_dist_local_group), 0) = 0 as is_coordinator`)
  return {
    ...server!,
    nodes: await listNodes(tx),
    tables: await listSchemaTables(tx),
    placed: await listPlacedTables(tx),
    functions: await listFunctions(tx),
  }
}

/** Runs one command of a plan, alone in its transaction. */
export async function runDistributionCommand(db: Db, command: string): Promise<void> {
  await db.transaction((tx) => tx.query(raw(command)), { deadlineMs: noDeadlineMs, registersAs: 'migration' })
}

/** Adds up what each node keeps, as Citus asks the nodes. Fails when one of them is away. */
export async function listNodeBytes(tx: Tx): Promise<NodeBytes[]> {
  const rows = await tx.query<{ host: string; port: number; bytes: string }>(sql`
    select nodename as host, nodeport::int4 as port, coalesce(sum(shard_size), 0)::int8 as bytes
    from citus_shards where citus_table_type = 'distributed' group by 1, 2 order by 1, 2`)
  return rows.map(({ bytes, ...node }) => ({ ...node, bytes: Number(bytes) }))
}

function listNodes(tx: Tx): Promise<CitusNode[]> {
  return tx.query<CitusNode>(sql`
    select groupid as group_id, nodename as host, nodeport::int4 as port, noderole::text as role, isactive as is_active,
      shouldhaveshards as takes_shards
    from pg_dist_node order by groupid, nodename, nodeport`)
}

/** Shards that the coordinator has itself are tables of the same schema, with the number of the shard at the end of their names. */
async function listSchemaTables(tx: Tx): Promise<SchemaTable[]> {
  const rows = await tx.query<Omit<SchemaTable, 'local_bytes'> & { local_bytes: string }>(sql`
    select c.relname::text as name,
      exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'bucket' and not a.attisdropped) as has_bucket,
      (pg_relation_size(c.oid)
        + coalesce((select sum(pg_relation_size(i.inhrelid)) from pg_inherits i where i.inhparent = c.oid), 0))::int8 as local_bytes
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and c.relname not in (select p.relname || '_' || s.shardid from pg_dist_shard s join pg_class p on p.oid = s.logicalrelid)
    order by c.relname`)
  return rows.map(({ local_bytes, ...table }) => ({ ...table, local_bytes: Number(local_bytes) }))
}

function listPlacedTables(tx: Tx): Promise<PlacedTable[]> {
  return tx.query<PlacedTable>(sql`
    select c.relname::text as name, p.partmethod::text as method, column_to_column_name(p.logicalrelid, p.partkey) as column,
      p.colocationid as colocation_id,
      (select count(*)::int4 from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where not c.relispartition and c.relnamespace = 'public'::regnamespace order by c.relname`)
}

/** Without those of an extension, which each node has by itself. */
function listFunctions(tx: Tx): Promise<SchemaFunction[]> {
  return tx.query<SchemaFunction>(sql`
    select p.oid::regprocedure::text as signature,
      exists (select 1 from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid) as is_placed
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by 1`)
}
