import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  type Exported,
  event,
  type Item,
  isNow,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  reservedIds,
  texts as shared,
} from '../support/people.ts'

const itemsMax = 50
const prioritization = ['unidentified', 'most_recently_updated']
const texts = {
  required: "'aliases_to_identify', 'emails_to_identify' or 'phone_numbers_to_identify' is required",
  tooMany: 'a single request may not contain more than 50 people to identify',
  behavior: "'merge_behavior' must be 'merge' or 'none'",
} as const

for (const database of drawDatabases('users-identify')) {
  describe(`POST /users/identify (${database})`, () => {
    const people = peopleOf(database)
    const send = (body: unknown) => people.send('/users/identify', body)
    const refusal = async (body: unknown) => {
      const { status, body: answer, text } = await send(body)
      assert.equal(status, 400, text)
      assert.deepEqual(Object.keys(answer), ['message'])
      return answer.message
    }
    /** Creates a person with only an alias. */
    const alias = async (more: Item = {}, label?: string) => {
      const user_alias = newAlias(label)
      await people.set({ user_alias, _update_existing_only: false, ...more })
      return user_alias
    }
    /** Returns the outcome for one alias. */
    const identify = async (body: Item) => {
      const answer = await send(body)
      assert.equal(answer.status, 201, answer.text)
      return (await people.done(answer)).map(({ outcome }) => outcome)
    }
    const identifyAlias = async (external_id: string | number, user_alias: Item, more: Item = {}) =>
      only(await identify({ aliases_to_identify: [{ external_id, user_alias }], ...more }))

    test('a person with an alias gets an unused external_id before the answer', async () => {
      const user_alias = await alias({ n: 1 })
      const before = only(await people.find({ user_aliases: [user_alias] }))
      const external_id = newId()
      const answer = await send({ aliases_to_identify: [{ external_id, user_alias }] })
      assert.equal(answer.status, 201)
      assert.deepEqual(answer.body, { aliases_processed: 1, message: 'success' })
      assert.match(answer.text, /"message":"success"\}$/)
      assert.deepEqual(await people.person(external_id), { ...before, external_id })
      assert.equal(only(await people.find({ user_aliases: [user_alias] })).external_id, external_id)
      assert.equal(only(await people.done(answer)).outcome, 'done')
      await people.set({ external_id, by: 'id' })
      await people.set({ user_alias, by_alias: true })
      assert.deepEqual(await people.custom(external_id), { n: 1, by: 'id', by_alias: true })
    })

    test('a person with an alias is merged into the person with the external_id before the answer', async () => {
      const user_alias = await alias({ n: 1, both: 'theirs' })
      const external_id = newId()
      await people.set({ external_id, both: 'own' })
      await people.happen(event({ user_alias }), event({ external_id }))
      await send({ aliases_to_identify: [{ external_id, user_alias }] })
      const { custom_attributes, custom_events, user_aliases } = await people.person(external_id)
      assert.deepEqual(custom_attributes, { both: 'own', n: 1 })
      assert.equal(custom_events?.[0]?.count, 2)
      assert.deepEqual(user_aliases, [user_alias])
      await people.happen(event({ user_alias }))
      assert.equal((await people.eventsOf(external_id))[0]?.count, 3)
    })

    test('a person with an external_id keeps it', async () => {
      const user_alias = await alias()
      const [first, second, third] = [newId(), newId(), newId()]
      await people.set({ external_id: third })
      assert.equal(await identifyAlias(first, user_alias), 'done')
      assert.equal(await identifyAlias(first, user_alias), 'same_person')
      assert.equal(await identifyAlias(second, user_alias), 'already_identified')
      assert.equal(await identifyAlias(third, user_alias), 'already_identified')
      assert.deepEqual(await people.find({ external_ids: [second] }), [])
      assert.equal(only(await people.find({ user_aliases: [user_alias] })).external_id, first)
    })

    test('an alias with a label that the identified person has is not merged', async () => {
      const user_alias = await alias({ n: 1 })
      const external_id = newId()
      assert.equal(await identifyAlias(external_id, await alias()), 'done')
      assert.equal(await identifyAlias(external_id, user_alias), 'label_taken')
      assert.equal(await identifyAlias(external_id, user_alias, { merge_behavior: 'none' }), 'label_taken')
      assert.deepEqual(only(await people.find({ user_aliases: [user_alias] })).custom_attributes, { n: 1 })
      assert.equal(await identifyAlias(external_id, await alias({}, 'club')), 'done')
      assert.deepEqual((await people.person(external_id)).user_aliases?.length, 2)
    })

    test('an unknown alias is counted, and creates nobody', async () => {
      const external_id = newId()
      const answer = await send({ aliases_to_identify: [{ external_id, user_alias: newAlias() }] })
      assert.deepEqual([answer.status, answer.body.aliases_processed], [201, 1])
      assert.equal(only(await people.done(answer)).outcome, 'nobody_matched')
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('with merge_behavior none only the alias moves to the person with the external_id', async () => {
      const user_alias = await alias({ n: 1, email: newEmail() })
      const { email, service_id } = only(await people.find({ user_aliases: [user_alias] }))
      const external_id = newId()
      await people.set({ external_id, own: 1 })
      assert.equal(await identifyAlias(external_id, user_alias, { merge_behavior: 'none' }), 'done')
      const { custom_attributes, user_aliases, email: none } = await people.person(external_id)
      assert.deepEqual([custom_attributes, user_aliases, none], [{ own: 1 }, [user_alias], undefined])
      const left = only(await people.find({ service_id }))
      assert.deepEqual([left.custom_attributes, left.user_aliases, left.email], [{ n: 1 }, [], email])
      await people.set({ user_alias, by: 'alias' })
      assert.deepEqual(await people.custom(external_id), { own: 1, by: 'alias' })
      const fresh = await alias({ n: 2 })
      const unused = newId()
      assert.equal(await identifyAlias(unused, fresh, { merge_behavior: 'none' }), 'done')
      assert.deepEqual(await people.custom(unused), { n: 2 })
    })

    const addresses = {
      emails_to_identify: { kind: 'email', make: newEmail, processed: 'emails_processed' },
      phone_numbers_to_identify: { kind: 'phone', make: newPhone, processed: 'phone_numbers_processed' },
    } as const
    for (const [list, { kind, make, processed }] of Object.entries(addresses)) {
      test(`a person with only ${kind} gets the external_id, or is merged into the person who has it`, async () => {
        const [first, second] = [make(), make()]
        const [unused, used] = [newId(), newId()]
        await people.set({ [kind]: first, n: 1 }, { [kind]: second, n: 2 }, { external_id: used })
        const items = [
          { external_id: unused, [kind]: first, prioritization },
          { external_id: used, [kind]: second, prioritization },
        ]
        const answer = await send({ [list]: items })
        assert.equal(answer.status, 201)
        assert.deepEqual(answer.body, { [processed]: 2, message: 'success' })
        const shown = ({ custom_attributes, ...record }: Exported) => [custom_attributes, record[kind]]
        assert.deepEqual(shown(await people.person(unused)), [{ n: 1 }, first])
        assert.deepEqual(shown(await people.person(used)), [{ n: 2 }, second])
      })

      test(`prioritization selects one of several people with one ${kind}`, async () => {
        const address = { [kind]: make() }
        const [known, unknown] = [newId(), newId()]
        const [older, newer] = [newAlias(), newAlias()]
        for (const user_alias of [older, newer])
          await people.set({ user_alias, ...address, _update_existing_only: false })
        await people.set({ external_id: known, ...address })
        const one = async (words: string[]) =>
          only(await identify({ [list]: [{ external_id: unknown, ...address, prioritization: words }] }))
        assert.equal(await one(['unidentified']), 'several_matched')
        assert.equal(await one(['identified']), 'already_identified')
        assert.equal(await one(['most_recently_updated', 'unidentified']), 'nobody_matched')
        assert.equal(await one(['unidentified', 'most_recently_updated']), 'done')
        assert.deepEqual((await people.person(unknown)).user_aliases, [newer])
      })

      test(`with merge_behavior none a person with only ${kind} stays unchanged when the external_id is taken`, async () => {
        const address = make()
        const [used, unused] = [newId(), newId()]
        await people.set({ [kind]: address }, { external_id: used })
        const one = async (external_id: string) =>
          only(await identify({ [list]: [{ external_id, [kind]: address, prioritization }], merge_behavior: 'none' }))
        assert.equal(await one(used), 'already_identified')
        assert.equal((await people.person(used))[kind], undefined)
        assert.equal(await one(unused), 'done')
        assert.equal((await people.person(unused))[kind], address)
      })
    }

    test('lists of one request are processed together, and each non-empty list is counted', async () => {
      const user_alias = await alias({ a: 1 })
      const [email, phone, external_id] = [newEmail(), newPhone(), newId()]
      await people.set({ email, b: 1 }, { phone, c: 1 })
      const answer = await send({
        aliases_to_identify: [{ external_id, user_alias }],
        emails_to_identify: [{ external_id, email, prioritization }],
        phone_numbers_to_identify: [{ external_id, phone, prioritization }],
        merge_behavior: 'merge',
      })
      const counts = { aliases_processed: 1, emails_processed: 1, phone_numbers_processed: 1 }
      assert.deepEqual(answer.body, { ...counts, message: 'success' })
      assert.deepEqual(await people.custom(external_id), { a: 1, b: 1, c: 1 })
      const empty = await send({
        aliases_to_identify: [{ external_id, user_alias }],
        emails_to_identify: [],
        merge_behavior: null,
      })
      assert.deepEqual(empty.body, { aliases_processed: 1, message: 'success' })
    })

    test('a person who is named twice is identified once', async () => {
      const [user_alias, other] = [await alias({ a: 1 }), await alias({ b: 1 }, 'club')]
      const [first, second] = [newId(), newId()]
      const items = [
        { external_id: first, user_alias },
        { external_id: second, user_alias },
        { external_id: first, user_alias },
        { external_id: first, user_alias: other },
      ]
      const outcomes = await identify({ aliases_to_identify: items })
      assert.deepEqual(outcomes, ['done', 'already_identified', 'same_person', 'done'])
      assert.deepEqual(await people.custom(first), { a: 1, b: 1 })
    })

    test('an identified person counts as updated', async () => {
      const email = newEmail()
      const user_alias = await alias({ email })
      const [external_id, other] = [newId(), newId()]
      await people.set({ external_id: other, email })
      await identifyAlias(external_id, user_alias)
      assert.equal((await people.find({ email_address: email }))[0]?.external_id, external_id)
      assert.ok(isNow((await people.person(external_id)).created_at!))
    })

    test('integers are external ids', async () => {
      const user_alias = await alias()
      assert.equal(await identifyAlias(7_200_001, user_alias), 'done')
      assert.deepEqual((await people.person('7200001')).user_aliases, [user_alias])
    })

    test('a former external_id still names the person, who is identified already', async () => {
      const user_alias = await alias()
      const [first, second] = [newId(), newId()]
      await identifyAlias(first, user_alias)
      const renames = [{ current_external_id: first, new_external_id: second }]
      assert.equal((await people.send('/users/external_ids/rename', { external_id_renames: renames })).status, 201)
      assert.equal(await identifyAlias(first, user_alias), 'same_person')
      assert.equal(await identifyAlias(second, user_alias), 'same_person')
      assert.equal(await identifyAlias(newId(), user_alias), 'already_identified')
    })

    test('work that was accepted earlier is done earlier', async () => {
      const [gone, kept] = [newId(), newId()]
      const user_alias = await alias({ n: 1 })
      await people.set({ external_id: gone, a: 1 }, { external_id: kept })
      const merge_updates = [{ identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }]
      assert.equal((await people.send('/users/merge', { merge_updates })).status, 202)
      await send({ aliases_to_identify: [{ external_id: gone, user_alias }] })
      // The id was unused by then, so it names a new person.
      assert.deepEqual(await people.custom(gone), { n: 1 })
      assert.deepEqual(await people.custom(kept), { a: 1 })
    })

    test('49 and 50 people over all lists are accepted, 51 are refused', async () => {
      const items = many(itemsMax + 1, () => ({ external_id: newId(), user_alias: newAlias() }))
      const emails = many(itemsMax, () => ({ external_id: newId(), email: newEmail(), prioritization }))
      const accepted = [
        { aliases_to_identify: items.slice(0, itemsMax - 1) },
        { aliases_to_identify: items.slice(0, itemsMax) },
        { aliases_to_identify: items.slice(0, 30), emails_to_identify: emails.slice(0, 20) },
      ]
      for (const body of accepted) assert.equal((await send(body)).status, 201)
      const refused = [
        { aliases_to_identify: items },
        { aliases_to_identify: items.slice(0, 30), emails_to_identify: emails.slice(0, 21) },
      ]
      for (const body of refused) assert.equal(await refusal(body), texts.tooMany)
    })

    test('at least one list of objects is required', async () => {
      const nothing = [
        {},
        { aliases_to_identify: [] },
        { aliases_to_identify: null, emails_to_identify: [] },
        { other: 1 },
      ]
      for (const body of [...nothing, [], 'null', '5']) assert.equal(await refusal(body), texts.required)
      for (const list of ['aliases_to_identify', 'emails_to_identify', 'phone_numbers_to_identify']) {
        for (const wrong of ['x', 5, {}, true, ['x'], [null], [[]]]) {
          assert.equal(await refusal({ [list]: wrong }), `'${list}' must be an array of objects`)
        }
      }
    })

    test('an invalid item refuses the request, and nothing is done', async () => {
      const user_alias = await alias()
      const external_id = newId()
      const good = { external_id, user_alias }
      const refusals: readonly [Item, string | RegExp][] = [
        [{ aliases_to_identify: [good, { user_alias }] }, "'external_id' is required"],
        [{ aliases_to_identify: [good, { external_id: null, user_alias }] }, "'external_id' is required"],
        [{ aliases_to_identify: [good, { external_id: '', user_alias }] }, "'external_id' is required"],
        [{ aliases_to_identify: [good, { external_id: {}, user_alias }] }, "'external_id' is not valid"],
        [{ aliases_to_identify: [good, { external_id: 1.5, user_alias }] }, "'external_id' is not valid"],
        [{ aliases_to_identify: [good, { external_id: 'a\u0000', user_alias }] }, "'external_id' is not valid"],
        [{ aliases_to_identify: [good, { external_id: 'x'.repeat(988), user_alias }] }, shared.tooLong],
        [{ aliases_to_identify: [good, { external_id: reservedIds[0], user_alias }] }, shared.reserved],
        [{ aliases_to_identify: [good, { external_id }] }, "'user_alias' is required"],
        [{ aliases_to_identify: [good, { external_id, user_alias: 'a' }] }, "'user_alias' is not valid"],
        [
          { aliases_to_identify: [good, { external_id, user_alias: { alias_name: 'a' } }] },
          "'user_alias' is not valid",
        ],
        [{ aliases_to_identify: [good], emails_to_identify: [{ external_id, prioritization }] }, "'email' is required"],
        [
          { aliases_to_identify: [good], emails_to_identify: [{ external_id, email: 'a', prioritization }] },
          shared.badEmail,
        ],
        [
          { aliases_to_identify: [good], emails_to_identify: [{ external_id, email: newEmail() }] },
          /^'prioritization' must be/,
        ],
        [
          { aliases_to_identify: [good], phone_numbers_to_identify: [{ external_id, phone: '1', prioritization }] },
          "'phone' is not valid",
        ],
        [
          {
            aliases_to_identify: [good],
            phone_numbers_to_identify: [{ external_id, phone: newPhone(), prioritization: [] }],
          },
          /^'prioritization' must/,
        ],
        [{ aliases_to_identify: [good], merge_behavior: 'both' }, texts.behavior],
        [{ aliases_to_identify: [good], merge_behavior: true }, texts.behavior],
      ]
      for (const [body, text] of refusals) {
        const message = await refusal(body)
        if (typeof text === 'string') assert.equal(message, text, JSON.stringify(body))
        else assert.match(message, text, JSON.stringify(body))
      }
      await people.settled()
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })
  })
}
