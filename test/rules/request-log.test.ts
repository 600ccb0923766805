import assert from 'node:assert/strict'
import test from 'node:test'
import { virtualClock } from '../../src/base/clock.ts'
import { invalid } from '../../src/base/errors.ts'
import { bodyStartMax, type Exchange } from '../../src/base/http/observe.ts'
import type { DeletedNames } from '../../src/workspace/requests/deleted-names.ts'
import { commitMsMax, forgottenNamesMax, RequestLog } from '../../src/workspace/requests/request-log.ts'
import {
  entriesMax,
  entryKeptMs,
  logBytesMax,
  perSecondMax,
  strangerEntriesMax,
} from '../../src/workspace/requests/schema.ts'

const actor = { kind: 'key', id: 'k', name: 'Key', from: { ip: '203.0.113.7', request_id: 'r' } } as const
const track = { permission: 'users.track', method: 'POST', path: '/users/track' } as const

type Given = { status?: number; workspace_id?: number; at?: number; body?: string; answer?: string; stranger?: boolean }

/** A log with a clock of its own that is moved by hand. */
class Bench {
  elapsedMs = 1_000_000
  recording = true
  /** What processes have written about deletions. */
  readonly deletions: DeletedNames[] = []
  #made = 0
  readonly log = new RequestLog({
    clock: { ...virtualClock(0), elapsed: () => this.elapsedMs },
    findWorkspace: () => 1,
    isRecording: () => this.recording,
    readDeletedNames: async (after) =>
      this.deletions.filter(({ number }) => Number(number) > Number(after)).slice(0, 2),
    lastDeletedNames: '0',
  })

  delete(names: readonly string[] | undefined, workspace_id = 1): void {
    this.deletions.push({ number: `${this.deletions.length + 1}`, workspace_id, names, atMs: this.elapsedMs })
  }

  add({ status = 400, workspace_id = 1, at = this.elapsedMs, body, answer = '{}', stranger }: Given = {}): void {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    this.log.observe({
      route: track,
      params: {},
      status,
      failure: status < 400 ? undefined : invalid('no'),
      caller: stranger ? undefined : { workspace_id, actor },
      from: { ip: '203.0.113.7', request_id: `r${++this.#made}` },
      startedMs: at,
      method: 'POST',
      url: '/users/track',
      query: {},
      headers: {},
      sent: bytes && { start: bytes.subarray(0, bodyStartMax), bytes: bytes.length, parsed: {} },
      reply: { headers: {}, body: answer },
    } satisfies Exchange)
  }

  async count(workspace_id = 1, withStrangers = false): Promise<number> {
    return (await this.log.list(workspace_id, withStrangers)).length
  }
}

test('A workspace keeps its newest requests, up to a limit', async () => {
  const bench = new Bench()
  for (const [added, kept] of [
    [entriesMax - 1, entriesMax - 1],
    [1, entriesMax],
    [1, entriesMax],
  ]) {
    for (let i = 0; i < added!; i++) bench.add()
    assert.equal(await bench.count(), kept)
  }
  const listed = await bench.log.list(1, false)
  assert.deepEqual([listed[0]!.id, listed.at(-1)!.id], [`r${entriesMax + 1}`, 'r2'])
  assert.equal(await bench.count(2), 0)
})

test('A few successes of each second are kept, and every refusal', async () => {
  const bench = new Bench()
  for (let i = 0; i < perSecondMax - 1; i++) bench.add({ status: 201 })
  assert.equal(await bench.count(), perSecondMax - 1)
  bench.add({ status: 201 })
  assert.equal(await bench.count(), perSecondMax)
  bench.add({ status: 201 })
  assert.equal(await bench.count(), perSecondMax)
  for (let i = 0; i < perSecondMax + 5; i++) bench.add({ status: 400 })
  assert.equal(await bench.count(), 2 * perSecondMax + 5)
  bench.add({ status: 201, workspace_id: 2 })
  assert.equal(await bench.count(2), 1)
  bench.elapsedMs += 1_000
  bench.add({ status: 201 })
  assert.equal(await bench.count(), 2 * perSecondMax + 6)
})

test('Strangers have a small log of their own', async () => {
  const bench = new Bench()
  bench.add()
  for (let i = 0; i < strangerEntriesMax + 5; i++) {
    bench.elapsedMs += 1_000
    bench.add({ stranger: true, status: 401 })
  }
  for (let i = 0; i < perSecondMax + 5; i++) bench.add({ stranger: true, status: 401 })
  assert.equal(await bench.count(1, false), 1)
  assert.equal(await bench.count(1, true), 1 + strangerEntriesMax)
})

test('All logs together have a limit of bytes, and the largest gives way', async () => {
  const bench = new Bench()
  const body = 'x'.repeat(bodyStartMax)
  bench.add({ workspace_id: 9 })
  for (let workspace_id = 1; workspace_id <= 3; workspace_id++) {
    for (let i = 0; i < entriesMax - workspace_id; i++) bench.add({ workspace_id, body, answer: body })
  }
  const entries = (await Promise.all([1, 2, 3, 9].map((id) => bench.log.list(id, false)))).flat()
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  assert.ok(bytes <= logBytesMax && bytes > logBytesMax - 3 * bodyStartMax, String(bytes))
  assert.equal(await bench.count(9), 1)
  assert.ok((await bench.count(1)) > 0)
})

test('A request is kept for an hour', async () => {
  const bench = new Bench()
  bench.add()
  bench.elapsedMs += entryKeptMs - 1
  assert.equal(await bench.count(), 1)
  bench.elapsedMs += 1
  assert.equal(await bench.count(), 0)
})

test('What is kept is a copy of the beginning of a body, in whole characters', async () => {
  const bench = new Bench()
  const sizes = [bodyStartMax - 1, bodyStartMax, bodyStartMax + 1]
  for (const size of sizes) bench.add({ body: 'x'.repeat(size), answer: `${'y'.repeat(size - 2)}é` })
  const kept = (await bench.log.list(1, false)).toReversed()
  assert.deepEqual(
    kept.map(({ sent, answered }) => [sent.start!.length, sent.isCut, answered.start!.length, answered.isCut]),
    [
      [bodyStartMax - 1, false, bodyStartMax - 1, false],
      [bodyStartMax, false, bodyStartMax, false],
      [bodyStartMax, true, bodyStartMax - 1, true],
    ],
  )
  assert.ok(kept.every(({ sent }) => sent.start!.buffer.byteLength === sent.start!.length))
})

test('Nothing is recorded while it is switched off, and what was recorded is dropped', async () => {
  const bench = new Bench()
  bench.add()
  bench.recording = false
  bench.add()
  assert.equal(await bench.count(), 0)
  bench.log.expire()
  bench.recording = true
  assert.equal(await bench.count(), 0)
  bench.add()
  assert.equal(await bench.count(), 1)
})

test('A deletion by any process removes the requests that name the person, also one that is still being answered', async () => {
  const bench = new Bench()
  bench.add({ body: '{"external_id":"ada"}' })
  bench.add({ body: '{"external_id":"bo"}' })
  bench.add({ answer: '{"users":[{"external_id":"ada"}]}' })
  bench.add({ body: '{"external_id":"ada"}', workspace_id: 2 })
  bench.add({ body: '{"external_id":"ada"}', stranger: true })
  const arrived = bench.elapsedMs - 5
  bench.delete(['ada'])
  assert.equal(await bench.count(), 1)
  assert.equal(await bench.count(2), 1)
  assert.equal(await bench.count(1, true), 1)
  bench.add({ body: '{"external_id":"ada"}', at: arrived })
  assert.equal(await bench.count(), 1)
})

test('A person who comes back after the deletion is recorded', async () => {
  const bench = new Bench()
  bench.add({ body: '{"external_id":"ada"}' })
  bench.delete(['ada'])
  bench.elapsedMs += commitMsMax
  bench.add({ body: '{"external_id":"ada"}' })
  assert.equal(await bench.count(), 0)
  bench.elapsedMs += 1
  bench.add({ body: '{"external_id":"ada"}' })
  assert.equal(await bench.count(), 1)
})

test('Each of many deletions is carried out once, and a failed reading is made again', async () => {
  const bench = new Bench()
  const people = ['ada', 'bo', 'cy', 'di', 'ed']
  for (const external_id of people) bench.add({ body: JSON.stringify({ external_id }) })
  for (const external_id of people.slice(0, 3)) bench.delete([external_id])
  const { deletions } = bench
  const all = deletions.splice(0, deletions.length)
  Object.defineProperty(deletions, 'filter', {
    configurable: true,
    value: () => {
      throw new Error('away')
    },
  })
  await assert.rejects(bench.count(), /away/)
  Reflect.deleteProperty(deletions, 'filter')
  deletions.push(...all)
  assert.equal(await bench.count(), 2)
  assert.equal(await bench.count(), 2)
})

test('Names that cannot be read empty the log of their workspace', async () => {
  const bench = new Bench()
  bench.add()
  bench.add({ workspace_id: 2 })
  bench.delete(undefined)
  assert.deepEqual([await bench.count(), await bench.count(2)], [0, 1])
})

test('So many deleted people are looked for in late answers; beyond that late answers are not recorded', async () => {
  for (const [names, kept] of [
    [forgottenNamesMax - 1, 1],
    [forgottenNamesMax, 1],
    [forgottenNamesMax + 1, 0],
  ] as const) {
    const bench = new Bench()
    const arrived = bench.elapsedMs
    bench.delete(Array.from({ length: names - 1 }, (_, i) => `person-${i}`))
    bench.delete(['ada'])
    assert.equal(await bench.count(), 0)
    bench.add({ body: '{"external_id":"other"}', at: arrived })
    assert.equal(await bench.count(), kept)
  }
})
