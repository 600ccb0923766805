import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pino } from 'pino'
import { type Call, noRequest } from '../src/base/call.ts'
import { systemClock } from '../src/base/clock.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { openDb } from '../src/base/db/open.ts'
import { KeyedMutex } from '../src/base/work/keyed-mutex.ts'
import { createCatalog } from '../src/content/catalogs/catalogs.ts'
import { createSelection } from '../src/content/catalogs/edit-selections.ts'
import { readItems } from '../src/content/catalogs/read-items.ts'
import { writeItems } from '../src/content/catalogs/write-items.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { type Effort, median } from './measure.ts'
import type { Figure } from './report.ts'

const itemsOfRequest = 50
const requests = 100
const fields = 12

/**
 * Measures requests that write 50 items each, new ones and then the same again, in catalogs with more and more selections. `size` is only
 * for the report: the catalogs have few items.
 */
export async function benchCatalogWrites(
  size: number,
  cluster: Cluster | undefined,
  effort: Effort,
): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using directory = makeTemporaryFolder(database)
  const databaseUrl = await cluster?.createDatabase(`catalog_writes_${size}`)
  const clock = systemClock()
  const log = pino({ level: 'warn' })
  const db = await openDb({ dataDir: join(directory.path, 'data'), ...(databaseUrl && { databaseUrl }), log, clock })
  await migrate(db, clock)
  const actor = { kind: 'admin', id: '', name: '', from: noRequest } as const
  const signal = new AbortController().signal
  const call: Call = { db, workspace_id: 1, actor, strict: false, clock, log, signal }
  const parts = { keyedMutex: new KeyedMutex(), serviceName: 'service' }
  const figures: Figure[] = []
  for (const selections of [0, 1, 5]) {
    const name = `shop-${selections}`
    await createCatalog(call, { catalogs: [{ name, fields: fieldsOfCatalog }] }, parts)
    for (let i = 0; i < selections; i++) {
      const filters = [{ field: `field_${i + 2}`, operator: 'equals', value: 'value 8' }]
      const selection = { name: `s-${i}`, filters, sort_field: 'field_1', sort_order: 'desc' }
      await createSelection(call, name, { selection }, parts)
    }
    for (const what of ['new', 'known']) {
      const spentMs: number[] = []
      for (let at = 0; at < (effort.quick ? requests / 5 : requests); at++) {
        const request = readItems({
          items: Array.from({ length: itemsOfRequest }, (_, i) => itemAt(at * itemsOfRequest + i)),
        })
        const startMs = performance.now()
        await writeItems(call, parts, { catalog_name: name, kind: 'replace', several: true, request })
        spentMs.push(performance.now() - startMs)
      }
      const value = median(spentMs) * 1000
      figures.push({
        what: `write of 50 ${what} items, ${selections} selections`,
        database,
        people: size,
        value,
        unit: 'us',
      })
    }
  }
  await db.close()
  return figures
}

const fieldsOfCatalog = Array.from({ length: fields }, (_, i) => {
  return { name: i === 0 ? 'id' : `field_${i}`, type: i === 1 ? 'number' : 'string' }
})

/** One item of ten has the value that a selection asks for. */
function itemAt(n: number): object {
  const texts = fieldsOfCatalog.slice(2).map(({ name }) => [name, `value ${n % 10}`])
  return { id: `item-${String(n).padStart(8, '0')}`, field_1: n % 1_000, ...Object.fromEntries(texts) }
}
