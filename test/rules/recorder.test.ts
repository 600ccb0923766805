import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Exchange } from '../../src/base/http/observe.ts'
import { Recorder } from '../../src/emulator/requests/recorder.ts'
import {
  recordedBodyCharactersMax,
  recordedBytesMax,
  recordedMax,
  waitersMax,
} from '../../src/emulator/requests/schema.ts'

const clock = systemClock()
const url = '/users/track'
const everything = { after: 0, limit: recordedMax + 1 }

/** Records a request with a body of so many characters, and an answer. */
function record(recorder: Recorder, bodyCharacters = 0, answer = ''): void {
  const sent = bodyCharacters === 0 ? undefined : { start: Buffer.alloc(0), parsed: 'x'.repeat(bodyCharacters - 2) }
  const exchange = {
    method: 'POST',
    url,
    query: {},
    status: 200,
    from: { request_id: 'r' },
    sent,
    reply: { body: answer },
  }
  recorder.record(exchange as unknown as Exchange, { workspace: null, fault: null, isCut: false, clock })
}

test('the latest requests are kept, and the oldest go first', () => {
  const recorder = new Recorder()
  for (let i = 0; i < recordedMax - 1; i++) record(recorder)
  for (const [kept, first] of [
    [recordedMax, 1],
    [recordedMax, 2],
  ] as const) {
    record(recorder)
    const all = recorder.list({}, everything)
    assert.deepEqual([all.length, all[0]!.number, all.at(-1)!.number], [kept, first, recorder.last])
  }
})

test('a body or an answer that is too long is not kept, and the request says so', () => {
  for (const [characters, isCut] of [
    [recordedBodyCharactersMax - 1, false],
    [recordedBodyCharactersMax, false],
    [recordedBodyCharactersMax + 1, true],
  ] as const) {
    const recorder = new Recorder()
    record(recorder, characters)
    record(recorder, 0, JSON.stringify('x'.repeat(characters - 2)))
    const [one, other] = recorder.list({}, everything)
    assert.deepEqual([one!.is_cut, one!.body === null], [isCut, isCut], `${characters} characters`)
    assert.deepEqual([other!.is_cut, other!.answer === null], [isCut, isCut], `${characters} characters`)
  }
})

test('all bodies together have a limit', () => {
  const recorder = new Recorder()
  const bytes = 2 * recordedBodyCharactersMax + url.length
  const fitting = Math.floor(recordedBytesMax / bytes)
  for (let i = 0; i < fitting - 1; i++) record(recorder, recordedBodyCharactersMax)
  for (const [kept, first] of [
    [fitting, 1],
    [fitting, 2],
  ] as const) {
    record(recorder, recordedBodyCharactersMax)
    const all = recorder.list({}, everything)
    assert.deepEqual([all.length, all[0]!.number], [kept, first])
  }
  recorder.clear()
  assert.deepEqual(recorder.list({}, everything), [])
})

test('so many expectations wait at once, and one more is refused', async () => {
  const recorder = new Recorder()
  const leave = new AbortController()
  const expect = () => recorder.expect({ path: url }, { count: 1, waitMs: 240_000, after: 0, signal: leave.signal })
  const waiting = Array.from({ length: waitersMax }, expect)
  await assert.rejects(expect(), /Too many expectations wait/)
  record(recorder)
  for (const found of await Promise.all(waiting)) assert.ok('requests' in found && found.requests.length === 1)
  assert.ok('requests' in (await expect()))
})
