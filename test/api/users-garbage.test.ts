import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { long, seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { ago, everyField, groups, hourMs, newId, peopleOf, texts } from '../support/people.ts'

const bodiesPerRun = 10

const names = [
  'external_id',
  'user_alias',
  'service_id',
  'email',
  'phone',
  '_update_existing_only',
  '_merge_objects',
  'push_token_import',
  'push_tokens',
  'subscription_groups',
  'current_location',
  'email_subscribe',
  'date_of_first_session',
  'twitter',
  'plan',
  '$add',
  'name',
  'time',
  'app_id',
  'properties',
  'product_id',
  'currency',
  'price',
  'quantity',
  'external_ids',
  'user_aliases',
  'email_address',
  'device_id',
  'fields_to_export',
  ...everyField,
]

const plausible = fc.constantFrom<unknown>(
  'ann',
  7,
  'ann@example.com',
  '+15551234567',
  { alias_name: 'ann', alias_label: 'shop' },
  [{ alias_name: 'ann', alias_label: 'shop' }],
  ['ann', 7],
  true,
  false,
  null,
  { inc: 1 },
  { add: ['a'], remove: ['b'] },
  { $add: [{ a: 1 }], $update: [{ $identifier_key: 'a', $identifier_value: 1, $new_object: {} }] },
  { $time: '2020-01-01' },
  { longitude: 1, latitude: 2 },
  [{ subscription_group_id: groups.news.id, subscription_state: 'subscribed' }],
  [{ app_id: 'app-phone', token: 't', device_id: 'device-0001' }],
  'EUR',
  4.5,
  ago(hourMs),
  'subscribed',
)
const value = fc.oneof(plausible, fc.jsonValue({ maxDepth: 4 }))
const members = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 })
const identifier = fc.constantFrom(
  { external_id: 'ann' },
  { external_id: 7 },
  { email: 'ann@example.com' },
  { phone: '+15551234567' },
  { user_alias: { alias_name: 'ann', alias_label: 'shop' }, _update_existing_only: false },
)
const sound = { name: 'visited', time: ago(hourMs), product_id: 'tea', currency: 'EUR', price: 1 }
const item = fc.oneof(
  { weight: 3, arbitrary: members },
  { weight: 5, arbitrary: fc.tuple(identifier, members).map(([who, more]) => ({ ...sound, ...more, ...who })) },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const trackBody = fc.record(
  {
    attributes: fc.array(item, { maxLength: 4 }),
    events: fc.array(item, { maxLength: 4 }),
    purchases: fc.array(item, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)
/** Paths of requests that change identifiers, with the members of their bodies. */
const namingPaths = {
  '/users/alias/new': ['user_aliases', 'external_id', 'alias_name', 'alias_label', 'user_alias'],
  '/users/alias/update': ['alias_updates', 'alias_label', 'old_alias_name', 'new_alias_name'],
  '/users/external_ids/rename': ['external_id_renames', 'current_external_id', 'new_external_id'],
  '/users/external_ids/remove': ['external_ids'],
}
const namingRequest = fc.oneof(
  ...Object.entries(namingPaths).map(([path, [list, ...members]]) => {
    const whole = Object.fromEntries(members.map((name) => [name, 'ann']))
    const odd = members.length === 0 ? value : fc.dictionary(fc.constantFrom(...members), value)
    const entry = fc.oneof(
      odd,
      odd.map((more) => (members.length === 0 ? more : { ...whole, ...(more as object) })),
    )
    const body = fc.oneof(fc.array(entry, { maxLength: 6 }), value).map((items) => JSON.stringify({ [list!]: items }))
    return fc.tuple(fc.constant(path), body)
  }),
)
const exportBody = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 })
const wellFormed = fc.oneof(trackBody, exportBody, fc.jsonValue()).map((body) => JSON.stringify(body))
const cut = fc.tuple(wellFormed, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)))
const odd = fc.tuple(
  wellFormed,
  fc.constantFrom('\\u0000', '\\ud800', '__proto__', '9'.repeat(400), '1e999', '"', '\u0000'),
)
const spoiled = odd.map(([text, what]) => text.replace(/[a-z]+|\d+/, what))
const body = fc.oneof(
  { weight: 6, arbitrary: wellFormed },
  { weight: 1, arbitrary: cut },
  { weight: 2, arbitrary: spoiled },
)
const path = fc.constantFrom('/users/track', '/users/track/bulk', '/users/export/ids', ...Object.keys(namingPaths))
const request = fc.oneof({ weight: 4, arbitrary: fc.tuple(path, body) }, { weight: 1, arbitrary: namingRequest })

const required = '"external_id":"deep","name":"n","product_id":"p","currency":"EUR","price":1,"time":"2026-01-01"'

/** Places of a request where a value can be, each with a function that inserts it. */
const places: readonly [path: string, around: (value: string) => string][] = [
  ['/users/track', (inner) => inner],
  ['/users/export/ids', (inner) => inner],
  ...['attributes', 'events', 'purchases'].flatMap((array): [string, (inner: string) => string][] => [
    ['/users/track', (inner) => `{"${array}":${inner}}`],
    ['/users/track', (inner) => `{"${array}":[${inner}]}`],
    ...names.map((name): [string, (inner: string) => string] => [
      '/users/track',
      (inner) => `{"${array}":[{${required},"${name}":${inner}}]}`,
    ]),
  ]),
  ...names.flatMap((name): [string, (inner: string) => string][] => [
    ['/users/export/ids', (inner) => `{"external_ids":["deep"],"fields_to_export":["email"],"${name}":${inner}}`],
    ['/users/export/ids', (inner) => `{"external_ids":["deep"],"fields_to_export":["email"],"${name}":[${inner}]}`],
  ]),
]

for (const database of drawDatabases('users-garbage')) {
  describe(`random input (${database})`, () => {
    const people = peopleOf(database)

    const isAlive = async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free' })
      assert.deepEqual(await people.custom(external_id), { plan: 'free' })
    }

    const assertSane = async (where: string, text: string) => {
      const answer = await people.send(where, text)
      assert.ok(
        answer.status < 500 && answer.status >= 200,
        `${answer.status} ${answer.text} for ${where} ${text.slice(0, 500)}`,
      )
      assert.notEqual(answer.body.message, '')
      return answer
    }

    test(`of any kind is answered in JSON and never with a 5xx (seed ${seed})`, async () => {
      const requests = fc.array(request, { minLength: bodiesPerRun, maxLength: bodiesPerRun })
      const property = fc.asyncProperty(requests, async (list) => {
        await Promise.all(list.map(([where, text]) => assertSane(where, text)))
      })
      await fc.assert(property, { seed, numRuns: sizes.databasePropertyRuns })
      await isAlive()
    })

    test(`in track requests is counted: processed and errors add up to the number of items (seed ${seed})`, async () => {
      const property = fc.asyncProperty(trackBody, async (sent) => {
        const { status, body: answer } = await assertSane('/users/track', JSON.stringify(sent))
        if (answer.message === texts.reserved) return
        const errors = (answer.errors ?? []).filter(({ input_array }) => input_array !== undefined)
        for (const array of ['attributes', 'events', 'purchases'] as const) {
          const refused = errors.filter(({ input_array }) => input_array === array)
          const { length } = sent[array] ?? []
          assert.equal((answer[`${array}_processed`] ?? 0) + refused.length, length)
          assert.equal(answer[`${array}_processed`] !== undefined, status === 201 && length > 0)
          for (const { index = -1 } of refused) assert.ok(index >= 0 && index < length)
        }
      })
      await fc.assert(property, { seed, numRuns: 3 * sizes.databasePropertyRuns })
      await isAlive()
    })

    test('nested at any depth is answered, at every place', async () => {
      const depth = 10_000
      const deep = ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]
      // The short run tests one of the two depths for each place.
      const isOwn = (i: number) => long || (i + seed) % deep.length === 0
      const requests = places.flatMap(([where, around], i) =>
        deep.filter((_, j) => isOwn(i + j)).map((value): [string, string] => [where, around(value)]),
      )
      for (const [where, text] of requests) await assertSane(where, text)
      await isAlive()
    })

    test('with very many small parts is answered', async () => {
      const pieces = ['1', '{}', '[]', '"x"', 'null'].map((piece) => `[${`${piece},`.repeat(200_000)}${piece}]`)
      for (const list of pieces) {
        for (const array of ['attributes', 'events', 'external_ids', 'user_aliases', 'fields_to_export']) {
          const where = array === 'attributes' || array === 'events' ? '/users/track' : '/users/export/ids'
          await assertSane(where, `{"external_ids":["x"],"fields_to_export":["email"],"${array}":${list}}`)
        }
      }
      await isAlive()
    })
  })
}
