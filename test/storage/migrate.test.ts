import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { type Migration, migrate, readMigrations } from '../../src/base/db/migrate.ts'
import { sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'

const clock = systemClock()
const real = readMigrations()
const lastNumber = real.at(-1)!.number

function next(text: string, number = lastNumber + 1): Migration {
  return {
    number,
    name: `${String(number).padStart(4, '0')}_next.sql`,
    text,
    checksum: text,
    breaking: text.startsWith('--! breaking'),
    long: text.startsWith('--! long'),
  }
}

function applied(db: Db): Promise<{ number: number }[]> {
  return db.query(sql`select number from migration order by number`)
}

onBothDatabases('migrating again changes nothing', async (open) => {
  const db = await open()
  const before = await applied(db)
  assert.deepEqual(
    before.map(({ number }) => number),
    real.map(({ number }) => number),
  )
  await migrate(db, clock)
  assert.deepEqual(await applied(db), before)
})

onBothDatabases('processes that migrate at once apply each file once', async (open) => {
  const processes = await open.processes(3)
  const files = [
    ...real,
    next('create table one (n int); insert into one values (1)'),
    next('create table two (n int)', lastNumber + 2),
  ]
  await Promise.all(processes.flatMap((db) => [migrate(db, clock, files), migrate(db, clock, files)]))
  assert.equal((await applied(processes[0]!)).length, files.length)
  assert.deepEqual(await processes[0]!.query(sql`select n from one`), [{ n: 1 }])
})

onBothDatabases('processes that start on an empty database at once apply each file once', async (open) => {
  const [db, other = db!] = await open.processes(2)
  await db!.execute('drop schema public cascade; create schema public')
  await Promise.all([migrate(db!, clock), migrate(other, clock), migrate(db!, clock)])
  assert.equal((await applied(db!)).length, real.length)
})

onBothDatabases('a file that was edited after it was applied is an error that names it', async (open) => {
  const db = await open()
  const edited = real.map((file, i) => (i === 1 ? { ...file, checksum: 'other' } : file))
  await assert.rejects(migrate(db, clock, edited), new RegExp(real[1]!.name))
})

onBothDatabases('a database of Easel 0.1 is refused, with instructions to move its people', async (open) => {
  const db = await open()
  await db.query(sql`update migration set name = '0001_ground.sql' where number = 1`)
  await assert.rejects(
    migrate(db, clock),
    /made by Easel 0\.1, .*`easel export FILE` with Easel 0\.1, .*`easel import FILE`/s,
  )
})

onBothDatabases('a file that fails changes nothing', async (open) => {
  const db = await open()
  const broken = next('create table one (n int); create table one (n int)')
  await assert.rejects(migrate(db, clock, [...real, broken]), { code: '42P07' })
  assert.deepEqual(await db.query(sql`select to_regclass('one') as found`), [{ found: null }])
  await migrate(db, clock, [...real, next('create table one (n int)')])
  assert.deepEqual((await applied(db)).length, real.length + 1)
})

onBothDatabases('an older release runs on a newer schema, unless that was marked as breaking', async (open) => {
  const db = await open()
  await migrate(db, clock, [...real, next('create table one (n int)')])
  await migrate(db, clock, real)
  await migrate(db, clock, [
    ...real,
    next('create table one (n int)'),
    next('--! breaking\ncreate table two (n int)', lastNumber + 2),
  ])
  await assert.rejects(migrate(db, clock, real), /newer release \(\d+_next\.sql\)/)
})

onBothDatabases('a long file has no deadline, and the log says that it goes on', async (open) => {
  const [db] = await open.processes(1)
  const lines: unknown[] = []
  const log = { info: (fields: unknown) => lines.push(fields) }
  const watched = { ...db!, log } as unknown as Db
  const limits = { deadlineMs: 500, progressMs: 10 }
  const sleep = 'select pg_sleep(2)'
  // The embedded database would end with its engine.
  if (db!.backend === 'postgres') {
    await assert.rejects(migrate(watched, clock, [...real, next(sleep)], limits), /not available/)
    assert.equal((await applied(db!)).length, real.length)
  }
  lines.length = 0
  await migrate(watched, clock, [...real, next(`--! long\n${sleep}`)], limits)
  assert.equal((await applied(db!)).length, real.length + 1)
  assert.equal((lines[0] as { migration: string }).migration, `00${lastNumber + 1}_next.sql`)
})

test('migrations that read all people from before there was the mark are long', () => {
  const long = real.filter((file) => file.long).map(({ number }) => number)
  for (const number of [25, 26, 29, 35, 36, 37, 39]) assert.ok(long.includes(number), String(number))
})

test('migration files have names with numbers that no other file has', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-migrations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '0001_first.sql'), 'select 1')
  writeFileSync(join(folder, '0003_third.sql'), '--! breaking\nselect 3')
  writeFileSync(join(folder, '0004_fourth.sql'), '--! long\n--! breaking\nselect 4')
  const url = pathToFileURL(`${folder}/`)
  assert.deepEqual(
    readMigrations(url).map(({ number, breaking, long }) => [number, breaking, long]),
    [
      [1, false, false],
      [3, true, false],
      [4, true, true],
    ],
  )
  writeFileSync(join(folder, '0003_three.sql'), 'select 4')
  assert.throws(() => readMigrations(url), /0003_three\.sql.*above 3/)
})
