import assert from 'node:assert/strict'
import test from 'node:test'
import { openProgress } from '../../cli/progress.ts'

/** Returns the output of a progress with these counts at these times in milliseconds. */
function shown(isTTY: boolean, steps: readonly (readonly [ms: number, done: number, share?: number])[]): string[] {
  const texts: string[] = []
  let nowMs = 1000
  const progress = openProgress('people', { isTTY, write: (text) => texts.push(text) }, { elapsed: () => nowMs })
  for (const [ms, done, share] of steps) {
    nowMs = 1000 + ms
    progress.update(done, share)
  }
  progress.end()
  return texts
}

test('Without a terminal a line is written every few seconds, and none before that.', () => {
  assert.deepEqual(shown(false, [[4_999, 10, 0.1]]), [])
  assert.deepEqual(
    shown(false, [
      [5_000, 12_345, 0.129],
      [9_999, 20_000, 0.2],
      [10_000, 20_000],
    ]),
    ['12,345 people, 2,469 a second, 12%\n', '20,000 people, 2,000 a second\n'],
  )
})

test('The time left counts what this run has read, and refused items are shown.', () => {
  const texts: string[] = []
  let nowMs = 0
  const progress = openProgress('people', { write: (text) => texts.push(text) }, { elapsed: () => nowMs })
  // A continued import has read the first half at once.
  progress.update(0, 0.5)
  for (const [ms, share, refused] of [
    [60_000, 0.505, 0],
    [120_000, 0.6, 1],
    [1_120_000, 0.95, 1_234],
    [1_220_000, 1, 1_234],
  ] as const) {
    nowMs = ms
    progress.update(120_000, share, refused)
  }
  assert.deepEqual(texts, [
    '120,000 people, 2,000 a second, 50%\n',
    '120,000 people, 1,000 a second, 60%, 8 min left, 1 refused\n',
    '120,000 people, 107 a second, 95%, 3 min left, 1,234 refused\n',
    '120,000 people, 98 a second, 100%, 1,234 refused\n',
  ])
})

test('On a terminal one line is redrawn at most ten times a second, and erased at the end.', () => {
  assert.deepEqual(
    shown(true, [
      [99, 1, 0],
      [100, 50, 0.5],
      [150, 60, 0.6],
      [200, 100, 1],
    ]),
    [
      '\r[###############...............] 50 people, 500 a second, 50%, 1 s left\u001b[K',
      '\r[##############################] 100 people, 500 a second, 100%\u001b[K',
      '\r\u001b[K',
    ],
  )
})
