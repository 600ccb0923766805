import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parts, rows } from '../../bench/all/rows.ts'
import { namesOfParts } from '../../bench/all/run.ts'
import { comparisonsOf, readResults } from '../../bench/all/table.ts'
import { makeTrackRequests, RequestCycle } from '../../bench/bodies.ts'
import { boundMailName } from '../../bench/bound-mail.ts'
import { withFigures } from '../../bench/figures-table.ts'
import { historyName, historyPageName } from '../../bench/history.ts'
import { mailNames } from '../../bench/mail.ts'
import { readHistory } from '../../bench/picture.ts'
import { partsOf } from '../../bench/profile.ts'
import type { Figure } from '../../bench/report.ts'
import { seriesName } from '../../bench/series.ts'
import { root } from '../../bench/server.ts'

const copy = { what: 'bound: psql \\copy of the events', database: 'postgres', people: 10_000, unit: 'rows/s' } as const
const mixed = { what: 'track mixed', database: 'postgres', people: 10_000, unit: 'updates/s', value: 1 } as const

/** Returns the figures of a run in which a row of `\copy` takes 3 microseconds. */
function updates(nodeUs: number, databaseUs: number): Figure[] {
  return [
    { ...copy, value: 1, databaseUs: 3 },
    { ...mixed, nodeUs, databaseUs },
  ]
}

test('a row of the table is the median of its turns, each divided by the bound of the same turn', () => {
  const turns = [updates(9, 9), updates(6, 9), updates(12, 12)]
  const slower = updates(30, 30)
  const results = readResults([
    ...turns.map((figures) => ({ other: false, figures })),
    { other: true, figures: slower },
  ])
  const row = results.find(({ row }) => row.what.startsWith('mixed update'))!
  assert.deepEqual(row.values, [6, 5, 8])
  assert.deepEqual(row.others, [20])
  assert.deepEqual(comparisonsOf([row]), [
    { what: row.row.what, database: 'none', value: 6, unit: 'rows', wanted: 4.2, turns: 3, spread: [5, 6] },
  ])
})

test('a row that no run has measured has no value', () => {
  const results = readResults([{ other: false, figures: [{ ...mixed, nodeUs: 9, databaseUs: 9 }] }])
  assert.equal(results.length, rows.length)
  assert.deepEqual(comparisonsOf(results), [])
})

test('a row of growth compares CPU where it was measured, because rates depend on the hour', () => {
  const tracked = (people: number, value: number, nodeUs: number, databaseUs: number): Figure => {
    return { what: 'track events', database: 'postgres', people, value, unit: 'updates/s', nodeUs, databaseUs }
  }
  const figures = [tracked(10_000, 100, 4, 5), tracked(10_000_000, 50, 4, 6)]
  const [row] = comparisonsOf(readResults([{ other: false, figures }]))
  assert.deepEqual([row!.what, row!.value], ['ten million people: track', 0.9])
})

test('a row of growth is its worst figure', () => {
  const figure = (what: string, people: number, value: number, unit: Figure['unit']): Figure => {
    return { what, database: 'postgres', people, value, unit }
  }
  const figures = [
    figure('track events', 10_000, 100, 'updates/s'),
    figure('track events', 10_000_000, 90, 'updates/s'),
    figure('track mixed', 10_000, 100, 'updates/s'),
    figure('track mixed', 10_000_000, 70, 'updates/s'),
    figure('export of 50', 10_000, 10, 'ms'),
    figure('export of 50', 10_000_000, 20, 'ms'),
  ]
  const values = new Map(
    comparisonsOf(readResults([{ other: false, figures }])).map(({ what, value }) => [what, value]),
  )
  assert.deepEqual(Object.fromEntries(values), {
    'ten million people: track': 0.7,
    'ten million people: export': 0.5,
  })
})

test('a year of events has a row for the export, for the worst series and for the page of a person', () => {
  const figure = (name: string, few: number, many: number): Figure[] => {
    const of = { what: historyName(name), database: 'postgres', unit: 'ms' } as const
    return [
      { ...of, people: 10_000, value: few },
      { ...of, people: 1_000_000, value: many },
    ]
  }
  const figures = [
    ...figure('export of 50', 9, 10),
    ...figure(seriesName('sessions'), 8, 8),
    ...figure(seriesName('a canvas'), 4, 5),
    ...figure(historyPageName, 7, 10),
  ]
  assert.deepEqual(
    comparisonsOf(readResults([{ other: false, figures }])).map(({ value }) => value),
    [0.9, 0.8, 0.7],
  )
})

test('the page about performance has the newest value of each figure', () => {
  const page = readFileSync(join(root, 'docs/performance.md'), 'utf8')
  assert.equal(withFigures(page, readHistory()), page, 'npm run bench -- picture')
  const [what, wanted] = ['render / liquidjs alone', 0.8]
  const of = { what, database: 'none', unit: 'x', wanted } as const
  const written = withFigures(page, [
    { ...of, value: 0.9, turns: 5, spread: [0.84, 0.91], date: '2026-11-02T00:00:00Z' },
    { ...of, value: 0.4, date: '2026-11-01T00:00:00Z' },
  ])
  assert.match(
    written,
    /^\| render \/ liquidjs alone \| liquidjs alone \| 0\.90 x \| 0\.84 to 0\.91 \| 5 \| 0\.8 x \| yes \| 2026-11-02 \|$/m,
  )
  assert.match(written, /^\| npm test, .* \| not measured \| {2}\|$/m)
})

test('a rate of mails is compared with the pool on the same database', () => {
  const figures: Figure[] = [
    { what: boundMailName, database: 'postgres', value: 2000, unit: 'mails/s' },
    { what: mailNames[0], database: 'postgres', value: 1000, unit: 'mails/s' },
  ]
  assert.deepEqual(
    comparisonsOf(readResults([{ other: false, figures }])).map(({ value }) => value),
    [0.5],
  )
})

test('every row belongs to a part, every part has a row, and only known parts are run', () => {
  assert.deepEqual([...new Set(rows.map(({ part }) => part))].sort(), Object.keys(parts).sort())
  assert.deepEqual(namesOfParts([]), Object.keys(parts))
  assert.deepEqual(namesOfParts(['mails', 'updates']), ['updates', 'mails'])
  assert.equal(namesOfParts(['mail']), undefined)
})

test('a profile adds up the time of rooms and packages, without the time in which the process waits', () => {
  const frames = [
    ['(idle)', ''],
    ['flush', 'file:///work/easel/src/people/intake/flush.ts'],
    ['other', 'file:///work/easel/src/people/intake/other.ts'],
    ['parse', 'file:///work/easel/node_modules/@scope/name/index.js'],
    ['writev', 'node:internal/stream_base_commons'],
  ] as const
  const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }))
  const profile = { nodes, samples: [0, 1, 2, 3, 4], timeDeltas: [9000, 3000, 3000, 3000, 1000] }
  assert.deepEqual(partsOf(profile), [
    { name: 'people/intake', ms: 6, share: 0.6 },
    { name: '@scope/name', ms: 3, share: 0.3 },
    { name: 'node:stream_base_commons', ms: 1, share: 0.1 },
  ])
})

test('every update of a body of newcomers creates another person, whose address has the number of the external id', () => {
  const nowMs = Date.UTC(2026, 10, 20)
  const requests = makeTrackRequests({ kind: 'newcomers', people: 1, count: 2, seed: 5, nowMs, apiKey: 'a-key' })
  const cycle = new RequestCycle(requests, 7)
  const ids = new Set<string>()
  for (let i = 0; i < 6; i++) {
    const { attributes } = JSON.parse(cycle.next().toString('utf8').split('\r\n\r\n')[1]!) as {
      attributes: { external_id: string; email: string }[]
    }
    for (const { external_id, email } of attributes) {
      assert.equal(email, `${external_id}@example.com`)
      ids.add(external_id)
    }
  }
  assert.equal(ids.size, 6 * 50)
})
