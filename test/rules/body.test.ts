import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { Failure } from '../../src/base/errors.ts'
import {
  arrivingBytesMin,
  type BodyOwner,
  type BodyReader,
  bodyBytesMax,
  openBodyReader,
  strangerBytesMax,
  strangerBytesPerSecondMin,
  strangerDueMs,
  strangersHeldBytesMax,
} from '../../src/base/http/body.ts'
import { many } from '../support/people.ts'

type Message = Parameters<ReturnType<typeof openBodyReader>['read']>[0]

/** Returns a request whose body is what the test writes. */
function message(): PassThrough & Message {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & Message
}

function arrived(bodies: BodyReader, owner: BodyOwner, bytes: Buffer) {
  const one = message()
  const body = bodies.read(one, owner)
  one.end(bytes)
  return body
}

const ada: BodyOwner = { id: 'ada', isStranger: false }
const bob: BodyOwner = { id: 'bob', isStranger: false }
const stranger: BodyOwner = { id: '192.0.2.1', isStranger: true }

const largest = Buffer.alloc(bodyBytesMax, ' ')
largest.write('1')
const tooLarge = Buffer.concat([largest, Buffer.from(' ')])
const garbage = Buffer.alloc(bodyBytesMax, '{')

test('The memory of bodies of unanswered requests is bounded, shared among callers, and freed with the answer.', async () => {
  const bodies = openBodyReader({ bodyMs: 5000, slowMs: 5000 })
  const read = (owner: BodyOwner, bytes: Buffer) => {
    const one = message()
    const body = bodies.read(one, owner)
    one.end(bytes)
    return body
  }
  const isBusy = (error: Failure) => error.kind === 'unavailable' && error.details.retryAfterS === 1
  const small = largest.subarray(0, 1)
  const held = await Promise.all(many(16, () => read(ada, largest)))
  await assert.rejects(read(ada, small), isBusy)
  await assert.rejects(read(ada, tooLarge), Failure)
  // A caller may have as much as is free: of 64 MB the second one gets half.
  await Promise.all(many(8, () => read(bob, largest)))
  await assert.rejects(read(bob, small), isBusy)
  await Promise.all(many(100, (i) => read({ id: `caller ${i}`, isStranger: false }, small)))
  await read(stranger, small)
  bodies.release(held[0]!, ada)
  await assert.rejects(read(ada, largest), isBusy)
})

test('Strangers have a budget of their own, with a share per address and a price for a body that has not arrived.', async () => {
  const bodies = openBodyReader({ bodyMs: 60_000, slowMs: 60_000 })
  const isBusy = (error: Failure) => error.kind === 'unavailable'
  const open = (count: number) => {
    const messages = many(count, message)
    const outcomes = Promise.allSettled(messages.map((one) => bodies.read(one, stranger)))
    return { messages, outcomes }
  }
  // Twice, because an ended body is free again.
  for (let round = 0; round < 2; round++) {
    const first = open(strangersHeldBytesMax / 2 / arrivingBytesMin)
    await assert.rejects(bodies.read(message(), stranger), isBusy)
    const other = { id: '192.0.2.2', isStranger: true }
    const body = await arrived(bodies, other, largest.subarray(0, strangerBytesMax))
    assert.equal(body.bodyBytes, strangerBytesMax)
    bodies.release(body, other)
    bodies.release(await arrived(bodies, ada, largest), ada)
    for (const one of first.messages) one.destroy()
    for (const outcome of await first.outcomes)
      assert.equal(outcome.status === 'rejected' && outcome.reason.kind, 'timedOut')
  }
})

for (const [bytes, kind] of [
  [strangerBytesMax - 1, 'read'],
  [strangerBytesMax, 'read'],
  [strangerBytesMax + 1, 'tooLarge'],
] as const) {
  test(`A body of ${bytes} bytes of a stranger: ${kind}.`, async () => {
    const outcome = await arrived(
      openBodyReader({ bodyMs: 5000, slowMs: 5000 }),
      stranger,
      largest.subarray(0, bytes),
    ).then(
      () => 'read',
      (error: Failure) => error.kind,
    )
    assert.equal(outcome, kind)
  })
}

test('A body of a stranger has a grace, and then a minimum rate.', () => {
  assert.equal(strangerDueMs(0, 5000), 5000)
  assert.equal(strangerDueMs(10 * strangerBytesPerSecondMin, 5000), 15_000)
})

/** Returns a packed request. */
function packed(coding: string, bytes: Buffer): PassThrough & Message {
  const one = message()
  one.headers['content-encoding'] = coding
  one.end(bytes)
  return one
}

test('A packed body counts with its unpacked bytes until it is answered, and with none when it is refused.', async () => {
  const bodies = openBodyReader({ bodyMs: 5000, slowMs: 5000 })
  const isBusy = (error: Failure) => error.kind === 'unavailable'
  const packs = {
    gzip: gzipSync,
    br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  }
  for (const [coding, pack] of Object.entries(packs)) {
    const [whole, large, wrong] = [pack(largest), pack(tooLarge), pack(garbage)]
    for (let i = 0; i < 20; i++) {
      const refused = [packed(coding, large), packed(coding, wrong), packed(coding, whole.subarray(0, -1))]
      const outcomes = await Promise.allSettled(refused.map((one) => bodies.read(one, ada)))
      const kinds = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.kind)
      assert.deepEqual(kinds, ['tooLarge', 'invalid', 'invalid'])
    }
    // Of 16 the last one does not fit: until it is unpacked, its packed bytes count too.
    const held = await Promise.all(many(15, () => bodies.read(packed(coding, whole), ada)))
    assert.deepEqual(new Set(held.map(({ bodyBytes }) => bodyBytes)), new Set([bodyBytesMax]))
    await assert.rejects(bodies.read(packed(coding, whole), ada), isBusy)
    const other = await bodies.read(packed(coding, whole), bob)
    bodies.release(other, bob)
    for (const body of held) bodies.release(body, ada)
  }
})

test('Bodies that are refused, late or aborted hold no memory.', async () => {
  const bodies = openBodyReader({ bodyMs: 50, slowMs: 50 })
  for (let i = 0; i < 40; i++) {
    const [large, slow, cut, wrong] = [message(), message(), message(), message()]
    const outcomes = Promise.allSettled([large, slow, cut, wrong].map((one) => bodies.read(one, ada)))
    large.end(tooLarge)
    slow.write(largest)
    cut.write(largest)
    cut.destroy()
    wrong.end(garbage)
    const kinds = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.kind)
    assert.deepEqual(kinds, ['tooLarge', 'timedOut', 'timedOut', 'invalid'])
  }
})

const texts: readonly [text: string, suspicious: boolean][] = [
  ['{"a": "b\\n"}', false],
  ['{"a": "\\u0041"}', true],
  ['{"__proto__": 1}', true],
  ['{"a": {"constructor": 1}}', true],
  ['["prototype"]', true],
  ['{"construct": "proto"}', false],
]

for (const [text, suspicious] of texts) {
  test(`The body ${text} ${suspicious ? 'needs' : 'does not need'} a closer look.`, async () => {
    const one = message()
    const body = openBodyReader({ bodyMs: 1000, slowMs: 1000 }).read(one, ada)
    one.end(text)
    assert.equal((await body).suspicious, suspicious)
  })
}
