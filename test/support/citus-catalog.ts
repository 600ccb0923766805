import type { TestContext } from 'node:test'
import pg from 'pg'
import { onCitus, testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'

/** A PostgreSQL database with a double of the catalog of Citus. */
export type CatalogDouble = AsyncDisposable & {
  readonly databaseUrl: string
  /** Runs SQL in it. The schema of the double is `citus_double`. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The commands that were called, in their order. */
  calls(): Promise<string[]>
}

/** Returns whether there is a PostgreSQL server without Citus, on which a double can be made. Otherwise the test is skipped. */
export async function hasPlainPostgres(t: TestContext): Promise<boolean> {
  if (onCitus) t.skip('a double of the catalog of Citus needs a server without Citus')
  return !onCitus && (await testPostgres(t)) !== undefined
}

/**
 * Makes a database with a double of the catalog of Citus: the tables, views and functions that Easel reads and calls, with the names,
 * columns and arguments that the sources of Citus 13 give them. They are in a schema of their own, where the product finds them without its
 * name, as it does those of Citus. The functions only record what was asked for, and no row leaves its table. So a test on it shows what
 * Easel asks for, in which order, and what it says of what it reads. It shows nothing about Citus.
 * `version` is how the server describes itself; there is a node for each number of `nodes`, which is the size of each of its shards.
 */
export async function openCatalogDouble({
  version = 'Citus 13.2.2 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
  nodes = [1_024, 1_024, 1_024],
}: {
  version?: string
  nodes?: readonly number[]
} = {}): Promise<CatalogDouble> {
  const databaseUrl = await newDatabase('citus_double')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.end())
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, [...values])).rows
  await client.query(catalog)
  const [{ name }] = (await query<{ name: string }>('select current_database() as name')) as [{ name: string }]
  // A session that is opened from now on finds it.
  await client.query(`alter database "${name}" set search_path = public, citus_double`)
  await query('insert into citus_double.answer (version) values ($1)', [version])
  await query(
    `insert into citus_double.pg_dist_node
       select n, n, 'node-' || n, 5432, 'default', true, true, 'primary', 'default', true, true from generate_series(1, $1::int) n`,
    [nodes.length],
  )
  await query(
    'insert into citus_double.shard_bytes select n, bytes from unnest($1::int8[]) with ordinality w(bytes, n)',
    [nodes],
  )
  const kept = opened.move()
  return {
    databaseUrl,
    query,
    calls: async () =>
      (await query<{ command: string }>('select command from citus_double.call order by number')).map(
        ({ command }) => command,
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const catalog = `
  create schema citus_double;
  set search_path = public, citus_double;

  create type citus_double.noderole as enum ('primary', 'secondary', 'unavailable', 'clone');
  create table citus_double.pg_dist_node (
    nodeid int not null primary key, groupid int not null, nodename text not null, nodeport int not null, noderack text not null,
    hasmetadata bool not null, isactive bool not null, noderole citus_double.noderole not null, nodecluster name not null,
    metadatasynced bool not null, shouldhaveshards bool not null);
  create table citus_double.pg_dist_local_group (groupid int not null primary key);
  insert into citus_double.pg_dist_local_group values (0);
  create table citus_double.pg_dist_partition (
    logicalrelid regclass not null, partmethod "char" not null, partkey text, colocationid int not null default 0,
    repmodel "char" not null default 'c', autoconverted bool default false);
  create table citus_double.pg_dist_shard (
    logicalrelid regclass not null, shardid int8 not null, shardstorage "char" not null, shardminvalue text, shardmaxvalue text);
  create table citus_double.pg_dist_placement (
    placementid bigint not null, shardid bigint not null, shardstate int not null, shardlength bigint not null, groupid int not null);
  create table citus_double.pg_dist_colocation (
    colocationid int not null primary key, shardcount int not null, replicationfactor int not null, distributioncolumntype oid not null,
    distributioncolumncollation oid not null);
  create table citus_double.pg_dist_object (classid oid not null, objid oid not null, objsubid int not null);

  -- What only the double has: how it answers, what was called, and of which table or function a call fails.
  create table citus_double.answer (version text not null);
  create table citus_double.shard_bytes (groupid int primary key, bytes bigint not null);
  create table citus_double.call (number bigint generated always as identity, command text not null);
  create table citus_double.failing (name text not null);
  create sequence citus_double.shard_number start 102008;

  create view citus_double.citus_shards as
    select s.logicalrelid as table_name, s.shardid, s.logicalrelid::text || '_' || s.shardid as shard_name,
      case p.partmethod when 'h' then 'distributed' else 'reference' end as citus_table_type, p.colocationid as colocation_id,
      n.nodename, n.nodeport, b.bytes as shard_size
    from citus_double.pg_dist_shard s
      join citus_double.pg_dist_placement l on l.shardid = s.shardid
      join citus_double.pg_dist_node n on n.groupid = l.groupid
      join citus_double.pg_dist_partition p on p.logicalrelid = s.logicalrelid
      left join citus_double.shard_bytes b on b.groupid = n.groupid
    where l.shardstate = 1;

  create function citus_double.citus_version() returns text language sql as 'select version from citus_double.answer';
  -- The double keeps the name of the column, and Citus the tree of an expression.
  create function citus_double.column_to_column_name(table_name regclass, column_var_text text) returns text language sql strict
    as 'select column_var_text';
  create function citus_double.run_command_on_workers(command text, parallel bool default true,
      out nodename text, out nodeport int, out success bool, out result text) returns setof record language plpgsql as $f$
    declare node record;
    begin
      for node in select * from citus_double.pg_dist_node where isactive order by groupid loop
        nodename := node.nodename; nodeport := node.nodeport; success := true;
        execute command into result;
        return next;
      end loop;
    end $f$;
  create function citus_double.record_call(name text) returns void language plpgsql as $f$
    begin
      if exists (select 1 from citus_double.failing f where f.name = record_call.name) then
        raise exception 'connection to the remote node node-2:5432 failed' using errcode = '08006';
      end if;
      insert into citus_double.call (command) values (current_query());
    end $f$;
  create function citus_double.create_distributed_table(table_name regclass, distribution_column text,
      distribution_type text default 'hash', colocate_with text default 'default', shard_count int default null)
      returns void language plpgsql as $f$
    declare colocation int; shards int; shard bigint; nodes int[]; each regclass; low bigint; width bigint;
    begin
      perform citus_double.record_call(table_name::text);
      if exists (select 1 from citus_double.pg_dist_partition where logicalrelid = table_name) then
        raise exception 'table "%" is already distributed', table_name;
      end if;
      if colocate_with in ('default', 'none') then
        select coalesce(max(colocationid), 0) + 1 into colocation from citus_double.pg_dist_colocation;
        shards := coalesce(shard_count, 32);
        insert into citus_double.pg_dist_colocation values (colocation, shards, 1, 'int4'::regtype, 0);
      else
        if shard_count is not null then raise exception 'Cannot use colocate_with with a table and shard_count at the same time'; end if;
        select p.colocationid, c.shardcount into colocation, shards
          from citus_double.pg_dist_partition p join citus_double.pg_dist_colocation c using (colocationid)
          where p.logicalrelid = colocate_with::regclass;
      end if;
      select array_agg(groupid order by groupid) into nodes from citus_double.pg_dist_node
        where noderole = 'primary' and isactive and shouldhaveshards;
      width := (2::bigint ^ 32)::bigint / shards;
      for each in select table_name union all select inhrelid::regclass from pg_inherits where inhparent = table_name loop
        insert into citus_double.pg_dist_partition values (each, 'h', distribution_column, colocation, 's');
        for i in 0..shards - 1 loop
          shard := nextval('citus_double.shard_number');
          low := -(2::bigint ^ 31)::bigint + i * width;
          insert into citus_double.pg_dist_shard values (each, shard, 't', low::text,
            (case when i = shards - 1 then (2::bigint ^ 31)::bigint - 1 else low + width - 1 end)::text);
          insert into citus_double.pg_dist_placement values (shard, shard, 1, 0, nodes[1 + i % cardinality(nodes)]);
        end loop;
      end loop;
    end $f$;
  create function citus_double.create_distributed_function(function_name regprocedure, distribution_arg_name text default null,
      colocate_with text default 'default', force_delegation bool default null) returns void language plpgsql as $f$
    begin
      perform citus_double.record_call(function_name::text);
      insert into citus_double.pg_dist_object values ('pg_proc'::regclass, function_name, 0);
    end $f$;
  -- Here it removes the only rows there are.
  create function citus_double.truncate_local_data_after_distributing_table(function_name regclass) returns void language plpgsql as $f$
    begin
      perform citus_double.record_call(function_name::text);
      if not exists (select 1 from citus_double.pg_dist_partition where logicalrelid = function_name) then
        raise exception 'supplied parameter is not a distributed relation';
      end if;
      execute 'truncate ' || function_name;
    end $f$;
`
