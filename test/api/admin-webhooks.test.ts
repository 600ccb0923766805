import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { readFeed, readPage, typesOf } from '../support/feed.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { many, newId } from '../support/people.ts'
import { assertOrdered, type Received, type Receiver, startReceiver } from '../support/receiver.ts'

type Item = Readonly<Record<string, unknown>>
type Delivery = {
  readonly state: string
  readonly cursor: string
  readonly waiting: number
  readonly failures: number
  readonly set_aside_because: string | null
  readonly previous_secret_until: string | null
}
type Attempt = {
  readonly type: string
  readonly event_id: string
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
  readonly cursor: string | null
}

for (const database of drawDatabases('admin-webhooks')) {
  describe(`webhooks (${database})`, () => {
    const people = new Mailed()
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
      await people.start({ database, env: { EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` } })
    })
    after(async () => {
      await people.stop()
      await receiver.stop()
    })

    const admin = async (method: string, path: string, body?: Item) =>
      (await people.service.admin(method, `/admin/webhooks${path}`, body)).body
    const ask = (method: string, path: string, body?: Item) =>
      people.service.send(method, `/admin/webhooks${path}`, body, { key: people.service.adminToken })
    const attemptsOf = async (id: string) =>
      (await admin('GET', `/${id}/attempts?limit=200`)) as { delivery: Delivery; attempts: Attempt[] }
    const create = async (more: Item = {}) => {
      const { webhook } = await admin('POST', '', { name: newId('hook'), url: receiver.url, ...more })
      receiver.trust(webhook.secret ?? more.secret)
      receiver.react(() => 204)
      return webhook as { id: string; name: string; secret: string; state: string; event_types: string[] }
    }
    const remove = (id: string) => people.service.admin('DELETE', `/admin/webhooks/${id}`)
    const gets = (external_id: string): Received[] =>
      receiver.taken().filter(({ data }) => data.person?.external_id === external_id)
    const arrives = (external_id: string, count = 1) =>
      eventually(`${count} events`, () => gets(external_id).length >= count)

    test('a receiver gets signed events from its creation on, and the secret is shown once', async () => {
      const { id, secret, name } = await create({ event_types: ['person.created'] })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const listed = (await people.service.admin('GET', '/admin/webhooks')).text
      assert.ok(!listed.includes(secret))
      assert.ok(listed.includes(name))
      const external_id = newId()
      await people.set({ external_id, email_subscribe: 'unsubscribed' })
      await arrives(external_id)
      assert.equal(receiver.forged, 0)
      const [event] = gets(external_id)
      assert.equal(event!.type, 'person.created')
      const lines = await readFeed(people.service, (found) => typesOf(found, external_id).length > 1)
      const line = lines.find(({ data, type }) => type === 'person.created' && data.person.external_id === external_id)!
      const { id: event_id, timestamp, data } = event!
      assert.deepEqual([event_id, timestamp, data], [line.id, line.timestamp, line.data])
      await eventually('the cursor passes the other event', async () => {
        const { delivery } = await attemptsOf(id)
        return delivery.waiting === 0 && delivery.cursor === lines.at(-1)!.cursor
      })
      const { attempts } = await attemptsOf(id)
      assert.deepEqual(
        attempts.map(({ type, status, error }) => [type, status, error]),
        [['person.created', 204, null]],
      )
      await remove(id)
    })

    test('a refusal is tried again, shows its answer, and does not change the order of a person', async () => {
      const { id } = await create()
      receiver.react(() => ({ status: 500, body: 'sorry\u0000' }))
      const external_id = newId()
      await people.set({ external_id })
      await people.set({ external_id, email_subscribe: 'unsubscribed' })
      await people.set({ external_id, email_subscribe: 'opted_in' })
      await eventually('a failed attempt', async () => (await attemptsOf(id)).delivery.failures > 0)
      const { delivery, attempts } = await attemptsOf(id)
      assert.deepEqual([delivery.state, attempts[0]!.status, attempts[0]!.error], ['active', 500, 'It answered 500'])
      assert.equal(attempts[0]!.answer, 'sorry\ufffd')
      receiver.react(() => 200)
      await admin('POST', `/${id}/resume`)
      await arrives(external_id, 3)
      assert.deepEqual(
        gets(external_id).map(({ type, data }) => [type, data.state]),
        [
          ['person.created', undefined],
          ['subscription.changed', 'unsubscribed'],
          ['subscription.changed', 'opted_in'],
        ],
      )
      assert.equal((await attemptsOf(id)).delivery.failures, 0)
      await remove(id)
    })

    test('people do not wait for each other, and no person has two requests at the same time', async () => {
      const { id } = await create()
      const open = new Set<string>()
      const twice: string[] = []
      const slow = newId()
      receiver.react(({ person, data }) => {
        if (open.has(person)) twice.push(person)
        if (data.person.external_id === slow) {
          open.add(person)
          return 'never'
        }
        return 204
      })
      await people.set({ external_id: slow })
      const others = many(12, () => newId())
      await people.set(...others.map((external_id) => ({ external_id })))
      await people.set({ external_id: slow, email_subscribe: 'unsubscribed' })
      for (const external_id of others) await arrives(external_id)
      assert.deepEqual(twice, [])
      receiver.react(() => 204)
      await eventually('the attempt without an answer ends', async () => (await attemptsOf(id)).delivery.failures > 0)
      const { attempts } = await attemptsOf(id)
      assert.ok(
        attempts.some(({ status, error }) => status === null && /did not answer|no complete answer/.test(error ?? '')),
      )
      await admin('POST', `/${id}/resume`)
      await arrives(slow, 2)
      assert.deepEqual(
        gets(slow).map(({ type }) => type),
        ['person.created', 'subscription.changed'],
      )
      for (const external_id of others) assert.equal(gets(external_id).length, 1)
      await remove(id)
    })

    test('a receiver that is gone is set aside at once, and gets everything when it is resumed', async () => {
      const { id } = await create()
      receiver.react(() => 410)
      const before = newId()
      await people.set({ external_id: before })
      await eventually('it is set aside', async () => (await attemptsOf(id)).delivery.state === 'set_aside')
      const { delivery, attempts } = await attemptsOf(id)
      assert.match(delivery.set_aside_because!, /410/)
      const count = attempts.length
      receiver.react(() => 204)
      const meanwhile = newId()
      await people.set({ external_id: meanwhile })
      await readFeed(people.service, (found) => typesOf(found, meanwhile).length > 0)
      assert.equal((await attemptsOf(id)).attempts.length, count)
      await admin('POST', `/${id}/resume`)
      await arrives(meanwhile)
      await arrives(before)
      assert.equal((await attemptsOf(id)).delivery.state, 'active')
      await remove(id)
    })

    test('a paused webhook gets nothing until it is active again', async () => {
      const { id } = await create({ state: 'paused' })
      const external_id = newId()
      await people.set({ external_id })
      await readFeed(people.service, (found) => typesOf(found, external_id).length > 0)
      assert.deepEqual((await attemptsOf(id)).attempts, [])
      await admin('PATCH', `/${id}`, { state: 'active' })
      await arrives(external_id)
      await remove(id)
    })

    test('a replay sends events again, and those that come meanwhile once', async () => {
      const { id } = await create()
      const { next: start } = await readPage(people.service, '?cursor=end')
      const olds = many(20, () => newId())
      await people.set(...olds.map((external_id) => ({ external_id })))
      for (const external_id of olds) await arrives(external_id)
      await eventually('all is stored', async () => (await attemptsOf(id)).delivery.waiting === 0)
      const news = many(20, () => newId())
      const replaying = admin('POST', `/${id}/replay`, { cursor: start })
      for (const external_id of news) await people.set({ external_id })
      await replaying
      for (const external_id of news) await arrives(external_id)
      for (const external_id of olds) await arrives(external_id, 2)
      assert.deepEqual(
        olds.map((external_id) => new Set(gets(external_id).map((event) => event.id)).size),
        olds.map(() => 1),
      )
      const expected = (await readFeed(people.service, (found) => typesOf(found, news.at(-1)!).length > 0)).map(
        (line) => ({
          id: line.id,
          person: line.data.person.service_id,
        }),
      )
      assertOrdered(
        receiver.taken(),
        expected.filter(({ id: event_id }) => receiver.taken().some((event) => event.id === event_id)),
      )
      const from = new Date(Date.now() + 3_600_000).toISOString()
      const { delivery } = await admin('POST', `/${id}/replay`, { from })
      assert.equal(delivery.waiting, 0)
      await remove(id)
    })

    test('a replay that would leave out events is refused', async () => {
      const { id } = await create({ state: 'paused' })
      const external_id = newId()
      await people.set({ external_id })
      await readFeed(people.service, (found) => typesOf(found, external_id).length > 0)
      const { next } = await readPage(people.service, '?cursor=end')
      for (const [body, message] of [
        [{ cursor: next }, /must not be ahead of the cursor of the webhook/],
        [{ cursor: 'x' }, /'cursor' is not valid/],
        [{ from: 'yesterday' }, /'from' must be an ISO 8601 instant/],
        [{}, /must have one of 'from' and 'cursor'/],
        [{ from: '2026-01-01T00:00:00Z', cursor: '1' }, /must have one of/],
        [{ until: 1 }, /'until' is not known/],
      ] as const) {
        const answer = await ask('POST', `/${id}/replay`, body)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.message, message)
      }
      await remove(id)
    })

    test('both secrets sign for a while after a rotation', async () => {
      const { id, secret } = await create()
      const rotated = await admin('POST', `/${id}/rotate`, { overlap: 'PT1H' })
      assert.notEqual(rotated.secret, secret)
      assert.ok(Date.parse(rotated.delivery.previous_secret_until) > Date.now())
      for (const trusted of [secret, rotated.secret]) {
        receiver.trust(trusted)
        const external_id = newId()
        await people.set({ external_id })
        await arrives(external_id)
        assert.equal(gets(external_id)[0]!.signature.split(' ').length, 2)
      }
      const last = await admin('POST', `/${id}/rotate`, { overlap: 'PT0S' })
      receiver.trust(last.secret)
      const external_id = newId()
      await people.set({ external_id })
      await arrives(external_id)
      assert.equal(gets(external_id)[0]!.signature.split(' ').length, 1)
      for (const overlap of ['P31D', 'P1M', 1])
        assert.equal((await ask('POST', `/${id}/rotate`, { overlap })).status, 400)
      assert.equal((await ask('POST', `/${id}/rotate`, { overlap: 'P30D' })).status, 200)
      await remove(id)
    })

    test('a test is sent at once, also to a paused webhook', async () => {
      const { id } = await create({ state: 'paused' })
      const { attempt } = await admin('POST', `/${id}/test`)
      assert.deepEqual([attempt.type, attempt.status, attempt.cursor], ['webhook.test', 204, null])
      assert.equal(receiver.received.at(-1)!.type, 'webhook.test')
      receiver.react(() => 503)
      assert.equal((await admin('POST', `/${id}/test`)).attempt.error, 'It answered 503')
      assert.equal((await attemptsOf(id)).attempts.length, 2)
      await remove(id)
    })

    test('an address inside the network is not reached', async () => {
      const { id } = await create({ url: 'http://127.0.0.1:9/hook' })
      const { attempt } = await admin('POST', `/${id}/test`)
      assert.equal(attempt.status, null)
      assert.match(attempt.error, /must not be reached/)
      await remove(id)
    })

    test('a webhook of the file keeps its secret, and a wrong one is refused', async () => {
      const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
      const webhook = { name: newId('hook'), url: receiver.url, event_types: ['person.created'], secret }
      const apply = async () => (await people.service.admin('POST', '/admin/apply', { webhooks: [webhook] })).body
      assert.equal((await apply()).changes.length, 1)
      assert.deepEqual((await apply()).changes, [])
      const { webhooks } = (await people.service.admin('GET', '/admin/webhooks')).body
      const { id } = webhooks.find(({ name }: { name: string }) => name === webhook.name)
      receiver.trust(secret)
      receiver.react(() => 204)
      assert.equal((await admin('POST', `/${id}/test`)).attempt.status, 204)
      const { file, omitted } = (await people.service.admin('GET', '/admin/file')).body
      assert.ok(file.includes(webhook.name) && !file.includes(secret))
      assert.ok(omitted.some(({ member }: { member: string }) => member === 'secret'))
      for (const [more, path] of [
        [{ secret: 'whsec_short' }, 'secret'],
        [{ secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, 'secret'],
        [{ secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, 'secret'],
        [{ url: 'ftp://example.com' }, 'url'],
        [{ url: 'https://user:password@example.com' }, 'url'],
        [{ event_types: ['message.read'] }, 'event_types'],
        [{ state: 'set_aside' }, 'state'],
      ] as const) {
        const answer = await ask('POST', '', { ...webhook, name: newId('hook'), ...more })
        assert.equal(answer.status, 400, answer.text)
        assert.ok(answer.text.includes(path), answer.text)
      }
      const longest = `whsec_${Buffer.alloc(64).toString('base64')}`
      assert.equal((await ask('PATCH', `/${id}`, { secret: longest })).status, 200)
      assert.equal((await ask('POST', '', webhook)).status, 409)
      await remove(id)
    })

    test('a workspace has at most 50 webhooks, and a missing one is not found', async () => {
      const made: string[] = []
      for (let i = 0; i < 50; i++) made.push((await create({ state: 'paused' })).id)
      const answer = await ask('POST', '', { name: newId('hook'), url: receiver.url })
      assert.equal(answer.status, 400)
      assert.match(answer.text, /at most 50/)
      for (const id of made) await remove(id)
      for (const [method, path] of [
        ['GET', '/none/attempts'],
        ['POST', '/none/resume'],
        ['POST', '/none/rotate'],
        ['POST', '/none/test'],
      ] as const)
        assert.equal((await ask(method, path)).status, 404, path)
    })
  })
}
