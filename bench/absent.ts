import pg from 'pg'
import type { Cluster } from './cluster.ts'
import { processUs } from './cpu.ts'
import type { Figure } from './report.ts'

const people = 20_000
const buckets = 4096
/** As many people as a flush of mixed updates changes. */
const rows = 640
const statements = 1000
const batches = 100
const rounds = 9
/** Ids that are not in the table: those in it are multiples of this one. */
const idStep = 7919

const update = {
  name: 'update',
  text: `
    update profile p set custom = p.custom || v.custom, typed = p.typed || v.typed, updated_at = greatest(p.updated_at, v.stamp)
    from (select unnest($1::int4[]) as bucket, unnest($2::int8[]) as profile_id, unnest($3::jsonb[]) as custom,
      unnest($4::jsonb[]) as typed, unnest($5::timestamptz[]) as stamp) v
    where p.bucket = v.bucket and p.profile_id = v.profile_id and p.merged_into is null`,
}
const select = {
  name: 'select',
  text: `
    select p.profile_id, p.custom from unnest($1::int4[], $2::int8[]) w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id where p.merged_into is null`,
}
const key = { name: 'key', text: 'select custom from profile where bucket = $1 and profile_id = $2' }

/**
 * Measures what parameters cost of which the table has no row, in CPU time of the database for each of them. A sharded database sends a
 * statement with a join to every shard with all parameters. A select by key is measured beside them. The figure is the lowest of the
 * rounds, because other processes of the machine can only add to it.
 */
export async function benchAbsent(cluster: Cluster): Promise<Figure[]> {
  const client = new pg.Client({ connectionString: await cluster.createDatabase('absent') })
  await client.connect()
  await fill(client)
  const { rows: found } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const measure = async (times: number, each: number, work: () => Promise<unknown>) => {
    await work()
    const before = processUs(found[0]!.pid)
    for (let i = 0; i < times; i++) await work()
    return (processUs(found[0]!.pid) - before) / times / each
  }
  const absent = absentRows()
  const works: Readonly<Record<string, () => Promise<number>>> = {
    'select by key': () => measure(statements, 1, () => client.query({ ...key, values: [1, idStep] })),
    'absent row of an update': () => measure(batches, rows, () => client.query({ ...update, values: absent })),
    'absent row of a select': () =>
      measure(batches, rows, () => client.query({ ...select, values: absent.slice(0, 2) })),
  }
  const spent = Object.keys(works).map((what) => ({ what, us: [] as number[] }))
  for (let round = 0; round < rounds; round++) for (const { what, us } of spent) us.push(await works[what]!())
  const figures = spent.map(({ what, us }): Figure => {
    const value = Math.min(...us)
    return { what, database: 'postgres', people, value, unit: 'us', databaseUs: value }
  })
  await client.end()
  return figures
}

async function fill(client: pg.Client): Promise<void> {
  await client.query(`
    create table profile (bucket int, profile_id int8, custom jsonb not null, typed jsonb not null, updated_at timestamptz not null,
      merged_into int8, primary key (bucket, profile_id)) with (fillfactor = 80)`)
  await client.query(`
    insert into profile select n % ${buckets}, n * ${idStep}, jsonb_build_object('plan', 'gold', 'score', n, 'city', 'Berlin'),
      '{}', 'epoch'
    from generate_series(1, ${people}) n`)
  await client.query('vacuum analyze profile')
  // As in the flushes of Easel.
  await client.query('set enable_hashjoin = off; set enable_mergejoin = off; set jit = off')
}

/** Returns array literals with changes of people whose ids are between those of the table. */
function absentRows(): string[] {
  const numbers = Array.from({ length: rows }, (_, i) => 1 + i * Math.floor(people / rows))
  const custom = JSON.stringify({
    plan: 'free',
    score: 500,
    last_order: '2026-11-20T09:57:03Z',
    city: 'Lagos',
    active: false,
  })
  const column = (value: (n: number) => unknown) => `{${numbers.map(value).join(',')}}`
  return [
    column((n) => n % buckets),
    column((n) => n * idStep + 1),
    column(() => JSON.stringify(custom)),
    column(() => JSON.stringify('{"last_order": 1763632623000}')),
    column(() => '"2026-11-20 10:00:00.123456+00"'),
  ]
}
