import assert from 'node:assert/strict'
import test, { before } from 'node:test'
import { loadModule } from 'libpg-query'
import type { Db } from '../../src/base/db/db.ts'
import { localTables } from '../../src/base/db/local-tables.ts'
import { sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'
import { type ExpandedStatement, expandStatements, listExpandedStatements } from './expanded-statements.ts'
import { exceptions } from './shard-exceptions.ts'
import { type Catalog, faultsOf, type ShardFault } from './shard-rules.ts'

/** Parts of statements that begin like one. They are read where they are put in. */
const fragments: readonly string[] = [
  'src/audience/builder/names-store.ts describeValues',
  'src/audience/conditions/load-facts-store.ts withinWeight',
  'src/audience/conditions/select-people-store.ts source',
  'src/base/work/poll-store.ts findWork',
  'src/messaging/entries/entry-store.ts lockDueEntries',
  'src/messaging/flows/watch-store.ts replaceWatched',
  'src/people/feed/write-store.ts insertSelectedEvents',
  'src/people/profile/custom-store.ts deltaRows',
]

/** Read once for both databases. */
let statements: readonly ExpandedStatement[] = []

before(async () => {
  await loadModule()
  statements = listExpandedStatements()
})

async function readCatalog(db: Db): Promise<Catalog> {
  const tables = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    where c.relkind in ('r', 'p') and not c.relispartition`)
  const functions = await db.query<{ name: string }>(sql`
    select p.proname::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('pg_catalog', 'public') and p.prokind = 'f'
    group by p.proname having bool_and(p.provolatile <> 'i')`)
  const others = new Set(localTables)
  return {
    people: new Set(tables.map(({ name }) => name).filter((name) => !others.has(name))),
    others,
    mutable: new Set(functions.map(({ name }) => name)),
  }
}

onBothDatabases('each statement that a sharded database would refuse or send to every shard is known', async (open) => {
  const catalog = await readCatalog(await open())
  const found = new Map<string, Set<ShardFault>>()
  const unread = new Set<string>()
  for (const { path, name, text } of statements) {
    if (!/^\s*\(?\s*(select|insert|update|delete|with|lock|create|alter|drop)\b/i.test(text)) continue
    const place = `${path} ${name}`
    const faults = faultsOf(text, catalog)
    if (faults === undefined) unread.add(place)
    else if (faults.length > 0) found.set(place, new Set([...(found.get(place) ?? []), ...faults]))
  }
  const known = Object.values(exceptions).flatMap((places) => Object.entries(places))
  assert.equal(new Set(known.map(([place]) => place)).size, known.length, 'a place has two reasons')
  assert.deepEqual(
    [...found].map(([place, faults]) => `${place}: ${[...faults].sort().join(' ')}`).sort(),
    known.map(([place, faults]) => `${place}: ${faults}`).sort(),
  )
  assert.deepEqual([...unread].sort(), fragments)
})

const catalog: Catalog = {
  people: new Set(['a', 'b']),
  others: new Set(['small']),
  mutable: new Set(['pg_column_size', 'now']),
}

test('the lint finds planted faults', () => {
  const planted: Readonly<Record<string, string>> = {
    'select 1 from unnest($1::int4[]) w(bucket) join a on a.bucket = w.bucket for update of a': 'lock',
    'select 1 from a where (a.bucket, a.id) in (select * from unnest($1, $2)) for update': 'lock',
    'select 1 from a where a.bucket = any($1) for update': '',
    'select 1 from a join small s on s.id = a.id where a.bucket = $1 for update of a': 'local',
    'select 1 from unnest($1::int4[]) w(id) cross join lateral (select 1 from a where a.id = w.id limit 1) o':
      'lateral',
    'select 1 from unnest($1::int4[]) w(id) cross join lateral (select 1 from a where a.id = w.id and a.bucket = $2) o':
      '',
    'update a set n = v.n from unnest($1::int4[], $2::int4[]) v(bucket, n) where a.bucket = v.bucket': 'write',
    'update a set n = v.n from unnest($1::int4[], $2::int4[]) v(bucket, n) where a.bucket = v.bucket and a.bucket = any($3)':
      '',
    'delete from a using b where a.bucket = b.bucket and b.bucket = $1': '',
    'delete from a using b where a.bucket = b.bucket and b.bucket = any($1)': 'write',
    'delete from a where (bucket, id) = ($1, $2)': '',
    'select 1 from a join b on b.bucket = a.owner_bucket where a.bucket = $1': 'across read',
    'select 1 from a join b on b.bucket = a.owner_bucket and b.bucket = any($2) where a.bucket = $1': 'across',
    'with o as (select owner_bucket from a where bucket = $1) select 1 from o join b on b.bucket = o.owner_bucket':
      'across read',
    'select 1 from a join b on b.bucket = a.bucket and b.id = a.id where a.bucket = $1': '',
    'select 1 from a join b on b.bucket = coalesce(a.into_bucket, a.bucket) and b.bucket = any($2) where a.bucket = $1':
      'across',
    'select 1 from unnest($1::int4[]) w(into_bucket) join a on a.bucket = w.into_bucket': 'read',
    'select 1 from a where a.bucket = $1 and exists (select 1 from b where b.bucket = a.bucket)': '',
    'select 1 from a where exists (select 1 from b where b.bucket = $1)': 'read',
    'update a set n = pg_column_size(a.n) where bucket = $1': 'function',
    'update a set n = 1 where bucket = $1 and pg_column_size(a.n) > 1': 'function',
    'update a set at = now() where bucket = $1': '',
    'update a set n = case when now() > $1 then 1 end where bucket = $1': 'function',
    'update a set n = 1 where bucket = $1 returning now()': 'function',
    "update a set at = a.at + n * interval '1 s' where bucket = $1": 'function',
    "update a set at = (a.at at time zone interval '0' + interval '1 s') at time zone interval '0' where bucket = $1":
      '',
    "update a set at = (timestamp 'epoch' + n * interval '1 s') at time zone interval '0' where bucket = $1": '',
    "update a set at = (timestamptz 'epoch' + n * interval '1 s') at time zone interval '0' where bucket = $1":
      'function',
    'insert into a (bucket) values ($1) on conflict (bucket) do update set at = now()': 'function',
    'update a set at = ($1::timestamptz[])[1] where bucket = $2': 'element',
    'update a set at = coalesce(($1::timestamptz[])[1]) where bucket = $2': '',
    'insert into a (bucket) values ($1) on conflict (bucket) do update set at = ($1::timestamptz[])[1]': 'element',
    'select a.ctid from a where bucket = $1': 'ctid',
    'select 1; select 2': 'commands',
    'update small set n = 1': '',
    'select 1 from small for update': '',
    'with a as (select 1) select 1 from a': '',
  }
  for (const [text, faults] of Object.entries(planted)) assert.equal(faultsOf(text, catalog)?.join(' '), faults, text)
})

test('a statement is read whose parts are not known', () => {
  assert.deepEqual(faultsOf('select 1 from a $1 where $2 order by $3 limit $4', catalog), ['read'])
  assert.deepEqual(faultsOf('delete from some_name t where t.id = $1', catalog), ['write'])
  assert.equal(faultsOf('and a.bucket = $1', catalog), undefined)
})

test('fragments are put in from constants, functions, lists and other files, by both branches of a condition', () => {
  const main = `
    import { of as from } from './b.ts'
    const columns = sql\`a.x, a.y\`
    const rows = (given: Sql, more = true) => sql\`\${given} w(\${raw(more ? 'n' : 'm')})\`
    export function list(tx: Tx, flag: boolean, ids: number[], { by }: { by: Sql }) {
      const [first, second] = flag ? [sql\`1\`, sql\`2\`] : [sql\`3\`, columns]
      return tx.query(prepared(sql\`select \${columns}, \${first}, \${second} from \${rows(from(ids))}
        where \${by} and \${join([sql\`p\`, ids], ' or ')}
        \${withinPart(part, 'a')}\`))
    }`
  const other = 'export function of(ids: number[]): Sql {\n return sql`unnest(${ids}::int4[])` }'
  const found = expandStatements(new Map(Object.entries({ 'x/a.ts': main, 'x/b.ts': other })))
  assert.deepEqual(
    found
      .filter(({ text }) => text.startsWith('select'))
      .map(({ path, line, name, text }) => ({ path, line, name, text: text.replaceAll(/\s+/g, ' ') })),
    ['1, 2', '3, a.x, a.y'].map((columns, i) => ({
      path: 'x/a.ts',
      line: 7,
      name: 'list',
      text: `select a.x, a.y, ${columns} from unnest($1::int4[]) w(${['n', 'm'][i]}) where $2 and p or $3 and a.bucket = any($4::int4[])`,
    })),
  )
})
