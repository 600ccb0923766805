import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { byServiceId, newDevice, session, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import {
  ago,
  apps,
  dayMs,
  type Exported,
  event,
  groups,
  hourMs,
  type Item,
  isNow,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  purchase,
} from '../support/people.ts'

const plainFields = {
  first_name: ['Anna', 'Berta'],
  last_name: ['Amsel', 'Bussard'],
  gender: ['F', 'O'],
  dob: ['1990-01-02', '1991-02-03'],
  country: ['FR', 'DE'],
  home_city: ['Paris', 'Berlin'],
  language: ['fr', 'de'],
  time_zone: ['Europe/Paris', 'Europe/Berlin'],
} as const

for (const database of drawDatabases('users-merge-rules')) {
  describe(`the result of a merge (${database})`, () => {
    const people = peopleOf(database)

    /** Creates two people. The first will be merged into the second. */
    const pair = async (gone: Item = {}, kept: Item = {}): Promise<[gone: string, kept: string]> => {
      const ids: [string, string] = [newId('gone'), newId('kept')]
      await people.set({ external_id: ids[0], ...gone }, { external_id: ids[1], ...kept })
      return ids
    }

    const merge = async (gone: string, kept: string): Promise<Exported> => {
      assert.equal((await people.merge({ external_id: gone }, { external_id: kept })).outcome, 'done')
      return people.person(kept)
    }

    const merged = async (gone: Item = {}, kept: Item = {}): Promise<Exported> => merge(...(await pair(gone, kept)))

    const statusOf = async (external_id: string): Promise<Readonly<Record<string, string>>> => {
      const answer = await people.get(`/subscription/user/status?external_id=${external_id}`)
      const { subscription_groups } = only((answer.body.users ?? []) as readonly Item[])
      const states = subscription_groups as readonly { name: string; status: string }[]
      return Object.fromEntries(states.map(({ name, status }) => [name, status]))
    }

    test('plain fields that the kept person lacks are copied, and the others stay', async () => {
      const all = (which: 0 | 1) =>
        Object.fromEntries(Object.entries(plainFields).map(([field, both]) => [field, both[which]]))
      const cases = Object.entries(plainFields).flatMap(([field, [theirs, own]]): [string, Item, Item, string][] => [
        [field, { [field]: theirs }, {}, theirs],
        [field, { [field]: theirs }, { [field]: own }, own],
        [field, {}, { [field]: own }, own],
      ])
      const pairs = cases.map(() => [newId('gone'), newId('kept')] as const)
      const attributes = cases.flatMap(([, gone, kept], i) => [
        { external_id: pairs[i]![0], ...gone },
        { external_id: pairs[i]![1], ...kept },
      ])
      await people.set(...attributes)
      const merge_updates = pairs.map(([gone, kept]) => {
        return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
      })
      const work = await people.done(await people.send('/users/merge', { merge_updates }))
      assert.deepEqual(new Set(work.map(({ outcome }) => outcome)), new Set(['done']))
      const records = await people.find({ external_ids: pairs.flat() })
      assert.equal(records.length, cases.length)
      for (const [i, [field, , , expected]] of cases.entries()) {
        const record = records.find(({ external_id }) => external_id === pairs[i]![1])
        assert.equal(record?.[field], expected, `${field} ${i}`)
      }
      const everything = await merged(all(0), all(1))
      for (const [field, [, own]] of Object.entries(plainFields)) assert.equal(everything[field], own)
    })

    test('a last location that the kept person lacks is copied', async () => {
      const [paris, berlin] = [
        { longitude: 2.35, latitude: 48.86 },
        { longitude: 13.4, latitude: 52.52 },
      ]
      const coordinates = async (gone: Item, kept: Item) => (await merged(gone, kept)).last_coordinates
      assert.deepEqual(await coordinates({ current_location: paris }, {}), [2.35, 48.86])
      assert.deepEqual(await coordinates({ current_location: paris }, { current_location: berlin }), [13.4, 52.52])
    })

    test('a copied address names the kept person', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const { external_id, ...record } = await merged({ email, phone })
      assert.deepEqual([record.email, record.phone], [email, phone])
      for (const way of [{ email_address: email }, { phone }]) {
        assert.deepEqual(await people.find(way, ['external_id']), [{ external_id }])
      }
      await people.set({ email, by: 'email' })
      assert.equal((await people.custom(external_id!)).by, 'email')
    })

    test('an address of the kept person stays, and the other one names nobody', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const own = { email: newEmail(), phone: newPhone() }
      const record = await merged({ email, phone }, own)
      assert.deepEqual([record.email, record.phone], [own.email, own.phone])
      assert.deepEqual(await people.find({ email_address: email }), [])
      assert.deepEqual(await people.find({ phone }), [])
    })

    test('an address of both people has one person after the merge', async () => {
      const email = newEmail()
      await merged({ email }, { email })
      assert.equal((await people.find({ email_address: email })).length, 1)
    })

    test('custom attributes of the kept person stay, and those that they lack are copied', async () => {
      const record = await merged(
        { both: 1, list: ['a', 'b'], nested: { a: 1, b: 2 }, theirs: 'x', when: '2026-01-01' },
        { both: 2, list: ['c'], nested: { c: 3 }, own: true },
      )
      const expected = { both: 2, list: ['c'], nested: { c: 3 }, own: true, theirs: 'x', when: '2026-01-01' }
      assert.deepEqual(record.custom_attributes, expected)
    })

    test('a counter continues from the value of the kept person', async () => {
      const [gone, kept] = await pair({ total: 5, other: 7 }, { total: 40 })
      await merge(gone, kept)
      await people.set({ external_id: kept, total: { inc: 2 }, other: { inc: 1 } })
      assert.deepEqual(await people.custom(kept), { total: 42, other: 8 })
    })

    test('events are counted together, with the earlier first and the later last time', async () => {
      const [gone, kept] = await pair()
      const [early, middle, late] = [ago(30 * dayMs), ago(10 * dayMs), ago(hourMs)]
      const times: readonly [who: string, name: string, time: string][] = [
        [gone, 'both', early],
        [kept, 'both', middle],
        [gone, 'both', late],
        [gone, 'theirs', early],
        [gone, 'theirs', early],
        [kept, 'own', late],
      ]
      await people.happen(...times.map(([external_id, name, time]) => event({ external_id }, { name, time })))
      await merge(gone, kept)
      const events = (await people.eventsOf(kept)).toSorted((a, b) => a.name.localeCompare(b.name))
      assert.deepEqual(events, [
        { name: 'both', first: early, last: late, count: 3 },
        { name: 'own', first: late, last: late, count: 1 },
        { name: 'theirs', first: early, last: early, count: 2 },
      ])
    })

    test('purchases are counted together by their quantities', async () => {
      const [gone, kept] = await pair()
      const [early, late] = [ago(20 * dayMs), ago(hourMs)]
      await people.buy(
        purchase({ external_id: gone }, { quantity: 3, time: early }),
        purchase({ external_id: kept }, { quantity: 2, time: late }),
        purchase({ external_id: gone }, { product_id: 'cup', time: late }),
      )
      await merge(gone, kept)
      const purchases = (await people.purchasesOf(kept)).toSorted((a, b) => a.name.localeCompare(b.name))
      assert.deepEqual(purchases, [
        { name: 'cup', first: late, last: late, count: 1 },
        { name: 'tea', first: early, last: late, count: 5 },
      ])
    })

    test('history belongs to the kept person even before it has moved', async () => {
      const [gone, kept] = await pair()
      await people.happen(event({ external_id: gone }))
      const { status } = await people.send('/users/merge', {
        merge_updates: [{ identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }],
      })
      assert.equal(status, 202)
      for (let done = false; !done; ) {
        const found = await people.find({ external_ids: [gone, kept] }, ['external_id', 'custom_events'])
        done = found.length === 1
        const counts = found.flatMap(({ custom_events }) => custom_events ?? []).map(({ count }) => count)
        assert.deepEqual(counts, [1], JSON.stringify(found))
      }
      await people.settled()
    })

    test('aliases move, but not one whose label the kept person has', async () => {
      const [gone, kept] = await pair()
      const [shop, shopOfKept, club] = [newAlias('shop'), newAlias('shop'), newAlias('club')]
      const named = [
        { external_id: gone, ...shop },
        { external_id: gone, ...club },
        { external_id: kept, ...shopOfKept },
      ]
      assert.equal((await people.send('/users/alias/new', { user_aliases: named })).status, 201)
      const { user_aliases } = await merge(gone, kept)
      assert.deepEqual(
        user_aliases?.toSorted((a, b) => a.alias_label.localeCompare(b.alias_label)),
        [club, shopOfKept],
      )
      assert.equal(only(await people.find({ user_aliases: [club] })).external_id, kept)
      assert.deepEqual(await people.find({ user_aliases: [shop] }), [])
      await people.set({ user_alias: club, by: 'alias' })
      assert.equal((await people.custom(kept)).by, 'alias')
    })

    test('external_id and service_id of the merged person name nobody until a new person gets the id', async () => {
      const [gone, kept] = await pair({ a: 1 })
      const { service_id } = await people.person(gone)
      const { created_at, random_bucket, service_id: own } = await people.person(kept)
      const record = await merge(gone, kept)
      assert.deepEqual([record.created_at, record.random_bucket, record.service_id], [created_at, random_bucket, own])
      const answer = await people.export({ external_ids: [gone], service_id, fields_to_export: ['external_id'] })
      assert.deepEqual(answer.body.users, [])
      assert.deepEqual(answer.body.invalid_user_ids?.toSorted(), [gone, service_id].toSorted())
      await people.set({ external_id: gone, b: 2 })
      const anew = await people.person(gone)
      assert.deepEqual(anew.custom_attributes, { b: 2 })
      assert.notEqual(anew.service_id, service_id)
      assert.ok(isNow(anew.created_at!))
      assert.deepEqual(await people.custom(kept), { a: 1 })
    })

    test('push tokens move', async () => {
      const token = (word: string) => ({ app_id: apps.phone.id, token: newId(word), device_id: newId('device-0') })
      const [theirs, own] = [token('theirs'), token('own')]
      const { push_tokens } = await merged({ push_tokens: [theirs] }, { push_tokens: [own] })
      assert.deepEqual(push_tokens?.map((each) => each.token).toSorted(), [own.token, theirs.token].toSorted())
    })

    test('group states of the kept person stay, and those that they lack are copied', async () => {
      const state = (group: { id: string }, subscription_state: string) => {
        return { subscription_group_id: group.id, subscription_state }
      }
      const [gone, kept] = await pair(
        { subscription_groups: [state(groups.news, 'subscribed'), state(groups.offers, 'subscribed')] },
        { subscription_groups: [state(groups.offers, 'unsubscribed')] },
      )
      await merge(gone, kept)
      assert.deepEqual(await statusOf(kept), { News: 'Subscribed', Offers: 'Unsubscribed' })
    })

    test('a subscription state that the kept person never set is copied, one that they set stays', async () => {
      const filled = await merged({ push_subscribe: 'opted_in' })
      assert.equal(filled.push_subscribe, 'opted_in')
      assert.ok(isNow(String(filled.push_opted_in_at)))
      const kept = await merged({ push_subscribe: 'opted_in' }, { push_subscribe: 'unsubscribed' })
      assert.equal(kept.push_subscribe, 'unsubscribed')
      assert.equal(kept.push_opted_in_at, undefined)
    })

    test('of the states of an address that both have the later holds, of two addresses that of the kept person', async () => {
      const email = newEmail()
      const [gone, kept] = await pair({ email }, { email, email_subscribe: 'opted_in' })
      await people.set({ external_id: gone, email_subscribe: 'unsubscribed' })
      assert.equal((await merge(gone, kept)).email_subscribe, 'unsubscribed')
      const apart = await pair({ email: newEmail() }, { email: newEmail(), email_subscribe: 'opted_in' })
      await people.set({ external_id: apart[0], email_subscribe: 'unsubscribed' })
      assert.equal((await merge(...apart)).email_subscribe, 'opted_in')
    })

    test('the kept person counts as updated', async () => {
      const email = newEmail()
      const [other, [gone, kept]] = [newId('other'), await pair({}, { email })]
      await people.set({ external_id: other, email })
      assert.deepEqual((await people.find({ email_address: email }, ['external_id'])).at(0), { external_id: other })
      await merge(gone, kept)
      assert.deepEqual((await people.find({ email_address: email }, ['external_id'])).at(0), { external_id: kept })
    })

    test('devices move, and sessions of an app are counted when both have it', async () => {
      const [gone, kept] = await pair()
      const [theirs, own] = [newDevice(), newDevice()]
      const [first, last] = [session(6), session(20, 90)]
      await tell(people, theirs, { identifier: { external_id: gone }, app_version: '1', sessions: [first, session(9)] })
      await tell(people, theirs, { identifier: { external_id: gone }, app_id: apps.tablet.id, sessions: [session(10)] })
      await tell(people, own, { identifier: { external_id: kept }, app_version: '2', sessions: [last] })
      const { apps: used, devices, service_id } = await merge(gone, kept)
      const [phone, tablet] = (used as readonly Item[]).toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
      const { name, platform } = apps.phone
      const [first_used, last_used] = [first.started_at, last.ended_at]
      assert.deepEqual(phone, { name, platform, version: '2', sessions: 3, first_used, last_used })
      assert.equal(tablet?.sessions, 0)
      assert.deepEqual(
        (devices as readonly Item[]).map(({ device_id }) => device_id).toSorted(),
        [theirs, own].toSorted(),
      )
      for (const device_id of [theirs, own]) assert.equal(only(await people.find({ device_id })).service_id, service_id)
    })

    test('clicked cards and the attribution move', async () => {
      const [gone, kept] = await pair()
      const attribution = { campaign: 'spring', source: 'network' }
      await tell(people, newDevice(), {
        identifier: { external_id: gone },
        card_clicks: ['Welcome', 'Offer'],
        attribution,
      })
      await tell(people, newDevice(), { identifier: { external_id: kept }, card_clicks: ['Offer', 'Own'] })
      const record = await merge(gone, kept)
      const cards = (record.cards_clicked as readonly Item[]).map(({ name }) => name)
      assert.deepEqual(cards.toSorted(), ['Offer', 'Own', 'Welcome'])
      assert.deepEqual([record.attributed_campaign, record.attributed_source], ['spring', 'network'])
    })

    test('other people stay unchanged', async () => {
      const email = newEmail()
      const third = newId('third')
      await people.set({ external_id: third, email, first_name: 'Cara', n: 1 })
      await people.happen(event({ external_id: third }))
      const before = await people.person(third)
      const [gone, kept] = await pair({ email, first_name: 'Anna' }, {})
      await people.happen(event({ external_id: gone }))
      await merge(gone, kept)
      assert.deepEqual(await people.person(third), before)
    })

    test('people who were merged into a merged person belong to the last kept person', async () => {
      const ids = [newId(), newId(), newId()] as const
      await people.set(...ids.map((external_id, i) => ({ external_id, [`by_${i}`]: i })))
      await people.happen(...ids.map((external_id) => event({ external_id })))
      const device_id = newDevice()
      await tell(people, device_id, { identifier: { external_id: ids[0] } })
      await merge(ids[0], ids[1])
      const { custom_attributes, service_id } = await merge(ids[1], ids[2])
      assert.deepEqual(custom_attributes, { by_0: 0, by_1: 1, by_2: 2 })
      assert.equal((await people.eventsOf(ids[2]))[0]?.count, 3)
      assert.deepEqual((await byServiceId(people, service_id!)).devices, [{ device_id }])
    })

    test('items that are tracked during a merge belong to one of the two or to a new person', async () => {
      const [gone, kept] = await pair()
      const sent = 60
      const tracking = Promise.all(
        Array.from({ length: sent }, async (_, i) => {
          await new Promise((resume) => setTimeout(resume, i))
          await people.accept({
            attributes: [{ external_id: gone, total: { inc: 1 } }],
            events: [event({ external_id: gone })],
          })
        }),
      )
      await people.merge({ external_id: gone }, { external_id: kept })
      await tracking
      await people.settled()
      const found = await people.find({ external_ids: [gone, kept] })
      const totals = found.map(({ custom_attributes }) => Number(custom_attributes?.total ?? 0))
      const counts = found.map(({ custom_events }) => custom_events?.[0]?.count ?? 0)
      assert.equal(
        totals.reduce((a, b) => a + b),
        sent,
      )
      assert.equal(
        counts.reduce((a, b) => a + b),
        sent,
      )
    })
  })
}
