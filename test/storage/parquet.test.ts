import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { groupRowsMax, writeParquet } from '../../cli/parquet-file.ts'
import { listAnalystViews, listColumns } from '../../cli/store.ts'
import type { Db } from '../../src/base/db/db.ts'
import { asTexts, raw, type TextRow } from '../../src/base/db/sql.ts'
import { readOnlySnapshot } from '../../src/base/db/transaction-settings.ts'
import { onBothDatabases } from '../support/databases.ts'

/** Every type of a column, with its smallest, its largest and its odd values. */
const everyType = `
  select * from (values
    (1, 'plain', '{"n": 12345678901234567890.123, "s": "ä"}'::jsonb, timestamptz '2026-01-02 03:04:05.678901Z', date '2026-02-28',
      true, 2147483647, 9223372036854775807::int8, 0.1::float8),
    (2, 'Zażółć 🎨 "q" \\ ''', '[]',
      timestamptz '0101-01-01 00:00:00Z', date '1582-10-15', false, -2147483648, -9223372036854775807, 1e308),
    (3, '', 'null', timestamptz '9999-12-31 23:59:59.999999Z', date '0001-01-01', true, 0, 9007199254740993, -0.0::float8),
    (4, null, null, null, null, null, null, null, null),
    (5, repeat('long ', 100000), '"\\u0001"', timestamptz '1969-12-31 23:59:59.999999Z', date '1970-01-01', false, 1, 1, 'NaN')
  ) v(row, text, json, time, day, flag, small, large, real)`

const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }

/** A Date has no microseconds. */
const parsers = { ...DEFAULT_PARSERS, timestampFromMicroseconds: (micros: bigint) => micros as unknown as Date }

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'easel-parquet-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function write(db: Db, view: string, file: string): Promise<number> {
  return db.transaction(
    async (tx) => writeParquet(tx, file, { view, columns: await listColumns(tx, view), onRows: () => {} }),
    { settings: readOnlySnapshot },
  )
}

async function read(path: string) {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  return { metadata, rows: await parquetReadObjects({ file, compressors, parsers, utf8: true }) }
}

/** Writes a value of a file as `json_build_array` of PostgreSQL would have it as text. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return String(value.getTime())
  return Object.is(value, -0) ? '-0' : String(value)
}

onBothDatabases('a file has each value of a view, of every type', async (open, t) => {
  const db = await open()
  const folder = newFolder(t)
  await db.query(raw(`create view easel_of_every_type as ${everyType}`))
  const file = join(folder, 'types.parquet')
  assert.equal(await write(db, 'easel_of_every_type', file), 5)
  assert.deepEqual(readdirSync(folder), ['types.parquet'])
  const { metadata, rows } = await read(file)
  assert.deepEqual(
    metadata.schema.slice(1).map(({ name, type, converted_type }) => [name, type, converted_type]),
    [
      ['row', 'INT32', undefined],
      ['text', 'BYTE_ARRAY', 'UTF8'],
      ['json', 'BYTE_ARRAY', 'UTF8'],
      ['time', 'INT64', 'TIMESTAMP_MICROS'],
      ['day', 'INT32', 'DATE'],
      ['flag', 'BOOLEAN', undefined],
      ['small', 'INT32', undefined],
      ['large', 'INT64', undefined],
      ['real', 'DOUBLE', undefined],
    ],
  )
  const [, , ...expected] = await db.query<TextRow>(
    asTexts(`select row, text, json::text, (extract(epoch from time) * 1000000)::int8, extract(epoch from day)::int8 * 1000,
      flag::text, small, large, real from easel_of_every_type order by row`),
  )
  assert.deepEqual(
    rows.map((row) => Object.values(row).map(plain)),
    expected.map((row) => [...row]),
  )
  const { schema } = metadata
  assert.deepEqual(schema[4]!.logical_type, { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' })
})

onBothDatabases('a view of several groups, and an empty one, are read back', async (open, t) => {
  const db = await open()
  const folder = newFolder(t)
  const count = groupRowsMax * 2 + 1
  await db.query(raw(`create view easel_long as select n, 'row ' || n as text from generate_series(1, ${count}) n`))
  await db.query(raw('create view easel_none as select n, null::timestamptz as time from generate_series(1, 0) n'))
  const long = join(folder, 'long.parquet')
  assert.equal(await write(db, 'easel_long', long), count)
  const { metadata, rows } = await read(long)
  assert.deepEqual(
    metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
    [groupRowsMax, groupRowsMax, 1],
  )
  assert.equal(rows.length, count)
  assert.ok(rows.every(({ n, text }, i) => n === i + 1 && text === `row ${i + 1}`))
  const none = join(folder, 'none.parquet')
  assert.equal(await write(db, 'easel_none', none), 0)
  assert.deepEqual((await read(none)).rows, [])
})

onBothDatabases(
  'a file that could not be written whole has no name, and every view can be written',
  async (open, t) => {
    const db = await open()
    const folder = newFolder(t)
    await db.query(raw('create view easel_broken as select 1 / (3 - n) as n from generate_series(1, 9) n'))
    await assert.rejects(write(db, 'easel_broken', join(folder, 'broken.parquet')), /division by zero/)
    assert.deepEqual(readdirSync(folder), [])
    for (const view of await listAnalystViews(db)) {
      if (view === 'easel_broken') continue
      const file = join(folder, `${view}.parquet`)
      await write(db, view, file)
      const { metadata } = await read(file)
      const columns = await listColumns(db, view)
      assert.deepEqual(
        metadata.schema.slice(1).map(({ name }) => name),
        columns.map(({ name }) => name),
      )
      assert.ok(existsSync(file))
    }
  },
)
