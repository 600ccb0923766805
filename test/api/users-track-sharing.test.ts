import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { event, type Item, newAlias, newEmail, newId, newPhone, only, peopleOf, purchase } from '../support/people.ts'

const addresses = {
  email: { make: newEmail, asked: (email: string) => ({ email_address: email }) },
  phone: { make: newPhone, asked: (phone: string) => ({ phone }) },
} as const

for (const database of drawDatabases('users-track-sharing')) {
  describe(`the person of a track object (${database})`, () => {
    const people = peopleOf(database)

    for (const [kind, { make, asked }] of Object.entries(addresses)) {
      test(`of two identified people with one ${kind} the most recently updated one is selected`, async () => {
        const address = make()
        const [first, second] = [newId(), newId()]
        await people.set({ external_id: first, [kind]: address })
        await people.set({ external_id: second, [kind]: address })
        await people.set({ [kind]: address, mark: 1 })
        assert.deepEqual(await people.custom(first), {})
        assert.deepEqual(await people.custom(second), { mark: 1 })
        await people.set({ external_id: first, plan: 'free' })
        await people.set({ [kind]: address, mark: 2 })
        assert.deepEqual(await people.custom(first), { plan: 'free', mark: 2 })
        assert.deepEqual(await people.custom(second), { mark: 1 })
        assert.equal((await people.find(asked(address))).length, 2)
      })

      test(`an identified person with the ${kind} is selected before a later one without external_id`, async () => {
        const address = make()
        const external_id = newId()
        const user_alias = newAlias()
        await people.set({ external_id, [kind]: address })
        await people.set({ user_alias, _update_existing_only: false, [kind]: address, plan: 'free' })
        await people.accept({
          attributes: [{ [kind]: address, mark: 1 }],
          events: [event({ [kind]: address })],
          purchases: [purchase({ [kind]: address })],
        })
        const person = await people.person(external_id)
        assert.deepEqual(person.custom_attributes, { mark: 1 })
        assert.equal(person.custom_events?.length, 1)
        assert.equal(person.purchases?.length, 1)
        const anonymous = only(await people.find({ user_aliases: [user_alias] }))
        assert.deepEqual(anonymous.custom_attributes, { plan: 'free' })
        assert.equal(anonymous.custom_events, undefined)
      })

      test(`without an identified person the most recently updated one with the ${kind} is selected`, async () => {
        const address = make()
        const [older, newer] = [newAlias(), newAlias()]
        for (const user_alias of [older, newer]) {
          await people.set({ user_alias, _update_existing_only: false, [kind]: address })
        }
        await people.set({ [kind]: address, mark: 1 })
        assert.deepEqual(only(await people.find({ user_aliases: [newer] })).custom_attributes, { mark: 1 })
        await people.set({ user_alias: older, plan: 'free' })
        await people.set({ [kind]: address, mark: 2 })
        const found = only(await people.find({ user_aliases: [older] }))
        assert.deepEqual(found.custom_attributes, { plan: 'free', mark: 2 })
      })
    }

    test('an equal value changes updated_at; events, purchases and exports do not', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email, plan: 'free' })
      await people.set({ external_id: second, email, plan: 'free' })
      await people.set({ external_id: first, plan: 'free' })
      const latest = async (): Promise<string> => {
        const mark = newId('mark')
        await people.happen(event({ email }, { name: mark }))
        const names = (await people.eventsOf(first)).map(({ name }) => name)
        return names.includes(mark) ? first : second
      }
      assert.equal(await latest(), first)
      await people.happen(event({ external_id: second }))
      await people.buy(purchase({ external_id: second }))
      await people.person(second)
      assert.equal(await latest(), first)
      await people.set({ external_id: second, email })
      assert.equal(await latest(), second)
    })

    test('the external_id of the object decides, also when others have the address', async () => {
      const email = newEmail()
      const phone = newPhone()
      const [first, second, third] = [newId(), newId(), newId()]
      await people.set({ external_id: first, email, phone })
      await people.set({ external_id: second, email, phone })
      await people.set({ external_id: first, email, phone, mark: 1 })
      await people.happen(event({ external_id: third, email, phone }))
      assert.deepEqual(await people.custom(first), { mark: 1 })
      assert.deepEqual(await people.custom(second), {})
      assert.equal((await people.eventsOf(third)).length, 1)
    })

    test('within one request the latest object decides who was updated last', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email }, { external_id: second, email }, { email, mark: 1 })
      assert.deepEqual(await people.custom(second), { mark: 1 })
      await people.set(
        { external_id: first, plan: 'free' },
        { email, mark: 2 },
        { external_id: second, email: null },
        { email, mark: 3 },
      )
      assert.deepEqual(await people.custom(first), { plan: 'free', mark: 3 })
      assert.deepEqual(await people.custom(second), { mark: 1 })
    })

    test('an address is followed when it is changed or removed', async () => {
      const [before, after] = [newEmail(), newEmail()]
      const external_id = newId()
      await people.set({ external_id, email: before })
      await people.set({ external_id, email: after })
      await people.set({ email: after, mark: 1 })
      assert.deepEqual(await people.custom(external_id), { mark: 1 })
      assert.deepEqual(await people.find({ email_address: before }), [])
      await people.set({ external_id, email: null })
      assert.equal((await people.person(external_id)).email, undefined)
      assert.deepEqual(await people.find({ email_address: after }), [])
      await people.set({ email: after, mark: 2 })
      assert.deepEqual(await people.custom(external_id), { mark: 1 })
      const made = only(await people.find({ email_address: after }))
      assert.deepEqual([made.external_id, made.custom_attributes], [undefined, { mark: 2 }])
    })

    test('within one request the events know an address that attributes have set', async () => {
      const external_id = newId()
      const email = newEmail()
      await people.accept({
        attributes: [{ external_id, email }],
        events: [event({ email })],
        purchases: [purchase({ email: email.toUpperCase() })],
      })
      const person = only(await people.find({ email_address: email }))
      assert.equal(person.external_id, external_id)
      assert.equal(person.custom_events?.length, 1)
      assert.equal(person.purchases?.length, 1)
    })

    const identifiers = {
      external_id: () => {
        const external_id = newId()
        return { who: { external_id }, asked: { external_ids: [external_id] } }
      },
      user_alias: () => {
        const user_alias = newAlias()
        return { who: { user_alias }, asked: { user_aliases: [user_alias] } }
      },
      email: () => {
        const email = newEmail()
        return { who: { email }, asked: { email_address: email } }
      },
      phone: () => {
        const phone = newPhone()
        return { who: { phone }, asked: { phone } }
      },
      service_id: () => {
        const service_id = newId()
          .padStart(24, '0')
          .replace(/[^0-9a-f]/g, 'a')
        return { who: { service_id }, asked: { service_id } }
      },
    } as const satisfies Record<string, () => { who: Item; asked: Item }>

    const rules: readonly [keyof typeof identifiers, flag: boolean | undefined, creates: boolean][] = [
      ['external_id', undefined, true],
      ['external_id', true, false],
      ['external_id', false, true],
      ['user_alias', undefined, false],
      ['user_alias', true, false],
      ['user_alias', false, true],
      ['email', undefined, true],
      ['email', true, false],
      ['email', false, true],
      ['phone', undefined, true],
      ['phone', true, false],
      ['phone', false, true],
      ['service_id', undefined, false],
      ['service_id', true, false],
      ['service_id', false, false],
    ]

    for (const [kind, flag, creates] of rules) {
      test(`_update_existing_only ${flag ?? 'left out'} ${creates ? 'creates' : 'does not create'} a person by ${kind}`, async () => {
        const makers = { attributes: (who: Item) => ({ ...who, plan: 'free' }), events: event, purchases: purchase }
        for (const [array, make] of Object.entries(makers)) {
          const { who, asked } = identifiers[kind]()
          const item = make({ ...who, ...(flag !== undefined && { _update_existing_only: flag }) })
          const { status, body } = await people.track({ [array]: [item] })
          assert.equal(status, 201)
          const { notices = [], ...counts } = body
          assert.deepEqual(counts, { [`${array}_processed`]: 1, message: 'success' })
          // A caller that sends `true` expects that unknown people are passed over.
          const members = notices.map(({ member }: Item) => member)
          assert.deepEqual(members, creates || flag === true ? [] : [kind])
          const found = await people.find(asked)
          assert.equal(found.length, creates ? 1 : 0, array)
        }
      })
    }

    for (const kind of ['external_id', 'user_alias', 'email', 'phone'] as const) {
      test(`a person with a known ${kind} is updated, whatever _update_existing_only is`, async () => {
        const { who, asked } = identifiers[kind]()
        await people.set({ ...who, _update_existing_only: false, step: 0 })
        await people.accept({
          attributes: [
            { ...who, one: 1 },
            { ...who, _update_existing_only: true, two: 2 },
            { ...who, _update_existing_only: false, three: 3 },
          ],
          events: [event(who), event({ ...who, _update_existing_only: true })],
          purchases: [purchase(who), purchase({ ...who, _update_existing_only: true })],
        })
        const person = only(await people.find(asked))
        assert.deepEqual(person.custom_attributes, { step: 0, one: 1, two: 2, three: 3 })
        assert.equal(only(person.custom_events ?? []).count, 2)
        assert.equal(only(person.purchases ?? []).count, 2)
      })
    }

    test('an e-mail or a phone next to an unknown alias, service_id or external_id finds nobody and creates nobody', async () => {
      const [known, unknown] = [newEmail(), newEmail()]
      const phone = newPhone()
      const owner = newId()
      await people.set({ external_id: owner, email: known })
      const nobodies = [
        { user_alias: newAlias() },
        { service_id: 'e'.repeat(24) },
        { external_id: newId(), _update_existing_only: true },
      ]
      for (const who of nobodies) {
        for (const address of [{ email: known }, { email: unknown }, { phone }]) {
          const item = { ...who, ...address }
          await people.accept({
            attributes: [{ ...item, mark: 1 }],
            events: [event(item)],
            purchases: [purchase(item)],
          })
        }
      }
      const person = await people.person(owner)
      assert.deepEqual([person.custom_attributes, person.custom_events, person.purchases], [{}, undefined, undefined])
      assert.deepEqual(await people.find({ email_address: unknown }), [])
      assert.deepEqual(await people.find({ phone }), [])
    })

    test('_update_existing_only that is neither true nor false refuses the object', async () => {
      const external_id = newId()
      for (const flag of ['yes', 1, {}, []]) {
        const refusal = await people.refusal('attributes', { external_id, _update_existing_only: flag })
        assert.equal(refusal, "'_update_existing_only' is not valid")
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('items about an unknown person are not stored for a person who is created later', async () => {
      const { who, asked } = identifiers.user_alias()
      await people.accept({ events: [event(who)], purchases: [purchase(who)], attributes: [{ ...who, plan: 'free' }] })
      await people.set({ ...who, _update_existing_only: false })
      const person = only(await people.find(asked))
      assert.deepEqual(person.custom_attributes, {})
      assert.equal(person.custom_events, undefined)
      assert.equal(person.purchases, undefined)
    })

    test('an alias that one object of a request creates is known to the objects after it', async () => {
      const user_alias = newAlias()
      await people.accept({
        attributes: [
          { user_alias, before: 1 },
          { user_alias, _update_existing_only: false, made: 1 },
          { user_alias, after: 1 },
        ],
      })
      const person = only(await people.find({ user_aliases: [user_alias] }))
      assert.deepEqual(person.custom_attributes, { made: 1, after: 1 })
    })
  })
}
