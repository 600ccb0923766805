import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  ago,
  apps,
  dayMs,
  event,
  everyField,
  hourMs,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  purchase,
} from '../support/people.ts'

/** The clocks of a test and of the service may differ this much, and stored times are rounded. */
const clockMs = 1_000
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const presentWhenEmpty = [
  'created_at',
  'custom_attributes',
  'email_subscribe',
  'push_subscribe',
  'random_bucket',
  'service_id',
  'total_revenue',
  'user_aliases',
]

/** The people and their random buckets, one text each, for every database. */
const buckets: string[][] = []

for (const database of drawDatabases('users-export-ids')) {
  describe(`the exported record (${database})`, () => {
    const people = peopleOf(database)

    test('a person without data has the members that are present when empty', async () => {
      const external_id = newId()
      const before = Date.now()
      await people.set({ external_id })
      const { created_at, random_bucket, service_id, ...rest } = await people.person(external_id)
      assert.deepEqual(rest, {
        external_id,
        custom_attributes: {},
        email_subscribe: 'subscribed',
        push_subscribe: 'subscribed',
        total_revenue: 0,
        user_aliases: [],
      })
      assert.match(String(created_at), stamp)
      const ms = Date.parse(String(created_at))
      assert.ok(ms >= before - clockMs && ms <= Date.now() + clockMs, `${created_at}`)
      assert.ok(Number.isInteger(random_bucket))
      assert.match(String(service_id), /^[0-9a-f]{24}$/)
    })

    test('a person without external_id has no such member', async () => {
      const email = newEmail()
      await people.set({ email })
      const person = only(await people.find({ email_address: email }))
      assert.deepEqual(Object.keys(person).toSorted(), [...presentWhenEmpty, 'email'].toSorted())
    })

    test('every known value is exported with its field, in its shape', async () => {
      const external_id = newId()
      const [email, phone, token] = [newEmail(), newPhone(), newId('token')]
      const standard = {
        first_name: 'Ann',
        last_name: 'Lee',
        email,
        phone,
        gender: 'F',
        dob: '1980-12-21',
        country: 'DE',
        home_city: 'Berlin',
        language: 'de',
        time_zone: 'Europe/Berlin',
        email_subscribe: 'opted_in',
        push_subscribe: 'unsubscribed',
      }
      await people.accept({
        attributes: [
          {
            external_id,
            ...standard,
            plan: 'free',
            current_location: { longitude: 13.4, latitude: 52.5 },
            push_tokens: [{ app_id: apps.phone.id, token, device_id: 'device-0001' }],
          },
        ],
        events: [event({ external_id }, { time: ago(hourMs) })],
        purchases: [purchase({ external_id }, { time: ago(2 * hourMs), quantity: 2 })],
      })
      const person = await people.person(external_id)
      const { created_at, random_bucket, service_id, email_opted_in_at, push_unsubscribed_at, ...rest } = person
      for (const at of [created_at, email_opted_in_at, push_unsubscribed_at]) assert.match(String(at), stamp)
      assert.deepEqual([typeof random_bucket, typeof service_id], ['number', 'string'])
      const [first, sold] = [person.custom_events?.[0]?.first, person.purchases?.[0]?.first]
      assert.ok(first && sold && first > sold)
      assert.deepEqual(rest, {
        external_id,
        ...standard,
        custom_attributes: { plan: 'free' },
        custom_events: [{ name: 'visited', first, last: first, count: 1 }],
        purchases: [{ name: 'tea', first: sold, last: sold, count: 2 }],
        last_coordinates: [13.4, 52.5],
        push_tokens: [
          { app: 'Phone app', platform: 'ios', token, device_id: 'device-0001', notifications_enabled: true },
        ],
        total_revenue: 0,
        user_aliases: [],
      })
    })

    test('only requested fields are exported', async () => {
      const external_id = newId()
      const email = newEmail()
      await people.set({ external_id, email, first_name: 'Ann', plan: 'free' })
      assert.deepEqual(await people.person(external_id, ['email']), { email })
      assert.deepEqual(await people.person(external_id, ['first_name', 'last_name', 'dob']), { first_name: 'Ann' })
      for (const field of everyField) {
        const keys = Object.keys(await people.person(external_id, [field]))
        const there = [...presentWhenEmpty, 'external_id', 'email', 'first_name'].includes(field)
        assert.deepEqual(keys, there ? [field] : [], field)
      }
    })

    test('a subscription state is exported with its times', async () => {
      const external_id = newId()
      await people.set({ external_id, email_subscribe: 'opted_in', push_subscribe: 'opted_in' })
      await people.set({ external_id, email_subscribe: 'unsubscribed', push_subscribe: 'unsubscribed' })
      for (const channel of ['email', 'push']) {
        const person = await people.person(external_id, [`${channel}_subscribe`])
        assert.equal(person[`${channel}_subscribe`], 'unsubscribed')
        assert.match(String(person[`${channel}_unsubscribed_at`]), stamp)
        const members = [`${channel}_subscribe`, `${channel}_opted_in_at`, `${channel}_unsubscribed_at`]
        for (const key of Object.keys(person)) assert.ok(members.includes(key), key)
      }
    })

    test('a random bucket is from 0 to 9999 and does not change', async () => {
      const ids = many(50, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id })))
      const read = async () => {
        const found = await people.find({ external_ids: ids }, ['external_id', 'random_bucket'])
        return new Map(found.map(({ external_id, random_bucket }) => [external_id, random_bucket]))
      }
      const first = await read()
      for (const bucket of first.values()) {
        assert.ok(Number.isInteger(bucket) && bucket! >= 0 && bucket! <= 9999, String(bucket))
      }
      assert.ok(new Set(first.values()).size > 40, 'they are spread')
      await people.set(...ids.map((external_id) => ({ external_id, email: newEmail(), plan: 'free' })))
      assert.deepEqual(await read(), first)
    })

    test('a random bucket is the same for the same person in every installation', async () => {
      const external_ids = many(20, (i) => `bucket-${i}`)
      await people.set(...external_ids.map((external_id) => ({ external_id })), { email: 'bucket@example.com' })
      const found = await people.find({ external_ids, email_address: 'bucket@example.com' }, [
        'external_id',
        'random_bucket',
      ])
      const names = found.map(({ external_id, random_bucket }) => `${external_id} ${random_bucket}`)
      buckets.push(names.toSorted())
      assert.deepEqual(buckets.at(-1), buckets[0])
    })

    test('a service_id does not change, is unique, and finds its person', async () => {
      const ids = many(50, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id })))
      const found = await people.find({ external_ids: ids }, ['external_id', 'service_id'])
      assert.equal(new Set(found.map(({ service_id }) => service_id)).size, ids.length)
      const [{ external_id, service_id }] = found as [{ external_id: string; service_id: string }]
      assert.deepEqual(await people.find({ service_id }, ['external_id']), [{ external_id }])
      await people.set({ external_id, plan: 'free' })
      assert.deepEqual(await people.person(external_id, ['service_id']), { service_id })
      const forged = service_id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
      const { body } = await people.export({ service_id: forged, fields_to_export: ['external_id'] })
      assert.deepEqual(body, { users: [], invalid_user_ids: [forged], message: 'success' })
    })

    test('events and purchases of the last 90 days are summarized, older ones are not', async () => {
      const external_id = newId()
      const edge = 90 * dayMs
      const times = { old: ago(edge + hourMs), inside: ago(edge - hourMs), recent: ago(hourMs) }
      const kinds = Object.entries(times)
      await people.happen(...kinds.map(([name, time]) => event({ external_id }, { name, time })))
      await people.happen(...kinds.map(([, time]) => event({ external_id }, { name: 'any', time })))
      await people.buy(
        ...kinds.map(([product_id, time]) => purchase({ external_id }, { product_id, time, quantity: 3 })),
      )
      await people.buy(...kinds.map(([, time]) => purchase({ external_id }, { product_id: 'any', time, quantity: 3 })))
      const person = await people.person(external_id, ['custom_events', 'purchases'])
      const expected = (count: number) => [
        { name: 'any', first: times.inside, last: times.recent, count: 2 * count },
        { name: 'inside', first: times.inside, last: times.inside, count },
        { name: 'recent', first: times.recent, last: times.recent, count },
      ]
      const sorted = (list: typeof person.purchases) => list?.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      assert.deepEqual(sorted(person.custom_events), expected(1))
      assert.deepEqual(sorted(person.purchases), expected(3))
    })

    test('aliases are exported with the person', async () => {
      const user_alias = newAlias()
      await people.set({ user_alias, _update_existing_only: false })
      const person = only(await people.find({ user_aliases: [user_alias] }, ['user_aliases', 'external_id']))
      assert.deepEqual(person, { user_aliases: [user_alias] })
    })
  })

  describe(`the 90 days of a virtual clock (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_CLOCK: 'virtual' } })

    test('move with the clock, to the second', async () => {
      const external_id = newId()
      const { now } = (await people.service.admin('GET', '/admin/clock')).body as { now: string }
      const at = (secondsAgo: number) => new Date(Date.parse(now) - secondsAgo * 1000).toISOString()
      const edge = (90 * dayMs) / 1000
      await people.happen(
        event({ external_id }, { time: at(edge - 10) }),
        event({ external_id }, { time: at(edge - 20) }),
      )
      await people.buy(purchase({ external_id }, { time: at(edge - 20) }))
      const counts = async () => {
        const { custom_events, purchases } = await people.person(external_id)
        return [custom_events?.[0]?.count ?? 0, purchases?.[0]?.count ?? 0]
      }
      assert.deepEqual(await counts(), [2, 1])
      await people.service.advance('PT9S')
      assert.deepEqual(await counts(), [2, 1])
      await people.service.advance('PT2S')
      assert.deepEqual(await counts(), [1, 1])
      await people.service.advance('PT10S')
      assert.deepEqual(await counts(), [0, 0])
    })
  })
}
