import assert from 'node:assert/strict'
import test from 'node:test'
import {
  actionsFor,
  peopleWords,
  type WorkStanding,
  workFamily,
  workSentence,
} from '../../src/people/merge/work-actions.ts'
import { type WorkOutcome, type WorkState, workKinds, workOutcomes } from '../../src/people/merge/work-schema.ts'

const standing = (state: WorkState, outcome: WorkOutcome | null, hasRequest = true): WorkStanding => {
  return { kind: 'merge', state, outcome, hasRequest }
}

test('An item that waits can be discarded, and one that has changed nothing can be tried again', () => {
  assert.deepEqual(actionsFor(standing('waiting', null)), ['discard'])
  assert.deepEqual(actionsFor(standing('moving', 'done')), [])
  const retried = workOutcomes.filter((outcome) => actionsFor(standing('done', outcome)).includes('retry'))
  assert.deepEqual(
    workOutcomes.filter((outcome) => !retried.includes(outcome)),
    ['done', 'same_person'],
  )
  assert.ok(workOutcomes.every((outcome) => !actionsFor(standing('done', outcome)).includes('discard')))
})

test('Nothing can be tried again without its request', () => {
  for (const outcome of workOutcomes) assert.deepEqual(actionsFor(standing('done', outcome, false)), [])
})

test('Each standing has a sentence of its own and a family', () => {
  const standings = [
    standing('waiting', null),
    standing('moving', 'done'),
    ...workOutcomes.map((outcome) => standing('done', outcome)),
  ]
  assert.equal(new Set(standings.map(workSentence)).size, standings.length)
  for (const kind of workKinds) {
    for (const one of standings) assert.match(workSentence({ ...one, kind }), /^[A-Z].*\.$/)
  }
  assert.deepEqual(standings.map(workFamily), [
    ...['waiting', 'waiting', 'sent'],
    ...['held', 'held', 'held', 'held', 'held', 'held', 'failed'],
  ])
})

test('the people of an item are named in words', () => {
  const ada = { kind: 'external_id', value: 'ada' } as const
  const bo = { kind: 'alias', value: 'crm\u001fbo:1' } as const
  for (const [kind, asked, words] of [
    ['merge', { who: bo, into: ada }, 'alias crm:bo:1 into external id ada'],
    [
      'identify',
      { who: { kind: 'email', value: 'bo@example.com' }, into: ada },
      'e-mail bo@example.com as external id ada',
    ],
    ['delete', { who: ada }, 'external id ada'],
  ] as const)
    assert.equal(peopleWords(kind, asked), words)
})
