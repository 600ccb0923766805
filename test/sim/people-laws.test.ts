import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { long, seed, sizes } from '../sizes.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { apps, type Exported, everyField, groups, only } from '../support/people.ts'
import { plain } from './people-look.ts'
import type { Body } from './people-model.ts'
import { inWorld, type World, workspace } from './people-programs.ts'
import { untilIdle } from './people-work.ts'

const runMsMax = long ? 600_000 : 30_000
const [first, second, kept, bystander] = ['first~', 'second~', 'kept~', 'bystander~']
const plainFields = {
  first_name: 'Ann',
  last_name: 'Ames',
  gender: 'F',
  dob: '1990-01-02',
  country: 'DE',
  home_city: 'Bonn',
  language: 'de',
  time_zone: 'Europe/Berlin',
  email_subscribe: 'unsubscribed',
  push_subscribe: 'opted_in',
  email: 'mail~@example.com',
  phone: '+1555~001',
}

const digit = fc.nat(9)

/** Attributes of one merged person: some of these fields, custom attributes and a group, none of which the other person has. */
function attributes(fields: readonly (keyof typeof plainFields)[], word: string, group: string): fc.Arbitrary<Body> {
  const subscription_groups = [{ subscription_group_id: group, subscription_state: 'subscribed' }]
  return fc
    .record({ some: fc.subarray([...fields]), x: fc.option(digit), y: fc.option(fc.uniqueArray(digit)) })
    .map(({ some, x, y }) => ({
      ...Object.fromEntries(some.map((field) => [field, plainFields[field]])),
      ...Object.fromEntries([x, y].map((value, i) => [`${word}_${i}`, value])),
      subscription_groups,
    }))
}

const days = fc.integer({ min: 1, max: 80 }).map((day) => `@${day}`)
const events = fc.array(fc.record({ name: fc.constantFrom('opened', 'closed'), time: days }), { maxLength: 4 })
const bought = { currency: fc.constant('EUR'), price: fc.constant(2), quantity: fc.integer({ min: 1, max: 9 }) }
const purchases = fc.array(fc.record({ product_id: fc.constantFrom('tea', 'mug'), time: days, ...bought }), {
  maxLength: 4,
})
const sessions = fc.array(
  days.map((day) => ({ started_at: day, ended_at: day })),
  { minLength: 1, maxLength: 3 },
)
const history = { events, purchases, sessions }
/** Three people. The two merged ones have different fields, and the same names of events and purchases. */
const trio = fc.record({
  [first]: fc.record({
    attributes: attributes(
      ['first_name', 'last_name', 'gender', 'dob', 'email', 'email_subscribe'],
      'a',
      groups.news.id,
    ),
    ...history,
  }),
  [second]: fc.record({
    attributes: attributes(
      ['country', 'home_city', 'language', 'time_zone', 'phone', 'push_subscribe'],
      'b',
      groups.alerts.id,
    ),
    ...history,
  }),
  [kept]: fc.record({ attributes: attributes(['first_name', 'country'], 'a', groups.offers.id), ...history }),
})

type Pair = readonly [from: string, into: string]

/** Merges whose order must not matter, each inner list a request. */
const orders: Readonly<Record<string, readonly (readonly Pair[])[]>> = {
  'the first, then the second': [[[first, kept]], [[second, kept]]],
  'the second, then the first': [[[second, kept]], [[first, kept]]],
  'both in one request': [
    [
      [first, kept],
      [second, kept],
    ],
  ],
  'the first into the second, then that one': [[[first, second]], [[second, kept]]],
  'the same as a chain in one request': [
    [
      [second, first],
      [first, kept],
    ],
  ],
}

for (const database of drawDatabases('people-laws')) {
  describe(`a merge of three people into one (${database})`, () => {
    let service: Service
    let worlds = 0

    before(async () => {
      service = await startService({ database, workspace })
    })

    after(() => service[Symbol.asyncDispose]())

    test('gives the same person in any order and changes no other person', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const property = fc.asyncProperty(trio, async (people) => {
        const startMs = Date.now()
        const results = await Promise.all(
          Object.values(orders).map((order) => {
            worlds += 1
            return merged(service, { number: worlds, startMs, service_ids: [] }, people, order)
          }),
        )
        for (const [i, title] of Object.keys(orders).entries()) assert.deepEqual(results[i], results[0], title)
      })
      await fc.assert(property, { seed, numRuns: sizes.mergedTrios, interruptAfterTimeLimit: runMsMax })
    })
  })
}

/** Creates the people in a world, merges them, and returns their exports without the names of the world. */
async function merged(
  service: Service,
  world: World,
  people: Body,
  order: readonly (readonly Pair[])[],
): Promise<unknown> {
  const say = async (path: string, body: Body) => {
    const { status, text } = await service.post(path, inWorld(body, world))
    assert.ok(status < 300, text)
  }
  for (const [external_id, { attributes, events, purchases, sessions }] of Object.entries(people)) {
    const of = (list: readonly Body[]) => list.map((one) => ({ external_id, ...one }))
    await say('/users/track', { attributes: of([attributes]), events: of(events), purchases: of(purchases) })
    const device = { device_id: `device-${external_id}`, model: 'Fold' }
    await say('/sdk/data', { identifier: { external_id }, device, app_id: apps.phone.id, sessions })
  }
  // The bystander shares every address, and the names of events and attributes.
  const everything = { ...people[first].attributes, ...people[second].attributes }
  const { email, phone } = plainFields
  const seldom = { external_id: bystander, name: 'opened', time: '@7' }
  await say('/users/track', { attributes: [{ ...everything, external_id: bystander, email, phone }], events: [seldom] })
  const seen = await person(service, world, bystander)
  for (const pairs of order) {
    const merge_updates = pairs.map(([from, into]) => ({
      identifier_to_merge: { external_id: from },
      identifier_to_keep: { external_id: into },
    }))
    await say('/users/merge', { merge_updates })
  }
  await untilIdle(service)
  assert.deepEqual(await person(service, world, bystander), seen, 'the bystander')
  const words = new Map(Object.keys(people).map((name) => [inWorld(`device-${name}`, world), `device-${name}`]))
  for (const field of [email, phone]) words.set(inWorld(field, world), field)
  const text = JSON.stringify(plain(await person(service, world, kept)))
  return JSON.parse(text, (name, value) => (name === 'external_id' ? kept : (words.get(value) ?? value)))
}

async function person(service: Service, world: World, external_id: string): Promise<Exported> {
  const body = { external_ids: [external_id], fields_to_export: everyField }
  const { text, body: answer } = await service.post('/users/export/ids', inWorld(body, world))
  assert.equal(answer.users?.length, 1, text)
  return only(answer.users)
}
