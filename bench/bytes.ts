import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeTrackRequests, RequestCycle, updatesPerBody } from './bodies.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { broadcastOf } from './mail-template.ts'
import type { Effort } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey, type Server, startServer } from './server.ts'
import { seedPeople } from './setup.ts'
import { Sink } from './sink.ts'

const eventsPerPerson = 10
const mixedPerPerson = 1
const clientsAtOnce = 16
/** The mails go to people whose score is above this one. Scores are drawn from 0 to 999. */
const scoreMin = 749
const pollMs = 100
const waitMsMax = 600_000
const seed = 4242

/** Bytes of a table with its partitions: rows with their long values, and indexes. */
type Size = { heap: number; indexes: number }
type Sizes = ReadonlyMap<string, Size>
type Reader = {
  sizes(): Promise<Sizes>
  wal(): Promise<number>
  count(table: string): Promise<number>
  pack(): Promise<void>
}

/**
 * Measures the bytes of a person, an event and a mail on disk and in the write-ahead log (WAL). Events and mails go through the service, so
 * that pages fill and split as they do in production. `packed` is the size after `vacuum full`: without dead rows and free space.
 */
export async function benchBytes(people: number, nowMs: number, cluster: Cluster, effort: Effort): Promise<Figure[]> {
  await using directory = makeTemporaryFolder('bytes')
  await using sink = new Sink()
  const { port } = await sink.read()
  const databaseUrl = await cluster.createDatabase(`bytes_${people}`)
  const options = { people, nowMs, bounds: [] } as const
  const { db } = await seedPeople(directory.path, databaseUrl, options, { ...effort, withHistory: 0 })
  await db.close()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const reader = readerOf(client)
  const figures: Figure[] = []
  const add = (what: string, value: number) => figures.push({ what, database: 'postgres', people, value, unit: 'B' })

  const written = await reader.sizes()
  for (const table of ['profile', 'identifier', 'contact']) addSize(add, table, written, people, 'person')
  {
    await using server = await startServer({
      directory: directory.path,
      databaseUrl,
      smtpUrl: `smtp://127.0.0.1:${port}`,
    })
    const events = people * eventsPerPerson
    add('bytes of WAL, an event', await walOf(reader, () => track(server, 'events', people, events, nowMs), events))
    const logged = await reader.sizes()
    addGrowth(add, written, logged, events, 'event')
    const before = await reader.wal()
    const mails = await mail(server)
    add('bytes of WAL, a mail', ((await reader.wal()) - before) / mails)
    addGrowth(add, logged, await reader.sizes(), mails, 'mail')
    const mixed = people * mixedPerPerson
    add('bytes of WAL, a mixed update', await walOf(reader, () => track(server, 'mixed', people, mixed, nowMs), mixed))
  }
  await reader.pack()
  const packed = await reader.sizes()
  for (const table of ['profile', 'identifier', 'contact', 'event', 'purchase', 'message', 'decision'])
    addSize(add, table, packed, await reader.count(table), 'row, packed')
  await client.end()
  return figures
}

type Add = (what: string, value: number) => void

function addSize(add: Add, table: string, sizes: Sizes, count: number, each: string): void {
  const { heap, indexes } = sizes.get(table)!
  add(`bytes of ${table}, rows, a ${each}`, heap / count)
  add(`bytes of ${table}, indexes, a ${each}`, indexes / count)
}

/** Tables that grow by less for each unit are left out. */
const growthMin = 0.5

function addGrowth(add: Add, before: Sizes, after: Sizes, count: number, each: string): void {
  for (const [table, { heap, indexes }] of after) {
    const from = before.get(table) ?? { heap: 0, indexes: 0 }
    const grown = { heap: (heap - from.heap) / count, indexes: (indexes - from.indexes) / count }
    if (grown.heap + grown.indexes < growthMin) continue
    add(`bytes of ${table}, rows, an ${each}`.replace('an mail', 'a mail'), grown.heap)
    add(`bytes of ${table}, indexes, an ${each}`.replace('an mail', 'a mail'), grown.indexes)
  }
}

function readerOf(client: pg.Client): Reader {
  return {
    async sizes() {
      const { rows } = await client.query<{ name: string; heap: string; indexes: string }>(`
        select root::regclass::text as name, sum(pg_table_size(oid)) as heap, sum(pg_indexes_size(oid)) as indexes
        from (select oid, coalesce(pg_partition_root(oid), oid) as root from pg_class
          where relkind = 'r' and relnamespace = 'public'::regnamespace) each
        group by root order by 1`)
      return new Map(rows.map(({ name, heap, indexes }) => [name, { heap: Number(heap), indexes: Number(indexes) }]))
    },
    async wal() {
      const { rows } = await client.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
      return Number(rows[0]!.bytes)
    },
    async count(table) {
      const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${table}`)
      return Number(rows[0]!.count)
    },
    async pack() {
      await client.query('vacuum full')
    },
  }
}

async function walOf(reader: Reader, work: () => Promise<void>, count: number): Promise<number> {
  const before = await reader.wal()
  await work()
  return ((await reader.wal()) - before) / count
}

/** Sends updates through the service, from several clients at once. */
async function track(
  server: Server,
  kind: 'events' | 'mixed',
  people: number,
  updates: number,
  nowMs: number,
): Promise<void> {
  const bodies = Math.ceil(updates / updatesPerBody)
  const requests = makeTrackRequests({ kind, people, count: bodies, seed, nowMs, apiKey })
  const cycle = new RequestCycle(requests, 0)
  let sent = 0
  const client = async () => {
    while (sent++ < bodies) {
      const request = cycle.next().toString('utf8')
      await server.post('/users/track', JSON.parse(request.slice(request.indexOf('\r\n\r\n'))))
    }
  }
  await Promise.all(Array.from({ length: clientsAtOnce }, client))
}

/** Sends one mail to about a quarter of the people. Returns the number of mails, once their outcomes are written. */
async function mail(server: Server): Promise<number> {
  const score = { custom_attribute_name: 'score', comparison: 'greater_than', value: scoreMin }
  const broadcast = { ...broadcastOf('same links'), audience: { AND: [{ custom_attribute: score }] } }
  const { dispatch_id } = (await server.post('/messages/send', broadcast)) as { dispatch_id: string }
  const untilMs = performance.now() + waitMsMax
  for (;;) {
    const { dispatch } = (await server.read(`/admin/dispatches/${dispatch_id}`)) as { dispatch: Dispatch }
    const sent = dispatch.reasons.sent ?? 0
    const open = Object.entries(dispatch.messages).some(([state, count]) => state !== 'accepted' && count > 0)
    if (dispatch.state === 'done' && sent > 0 && !open) return sent
    if (performance.now() > untilMs) throw new Error(`the mails do not end: ${JSON.stringify(dispatch)}`)
    await sleep(pollMs)
  }
}

type Dispatch = { state: string; reasons: Record<string, number>; messages: Record<string, number> }
