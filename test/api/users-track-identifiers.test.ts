import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  type ArrayName,
  ago,
  event,
  hourMs,
  type Item,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  purchase,
  texts,
} from '../support/people.ts'

const externalIdBytesMax = 987
const unknownServiceId = 'f'.repeat(24)

const makers: Readonly<Record<ArrayName, (who: Item) => Item>> = {
  attributes: (who) => ({ ...who, plan: 'free' }),
  events: event,
  purchases: purchase,
}
const arrays = Object.keys(makers) as ArrayName[]

for (const database of drawDatabases('users-track-identifiers')) {
  describe(`identifiers of track objects (${database})`, () => {
    const people = peopleOf(database)

    test('an external_id has at most 987 bytes', async () => {
      const asciiOf = (bytes: number) => newId().padEnd(bytes, 'x')
      const euroOf = (count: number) => '€'.repeat(count)
      for (const external_id of [asciiOf(externalIdBytesMax - 1), asciiOf(externalIdBytesMax), euroOf(329)]) {
        await people.set({ external_id, plan: 'free' })
        assert.equal((await people.person(external_id)).external_id, external_id)
      }
      for (const external_id of [
        asciiOf(externalIdBytesMax + 1),
        euroOf(330),
        '€'.repeat(328) + '\u{1F600}'.repeat(1),
      ]) {
        const bytes = Buffer.byteLength(external_id)
        for (const array of arrays) {
          assert.equal(await people.refusal(array, makers[array]({ external_id })), texts.tooLong, `${bytes} bytes`)
        }
      }
    })

    test('an integer external_id is stored as its text', async () => {
      const number = 7_000_001
      await people.set({ external_id: number, plan: 'free' })
      await people.set({ external_id: String(number), step: 2 })
      const person = await people.person(String(number))
      assert.equal(person.external_id, '7000001')
      assert.deepEqual(person.custom_attributes, { plan: 'free', step: 2 })
    })

    test('an identifier of another type refuses the object', async () => {
      for (const external_id of [true, {}, ['x']]) {
        assert.equal(await people.refusal('attributes', { external_id }), "'external_id' is not valid")
      }
      for (const user_alias of ['x', 5, [], {}, { alias_name: 'x' }, { alias_label: 'x' }]) {
        assert.equal(await people.refusal('events', event({ user_alias })), "'user_alias' is not valid")
      }
      const halves = [
        { alias_name: 'x', alias_label: null },
        { alias_name: {}, alias_label: 'x' },
      ]
      for (const user_alias of halves) {
        assert.equal(await people.refusal('purchases', purchase({ user_alias })), "'user_alias' is not valid")
      }
    })

    test('an object without an identifier is refused in every array', async () => {
      for (const array of arrays) {
        assert.equal(await people.refusal(array, makers[array]({})), texts.required)
        assert.equal(await people.refusal(array, makers[array]({ device_id: 'a-device' })), texts.required)
        const nulls = { external_id: null, user_alias: null, service_id: null, email: null, phone: null }
        assert.equal(await people.refusal(array, makers[array](nulls)), texts.required)
      }
    })

    test('two of external_id, user_alias and service_id refuse the object, which creates nothing', async () => {
      const external_id = newId()
      const user_alias = newAlias()
      const service_id = unknownServiceId
      const pairs = [
        { external_id, user_alias },
        { external_id, service_id },
        { user_alias, service_id },
        { external_id, user_alias, service_id },
        { external_id, user_alias, service_id, email: newEmail(), phone: newPhone() },
      ]
      for (const who of pairs) {
        for (const array of arrays) {
          const item = makers[array]({ ...who, _update_existing_only: false })
          assert.equal(await people.refusal(array, item), texts.onlyOne)
        }
      }
      assert.deepEqual(await people.find({ external_ids: [external_id], user_aliases: [user_alias] }), [])
    })

    test('a null next to an identifier counts as absent', async () => {
      const external_id = newId()
      await people.happen(event({ external_id, user_alias: null, service_id: null }))
      assert.equal((await people.person(external_id)).external_id, external_id)
    })

    test('an e-mail next to an external_id is an attribute, also when another person has it', async () => {
      const [first, second] = [newId(), newId()]
      const email = newEmail()
      await people.set({ external_id: first, email, plan: 'free' })
      await people.set({ external_id: second, email, plan: 'paid' })
      assert.deepEqual(await people.custom(first), { plan: 'free' })
      assert.deepEqual(await people.custom(second), { plan: 'paid' })
      const sharers = await people.find({ email_address: email }, ['external_id'])
      assert.deepEqual(sharers.map(({ external_id }) => external_id).sort(), [first, second].sort())
    })

    test('an unknown e-mail creates a person with only that e-mail, in every array', async () => {
      for (const array of arrays) {
        const email = newEmail()
        await people.accept({ [array]: [makers[array]({ email })] })
        const person = only(await people.find({ email_address: email }))
        assert.equal(person.email, email)
        assert.equal(person.external_id, undefined)
        assert.deepEqual(person.user_aliases, [])
        await people.accept({ [array]: [makers[array]({ email })] })
        assert.equal(only(await people.find({ email_address: email })).service_id, person.service_id)
      }
    })

    test('an unknown phone creates a person with only that phone, in every array', async () => {
      for (const array of arrays) {
        const phone = newPhone()
        await people.accept({ [array]: [makers[array]({ phone })] })
        const person = only(await people.find({ phone }))
        assert.equal(person.phone, phone)
        assert.equal(person.external_id, undefined)
        assert.equal(person.email, undefined)
        assert.deepEqual(person.user_aliases, [])
      }
    })

    test('e-mails are stored in lower case and found ignoring case', async () => {
      const email = newEmail()
      const shouted = email.toUpperCase()
      await people.set({ email: shouted, plan: 'free' })
      await people.set({ email, step: 2 })
      const person = only(await people.find({ email_address: shouted }))
      assert.equal(person.email, email)
      assert.deepEqual(person.custom_attributes, { plan: 'free', step: 2 })
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@EXAMPLE.com`.toUpperCase() })
      assert.equal((await people.person(external_id)).email, `${external_id}@example.com`)
    })

    test('an invalid e-mail refuses the object, as identifier and as attribute', async () => {
      const id = newId()
      for (const email of ['no', 'a@', '@b.com', 'a b@c.com', 'a@b@c.com', 5, true, {}]) {
        const given = JSON.stringify(email)
        assert.equal(await people.refusal('attributes', { external_id: id, email }), texts.badEmail, given)
        assert.equal(await people.refusal('attributes', { email, plan: 'free' }), texts.badEmail, given)
        assert.equal(await people.refusal('events', event({ email })), texts.badEmail, given)
      }
      assert.deepEqual(await people.find({ external_ids: [id] }), [])
    })

    test('the e-mail identifies before the phone, which is then an attribute', async () => {
      const owner = newId()
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ external_id: owner, phone })
      await people.set({ email, phone, plan: 'free' })
      const person = only(await people.find({ email_address: email }))
      assert.equal(person.phone, phone)
      assert.deepEqual(person.custom_attributes, { plan: 'free' })
      assert.deepEqual(await people.custom(owner), {})
      const other = newPhone()
      await people.set({ email, phone: other })
      assert.equal(only(await people.find({ email_address: email })).phone, other)
    })

    test('a phone as identifier has 7 to 15 digits after a plus', async () => {
      for (const digits of [7, 8, 14, 15]) {
        const phone = `+4${newPhone().slice(2)}4444444`.slice(0, digits + 1)
        await people.happen(event({ phone }))
        assert.equal(only(await people.find({ phone })).phone, phone)
      }
      const invalid = ['+123456', '+1234567890123456', '+0123456789', '15551234567', '+1555123456x', 'phone', '', 5]
      for (const phone of invalid.filter((each) => each !== '')) {
        for (const array of arrays) {
          assert.equal(await people.refusal(array, makers[array]({ phone })), "'phone' is not valid", String(phone))
        }
      }
    })

    test('spaces, dots, hyphens and brackets in a phone are ignored', async () => {
      const phone = newPhone()
      const digits = phone.slice(2)
      await people.set({ phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`, plan: 'free' })
      await people.set({ phone: `+1.${digits.slice(0, 3)}.${digits.slice(3)}`, step: 2 })
      const person = only(await people.find({ phone }))
      assert.equal(person.phone, phone)
      assert.deepEqual(person.custom_attributes, { plan: 'free', step: 2 })
    })

    test('a phone as attribute can be any text, and a valid number is stored in E.164', async () => {
      const [id, other] = [newId(), newId()]
      await people.set({ external_id: id, phone: 'call my office' })
      assert.equal((await people.person(id)).phone, 'call my office')
      const phone = newPhone()
      const spaced = `${phone.slice(0, 2)} ${phone.slice(2)}`
      await people.set({ external_id: other, phone: spaced })
      assert.equal((await people.person(other)).phone, phone)
      await people.happen(event({ phone }))
      assert.equal((await people.eventsOf(other)).length, 1)
    })

    test('a person is found by service_id, and an unknown one is processed without effect', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free' })
      const { service_id } = await people.person(external_id)
      await people.accept({
        attributes: [{ service_id, plan: 'paid' }],
        events: [event({ service_id })],
        purchases: [purchase({ service_id })],
      })
      const person = await people.person(external_id)
      assert.deepEqual(person.custom_attributes, { plan: 'paid' })
      assert.equal(person.custom_events?.length, 1)
      assert.equal(person.purchases?.length, 1)
      for (const unknown of [
        unknownServiceId,
        'no-such-id',
        `${service_id}`.replace(/^./, (c) => (c === '0' ? '1' : '0')),
      ]) {
        for (const array of arrays) {
          const { status, body } = await people.track({ [array]: [makers[array]({ service_id: unknown })] })
          assert.equal(status, 201)
          const reason = 'matches nobody: nothing was stored'
          const notices = [{ index: 0, input_array: array, member: 'service_id', reason }]
          assert.deepEqual(body, { [`${array}_processed`]: 1, message: 'success', notices })
        }
        assert.deepEqual(await people.find({ service_id: unknown }), [])
      }
    })

    test('an alias is identified by its name and its label together', async () => {
      const { alias_name } = newAlias()
      const names = ['one', 'two']
      for (const alias_label of names) {
        await people.set({ user_alias: { alias_name, alias_label }, _update_existing_only: false, plan: alias_label })
      }
      for (const alias_label of names) {
        const person = only(await people.find({ user_aliases: [{ alias_name, alias_label }] }))
        assert.deepEqual(person.custom_attributes, { plan: alias_label })
        assert.deepEqual(person.user_aliases, [{ alias_name, alias_label }])
        assert.equal(person.external_id, undefined)
      }
    })

    test('an external_id is case-sensitive and not trimmed', async () => {
      const id = newId('Case')
      const ids = [id, id.toLowerCase(), ` ${id}`, `${id} `]
      for (const external_id of ids) await people.set({ external_id, mine: external_id })
      for (const external_id of ids) assert.deepEqual(await people.custom(external_id), { mine: external_id })
    })

    test('concurrent objects for one new person create one person', async () => {
      const email = newEmail()
      const user_alias = newAlias()
      const external_id = newId()
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          people.accept({
            attributes: [
              { email, [`a${i}`]: i },
              { user_alias, _update_existing_only: false, [`a${i}`]: i },
              { external_id, [`a${i}`]: i },
            ],
            events: [event({ email }, { time: ago(hourMs) })],
          }),
        ),
      )
      const everything = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`a${i}`, i]))
      const byEmail = only(await people.find({ email_address: email }))
      assert.deepEqual(byEmail.custom_attributes, everything)
      assert.equal(only(byEmail.custom_events ?? []).count, 12)
      assert.deepEqual(only(await people.find({ user_aliases: [user_alias] })).custom_attributes, everything)
      assert.deepEqual(await people.custom(external_id), everything)
    })
  })
}
