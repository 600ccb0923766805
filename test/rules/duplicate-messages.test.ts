import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type MergingMessage, resolveDuplicateMessages } from '../../src/messaging/messages/duplicate-messages.ts'
import { type MessageState, messageStates } from '../../src/messaging/messages/states.ts'
import { seed, sizes } from '../sizes.ts'

const sent: readonly MessageState[] = ['handed_over', 'accepted', 'uncertain']
const open: readonly MessageState[] = ['queued', 'held', 'leased']
const unsent: readonly MessageState[] = ['suppressed', 'aborted', 'cancelled', 'missed', 'bounced', 'failed']

const message = (message_id: string, state: MessageState, visit = 0, maybe_sent = false): MergingMessage => {
  return { bucket: 1, message_id, step: '', visit, state, maybe_sent }
}

/** Returns which of two messages, one of each profile, ends and which keeps its step. */
function outcome(
  leaving: MessageState,
  staying: MessageState,
  maybe_sent: { leaving?: boolean; staying?: boolean } = {},
): string {
  const resolved = resolveDuplicateMessages(
    [message('1', leaving, 0, maybe_sent.leaving)],
    [message('2', staying, 0, maybe_sent.staying)],
  )
  const [gone] = resolved.merged
  const [stays] = resolved.kept
  const ends = [...(gone!.because ? ['leaving'] : []), ...(stays?.because ? ['staying'] : [])]
  return `${ends.join() || 'nothing'} ends, ${gone!.step === '' ? 'leaving' : 'staying'} counts`
}

test('of the messages of two profiles that become one, a message that may have been sent wins over one that waits', () => {
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

test('a message that waits for a retry after an unknown outcome wins over one that only waits, and loses to a sent one', () => {
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

test('a message that is sent again after it was missed counts as the same message', () => {
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

test('a kept profile without messages of the cause gets the merged ones unchanged', () => {
  const leaving = messageStates.map((state, i) => message(String(i), state, i))
  const resolved = resolveDuplicateMessages(leaving, [])
  assert.deepEqual(resolved, { merged: leaving.map((each) => ({ message: each, step: '' })), kept: [] })
})

test('keys are unique, no message is lost, and at most one mail still waits', () => {
  const anyMessage = fc.record({
    state: fc.constantFrom(...messageStates),
    visit: fc.constantFrom(0, 1, 2),
    maybe_sent: fc.boolean(),
  })
  const list = fc.uniqueArray(anyMessage, { selector: ({ visit }) => visit, maxLength: 3 })
  const property = fc.property(list, list, (drawnMerged, drawnKept) => {
    const leaving = drawnMerged.map(({ state, visit, maybe_sent }, i) => message(`a${i}`, state, visit, maybe_sent))
    const staying = drawnKept.map(({ state, visit, maybe_sent }, i) => message(`b${i}`, state, visit, maybe_sent))
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
    assert.ok(owners.size <= 1, 'messages of both profiles wait')
    const other = owners.has('a') ? staying : leaving
    if (owners.size === 1) assert.ok(!other.some(({ state }) => sent.includes(state)))
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
