import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDatabase } from '../servers/template.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { ago, many, newId, peopleOf } from '../support/people.ts'
import { recordOf } from '../support/people-lines.ts'

const replayed = 'idempotent-replayed'
const paths = ['/users/track', '/users/track/bulk'] as const
const time = ago(60_000)

async function eventsOf(service: Service, external_id: string): Promise<number> {
  return (await recordOf(service, { external_ids: [external_id] })).custom_events[0].count
}

for (const database of drawDatabases('users-track-key')) {
  describe(`Idempotency-Key of /users/track (${database})`, () => {
    const people = peopleOf(database)
    const strict = peopleOf(database, { workspace: { settings: { strict: true } } })
    const send = (path: string, key: string, body: unknown) => people.send(path, body, { 'idempotency-key': key })

    for (const path of paths) {
      test(`a repeated request to ${path} gets the first answer, with its errors and notices, and adds nothing`, async () => {
        const [key, id] = [newId('key'), newId('id')]
        const body = {
          attributes: [{ external_id: id, visits: { inc: 1 } }, { email: 'no address' }],
          events: [
            { external_id: id, name: 'e', time },
            { user_alias: { alias_label: 'l', alias_name: newId('nobody') }, name: 'e', time },
          ],
          purchases: [{ external_id: id, product_id: 'p', currency: 'EUR', price: 2, time }],
        }
        const first = await send(path, key, body)
        assert.deepEqual([first.status, first.headers[replayed]], [201, undefined], first.text)
        assert.equal((first.body.errors as object[]).length, 1)
        assert.equal((first.body.notices as object[]).length, 1)
        for (let again = 0; again < 2; again++) {
          const { status, headers, text } = await send(path, key, body)
          assert.deepEqual([status, headers[replayed], text], [201, 'true', first.text])
        }
        const other = await send(path, key, { ...body, events: [] })
        assert.equal(other.status, 422)
        const fresh = await send(path, newId('key'), body)
        assert.deepEqual([fresh.headers[replayed], fresh.text], [undefined, first.text])
        const { custom_attributes, custom_events, purchases } = await people.person(id)
        assert.deepEqual([custom_attributes?.visits, custom_events?.[0]?.count, purchases?.[0]?.count], [2, 2, 2])
      })
    }

    test('a refusal is not stored, whether it comes before or after the look-up of people', async () => {
      const [key, id] = [newId('key'), newId('id')]
      assert.equal((await send(paths[0], key, { attributes: [{ email: 'no address' }] })).status, 400)
      const body = { events: [{ user_alias: { alias_label: 'l', alias_name: id }, name: 'e', time }] }
      const ask = () => strict.send(paths[0], body, { 'idempotency-key': key })
      assert.equal((await ask()).status, 400)
      await strict.set({ user_alias: { alias_label: 'l', alias_name: id }, _update_existing_only: false })
      const taken = await ask()
      assert.deepEqual([taken.status, taken.headers[replayed]], [201, undefined])
      assert.deepEqual([(await ask()).text, (await ask()).headers[replayed]], [taken.text, 'true'])
    })

    test('requests with one key at the same time have one effect, beside requests with other keys', async () => {
      const id = newId('id')
      const body = { events: [{ external_id: id, name: 'e', time }] }
      const keys = many(20, () => newId('key'))
      const answers = await Promise.all(keys.flatMap((key) => many(3, () => send(paths[0], key, body))))
      for (const { status, text } of answers) assert.ok(status === 201 || status === 409, text)
      for (const key of keys) assert.equal((await send(paths[0], key, body)).headers[replayed], 'true')
      assert.equal((await people.eventsOf(id))[0]?.count, keys.length)
    })
  })
}

test('two processes apply a request with one key once, and the requests beside it too', async () => {
  await using stack = new AsyncDisposableStack()
  const url = await newDatabase('track_key')
  const env = { DATABASE_URL: url }
  const services = [
    stack.use(await startService({ database: 'postgres', env })),
    stack.use(await startService({ database: 'postgres', env })),
  ]
  const rounds = 15
  for (let round = 0; round < rounds; round++) {
    const headers = { 'idempotency-key': newId('key') }
    const body = { events: [{ external_id: 'keyed', name: 'e', time }] }
    const beside = { events: [{ external_id: 'beside', name: 'e', time }] }
    const answers = await Promise.all(
      services.flatMap((service) => [
        service.post('/users/track', body, { headers }),
        service.post('/users/track', beside),
      ]),
    )
    for (const [i, { status, text }] of answers.entries())
      assert.ok(status === 201 || (status === 409 && i % 2 === 0), text)
  }
  assert.deepEqual(
    [await eventsOf(services[0]!, 'keyed'), await eventsOf(services[1]!, 'beside')],
    [rounds, 2 * rounds],
  )
})
