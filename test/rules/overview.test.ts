import assert from 'node:assert/strict'
import test from 'node:test'
import { type AttentionFacts, attentionOf, overviewSentence } from '../../src/messaging/overview/attention.ts'
import type { Due } from '../../src/messaging/overview/schema.ts'

const well: AttentionFacts = {
  troubles: [],
  due: [],
  failedRequests: 0,
  hours: 1,
  uncertain: 0,
  setAside: 0,
  pausedFlows: [],
  pausedOrders: [],
}
const late = (work: Due['work'], late_ms: number): Due => ({ work, waiting: 1, is_more: false, next_at: null, late_ms })

test('what needs somebody is said in a sentence', () => {
  const cases: readonly (readonly [Partial<AttentionFacts>, string[]])[] = [
    [{}, []],
    [
      { troubles: [{ cause: 'smtp://mail.example was not reached: refused', waiting: 'Mail waits' }] },
      ['smtp://mail.example was not reached: refused. Mail waits until the server is reached.'],
    ],
    [{ due: [late('entries', 59_999)] }, []],
    [
      { due: [late('entries', 60_000), late('slots', 7_200_000)] },
      [
        'Steps of canvases are one minute late. See whether a worker is running and has enough to run on.',
        'Sends are 2 hours late. See whether a worker is running and has enough to run on.',
      ],
    ],
    [{ failedRequests: 1 }, ['One request was answered with an error of the server in the last hour.']],
    [
      { failedRequests: 1_200, hours: 168 },
      ['1,200 requests were answered with an error of the server in the last 7 days.'],
    ],
    [{ uncertain: 1 }, ['One message was perhaps sent. Decide whether to send again.']],
    [{ uncertain: 3 }, ['3 messages were perhaps sent. Decide whether to send again.']],
    [{ setAside: 2 }, ['2 messages were set aside, because the process ended several times while it prepared them.']],
    [
      {
        pausedFlows: [
          { kind: 'canvas', id: 'c', name: 'Cart' },
          { kind: 'campaign', id: 'd', name: 'Spring' },
        ],
        pausedOrders: [{ dispatch_id: '5f', what: 'A mail', to_go: 7_155 }],
      },
      ['The canvas "Cart" is paused.', 'The campaign "Spring" is paused.', 'A mail is paused with 7,155 to go.'],
    ],
  ]
  for (const [facts, sentences] of cases)
    assert.deepEqual(
      attentionOf({ ...well, ...facts }).map(({ sentence }) => sentence),
      sentences,
    )
})

test('a sentence says how many things need somebody', () => {
  for (const [count, sentence] of [
    [0, 'All is well.'],
    [1, 'One thing needs you.'],
    [2, 'Two things need you.'],
    [6, '6 things need you.'],
  ] as const)
    assert.equal(overviewSentence(count), sentence)
})
