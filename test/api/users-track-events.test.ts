import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { ago, dayMs, event, hourMs, isNow, many, newId, only, peopleOf, texts } from '../support/people.ts'
import { historyOf } from '../support/people-lines.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

for (const database of drawDatabases('users-track-events')) {
  describe(`event objects (${database})`, () => {
    const people = peopleOf(database)

    /** Returns the exported time of an event that was sent with this time. */
    const heardAt = async (time: unknown): Promise<string> => {
      const external_id = newId()
      await people.happen(event({ external_id }, { time }))
      const { first, last, count } = only(await people.eventsOf(external_id))
      assert.deepEqual([first, count], [last, 1], String(time))
      return first
    }

    test('each object is one occurrence, also when several are equal', async () => {
      const external_id = newId()
      const one = event({ external_id }, { name: 'played', properties: { track: 1 } })
      await people.happen(one, one, one)
      await people.happen(one)
      const { name, count } = only(await people.eventsOf(external_id))
      assert.deepEqual([name, count], ['played', 4])
    })

    test('an event creates the person but no attribute', async () => {
      const external_id = newId()
      await people.happen(
        event({ external_id }, { app_id: 'any-app', properties: { plan: 'free' }, first_name: 'Eve' }),
      )
      const person = await people.person(external_id)
      assert.equal(person.first_name, undefined)
      assert.deepEqual(person.custom_attributes, {})
    })

    test('a name is required and has at most 255 characters', async () => {
      const who = { external_id: newId() }
      for (const name of [undefined, null]) {
        assert.equal(await people.refusal('events', event(who, { name })), "'name' is required")
      }
      assert.match(await people.refusal('events', event(who, { name: '' })), /^'name' is (required|not valid)$/)
      for (const name of ['n'.repeat(256), true, {}, ['visited']]) {
        assert.equal(await people.refusal('events', event(who, { name })), "'name' is not valid")
      }
      const names = [' spaced ', 'n'.repeat(254), 'n'.repeat(255), '$pageview', 'Visited', 'visited', 'Ünïcödé 東京']
      await people.happen(...names.map((name) => event(who, { name })))
      const exported = (await people.eventsOf(who.external_id)).map(({ name }) => name)
      assert.deepEqual(exported.toSorted(), names.toSorted())
    })

    test('a time is required and must be valid', async () => {
      const who = { external_id: newId() }
      for (const time of [undefined, null]) {
        assert.equal(await people.refusal('events', event(who, { time })), "'time' is required")
      }
      const wrong = ['12345', 'yesterday', '2026-02-30T00:00:00Z', '2026-13-01', '2026-01-01T25:00:00Z', 1_700_000_000]
      for (const time of [...wrong, true, {}, ['2026-01-01']]) {
        assert.equal(await people.refusal('events', event(who, { time })), "'time' is not valid", String(time))
      }
      assert.deepEqual(await people.find({ external_ids: [who.external_id] }), [])
    })

    test('a time is parsed in every documented form', async () => {
      const day = ago(10 * dayMs).slice(0, 10)
      const [year, month, date] = day.split('-')
      const weekday = new Date(day).toUTCString().slice(0, 3)
      const forms = {
        [`${day}T10:20:30Z`]: `${day}T10:20:30.000Z`,
        [`${day}T10:20:30.456Z`]: `${day}T10:20:30.456Z`,
        [`${day}T10:20:30.456789Z`]: `${day}T10:20:30.456Z`,
        [`${day}T10:20Z`]: `${day}T10:20:00.000Z`,
        [`${day}T10:20:30+01:00`]: `${day}T09:20:30.000Z`,
        [`${day}T10:20:30+1:00`]: `${day}T09:20:30.000Z`,
        [`${day}T10:20:30-0500`]: `${day}T15:20:30.000Z`,
        [`${day}T10:20:30:789Z`]: `${day}T10:20:30.789Z`,
        [`${day}T10:20:30`]: `${day}T10:20:30.000Z`,
        [`${day} 10:20:30`]: `${day}T10:20:30.000Z`,
        [`${day} 10:20:30 -0500`]: `${day}T15:20:30.000Z`,
        [`${day} 10:20:30 +0000`]: `${day}T10:20:30.000Z`,
        [day]: `${day}T00:00:00.000Z`,
        [`${month}/${date}/${year}`]: `${day}T00:00:00.000Z`,
        [`${weekday} ${month} ${date} 10:20:30.Z ${year}`]: `${day}T10:20:30.000Z`,
        [`${weekday} ${month} ${date} 10:20:30.+01:00 ${year}`]: `${day}T09:20:30.000Z`,
      }
      for (const [time, expected] of Object.entries(forms)) assert.equal(await heardAt(time), expected, time)
    })

    test('a time in the future counts as now', async () => {
      for (const time of [iso(Date.now() + hourMs), '2999-01-01', '9999-12-31T23:59:59Z']) {
        const heard = await heardAt(time)
        assert.ok(isNow(heard), `${time} is read as ${heard}`)
      }
    })

    test('an old event is accepted, and does not count for the last 90 days', async () => {
      const external_id = newId()
      const old = ['2013-07-16T19:20:30+1:00', '1970-01-01', '1901-12-31T00:00:00Z']
      await people.happen(...old.map((time) => event({ external_id }, { time })))
      assert.deepEqual(await people.eventsOf(external_id), [])
    })

    test('properties are an object, or absent', async () => {
      const who = { external_id: newId() }
      for (const properties of ['text', 5, true, [], [{}]]) {
        const refusal = await people.refusal('events', event(who, { properties }))
        assert.equal(refusal, texts.properties, JSON.stringify(properties))
      }
      const nested = {
        a: 1,
        b: 1.5,
        c: true,
        d: 'text',
        e: ['x', 1, { y: [2] }],
        f: { g: { h: 'i' } },
        k: '2020-01-01',
      }
      const taken = [{}, null, undefined, nested]
      await people.happen(...taken.map((properties) => event(who, { properties })))
      assert.equal(only(await people.eventsOf(who.external_id)).count, taken.length)
    })

    test('properties may have every name but time and event_name, and are kept as they were sent', async () => {
      const external_id = newId()
      for (const key of ['time', 'event_name']) {
        assert.equal(
          await people.refusal('events', event({ external_id }, { properties: { [key]: 1 } })),
          texts.properties,
          key,
        )
      }
      const properties = {
        '': 1,
        $price: 2,
        price: '9.99',
        currency: 'EUR',
        quantity: 3,
        product_id: 'tea',
        Time: '10:00',
        'a.b c': [{ time: 1, event_name: 'x' }],
        ['k'.repeat(300)]: 'v'.repeat(300),
        nothing: null,
      }
      const { text } = await people.track({ events: [event({ external_id }, { properties })] })
      assert.equal(text, '{"events_processed":1,"message":"success"}')
      const [line] = await historyOf(people.service, external_id)
      assert.deepEqual(line!.properties, properties)
    })

    test('a price in the properties of an e-commerce event is a number', async () => {
      const who = { external_id: newId() }
      const ordered = (price: unknown) => event(who, { name: 'ecommerce.order_placed', properties: { price } })
      const text = "The property '#/price' of type string did not match the following type: number"
      assert.equal(await people.refusal('events', ordered('12.12')), text)
      await people.happen(ordered(12.12), event(who, { name: 'order_placed', properties: { price: '12.12' } }))
    })

    test('properties with lists or objects have at most 100 KB', async () => {
      const who = { external_id: newId() }
      const list = (kilobytes: number) => ({ list: many(kilobytes * 4, () => 'x'.repeat(250)) })
      await people.happen(event(who, { properties: list(90) }))
      assert.equal(await people.refusal('events', event(who, { properties: list(120) })), texts.properties)
    })

    test('thousands of property names are accepted', async () => {
      const properties = (count: number) => Object.fromEntries(many(count, (i) => [`p${i}`, i]))
      const who = { external_id: newId() }
      await people.happen(...[256, 257, 1001, 5000].map((count) => event(who, { properties: properties(count) })))
      assert.equal(only(await people.eventsOf(who.external_id)).count, 4)
    })

    test('an unknown app_id is accepted', async () => {
      const who = { external_id: newId() }
      await people.happen(event(who, { app_id: 'no-such-app' }), event(who, { app_id: null }))
      assert.equal(only(await people.eventsOf(who.external_id)).count, 2)
    })

    test('a summary has the first time, the last time and the count of each name', async () => {
      const external_id = newId()
      const times = [3, 1, 2].map((days) => ago(days * dayMs))
      await people.happen(...times.map((time) => event({ external_id }, { name: 'played', time })))
      await people.happen(event({ external_id }, { name: 'paused', time: times[2] }))
      const summaries = await people.eventsOf(external_id)
      assert.deepEqual(
        summaries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        [
          { name: 'paused', first: times[2], last: times[2], count: 1 },
          { name: 'played', first: times[0], last: times[1], count: 3 },
        ],
      )
    })

    test('concurrent events of one person are all kept', async () => {
      const external_id = newId()
      await Promise.all(many(25, () => people.happen(event({ external_id }), event({ external_id }))))
      assert.equal(only(await people.eventsOf(external_id)).count, 50)
    })
  })
}
