import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import easel from '../package.json' with { type: 'json' }
import { backendOf } from './base/db/backends.ts'
import { readDatabaseBytes } from './base/db/size.ts'
import { cached } from './base/work/cached.ts'
import type { DueWork } from './base/work/due-work.ts'
import type { CoreServices, Services } from './services.ts'

/** Readings of the database in metrics are at most this old. */
const readMs = 5_000
/** The size of a database takes longer to read. */
const sizeReadMs = 60_000

type Gauged = Pick<CoreServices, 'metrics' | 'clock'>
type Gauge = { readonly name: string; readonly help: string }

/** Adds a gauge whose value is read at most once in `everyMs`. */
export function addReadGauge(
  { metrics, clock }: Gauged,
  read: () => Promise<number>,
  gauge: Gauge,
  everyMs = readMs,
): void {
  const readRarely = cached(read, everyMs, clock)
  metrics.gauge({
    ...gauge,
    async collect() {
      try {
        this.set(await readRarely())
      } catch {
        // While the database is unavailable the gauge keeps its last value.
      }
    },
  })
}

/** Adds what an operator watches: the version, the database, the disk, and how late work is. */
export function addGauges(services: Services): void {
  const { metrics, db, config, clock, journeys, expansion, delivery } = services
  metrics
    .gauge({
      name: 'easel_build_info',
      help: 'Always 1; the labels have the versions of Easel and Node, and the kind of database.',
      labelNames: ['version', 'node', 'database'],
    })
    .set({ version: easel.version, node: process.versions.node, database: backendOf(db).label }, 1)
  addReadGauge(
    services,
    () => readDatabaseBytes(db),
    { name: 'easel_database_bytes', help: 'Size of the database, in bytes.' },
    sizeReadMs,
  )
  if (config.dataDir !== 'memory') addDiskGauge(services, config.dataDir)
  if (!delivery || !expansion) return
  const works = { orders: expansion.dueWork, entries: journeys.dueWork, messages: delivery.dueWork }
  addLatenessGauge({ metrics, clock, db }, works)
}

/** The folder exists once something is stored there: with a database server, exports are. */
function addDiskGauge(services: Gauged, folder: string): void {
  const readFree = async () => {
    if (!existsSync(folder)) return Number.NaN
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }
  const help = 'Free bytes on the disk of EASEL_DATA.'
  addReadGauge(services, readFree, { name: 'easel_disk_free_bytes', help })
}

function addLatenessGauge(
  { metrics, clock, db }: Pick<CoreServices, 'metrics' | 'clock' | 'db'>,
  works: Readonly<Record<string, DueWork | undefined>>,
): void {
  const readLateness = cached(
    async () => {
      const due: [string, number | undefined][] = []
      for (const [work, one] of Object.entries(works)) due.push([work, await one?.nextDueMs(db)])
      return due.map(([work, ms]) => [work, ms === undefined ? 0 : Math.max(0, clock.now() - ms) / 1000] as const)
    },
    readMs,
    clock,
  )
  metrics.gauge({
    name: 'easel_due_lateness_seconds',
    help: 'How long the oldest due work has waited, by work: orders, entries or messages.',
    labelNames: ['work'],
    async collect() {
      try {
        for (const [work, seconds] of await readLateness()) this.set({ work }, seconds)
      } catch {
        // While the database is unavailable the gauge keeps its last value.
      }
    },
  })
}
