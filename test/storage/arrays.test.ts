import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as arrays from '../../src/base/db/arrays.ts'
import { sql } from '../../src/base/db/sql.ts'
import { ExactNumber } from '../../src/base/exact-number.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases } from '../support/databases.ts'

const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 50 })
const orNull = <T>(item: fc.Arbitrary<T>) => fc.option(item, { freq: 10 })
/** Text that PostgreSQL can store: without NUL and lone surrogates. */
const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed().replaceAll('\0', ''))

const columns = fc.record({
  int4: list(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  int8: list(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  float8: list(fc.double()),
  times: list(orNull(fc.maxSafeInteger())),
  texts: list(orNull(text)),
  jsonbs: list(orNull(fc.jsonValue().filter((value) => !JSON.stringify(value).includes('\\u0000')))),
  bools: list(orNull(fc.boolean())),
})

/** Reads values as text, so that drivers do not change them. */
type Row = {
  int4: number[]
  int8: string[]
  float8: string[]
  times: string[]
  texts: string[]
  jsonbs: unknown[]
  bools: boolean[]
}

onBothDatabases('binary arrays arrive unchanged', async (open) => {
  const db = await open()
  const same = async (given: typeof columns extends fc.Arbitrary<infer T> ? T : never) => {
    const json = given.jsonbs.map((value) => (value === null ? null : JSON.stringify(value)))
    const [row] = await db.query<Row>(sql`
      select ${arrays.int4Array(given.int4)}::int4[] as int4, ${arrays.int8Array(given.int8)}::int8[] as int8,
             ${arrays.float8Array(given.float8)}::float8[]::text[] as float8,
             array(select (extract(epoch from t) * 1000000)::int8::text
                   from unnest(${arrays.timestampArray(given.times)}::timestamptz[]) with ordinality u (t, i) order by i) as times,
             ${arrays.textArray(given.texts)}::text[] as texts, ${arrays.jsonbArray(json)}::jsonb[] as jsonbs,
             ${arrays.boolArray(given.bools)}::bool[] as bools`)
    assert.deepEqual(row!.int4, given.int4)
    assert.deepEqual(row!.int8, given.int8.map(String))
    assert.deepEqual(row!.float8.map(Number), given.float8)
    assert.deepEqual(
      row!.times,
      given.times.map((value) => (value === null ? null : String(value))),
    )
    assert.deepEqual(row!.texts, given.texts)
    assert.deepEqual(JSON.stringify(row!.jsonbs.map(sorted)), JSON.stringify(given.jsonbs.map(sorted)))
    assert.deepEqual(row!.bools, given.bools)
  }
  await fc.assert(fc.asyncProperty(columns, same), {
    seed,
    numRuns: sizes.databasePropertyRuns,
    interruptAfterTimeLimit: 60_000,
  })
})

onBothDatabases('empty arrays, typed arrays and strings of digits are accepted too', async (open) => {
  const db = await open()
  const [row] = await db.query(sql`
    select ${arrays.int4Array([])}::int4[] as none, ${arrays.textArray([])}::text[] as no_text,
           ${arrays.timestampArray([])}::timestamptz[] as no_time,
           ${arrays.int4Array(Int32Array.of(1, -1))}::int4[] as ints,
           ${arrays.float8Array(Float64Array.of(0.5))}::float8[] as floats,
           ${arrays.int8Array(['-9223372036854775808', '9223372036854775807'])}::int8[] as ids`)
  assert.deepEqual(row, {
    none: [],
    no_text: [],
    no_time: [],
    ints: [1, -1],
    floats: [0.5],
    ids: ['-9223372036854775808', '9223372036854775807'],
  })
})

/** Sorts keys, because jsonb does not keep their order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  // The numbers of the property are doubles, so nothing is lost.
  if (value instanceof ExactNumber) return Number(value.text)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
