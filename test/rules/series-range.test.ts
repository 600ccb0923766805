import assert from 'node:assert/strict'
import test from 'node:test'
import { readRange } from '../../src/workspace/tallies/read-range.ts'

const zone = 'Europe/Berlin'
/** Clocks go back from three to two on 25 October. */
const nowMs = Date.parse('2026-10-26T10:20:30Z')
const units = ['day', 'hour'] as const

const ranges: [query: Record<string, string>, times: string[], starts: string[]][] = [
  [
    { length: '2' },
    ['2026-10-25', '2026-10-26'],
    ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z'],
  ],
  [{ length: '1', ending_at: '2026-10-25' }, ['2026-10-25'], ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']],
  [
    { length: '1', ending_at: '2026-10-24T22:00:00Z' },
    ['2026-10-25'],
    ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ],
  [
    { length: '1', ending_at: '2026-10-24T23:59:59 02:00' },
    ['2026-10-24'],
    ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z'],
  ],
  [{ length: '1', ending_at: '2030-01-01' }, ['2026-10-26'], ['2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z']],
  [
    { length: '2', unit: 'hour' },
    ['2026-10-26T09:00:00.000Z', '2026-10-26T10:00:00.000Z'],
    ['2026-10-26T09:00:00.000Z', '2026-10-26T10:00:00.000Z', '2026-10-26T11:00:00.000Z'],
  ],
  [
    { length: '1', unit: 'hour', ending_at: '2026-10-24' },
    ['2026-10-24T21:00:00.000Z'],
    ['2026-10-24T21:00:00.000Z', '2026-10-24T22:00:00.000Z'],
  ],
]

test('a range has the days and hours of the time zone', () => {
  for (const [query, times, starts] of ranges) {
    const lists = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]))
    const range = readRange(lists, { nowMs, zone, units })
    assert.deepEqual(range.times, times, JSON.stringify(query))
    assert.deepEqual(
      range.startsMs.map((ms) => new Date(ms).toISOString()),
      starts,
      JSON.stringify(query),
    )
  }
})
