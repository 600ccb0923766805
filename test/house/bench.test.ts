import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import {
  exportSize,
  makeExportRequests,
  makeTrackRequests,
  mix,
  RequestCycle,
  updatesPerBody,
} from '../../bench/bodies.ts'
import { broadcastOf } from '../../bench/mail-template.ts'
import type { KeptRequest } from '../../bench/request-protocol.ts'
import { emailOf, externalIdOf, historyMs } from '../../bench/samples.ts'
import { Sink } from '../../bench/sink.ts'
import { inTurns } from '../../bench/turns.ts'

type Update = { external_id?: string; email?: string; time?: string } & Record<string, unknown>
type Body = Record<'attributes' | 'events' | 'purchases', Update[]>

const people = 1000
const count = 40
const rounds = 3
const nowMs = Date.UTC(2026, 10, 20, 9, 57)
const order = { people, count, seed: 5, nowMs, apiKey: 'a-key' }
const known = new Set(Array.from({ length: people }, (_, i) => externalIdOf(i)))
const addresses = new Set(Array.from({ length: people }, (_, i) => emailOf(i)))

/** Returns the parsed bodies of `rounds` rounds through the list. */
function sent(kind: 'events' | 'mixed'): Body[] {
  const cycle = new RequestCycle(makeTrackRequests({ ...order, kind }), 0)
  return Array.from({ length: count * rounds }, () => bodyOf(cycle.next()) as Body)
}

function bodyOf(request: Buffer): unknown {
  const [head, body] = request.toString('utf8').split('\r\n\r\n') as [string, string]
  assert.match(head, /^POST \/users\/[a-z/]+ HTTP\/1\.1\r\n/)
  assert.match(head, /\r\nAuthorization: Bearer a-key\r\n/)
  assert.equal(Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1]), Buffer.byteLength(body))
  return JSON.parse(body)
}

function isNew(update: Update): boolean {
  return update.external_id !== undefined && !known.has(update.external_id)
}

function hasOperator(update: Update): boolean {
  return Object.values(update).some((value) => typeof value === 'object')
}

test('an events body has 50 events of known people and nothing else', () => {
  for (const body of sent('events')) {
    assert.deepEqual(Object.keys(body), ['events'])
    assert.equal(body.events.length, updatesPerBody)
    assert.ok(body.events.every((event) => known.has(event.external_id!)))
  }
})

test('a mixed body has 25 attributes, 20 events and 5 purchases, with fixed shares of new people, e-mails and operators', () => {
  for (const { attributes, events, purchases } of sent('mixed')) {
    assert.deepEqual([attributes.length, events.length, purchases.length], [25, 20, 5])
    const updates = [...attributes, ...events, ...purchases]
    assert.equal(updates.filter(isNew).length, updatesPerBody / 10)
    assert.equal(updates.filter((update) => update.email !== undefined).length, updatesPerBody / 10)
    assert.equal(attributes.filter(hasOperator).length, attributes.length / 5)
    assert.equal(mix.newcomers + mix.byEmail, updatesPerBody / 5)
  }
})

test('all three operators occur, every array has a new person, and every e-mail belongs to a known person', () => {
  const bodies = sent('mixed')
  const operators = bodies
    .flatMap((body) => body.attributes.flatMap((update) => [update.visits, update.tags]))
    .filter(Boolean)
  assert.deepEqual([...new Set(operators.flatMap((operator) => Object.keys(operator as object)))].sort(), [
    'add',
    'inc',
    'remove',
  ])
  for (const array of ['attributes', 'events', 'purchases'] as const) {
    assert.ok(bodies.some((body) => body[array].some(isNew)))
    assert.ok(bodies.every((body) => body[array].every(({ email }) => email === undefined || addresses.has(email))))
  }
})

test('a new person is named only once, even when the list is used several times', () => {
  const newcomers = sent('mixed').flatMap((body) =>
    [...body.attributes, ...body.events, ...body.purchases].filter(isNew),
  )
  assert.equal(newcomers.length, count * rounds * mix.newcomers)
  assert.equal(new Set(newcomers.map((update) => update.external_id)).size, newcomers.length)
})

test('no event is sent twice, and every event has a time in the thirty days before the run', () => {
  for (const kind of ['events', 'mixed'] as const) {
    const events = sent(kind).flatMap((body) => [...body.events, ...(body.purchases ?? [])])
    assert.equal(new Set(events.map((event) => JSON.stringify(event))).size, events.length)
    assert.ok(events.every(({ time }) => Date.parse(time!) < nowMs && Date.parse(time!) > nowMs - historyMs))
    assert.ok(new Set(events.map(({ time }) => time)).size > events.length * 0.99)
  }
})

test('the same seed gives the same bytes, another seed gives others, and all bodies differ', () => {
  const bytes = (seed: number) =>
    makeTrackRequests({ ...order, seed, kind: 'mixed' }).map((request) => request.bytes.toString('latin1'))
  assert.deepEqual(bytes(5), bytes(5))
  assert.notDeepEqual(bytes(5), bytes(6))
  assert.equal(new Set(bytes(5)).size, count)
})

test('bodies have the size of the bodies in the measurements of the design', () => {
  const meanBytes = (kind: 'events' | 'mixed') => {
    const requests = makeTrackRequests({ ...order, kind })
    return requests.reduce((sum, request) => sum + request.bytes.length - request.bodyAt, 0) / count
  }
  assert.ok(Math.abs(meanBytes('events') - 7700) < 200)
  assert.ok(Math.abs(meanBytes('mixed') - 6700) < 200)
})

test('an export names 50 different people', () => {
  for (const request of makeExportRequests(order)) {
    const { external_ids } = bodyOf(request) as { external_ids: string[] }
    assert.equal(new Set(external_ids).size, exportSize)
    assert.ok(external_ids.every((external_id) => known.has(external_id)))
  }
})

test('a mail of the benchmark has ten kilobytes, Liquid, and either links that are the same for everybody or one that is not', () => {
  const [same, own] = (['same links', 'own link'] as const).map((kind) => broadcastOf(kind).messages.email.body)
  for (const body of [same!, own!]) assert.ok(Math.abs(Buffer.byteLength(body) - 10_000) < 500)
  const links = (body: string) => body.match(/href="[^"]*"/g)!
  assert.ok(links(same!).length > 0 && links(same!).every((link) => !link.includes('{{')))
  assert.ok(links(own!).some((link) => link.includes('{{')))
})

test('the mail sink of the benchmark counts a mail once, at every split of its bytes', async () => {
  await using sink = new Sink()
  const { port } = await sink.read()
  const socket = connect({ port, host: '127.0.0.1' })
  const said = async (text: string) => {
    const answer = once(socket, 'data')
    socket.write(text)
    return String((await answer)[0])
  }
  assert.match(String((await once(socket, 'data'))[0]), /^220 /)
  for (let mails = 1; mails <= 2; mails++) {
    assert.match(await said('MAIL FROM:<a@example.com>\r\n'), /^250 /)
    assert.match(await said('DATA\r\n'), /^354 /)
    socket.write('Subject: one\r\n\r\ntwo\r\n.')
    assert.equal((await sink.read()).messages, mails - 1)
    assert.match(await said('\r\n'), /^250 /)
    const { last, ...counts } = await sink.read('last')
    assert.equal(counts.messages, mails)
    assert.equal(last, 'Subject: one\r\n\r\ntwo\r\n')
  }
  socket.destroy()
})

test('the HTTP sink of the benchmark answers texts as a provider does, and keeps what the bound sends again', async () => {
  await using sink = new Sink('http')
  const { port } = await sink.read()
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers })
  const path = '/2010-04-01/Accounts/AC1/Messages.json'
  const text = await post(path, 'To=%2B491&Body=Hi', { 'idempotency-key': 'one' })
  assert.equal(text.status, 201)
  const { sid, to, body, status } = (await text.json()) as Record<string, string>
  assert.deepEqual([typeof sid, to, body, status], ['string', '+491', 'Hi', 'queued'])
  const call = await post('/people/1', '{"name":"Ann"}')
  assert.equal(call.status, 200)
  const { messages, last } = await sink.read('last')
  assert.equal(messages, 2)
  const kept = JSON.parse(last!) as KeptRequest[]
  assert.deepEqual(
    kept.map((request) => [request.method, request.path, request.body]),
    [
      ['POST', path, 'To=%2B491&Body=Hi'],
      ['POST', '/people/1', '{"name":"Ann"}'],
    ],
  )
  assert.equal(kept[0]!.headers['idempotency-key'], 'one')
  assert.ok(kept.every(({ headers }) => !('host' in headers) && !('content-length' in headers)))
})

test('what is measured in turns is warmed up once, takes every second turn in the other order, and has its medians', async () => {
  const order: string[] = []
  const costs = { a: [9, 1, 3, 2], b: [9, 10, 30, 20] }
  const measure = (name: 'a' | 'b') => async () => {
    order.push(name)
    return { seconds: 1, nodeUs: costs[name].shift()! }
  }
  const [a, b] = await inTurns(3, { a: measure('a'), b: measure('b') })
  assert.equal(order.join(''), 'abab' + 'baab')
  assert.deepEqual(a, { what: 'a', seconds: 1, nodeUs: 2, turnsUs: [1, 3, 2] })
  assert.deepEqual(b, { what: 'b', seconds: 1, nodeUs: 20, turnsUs: [10, 30, 20] })
})
