import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { bodyBytesMax, openBodyReader } from '../../src/base/http/body.ts'

type Message = Parameters<ReturnType<typeof openBodyReader>['read']>[0]

/** Returns a request whose body is what the test writes. */
function message(): PassThrough & Message {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & Message
}

const largest = Buffer.alloc(bodyBytesMax, ' ')
largest.write('1')
const tooLarge = Buffer.concat([largest, Buffer.from(' ')])
const garbage = Buffer.alloc(bodyBytesMax, '{')

test('The memory of bodies of unanswered requests is bounded, and freed with the answer.', async () => {
  const bodies = openBodyReader(5000)
  const read = (bytes: Buffer) => {
    const one = message()
    const body = bodies.read(one)
    one.end(bytes)
    return body
  }
  const small = largest.subarray(0, 1)
  const held = await Promise.all(Array.from({ length: 32 }, () => read(largest)))
  await assert.rejects(read(small), (error: Failure) => error.kind === 'unavailable' && error.details.retryAfterS === 1)
  await assert.rejects(read(tooLarge), Failure)
  bodies.release(held[0]!)
  assert.equal((await read(largest)).body, 1)
  await assert.rejects(read(small), Failure)
})

test('Bodies that are refused, late or aborted hold no memory.', async () => {
  const bodies = openBodyReader(50)
  for (let i = 0; i < 40; i++) {
    const [large, slow, cut, wrong] = [message(), message(), message(), message()]
    const outcomes = Promise.allSettled([large, slow, cut, wrong].map((one) => bodies.read(one)))
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
    const body = openBodyReader(1000).read(one)
    one.end(text)
    assert.equal((await body).suspicious, suspicious)
  })
}
