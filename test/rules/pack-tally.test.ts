import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addChange, withNoons } from '../../src/workspace/tallies/keep-tallies.ts'
import { packTally, unpackTally } from '../../src/workspace/tallies/pack-tally.ts'
import { slotUs, Tally } from '../../src/workspace/tallies/tally.ts'
import { seed } from '../sizes.ts'

type Row = readonly [subject: string, part: string, slot: number, count: number, amount: number]

function rowsOf({ subjects, parts, columns }: Tally): Row[] {
  return columns.subject.map((subject, i) => [
    subjects[subject]!,
    parts[columns.part[i]!]!,
    columns.slot[i]!,
    columns.count[i]!,
    columns.amount[i]!,
  ])
}

function unpacked(tally: Tally): Row[] {
  const packed = packTally(tally)
  const rows: Row[] = []
  unpackTally(packed, (subject, part, slot, count, amount) => {
    rows.push([packed.subjects[subject]!, packed.parts[part]!, slot, count, amount])
  })
  return rows
}

const added = fc.record({
  subject: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom('sessions 1', 'purchases 1', '3')),
  part: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 4 }), fc.string({ maxLength: 3 })),
  slot: fc.integer({ min: -(10 ** 7), max: 10 ** 7 }),
  count: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.maxSafeInteger().map((n) => Math.trunc(n / 8)),
  ),
  amount: fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true })),
})

test('a packed tally has the same rows when it is unpacked', () => {
  fc.assert(
    fc.property(fc.array(added, { maxLength: 40 }), (all) => {
      const tally = new Tally()
      for (const { subject, part, slot, count, amount } of all) tally.add(subject, part, slot * slotUs, count, amount)
      assert.deepEqual(
        unpacked(tally),
        rowsOf(tally).map((row) => row.map((value) => (value === 0 ? 0 : value))),
      )
    }),
    { seed },
  )
})

test('a row of one of the largest counts, one of the least, and one with 127, 128 and 16,384 rows before it are kept', () => {
  const tally = new Tally()
  const counts = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2 ** 31 - 1, 2 ** 31, 2 ** 51, -(2 ** 51)]
  for (const [i, count] of counts.entries()) tally.add('a', null, i * slotUs, count)
  for (let i = 0; i < 16_400; i++) tally.add(`subject ${i}`, `part ${i}`, 2_000_000 * slotUs)
  assert.deepEqual(unpacked(tally), rowsOf(tally))
})

test('an event that is counted in one slot of the present takes few bytes', () => {
  const tally = new Tally()
  for (let i = 0; i < 20; i++) tally.add(i, null, 1_970_000 * slotUs)
  assert.equal(packTally(tally).entries.length, 20 * 4 + 3)
})

test('a subject is the same as a number and as its text', () => {
  const tally = new Tally()
  tally.add(7, 1, slotUs)
  tally.add('7', '1', slotUs, 2)
  assert.deepEqual(rowsOf(tally), [['7', '1', 1, 3, 0]])
})

test('changes are added up; what is kept by days is counted at the noon of the day in the zone of the workspace', () => {
  const hour = 3_600_000_000
  const change = new Tally()
  change.add('daily 9 flow 3', 'a', 14 * hour)
  change.add('daily 9 flow 3', 'a', 15 * hour)
  change.add('daily 8 flow 3', 'a', 15 * hour)
  change.add(1, null, 15 * hour, 2, 0.5)
  const sum = new Tally()
  for (let i = 0; i < 2; i++) addChange(sum, packTally(change))
  assert.deepEqual(rowsOf(withNoons(sum, new Map([[9, 'Asia/Tokyo']]))), [
    ['daily 9 flow 3', 'a', 12, 2, 0],
    ['daily 9 flow 3', 'a', 108, 2, 0],
    ['daily 8 flow 3', 'a', 48, 2, 0],
    ['1', '', 60, 4, 1],
  ])
})
