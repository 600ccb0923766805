import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { Db, Tx } from './db.ts'
import { MAINTENANCE_DEADLINE_MS } from './driver.ts'
import { hasTable } from './has-table.ts'
import { splitCommands } from './split-commands.ts'
import { raw, sql } from './sql.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/
/** The first lines of a file may be such marks. */
const MARK = /^--! (\w+)$/
/** Mark of a file after which older releases must not run on the database. */
const BREAKING = 'breaking'
/** Mark of a file that reads or changes a table of people, messages or entries, which takes as long as the table is large. */
const LONG = 'long'
/** Long files from before there was the mark. */
const unmarkedLong: ReadonlySet<string> = new Set([
  '0025_newest_people.sql',
  '0026_newest_messages.sql',
  '0029_tallies.sql',
  '0035_flow_tallies.sql',
  '0036_attribute_names.sql',
  '0037_entry_trail.sql',
])

/** Easel 0.1 had other migrations. Its tables can only be exported and imported. */
const FIRST_OF_0_1 = '0001_ground.sql'
const madeBy01 =
  'this database was made by Easel 0.1, which this version cannot read. To keep its people, run `easel export FILE` with Easel 0.1, ' +
  'start this version with a new EASEL_DATA directory (or an empty database), then run `easel import FILE`'

export type Migration = {
  number: number
  name: string
  text: string
  checksum: string
  breaking: boolean
  /** Whether its statements have no deadline. */
  long: boolean
}

type Applied = Omit<Migration, 'text' | 'long'>

export type MigrationLimits = {
  /** How long a statement of a file may take that is not long. */
  readonly deadlineMs: number
  /** How often the log says that a file is still being applied. */
  readonly progressMs: number
}

const usualLimits: MigrationLimits = { deadlineMs: MAINTENANCE_DEADLINE_MS, progressMs: 30_000 }
/** The deadline of statements without one: a timer takes no more. */
const noDeadlineMs = 24 * 86_400_000

/** Returns the files of `migrations/` in order: each with a number of its own, never edited after release. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  let last = 0
  return names.map((name) => {
    const number = Number(FILE_NAME.exec(name)?.[1])
    if (!(number > last)) {
      throw new Error(`migrations/${name}: expected a name like 0001_words.sql, with a number above ${last}`)
    }
    last = number
    const text = readFileSync(new URL(name, folder), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    const marks = marksOf(text)
    return {
      number,
      name,
      text,
      checksum,
      breaking: marks.has(BREAKING),
      long: marks.has(LONG) || unmarkedLong.has(name),
    }
  })
}

function marksOf(text: string): Set<string> {
  const marks = new Set<string>()
  for (const line of text.split('\n')) {
    const [, mark] = MARK.exec(line) ?? []
    if (mark === undefined) break
    marks.add(mark)
  }
  return marks
}

/**
 * Brings the schema up to date, one file per transaction. Several processes may do so at once: the first to get the lock applies a
 * file. Throws when a file differs from the one that was applied, or when a newer release made a breaking change.
 */
export async function migrate(
  db: Db,
  clock: Clock,
  files: readonly Migration[] = readMigrations(),
  limits: MigrationLimits = usualLimits,
): Promise<void> {
  await createRecord(db)
  const applied = await listApplied(db)
  requireSameHistory(applied, files)
  await requireNotMoved(db)
  const missing = files.slice(applied.length)
  for (const file of missing) await apply(db, clock, file, limits)
  // A process of another release may have applied one of them meanwhile.
  if (missing.length > 0) requireSameHistory(await listApplied(db), files)
}

/** Returns the names of the files that were not applied. Throws as `migrate` does, and changes nothing. */
export async function listMissing(db: Db, files: readonly Migration[] = readMigrations()): Promise<string[]> {
  if (!(await hasTable(db, 'migration'))) return files.map(({ name }) => name)
  const applied = await listApplied(db)
  requireSameHistory(applied, files)
  return files.slice(applied.length).map(({ name }) => name)
}

/**
 * Throws when everything of this database is, or will be, in another one. Otherwise both would send the same messages. `workspace/moving`
 * writes the row.
 */
async function requireNotMoved(db: Db): Promise<void> {
  if (!(await hasTable(db, 'database_move'))) return
  const [move] = await db.query<{ role: string; other: string; begun_at: Date; ended_at: Date | null }>(sql`
    select role, other, begun_at, ended_at from database_move`)
  if (move === undefined) return
  const { role, other, begun_at, ended_at } = move
  if (role === 'target')
    throw new Error(
      `this database is not complete: it is being filled from ${other} since ${begun_at.toISOString()}; npm run easel -- move goes on`,
    )
  const what =
    ended_at === null
      ? `is being moved to ${other} since ${begun_at.toISOString()}`
      : `was moved to ${other} at ${ended_at.toISOString()}`
  throw new Error(
    `this database ${what}: use that one. To use this one again, and give up the other, run npm run easel -- move --undo`,
  )
}

/** How PostgreSQL refuses a table that another process creates: the unique index of the catalog, the table, or its row type is there. */
const createdMeanwhile: ReadonlySet<string> = new Set(['23505', '42P07', '42710'])

/**
 * Creates the table of migrations. Two processes that create the same table collide in the catalog even with `if not exists`. Then the
 * other one has created it.
 */
async function createRecord(db: Db): Promise<void> {
  if (await hasTable(db, 'migration')) return
  try {
    await db.execute(`create table if not exists migration (
      number     int primary key,
      name       text not null,
      checksum   text not null,
      breaking   boolean not null,
      applied_at timestamptz not null
    )`)
  } catch (error) {
    if (!createdMeanwhile.has(String((error as { code?: string }).code))) throw error
  }
}

function listApplied(tx: Tx): Promise<Applied[]> {
  return tx.query<Applied>(sql`select number, name, checksum, breaking from migration order by number`)
}

function requireSameHistory(applied: readonly Applied[], files: readonly Migration[]): void {
  if (applied[0]?.name === FIRST_OF_0_1) throw new Error(madeBy01)
  for (const [i, row] of applied.entries()) {
    const file = files[i]
    if (file && (file.name !== row.name || file.checksum !== row.checksum)) {
      throw new Error(
        `migrations/${file.name} is not the file that was applied as ${row.name}: restore it and add a new file instead`,
      )
    }
    if (!file && row.breaking)
      throw new Error(
        `the database was changed by a newer release (${row.name}): this one cannot run on it; run that release or a newer one, or ` +
          'restore a backup from before the upgrade',
      )
  }
}

async function apply(
  db: Db,
  clock: Clock,
  file: Migration,
  { deadlineMs, progressMs }: MigrationLimits,
): Promise<void> {
  const work = async (tx: Tx) => {
    await tx.query(raw('lock table migration in share row exclusive mode'))
    const done = await tx.query(sql`select 1 from migration where number = ${file.number}`)
    if (done.length > 0) return
    for (const command of splitCommands(file.text)) await tx.query(raw(command))
    await tx.query(
      sql`insert into migration (number, name, checksum, breaking, applied_at)
          values (${file.number}, ${file.name}, ${file.checksum}, ${file.breaking}, ${new Date(clock.now())})`,
    )
  }
  const startMs = clock.elapsed()
  const { name: migration } = file
  const progress = setInterval(() => {
    const seconds = Math.round((clock.elapsed() - startMs) / 1000)
    db.log.info({ migration, seconds }, 'a migration is still being applied; a large table takes long')
  }, progressMs)
  try {
    await db.transaction(work, { deadlineMs: file.long ? noDeadlineMs : deadlineMs, registersAs: 'migration' })
  } finally {
    clearInterval(progress)
  }
}
