import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type MergingMessage, resolveDuplicateMessages } from '../../src/messaging/messages/duplicate-messages.ts'
import { type MessageState, messageStates } from '../../src/messaging/messages/states.ts'
import { seed, sizes } from '../sizes.ts'

const sent: readonly MessageState[] = ['handed_over', 'accepted', 'uncertain']
const open: readonly MessageState[] = ['queued', 'held', 'leased']
const unsent: readonly MessageState[] = ['suppressed', 'aborted', 'cancelled', 'missed', 'bounced', 'failed']

const message = (message_id: string, state: MessageState, visit = 0, doubted = false): MergingMessage => {
  return { bucket: 1, message_id, step: '', visit, state, doubted }
}

/** Which of one message each ends, and which keeps its place. */
function outcome(
  leaving: MessageState,
  staying: MessageState,
  doubted: { leaving?: boolean; staying?: boolean } = {},
): string {
  const resolved = resolveDuplicateMessages(
    [message('1', leaving, 0, doubted.leaving)],
    [message('2', staying, 0, doubted.staying)],
  )
  const [gone] = resolved.merged
  const [stays] = resolved.kept
  const ends = [...(gone!.because ? ['leaving'] : []), ...(stays?.because ? ['staying'] : [])]
  return `${ends.join() || 'nothing'} ends, ${gone!.step === '' ? 'leaving' : 'staying'} counts`
}

test('of two messages that become one person’s, what may have been sent comes before what waits', () => {
  const table: readonly [readonly MessageState[], readonly MessageState[], string][] = [
    [open, messageStates, 'leaving ends, staying counts'],
    [sent, open, 'staying ends, leaving counts'],
    [sent, sent, 'nothing ends, staying counts'],
    [sent, unsent, 'nothing ends, leaving counts'],
    [unsent, messageStates, 'nothing ends, staying counts'],
  ]
  for (const [leaving, staying, expected] of table) {
    for (const a of leaving) for (const b of staying) assert.equal(outcome(a, b), expected, `${a} into ${b}`)
  }
})

test('what a server may have had and waits to be sent again comes before what only waits, and after what was sent', () => {
  for (const a of open) {
    for (const b of open) {
      assert.equal(outcome(a, b, { leaving: true }), 'staying ends, leaving counts', `${a} into ${b}`)
      assert.equal(outcome(a, b, { staying: true }), 'leaving ends, staying counts', `${a} into ${b}`)
      assert.equal(outcome(a, b, { leaving: true, staying: true }), 'leaving ends, staying counts', `${a} into ${b}`)
    }
    for (const b of sent) {
      assert.equal(outcome(a, b, { leaving: true }), 'leaving ends, staying counts', `${a} into ${b}`)
      assert.equal(outcome(b, a, { staying: true }), 'staying ends, leaving counts', `${b} into ${a}`)
    }
    for (const b of unsent) {
      assert.equal(outcome(a, b, { leaving: true }), 'nothing ends, leaving counts', `${a} into ${b}`)
    }
  }
})

test('a message that goes out again to whom it missed counts with the first one', () => {
  const leaving = [message('1', 'missed'), message('2', 'queued', 1_000)]
  const resolved = resolveDuplicateMessages(leaving, [message('3', 'accepted')])
  assert.deepEqual(
    resolved.merged.map(({ step, because }) => [step, because?.message_id]),
    [
      ['merged:1', undefined],
      ['merged:2', '3'],
    ],
  )
  assert.deepEqual(resolved.kept, [])
})

test('whoever has no message of the cause takes those that come as they are', () => {
  const leaving = messageStates.map((state, i) => message(String(i), state, i))
  const resolved = resolveDuplicateMessages(leaving, [])
  assert.deepEqual(resolved, { merged: leaving.map((each) => ({ message: each, step: '' })), kept: [] })
})

test('no key is there twice, nothing is lost, and at most one mail is still to come', () => {
  const anyMessage = fc.record({
    state: fc.constantFrom(...messageStates),
    visit: fc.constantFrom(0, 1, 2),
    doubted: fc.boolean(),
  })
  const list = fc.uniqueArray(anyMessage, { selector: ({ visit }) => visit, maxLength: 3 })
  const property = fc.property(list, list, (away, here) => {
    const leaving = away.map(({ state, visit, doubted }, i) => message(`a${i}`, state, visit, doubted))
    const staying = here.map(({ state, visit, doubted }, i) => message(`b${i}`, state, visit, doubted))
    const resolved = resolveDuplicateMessages(leaving, staying)
    assert.deepEqual(
      resolved.merged.map((each) => each.message),
      leaving,
    )
    const changed = new Map(resolved.kept.map((each) => [each.message.message_id, each]))
    const all = [
      ...resolved.merged,
      ...staying.map((each) => changed.get(each.message_id) ?? { message: each, step: '' }),
    ]
    const keys = all.map((each) => `${each.step} ${each.message.visit}`)
    assert.equal(new Set(keys).size, keys.length)
    for (const { message, because } of all) if (because) assert.ok(open.includes(message.state))
    const waits = all.filter((each) => !('because' in each && each.because) && open.includes(each.message.state))
    const owners = new Set(waits.map((each) => each.message.message_id[0]))
    assert.ok(owners.size <= 1, 'what waits is of one of the two')
    const other = owners.has('a') ? staying : leaving
    if (owners.size === 1) assert.ok(!other.some(({ state }) => sent.includes(state)))
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
