import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeGraph, describeStep } from '../../src/messaging/flows/describe-steps.ts'
import type { Step } from '../../src/messaging/flows/flow.ts'
import { isPlan } from '../support/canvases.ts'
import { event, graphOf, message, segment } from '../support/graphs.ts'

const day = 86_400_000
const gold = { audience: isPlan('gold') }
const email = (more: object) => {
  const content = { app_id: 'a', from: 'A <a@example.com>', ...more }
  return { type: 'message', channel: 'email', content }
}

const sentences: readonly (readonly [string, object])[] = [
  ['Sends the e-mail "Hi {{x}}".', email({ subject: 'Hi {{x}}' })],
  ['Sends the e-mail of the template "welcome".', email({ email_template_id: 'welcome' })],
  ['Sends an e-mail.', email({})],
  ['Waits 3 days.', { type: 'delay', wait: { forMs: 3 * day } }],
  [
    'Waits until it is 09:00, in the time zone of the person.',
    { type: 'delay', wait: { until: '09:00', weekdays: [] } },
  ],
  [
    'Waits until it is 09:00 on a Monday or Friday, in the time zone of the person.',
    { type: 'delay', wait: { until: '09:00', weekdays: [1, 5] } },
  ],
  ['Yes, when the person fits this: `plan` is `gold`; otherwise no.', { type: 'decision', condition: gold }],
  [
    'Yes, when the person is in the segment "payers"; otherwise no.',
    { type: 'decision', condition: segment('payers') },
  ],
  ['Takes the first path whose condition is true of the person.', { type: 'paths', paths: [] }],
  [
    'Waits at most 1 week for what the person does, and takes the path of that.',
    { type: 'action_paths', withinMs: 7 * day, paths: [] },
  ],
  ['Divides people at random.', { type: 'experiment', paths: [] }],
  ['Changes the attribute "plan" of the person.', { type: 'update_user', attributes: { plan: 1 } }],
  [
    'Changes the attributes "a", "b", "c", "d", "e" and 2 more of the person.',
    { type: 'update_user', attributes: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 } },
  ],
  ['Calls https://hooks.example.com with PUT.', { type: 'webhook', url: 'https://hooks.example.com', method: 'PUT' }],
]

for (const [sentence, step] of sentences) {
  test(sentence, () => assert.equal(describeStep({ id: 'a', name: 'A', ...step } as Step, {}).sentence, sentence))
}

test('paths have the names that counts have, and say when they are taken', () => {
  const pathsOf = (step: object) => describeStep({ id: 'a', name: 'A', ...step } as Step, {}).paths
  assert.deepEqual(pathsOf({ type: 'delay', wait: { forMs: day }, next: 'b' }), [{ name: '', words: '', next: 'b' }])
  assert.deepEqual(pathsOf({ type: 'decision', condition: gold, yes: 'b' }), [
    { name: 'yes', words: 'when it is true', next: 'b' },
    { name: 'no', words: 'when it is not true', next: null },
  ])
  const otherwise = 'c'
  assert.deepEqual(pathsOf({ type: 'paths', paths: [{ name: 'Gold', condition: gold, next: 'b' }], otherwise }), [
    { name: 'Gold', words: 'when the person fits this: `plan` is `gold`', next: 'b' },
    { name: 'otherwise', words: 'when no other path fits', next: 'c' },
  ])
  const bought = { name: 'Bought', on: event('order_placed'), next: 'b' }
  assert.deepEqual(pathsOf({ type: 'action_paths', withinMs: day, paths: [bought], otherwise }), [
    { name: 'Bought', words: 'when they do "order_placed"', next: 'b' },
    { name: 'otherwise', words: 'after 1 day without any of that', next: 'c' },
  ])
  assert.deepEqual(pathsOf({ type: 'experiment', paths: [{ name: 'Path 1', percent: 12.5, next: 'b' }] }), [
    { name: 'Path 1', words: '12.5%', next: 'b' },
  ])
})

test('a template is named, once its name is known', () => {
  const step = {
    id: 'a',
    name: 'A',
    ...email({ email_template_id: 'welcome' }),
  } as unknown as Step
  const templateName = (id: string) => (id === 'welcome' ? 'Warm welcome' : undefined)
  assert.equal(describeStep(step, { templateName }).sentence, 'Sends the e-mail of the template "Warm welcome".')
})

test('long conditions are cut', () => {
  const condition = { audience: isPlan('x'.repeat(1_000)) }
  const { sentence } = describeStep({ id: 'a', name: 'A', type: 'decision', condition } as Step, {})
  assert.ok(sentence.length < 400 && sentence.endsWith('...; otherwise no.'), sentence)
})

test('a version says how people enter, and by which variants', () => {
  const variants = ['a', 'b'].map((id) => ({ id, name: id.toUpperCase(), percent: 50, first: id }))
  const { sentence, starts, steps } = describeGraph(graphOf([message('a', 'b'), message('b')], { variants }), {})
  assert.equal(sentence, 'People enter when the API says so, once each.')
  assert.deepEqual(starts, [
    { name: 'A', words: '50%', next: 'a' },
    { name: 'B', words: '50%', next: 'b' },
  ])
  assert.deepEqual(
    steps.map(({ id, kind }) => [id, kind]),
    [
      ['a', 'message'],
      ['b', 'message'],
    ],
  )
})
