import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pino } from 'pino'
import { systemClock } from '../src/base/clock.ts'
import { textArray } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { openDb } from '../src/base/db/open.ts'
import { sql } from '../src/base/db/sql.ts'
import { catalogBucket } from '../src/content/catalogs/catalog-bucket.ts'
import { fillSelections } from '../src/content/catalogs/fill-selections.ts'
import { findItems } from '../src/content/catalogs/item-store.ts'
import { selectItems } from '../src/content/catalogs/select-items.ts'
import { insertSelection } from '../src/content/catalogs/selection-store.ts'
import { findCatalog, insertCatalogs } from '../src/content/catalogs/store.ts'
import { benchCatalogWrites } from './catalog-writes.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'

const seed = 707
const loops = 2_000
const selectionLoops = 2_000
const fields = 12
const workspaceId = 1
const catalog = 'shop'

/**
 * Measures look-ups of items as rendering does them, one after another, and SQL that reads the same rows by their key as the bound; and a
 * selection, once it is filled; then what writing items costs.
 */
export async function benchCatalog(items: number, cluster: Cluster | undefined, effort: Effort): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  await using directory = makeTemporaryFolder(database)
  const databaseUrl = await cluster?.createDatabase(`catalog_${items}`)
  const clock = systemClock()
  const log = pino({ level: 'warn' })
  const place = { dataDir: join(directory.path, 'data'), ...(databaseUrl && { databaseUrl }) }
  const db = await openDb({ ...place, log, clock, statementDeadlineMs: 600_000 })
  await migrate(db, clock)
  await fill(db, items, clock.now())
  const figures: Figure[] = []
  const say = (what: string, value: number) =>
    figures.push({ what, database, people: items, value: value * 1000, unit: 'us' })
  for (const count of [1, 10]) {
    const word = count === 1 ? 'item' : 'items'
    const spent = { bare: [] as number[], service: [] as number[] }
    const random = new Random(seed)
    for (let i = 0; i < (effort.quick ? loops / 10 : loops); i++) {
      const ids = Array.from({ length: count }, () => idOf(random.below(items)))
      spent.bare.push(await timed(() => bare(db, ids)))
      spent.service.push(await timed(() => findItems(db, workspaceId, catalog, ids)))
    }
    say(`bound: bare SQL of ${count} catalog ${word}`, median(spent.bare))
    say(`${count} catalog ${word}`, median(spent.service))
  }
  await fillSelections(db)
  const selecting: number[] = []
  for (let i = 0; i < (effort.quick ? selectionLoops / 10 : selectionLoops); i++) {
    selecting.push(await timed(() => selectItems(db, workspaceId, catalog, 'best')))
  }
  say('selection of 10 catalog items', median(selecting))
  await db.close()
  figures.push(...(await benchCatalogWrites(items, cluster, effort)))
  return figures
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

function idOf(n: number): string {
  return `item-${String(n).padStart(8, '0')}`
}

/** Reads the rows by their complete key. */
function bare(db: Db, ids: readonly string[]): Promise<unknown> {
  return db.query(sql`
    select item_id, fields from catalog_item
    where bucket = ${catalogBucket(workspaceId, catalog)} and catalog_id = 1 and item_id = any(${textArray(ids)}::text[])`)
}

async function fill(db: Db, items: number, nowMs: number): Promise<void> {
  const named = Array.from({ length: fields }, (_, i) => {
    return { name: i === 0 ? 'id' : `field_${i}`, type: i === 1 ? 'number' : 'string', token: String(i - 1) } as const
  })
  await db.transaction(async (tx) => {
    const definition = { id: catalog, name: catalog, description: '', fields: named, next_token: fields - 1 }
    await insertCatalogs(tx, workspaceId, [definition], nowMs)
    const made = await findCatalog(tx, workspaceId, catalog)
    const filters = [{ field: 'field_2', operator: 'equals', value: 'value 8' }]
    const best = { name: 'best', description: '', filters, results_limit: 10 } as const
    await insertSelection(tx, made!.catalog_id, { ...best, sort_field: 'field_1', sort_order: 'desc' }, nowMs)
  })
  await db.query(sql`
    insert into catalog_item (bucket, catalog_id, item_id, fields, updated_at)
    select ${catalogBucket(workspaceId, catalog)}::int, 1, 'item-' || lpad(n::text, 8, '0'),
      jsonb_build_object('0', n::int8 * 7919 % 100003) || (
        select jsonb_object_agg(f::text, 'value ' || (n::int8 * f % 1000)) from generate_series(1, ${fields - 2}::int) f),
      'epoch'
    from generate_series(0, ${items - 1}::int) n`)
  await db.query(sql`update catalog set num_items = ${items}`)
  await db.execute('vacuum analyze catalog_item')
}
