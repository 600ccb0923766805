import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistoryLine } from '../../bench/figures-table.ts'
import { drawHistory } from '../../bench/picture.ts'

const what = 'plain event, the same'
const line = (date: string, value: number): HistoryLine => ({ what, database: 'none', value, unit: 'rows', date })

test('the picture has a panel for each figure with two runs or more, in the order of their dates', () => {
  assert.doesNotMatch(drawHistory([line('2026-11-20T00:00:00Z', 3)]), /plain event/)
  const picture = drawHistory([line('2026-11-22T00:00:00Z', 2.6), line('2026-11-20T00:00:00Z', 3.4)])
  assert.match(picture, /plain event, the same/)
  assert.match(picture, />2\.60 rows, wanted 2\.2</)
  const heights = [...picture.matchAll(/<circle cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) => Number(y))
  assert.equal(heights.length, 2)
  assert.ok(heights[0]! < heights[1]!, 'the older and larger value is on the left and higher')
})
