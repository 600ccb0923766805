import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bucketsOf } from '../../src/people/identity/person.ts'
import { byServiceId, newDevice, ownerOf, sdkFields, session, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import { apps, event, type Item, many, newAlias, newEmail, newId, newPhone, only, peopleOf } from '../support/people.ts'

const everything = {
  app_version: '1',
  sessions: [session(8)],
  card_clicks: ['Welcome'],
  attribution: { campaign: 'spring' },
}

for (const database of drawDatabases('sdk-data-identifier')) {
  describe(`the person of a device (${database})`, () => {
    const people = peopleOf(database)

    /** Each kind of identifier without a person: as a call names it, and as an export does. */
    const unknownIdentifiers = (): readonly [identifier: Item, asked: Item, column: string][] => {
      const [external_id, email, phone, user_alias] = [newId(), newEmail(), newPhone(), newAlias()]
      return [
        [{ external_id }, { external_ids: [external_id] }, 'external_id'],
        [{ user_alias }, { user_aliases: [user_alias] }, 'user_aliases'],
        [{ email }, { email_address: email }, 'email'],
        [{ phone }, { phone }, 'phone'],
      ]
    }

    test('a call without an identifier belongs to the person who has the device', async () => {
      const device_id = newDevice()
      const service_id = await tell(people, device_id)
      assert.equal(await tell(people, device_id, { identifier: null }), service_id)
      const external_id = newId()
      assert.equal(await tell(people, device_id, { identifier: { external_id } }), service_id)
      assert.equal(await tell(people, device_id, { sessions: [session(8)] }), service_id)
      assert.equal((await people.person(external_id)).service_id, service_id)
    })

    test('an unknown identifier and an unknown device create a person', async () => {
      for (const [identifier, asked, column] of unknownIdentifiers()) {
        const device_id = newDevice()
        const service_id = await tell(people, device_id, { identifier, ...everything })
        const person = only(await people.find(asked))
        assert.equal(person.service_id, service_id)
        assert.ok(column in person)
        assert.deepEqual(person.devices, [{ device_id }])
        assert.deepEqual(person.cards_clicked, [{ name: 'Welcome' }])
        assert.equal(await tell(people, device_id, { identifier }), service_id)
        assert.equal(
          await tell(people, newDevice(), { identifier }),
          service_id,
          'a second device belongs to the same person',
        )
      }
    })

    test('the random bucket follows from the identifier or device that created the person', async () => {
      const [external_id, device_id] = [newId(), newDevice()]
      await tell(people, newDevice(), { identifier: { external_id } })
      assert.equal(
        (await people.person(external_id)).random_bucket,
        bucketsOf(1, 'external_id', external_id).random_bucket,
      )
      await tell(people, device_id)
      await tell(people, device_id, { identifier: { external_id: newId() } })
      assert.equal((await ownerOf(people, device_id)).random_bucket, bucketsOf(1, 'device', device_id).random_bucket)
    })

    test('an anonymous person gets an unknown identifier and keeps all data', async () => {
      for (const [identifier, asked, column] of unknownIdentifiers()) {
        const device_id = newDevice()
        const service_id = await tell(people, device_id, { ...everything, push_token: newId('token') })
        const before = await byServiceId(people, service_id, sdkFields)
        assert.equal(await tell(people, device_id, { identifier }), service_id, column)
        const person = only(await people.find(asked))
        assert.equal(person.service_id, service_id)
        assert.deepEqual(await byServiceId(people, service_id, sdkFields), before)
        const attribute = column === 'user_aliases' ? [identifier.user_alias] : identifier[column]
        assert.deepEqual(person[column], attribute)
      }
    })

    test('identifiers are added one after another, and another address replaces the first', async () => {
      const device_id = newDevice()
      const [first, second] = [newEmail(), newEmail()]
      const [phone, user_alias, external_id] = [newPhone(), newAlias(), newId()]
      for (const identifier of [{ email: first }, { phone }, { user_alias }, { email: second }, { external_id }]) {
        await tell(people, device_id, { identifier })
      }
      const person = await people.person(external_id, ['email', 'phone', 'user_aliases'])
      assert.deepEqual(person, { email: second, phone, user_aliases: [user_alias] })
      assert.deepEqual(await people.find({ email_address: first }), [])
      assert.equal((await people.find({ email_address: second })).length, 1)
    })

    test('a person who gets an e-mail address takes the state of that address', async () => {
      for (const before of [[], [{}]] as const) {
        const email = newEmail()
        await people.set({ email, email_subscribe: 'unsubscribed' })
        const { status, text } = await people.send('/email/status', { email, subscription_state: 'unsubscribed' })
        assert.equal(status, 201, text)
        const { service_id } = only(await people.find({ email_address: email }))
        await people.set({ service_id, email: null })
        const device_id = newDevice()
        for (const more of before) await tell(people, device_id, more)
        await tell(people, device_id, { identifier: { email } })
        assert.equal((await ownerOf(people, device_id)).email_subscribe, 'unsubscribed')
      }
    })

    test('another alias with a label that the person already has belongs to another person', async () => {
      const device_id = newDevice()
      const [one, two] = [newAlias(), newAlias()]
      const first = await tell(people, device_id, { identifier: { user_alias: one }, ...everything })
      const second = await tell(people, device_id, { identifier: { user_alias: two } })
      assert.notEqual(first, second)
      assert.equal((await ownerOf(people, device_id)).service_id, second)
      const { devices, cards_clicked, user_aliases } = await byServiceId(people, first)
      assert.deepEqual([devices, cards_clicked, user_aliases], [undefined, [{ name: 'Welcome' }], [one]])
      const third = newAlias('other')
      assert.equal(await tell(people, device_id, { identifier: { user_alias: third } }), second)
      assert.deepEqual((await byServiceId(people, second)).user_aliases, [third, two])
    })

    test('an unknown identifier on the device of an identified person creates a person, who gets the device', async () => {
      for (const [identifier, asked] of unknownIdentifiers()) {
        const [external_id, device_id, other] = [newId(), newDevice(), newDevice()]
        const [here, there] = [newId('token'), newId('token')]
        await tell(people, device_id, { identifier: { external_id }, ...everything, push_token: here })
        await tell(people, other, { identifier: { external_id }, push_token: there })
        await tell(people, device_id, { identifier })
        const [owner, loser] = [only(await people.find(asked)), await people.person(external_id)]
        assert.notEqual(owner.service_id, loser.service_id)
        assert.deepEqual([owner.devices, loser.devices], [[{ device_id }], [{ device_id: other }]])
        assert.deepEqual([only(owner.push_tokens!).token, only(loser.push_tokens!).token], [here, there])
        assert.deepEqual(
          [owner.apps, owner.cards_clicked, owner.attributed_campaign],
          [undefined, undefined, undefined],
        )
        assert.equal(only(loser.apps as Item[]).sessions, 1)
        assert.deepEqual([loser.cards_clicked, loser.attributed_campaign], [[{ name: 'Welcome' }], 'spring'])
      }
    })

    test('the properties of a device move with it, and its sessions stay counted', async () => {
      const [one, two] = [newId(), newId()]
      const device_id = newDevice()
      const phone = { device: { device_id, model: 'Phone 7', os: '18' }, sessions: [session(8)] }
      await tell(people, device_id, { identifier: { external_id: one }, ...phone })
      await tell(people, device_id, { identifier: { external_id: two }, device: { device_id, os: '19' } })
      await tell(people, device_id, { sessions: [session(8), session(9)] })
      assert.deepEqual((await people.person(two)).devices, [{ device_id, model: 'Phone 7', os: '19' }])
      assert.equal(only((await people.person(one)).apps as Item[]).sessions, 1)
      assert.equal(
        only((await people.person(two)).apps as Item[]).sessions,
        1,
        'the earlier session was counted before',
      )
      await tell(people, device_id, { identifier: { external_id: one } })
      assert.deepEqual((await people.person(one)).devices, [{ device_id, model: 'Phone 7', os: '19' }])
      assert.equal((await people.person(two)).devices, undefined)
    })

    test('the person who has the identifier gets the merged anonymous person of the device', async () => {
      for (const [identifier, asked] of unknownIdentifiers()) {
        const who = { ...identifier, _update_existing_only: false }
        await people.set({ ...who, plan: 'free' })
        const { service_id } = only(await people.find(asked))
        const device_id = newDevice()
        const anonymous = await tell(people, device_id, {
          device: { device_id, model: 'Phone 7' },
          ...everything,
          push_token: newId('token'),
        })
        await people.set({ service_id: anonymous, plan: 'paid', colour: 'red', home_city: 'Berlin' })
        await people.happen(event({ service_id: anonymous }))
        assert.equal(await tell(people, device_id, { identifier, sessions: [session(12)] }), service_id)
        assert.deepEqual(await people.find({ service_id: anonymous }), [])
        const person = only(await people.find(asked))
        // What REST requests sent is merged, what the SDK recorded before is lost.
        assert.deepEqual(person.custom_attributes, { plan: 'free', colour: 'red' })
        assert.deepEqual([person.home_city, only(person.custom_events!).name], ['Berlin', 'visited'])
        assert.deepEqual(person.devices, [{ device_id, model: 'Phone 7' }])
        assert.equal(only(person.push_tokens!).device_id, device_id)
        assert.equal(person.cards_clicked, undefined)
        const { sessions, first_used } = only(person.apps as Item[])
        assert.deepEqual([sessions, first_used], [1, session(12).started_at])
      }
    })

    test('items that name the alias of a merged person change the kept person', async () => {
      const [external_id, device_id, user_alias] = [newId(), newDevice(), newAlias()]
      await people.set({ external_id })
      await tell(people, device_id, { identifier: { user_alias } })
      const track = (count: number) =>
        people.accept({ attributes: [{ user_alias, count }], events: [event({ user_alias })] })
      await track(1)
      await tell(people, device_id, { identifier: { external_id } })
      await track(2)
      const { custom_attributes, custom_events, user_aliases } = await people.person(external_id)
      assert.deepEqual(custom_attributes, { count: 2 })
      assert.equal(only(custom_events!).count, 2)
      assert.deepEqual(user_aliases, [user_alias])
    })

    test('items that are tracked during such a merge are not lost', async () => {
      const [external_id, device_id, user_alias] = [newId(), newDevice(), newAlias()]
      await people.set({ external_id })
      await tell(people, device_id, { identifier: { user_alias } })
      const tracked = many(40, (i) => people.happen(event({ user_alias }, { name: `event ${i % 4}` })))
      await Promise.all([...tracked, tell(people, device_id, { identifier: { external_id } })])
      const counts = async () => (await people.eventsOf(external_id)).map(({ name, count }) => `${name} ${count}`)
      const expected = many(4, (i) => `event ${i} 10`)
      assert.deepEqual((await counts()).toSorted(), expected)
      await people.settled()
      assert.deepEqual((await counts()).toSorted(), expected)
    })

    test('a merge by a device is listed as a work item, and its history follows', async () => {
      const [external_id, device_id] = [newId(), newDevice()]
      await people.set({ external_id })
      const merged = await tell(people, device_id)
      const kept = await tell(people, device_id, { identifier: { external_id } })
      await people.settled()
      const { work } = await people.work('kind=identify&limit=1')
      const { request_id, accepted_at, finished_at, ...item } = only(work)
      assert.deepEqual(item, {
        position: 0,
        kind: 'identify',
        state: 'done',
        outcome: 'done',
        asked: { external_id, device_id },
        kept,
        merged,
        family: 'sent',
        who: `device ${device_id} as external id ${external_id}`,
        sentence: 'The person is identified.',
        actions: [],
      })
      await people.delete({ external_ids: [external_id] })
      const { asked, ...left } = only((await people.work(`request_id=${request_id}`)).work)
      assert.deepEqual([asked, left.kept, left.merged], [null, null, null])
    })

    test('the person who has the identifier gets the device of an identified person, and no data with it', async () => {
      for (const [identifier, asked] of unknownIdentifiers()) {
        await people.set({ ...identifier, _update_existing_only: false })
        const [external_id, device_id, push_token] = [newId(), newDevice(), newId('token')]
        await tell(people, device_id, { identifier: { external_id }, ...everything, push_token })
        await people.set({ external_id, plan: 'paid' })
        await tell(people, device_id, { identifier })
        const [owner, loser] = [only(await people.find(asked)), await people.person(external_id)]
        assert.deepEqual([owner.devices, loser.devices], [[{ device_id }], undefined])
        assert.deepEqual([only(owner.push_tokens!).token, loser.push_tokens], [push_token, undefined])
        assert.deepEqual([owner.apps, owner.custom_attributes], [undefined, {}])
        assert.deepEqual([only(loser.apps as Item[]).sessions, loser.custom_attributes], [1, { plan: 'paid' }])
      }
    })

    test('of people who share an address the identified one is used, then the most recently updated', async () => {
      const email = newEmail()
      const [one, two] = [newId(), newId()]
      await people.set({ external_id: one, email }, { external_id: two, email })
      const alias = newAlias()
      await people.set({ user_alias: alias, _update_existing_only: false, email })
      await tell(people, newDevice(), { identifier: { email } })
      assert.equal((await people.person(two)).devices !== undefined, true)
      await people.set({ external_id: one, plan: 'free' })
      const device_id = newDevice()
      await tell(people, device_id, { identifier: { email } })
      assert.equal((await ownerOf(people, device_id)).external_id, one)
    })

    test('a service_id names its person; with an unknown one the call belongs to the person of the device', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const { service_id } = await people.person(external_id)
      const device_id = newDevice()
      const anonymous = await tell(people, device_id, { identifier: { service_id: 'f'.repeat(24) } })
      assert.equal(await tell(people, device_id, { identifier: { service_id } }), service_id)
      assert.equal(await tell(people, device_id, { identifier: { service_id: anonymous } }), service_id)
      assert.deepEqual((await people.person(external_id)).devices, [{ device_id }])
    })

    test('a device_id in a push token of a track request is not a device', async () => {
      const [external_id, device_id] = [newId(), newDevice()]
      await people.set({ external_id, push_tokens: [{ app_id: apps.phone.id, token: newId('token'), device_id }] })
      assert.deepEqual(await people.find({ device_id }), [])
      const service_id = await tell(people, device_id)
      const person = await people.person(external_id)
      assert.notEqual(service_id, person.service_id)
      assert.equal(only(person.push_tokens!).device_id, device_id)
    })

    test('an integer is accepted as an external_id', async () => {
      await tell(people, newDevice(), { identifier: { external_id: 9_200_001 } })
      assert.equal((await people.person('9200001')).external_id, '9200001')
    })

    test('concurrent calls of several people with one device leave it with one of them, and lose no session', async () => {
      const device_id = newDevice()
      const ids = [newId(), newId(), newId(), newId()]
      await Promise.all(
        ids.flatMap((external_id, who) =>
          [0, 1, 2, 3].map((nth) =>
            tell(people, device_id, { identifier: { external_id }, sessions: [session(4 * who + nth)] }),
          ),
        ),
      )
      const found = await people.find({ external_ids: ids }, ['external_id', 'devices', 'apps'])
      assert.equal(found.length, ids.length)
      assert.equal(found.filter(({ devices }) => devices !== undefined).length, 1)
      const counts = found.map(({ apps: used }) => Number(only(used as Item[]).sessions))
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        16,
      )
    })
  })
}
