import assert from 'node:assert/strict'
import test from 'node:test'
import { callBytesMax } from '../../src/messaging/channels/webhook/prepare-calls.ts'
import { callsOfWorkspaceMax } from '../../src/messaging/channels/webhook/receivers.ts'
import {
  ExpectedBytes,
  MemoryAllowance,
  mailBytesMax,
  memorySlices,
} from '../../src/messaging/delivery/memory-allowance.ts'
import { attachmentBytesMax, attachmentsBytesOf, encodedBytesMax } from '../../src/messaging/mail/fetch-attachments.ts'

const turn = () => new Promise<void>((resume) => setImmediate(resume))

/** Returns whether a promise has resolved. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  await turn()
  return done
}

for (const [what, limits] of Object.entries({ messages: mailBytesMax })) {
  test(`bytes of ${what} can be reserved up to the limit, and the next byte waits until others are freed`, async () => {
    for (const kind of ['transactional', 'marketing'] as const) {
      for (const [bytes, fits] of [
        [limits[kind] - 11, true],
        [limits[kind] - 10, true],
        [limits[kind] - 9, false],
      ] as const) {
        const allowance = new MemoryAllowance(limits)
        allowance.add(10)
        const reserved = allowance.reserve(bytes, kind)
        assert.equal(await isDone(reserved), fits, `${bytes}`)
        allowance.free(10)
        assert.ok(await isDone(reserved))
      }
    }
  })
}

test('the largest calls of one workspace leave memory to others', () => {
  for (const kind of ['transactional', 'marketing'] as const)
    assert.ok(callsOfWorkspaceMax * callBytesMax < mailBytesMax[kind])
})

test('reservations are granted in order, transactional mail first, and one above the limit is granted alone', async () => {
  const allowance = new MemoryAllowance(mailBytesMax)
  const limit = mailBytesMax.marketing
  allowance.add(limit)
  assert.ok(!allowance.has('marketing') && allowance.has('transactional'))
  const large = allowance.reserve(limit + 1, 'marketing')
  const small = allowance.reserve(1, 'marketing')
  assert.ok(await isDone(allowance.reserve(limit, 'transactional')))
  const later = allowance.reserve(limit, 'transactional')
  allowance.free(limit)
  assert.ok(await isDone(later))
  allowance.free(limit)
  assert.deepEqual([await isDone(large), await isDone(small)], [false, false])
  allowance.free(limit)
  assert.deepEqual([await isDone(large), await isDone(small)], [true, false])
  allowance.free(limit + 1)
  assert.ok(await isDone(small))
})

test('mails with attachments are rendered in slices that take half of the memory', () => {
  const bytesMax = 10_485_760
  const files = (count: number) => ({ attachments: Array.from({ length: count }, () => ({ file_name: 'a', url: '' })) })
  assert.deepEqual(
    [0, 1, 5, 6, 10].map((count) => attachmentsBytesOf(files(count), bytesMax)),
    [0, attachmentBytesMax, bytesMax, bytesMax, bytesMax],
  )
  const bytes = encodedBytesMax(files(10), bytesMax)
  const items = Array.from({ length: 9 }, (_, i) => i)
  const slices = memorySlices(items, bytes, mailBytesMax.transactional)
  assert.deepEqual(slices, [[0, 1, 2, 3], [4, 5, 6, 7], [8]])
  assert.ok(bytes * 4 * 2 <= mailBytesMax.transactional)
  assert.equal(memorySlices(items, mailBytesMax.marketing, mailBytesMax.marketing).length, items.length)
})

test('more is expected of the mails of a content after one did not fit, up to the largest mail', () => {
  const expected = new ExpectedBytes(1_000_000)
  const first = expected.of('a', 10_000)
  assert.equal(first, 65_536 + 20_000)
  expected.grow('a', first)
  assert.equal(expected.of('a', 10_000), 4 * first)
  expected.grow('a', 4 * first)
  assert.equal(expected.of('a', 10_000), 1_000_000)
  assert.equal(expected.of('b', 10_000), first)
  assert.equal(expected.of('c', 2_000_000), 1_000_000)
})
