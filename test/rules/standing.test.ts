import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standingSentence } from '../../src/messaging/timeline/standing.ts'

const nowMs = Date.UTC(2026, 0, 31)
const dayMs = 86_400_000

test('the sentence counts canvases and campaigns, and the days since the last mail', () => {
  const none = { open: [], hasMore: false, lastMailMs: undefined, nowMs }
  assert.equal(standingSentence(none), 'Stands in no canvas. No mail was sent yet.')
  const one = { ...none, open: ['canvas'] as const, lastMailMs: nowMs - dayMs + 1 }
  assert.equal(standingSentence(one), 'Stands in 1 canvas. The last mail was sent less than a day ago.')
  const several = { ...none, open: ['canvas', 'campaign', 'canvas'] as const, lastMailMs: nowMs - dayMs }
  assert.equal(standingSentence(several), 'Stands in 2 canvases and 1 campaign. The last mail was sent 1 day ago.')
  const many = { ...several, hasMore: true, lastMailMs: nowMs - 9 * dayMs }
  assert.match(standingSentence(many), /^Stands in at least 2 canvases .* The last mail was sent 9 days ago\.$/)
})
