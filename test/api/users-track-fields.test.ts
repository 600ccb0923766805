import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { everyField, type Item, newEmail, newId, peopleOf, texts } from '../support/people.ts'

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

for (const database of drawDatabases('users-track-fields')) {
  describe(`standard profile fields (${database})`, () => {
    const people = peopleOf(database)

    /** Sends these attributes one after another. Returns the exported person. */
    const after = async (...attributes: Item[]) => {
      const external_id = newId()
      for (const each of attributes) await people.set({ external_id, ...each })
      return people.person(external_id)
    }

    test('names, city and image are texts, and null removes them', async () => {
      const external_id = newId()
      const given = { first_name: 'Zoë', last_name: 'Ångström', home_city: '東京' }
      await people.set({ external_id, ...given, image_url: 'https://example.com/zoe.png' })
      const { first_name, last_name, home_city, custom_attributes } = await people.person(external_id)
      assert.deepEqual({ first_name, last_name, home_city }, given)
      assert.deepEqual(custom_attributes, {})
      await people.set({ external_id, first_name: null, last_name: null, home_city: null, image_url: null })
      const person = await people.person(external_id)
      assert.deepEqual([person.first_name, person.last_name, person.home_city], [undefined, undefined, undefined])
    })

    test('a name of 255 characters is kept, a longer one is not applied', async () => {
      const full = 'n'.repeat(255)
      assert.equal((await after({ first_name: full })).first_name, full)
      assert.equal((await after({ first_name: 'Ann' }, { first_name: `${full}n` })).first_name, 'Ann')
    })

    test('a country is stored as its two letters, also when it is given by name', async () => {
      assert.equal((await after({ country: 'DE' })).country, 'DE')
      assert.equal((await after({ country: 'Australia' })).country, 'AU')
      const { country, custom_attributes } = await after({ country: 'Atlantis', plan: 'free' })
      assert.equal(country, undefined)
      assert.deepEqual(custom_attributes, { plan: 'free' })
      assert.equal((await after({ country: 'DE' }, { country: null })).country, undefined)
    })

    test('a location is exported as longitude and latitude, in this order', async () => {
      const external_id = newId()
      await people.set({ external_id, current_location: { longitude: -122.4124, latitude: 37.443604 } })
      const person = await people.person(external_id)
      assert.deepEqual(person.last_coordinates, [-122.4124, 37.443604])
      assert.deepEqual(person.custom_attributes, {})
      const halves = [{ longitude: 1 }, { latitude: 1 }, {}, { longitude: '1', latitude: 2 }, 'here', [1, 2], 5]
      for (const current_location of halves) {
        const refusal = await people.refusal('attributes', { external_id, current_location, plan: 'free' })
        assert.equal(refusal, 'BAD_LOCATION_UPDATE', JSON.stringify(current_location))
      }
      assert.deepEqual((await people.person(external_id)).last_coordinates, [-122.4124, 37.443604])
      assert.deepEqual(await people.custom(external_id), {})
    })

    test('a date of birth must be a real date, and is not applied otherwise', async () => {
      assert.equal((await after({ dob: '1980-12-21' })).dob, '1980-12-21')
      assert.equal((await after({ dob: '2000-02-29' })).dob, '2000-02-29')
      for (const dob of ['2001-02-29', '1980-13-01', '1980-00-10', 'yesterday', 19801221, true]) {
        const person = await after({ dob: '1980-12-21' }, { dob, plan: 'free' })
        assert.equal(person.dob, '1980-12-21', String(dob))
        assert.deepEqual(person.custom_attributes, { plan: 'free' })
      }
      assert.equal((await after({ dob: '1980-12-21' }, { dob: null })).dob, undefined)
    })

    test('a gender is one of five letters or null', async () => {
      for (const gender of ['M', 'F', 'O', 'N', 'P']) assert.equal((await after({ gender })).gender, gender)
      assert.equal((await after({ gender: 'F' }, { gender: null })).gender, undefined)
      const person = await after({ gender: 'F' }, { gender: 'X', plan: 'free' })
      assert.equal(person.gender, 'F')
      assert.deepEqual(person.custom_attributes, { plan: 'free' })
    })

    test('a language is an ISO 639-1 code, and is not applied otherwise', async () => {
      assert.equal((await after({ language: 'de' })).language, 'de')
      assert.equal((await after({ language: 'en-GB' })).language, 'en')
      assert.equal((await after({ language: 'de' }, { language: null })).language, undefined)
      const { language, custom_attributes } = await after({ language: 'de' }, { language: 'Klingon', plan: 'free' })
      assert.equal(language, 'de')
      assert.deepEqual(custom_attributes, { plan: 'free' })
    })

    test('a time zone is exported by its IANA name, and an invalid one is not applied', async () => {
      assert.equal((await after({ time_zone: 'Europe/Berlin' })).time_zone, 'Europe/Berlin')
      assert.equal((await after({ time_zone: 'Eastern Time (US & Canada)' })).time_zone, 'America/New_York')
      const person = await after({ time_zone: 'Europe/Berlin' }, { time_zone: 'Middle/Earth', plan: 'free' })
      assert.equal(person.time_zone, 'Europe/Berlin')
      assert.deepEqual(person.custom_attributes, { plan: 'free' })
      assert.equal((await after({ time_zone: 'Europe/Berlin' }, { time_zone: null })).time_zone, undefined)
    })

    test('an invalid e-mail refuses the object, and null removes the e-mail', async () => {
      const external_id = newId()
      const email = newEmail()
      await people.set({ external_id, email })
      assert.equal(await people.refusal('attributes', { external_id, email: 'broken@', plan: 'free' }), texts.badEmail)
      assert.equal((await people.person(external_id)).email, email)
      await people.set({ external_id, email: null })
      const person = await people.person(external_id)
      assert.equal(person.email, undefined)
      assert.deepEqual(person.custom_attributes, {})
    })

    for (const [field, refusal] of [
      ['email_subscribe', texts.emailSubscribe],
      ['push_subscribe', texts.pushSubscribe],
    ] as const) {
      const channel = field.split('_')[0]

      test(`${field} accepts three states in any order, and records the times of the explicit ones`, async () => {
        const external_id = newId()
        await people.set({ external_id })
        const state = async () => {
          const person = await people.person(external_id, [field])
          assert.match(`${person[`${channel}_opted_in_at`] ?? '2020-01-01T00:00:00.000Z'}`, stamp)
          assert.match(`${person[`${channel}_unsubscribed_at`] ?? '2020-01-01T00:00:00.000Z'}`, stamp)
          return person
        }
        assert.deepEqual(await state(), { [field]: 'subscribed' })
        for (const value of ['opted_in', 'unsubscribed', 'subscribed', 'unsubscribed', 'opted_in']) {
          await people.set({ external_id, [field]: value })
          assert.equal((await state())[field], value)
        }
        assert.ok((await state())[`${channel}_opted_in_at`])
        await people.set({ external_id, [field]: 'unsubscribed' })
        assert.ok((await state())[`${channel}_unsubscribed_at`])
      })

      test(`${field} refuses the object for any other state`, async () => {
        const external_id = newId()
        for (const value of ['yes', 'OPTED_IN', '', 5, true, {}, ['subscribed']]) {
          const item = { external_id, [field]: value, plan: 'free' }
          assert.equal(await people.refusal('attributes', item), refusal, JSON.stringify(value))
        }
        assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
      })
    }

    test('fields without an export are not stored as custom attributes either', async () => {
      const person = await after({
        date_of_first_session: '2020-01-01T00:00:00Z',
        date_of_last_session: '2020-02-01',
        email_open_tracking_disabled: true,
        email_click_tracking_disabled: false,
        marked_email_as_spam_at: '2020-01-01T00:00:00Z',
        facebook: { id: '1', likes: ['tea'], num_friends: 3 },
        twitter: { id: 1, screen_name: 'ann', followers_count: 2, friends_count: 3, statuses_count: 4 },
        image_url: 'https://example.com/a.png',
        bio: 'long ago',
      })
      assert.deepEqual(person.custom_attributes, {})
    })

    test('email_subscription_info refuses the object', async () => {
      const item = { external_id: newId(), email_subscription_info: { a: 1 } }
      assert.equal(await people.refusal('attributes', item), 'INVALID_ATTRIBUTE_EMAIL_SUBSCRIPTION_INFO')
    })

    test('the name of an exported field can neither become a custom attribute nor change that field', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free' })
      const before = await people.person(external_id)
      const settable = ['external_id', 'service_id', 'email', 'email_subscribe', 'push_subscribe', 'push_tokens']
      const reserved = everyField.filter((field) => !settable.includes(field))
      const forged = Object.fromEntries(reserved.map((field) => [field, { forged: true }]))
      await people.set({ external_id, ...forged, paid: true })
      const { custom_attributes, ...rest } = await people.person(external_id)
      assert.deepEqual({ ...rest, custom_attributes }, { ...before, custom_attributes: { plan: 'free', paid: true } })
    })

    test('control keys are never stored', async () => {
      const external_id = newId()
      await people.set({ external_id, _merge_objects: true, _update_existing_only: false, _anything: 1, plan: 'free' })
      assert.deepEqual(await people.custom(external_id), { plan: 'free' })
    })

    test('members of events only are custom attributes here', async () => {
      const given = { app_id: 'app-phone', time: '2020-01-01T00:00:00Z', name: 'Ann', price: 5 }
      assert.deepEqual((await after(given)).custom_attributes, given)
    })

    test('field names are case-sensitive: another spelling is a custom attribute', async () => {
      const person = await after({ First_Name: 'Ann', GENDER: 'F' })
      assert.equal(person.first_name, undefined)
      assert.equal(person.gender, undefined)
      assert.deepEqual(person.custom_attributes, { First_Name: 'Ann', GENDER: 'F' })
    })

    test('of a field that one request sets and removes the later holds', async () => {
      const [first, second] = [newId(), newId()]
      await people.set(
        { external_id: first, first_name: 'Ann', email: newEmail(), dob: '1980-12-21' },
        { external_id: first, first_name: null, email: null },
        { external_id: second, last_name: null, home_city: 'Rome' },
        { external_id: second, last_name: 'Lee', home_city: 'Berlin' },
      )
      const fields = ['first_name', 'last_name', 'home_city', 'email', 'dob']
      assert.deepEqual(await people.person(first, fields), { dob: '1980-12-21' })
      assert.deepEqual(await people.person(second, fields), { last_name: 'Lee', home_city: 'Berlin' })
    })

    test('an object with only an identifier creates the person', async () => {
      const external_id = newId()
      await people.set({ external_id })
      assert.equal((await people.person(external_id)).external_id, external_id)
    })

    test('a refused field leaves the other fields of the object unapplied', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Ann' })
      const item = { external_id, first_name: 'Eve', plan: 'paid', email_subscribe: 'maybe' }
      assert.equal(await people.refusal('attributes', item), texts.emailSubscribe)
      const person = await people.person(external_id)
      assert.equal(person.first_name, 'Ann')
      assert.deepEqual(person.custom_attributes, {})
    })
  })
}
