import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newAlias, newEmail, newId, newPhone, only, peopleOf } from '../support/people.ts'

const updatesMax = 50
const texts = {
  updates: "'merge_updates' must be an array of objects",
  tooMany: 'a single request may not contain more than 50 merge updates',
  members: "'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'",
  identifier:
    "identifiers must be objects with an 'external_id' property that is a string, 'user_alias' property that is an object, " +
    "or 'email' property that is a string",
  tooLong: "'external_id' must be fewer than 988 bytes",
  badEmail: "The value provided for the 'email' field is not a valid email.",
} as const

const prioritization = ['unidentified', 'most_recently_updated']
const somebody = { external_id: 'somebody' }
const update = (identifier_to_merge: unknown, identifier_to_keep: unknown = somebody) => {
  return { identifier_to_merge, identifier_to_keep }
}

for (const database of drawDatabases('users-merge')) {
  describe(`POST /users/merge (${database})`, () => {
    const people = peopleOf(database)
    const send = (body: unknown) => people.send('/users/merge', body)
    const refusal = async (body: unknown) => {
      const { status, body: answer, text } = await send(body)
      assert.equal(status, 400, text)
      assert.deepEqual(Object.keys(answer), ['message'])
      return answer.message
    }

    test('a request returns 202 with only the message, and is done soon after', async () => {
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone, first_name: 'Anna' }, { external_id: kept })
      const answer = await send({ merge_updates: [update({ external_id: gone }, { external_id: kept })] })
      assert.equal(answer.status, 202)
      assert.deepEqual(answer.body, { message: 'success' })
      assert.equal(only(await people.done(answer)).outcome, 'done')
      assert.equal((await people.person(kept)).first_name, 'Anna')
      assert.deepEqual(await people.find({ external_ids: [gone] }), [])
    })

    test('an idle service carries out a merge without another request', async () => {
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone }, { external_id: kept })
      await people.merge({ external_id: gone }, { external_id: kept })
      assert.deepEqual(await people.find({ external_ids: [gone] }), [])
    })

    test('an empty list is accepted', async () => {
      const answer = await send({ merge_updates: [] })
      assert.deepEqual([answer.status, answer.body], [202, { message: 'success' }])
      assert.deepEqual(await people.done(answer), [])
    })

    test('anything but an array of objects is refused', async () => {
      const wrong = [undefined, null, {}, 'x', 5, true, ['x'], [null], [[]], [update(somebody), 7]]
      for (const merge_updates of wrong) assert.equal(await refusal({ merge_updates }), texts.updates)
      for (const body of [[], 'null', '7', '"x"', '[]']) assert.equal(await refusal(body), texts.updates)
    })

    test('49 and 50 updates are accepted, 51 are refused', async () => {
      const updates = many(updatesMax + 1, () => update({ external_id: newId('nobody') }))
      for (const count of [updatesMax - 1, updatesMax]) {
        const answer = await send({ merge_updates: updates.slice(0, count) })
        assert.equal(answer.status, 202, answer.text)
        const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
        assert.deepEqual(outcomes, Array(count).fill('nobody_matched'))
      }
      assert.equal(await refusal({ merge_updates: updates }), texts.tooMany)
    })

    test('an update has two members and no others', async () => {
      const both = update(somebody)
      const wrong: Item[] = [
        {},
        { identifier_to_merge: somebody },
        { identifier_to_keep: somebody },
        { ...both, extra: null },
        { ...both, prioritization },
        { identifier_to_merge: somebody, other: somebody },
      ]
      for (const each of wrong) assert.equal(await refusal({ merge_updates: [both, each] }), texts.members)
    })

    test('an identifier is an object with exactly one kind of the right type', async () => {
      const wrong: unknown[] = [
        null,
        'a',
        7,
        [],
        {},
        { external_id: '' },
        { external_id: null },
        { external_id: true },
        { external_id: 1.5 },
        { external_id: ['a'] },
        { external_id: { a: 1 } },
        { user_alias: 'a' },
        { user_alias: [] },
        { email: 5, prioritization },
        { phone: 5, prioritization },
        { service_id: '5de03768148b06556d18478b' },
        { external_id: 'a', email: 'a@example.com', prioritization },
        { external_id: 'a', user_alias: newAlias() },
        { email: 'a@example.com', phone: '+15551234567', prioritization },
      ]
      for (const each of wrong) {
        assert.equal(await refusal({ merge_updates: [update(each)] }), texts.identifier, JSON.stringify(each))
        assert.equal(await refusal({ merge_updates: [update(somebody, each)] }), texts.identifier)
      }
      assert.equal(
        await refusal(`{"merge_updates":[{"identifier_to_merge":{"external_id":1e400},"identifier_to_keep":{}}]}`),
        texts.identifier,
      )
    })

    test('an address requires a prioritization', async () => {
      const wrong: unknown[] = [
        undefined,
        null,
        [],
        'identified',
        {},
        ['newest'],
        [5],
        [null],
        ['identified', 'unidentified'],
        ['identified', 'most_recently_updated', 'unidentified'],
        ['identified', 'identified'],
        [...prioritization, 'x'],
        many(1000, () => 'identified'),
      ]
      for (const given of wrong) {
        for (const address of [{ email: newEmail() }, { phone: newPhone() }]) {
          const named = { ...address, ...(given !== undefined && { prioritization: given }) }
          assert.match(
            await refusal({ merge_updates: [update(named)] }),
            /^'prioritization' must be an array containing /,
          )
          assert.match(await refusal({ merge_updates: [update(somebody, named)] }), /^'prioritization' must be /)
        }
      }
      const right = [['identified'], ['unidentified'], prioritization, ['least_recently_updated', 'identified']]
      for (const given of right) {
        const answer = await send({ merge_updates: [update({ email: newEmail(), prioritization: given })] })
        assert.equal(answer.status, 202, answer.text)
      }
    })

    test('an unnecessary prioritization is ignored, and an invalid one is refused', async () => {
      const nobody = { external_id: newId('nobody') }
      const answer = await send({
        merge_updates: [update({ ...nobody, prioritization }), update({ ...nobody, prioritization: null })],
      })
      assert.equal(answer.status, 202, answer.text)
      const [first] = await people.done(answer)
      assert.deepEqual(first?.asked?.identifier_to_merge, nobody)
      assert.match(
        await refusal({ merge_updates: [update({ ...nobody, prioritization: ['x'] })] }),
        /^'prioritization' must/,
      )
    })

    test('impossible identifiers are refused', async () => {
      const refusals: readonly [Item, string][] = [
        [{ external_id: 'x'.repeat(988) }, texts.tooLong],
        [{ external_id: `${'é'.repeat(493)}xx` }, texts.tooLong],
        [{ external_id: 'a\u0000b' }, "'external_id' is not valid"],
        [{ external_id: '\ud800' }, "'external_id' is not valid"],
        [{ user_alias: {} }, "'user_alias' is not valid"],
        [{ user_alias: { alias_name: 'a' } }, "'user_alias' is not valid"],
        [{ user_alias: { alias_name: 'a', alias_label: 'x'.repeat(988) } }, "'user_alias' is not valid"],
        [{ email: 'nobody', prioritization }, texts.badEmail],
        [{ phone: '12', prioritization }, "'phone' is not valid"],
      ]
      for (const [identifier, text] of refusals) {
        assert.equal(await refusal({ merge_updates: [update(identifier)] }), text)
        assert.equal(await refusal({ merge_updates: [update(somebody, identifier)] }), text)
      }
      const longest = await send({ merge_updates: [update({ external_id: 'x'.repeat(987) })] })
      assert.equal(longest.status, 202)
    })

    test('rules are checked one after another, each over the whole list', async () => {
      const badPriority = update({ email: newEmail() })
      const badShape = update({})
      const badMembers = { ...update(somebody), extra: 1 }
      const badValue = update({ external_id: 'x'.repeat(988) })
      const crowd = many(updatesMax, () => badMembers)
      assert.equal(await refusal({ merge_updates: [...crowd, badMembers, 5] }), texts.updates)
      assert.equal(await refusal({ merge_updates: [...crowd, badMembers] }), texts.tooMany)
      assert.equal(await refusal({ merge_updates: [badShape, badMembers] }), texts.members)
      assert.equal(await refusal({ merge_updates: [badPriority, badShape] }), texts.identifier)
      assert.match(await refusal({ merge_updates: [badValue, badPriority] }), /^'prioritization' must/)
    })

    test('a refused request changes nothing', async () => {
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone }, { external_id: kept })
      const good = update({ external_id: gone }, { external_id: kept })
      assert.equal(await refusal({ merge_updates: [good, update({})] }), texts.identifier)
      await people.settled()
      assert.equal((await people.find({ external_ids: [gone, kept] })).length, 2)
    })

    test('an integer is not an identifier, unlike in other requests', async () => {
      await people.set({ external_id: '7100001', a: 1 }, { external_id: '7100002' })
      const [first, second] = [{ external_id: '7100001' }, { external_id: '7100002' }]
      for (const merge of [update({ external_id: 7100001 }, second), update(first, { external_id: 7100002 })]) {
        assert.equal(await refusal({ merge_updates: [merge] }), texts.identifier)
      }
      await people.settled()
      assert.deepEqual(await people.custom('7100001'), { a: 1 })
    })

    test('people with different kinds of identifiers are merged', async () => {
      const [external_id, email, phone, user_alias] = [newId(), newEmail(), newPhone(), newAlias()]
      await people.set({ external_id })
      await people.set({ email, by: 'email' }, { phone, by_phone: 1 })
      await people.set({ user_alias, _update_existing_only: false, by_alias: 1 })
      for (const who of [{ user_alias }, { phone, prioritization }, { email: email.toUpperCase(), prioritization }]) {
        assert.equal((await people.merge(who, { external_id })).outcome, 'done')
      }
      const merged = await people.person(external_id)
      assert.deepEqual(merged.custom_attributes, { by: 'email', by_phone: 1, by_alias: 1 })
      assert.deepEqual([merged.email, merged.phone, merged.user_aliases], [email, phone, [user_alias]])
    })

    test('a merge of a person with themselves or with an unknown one changes nobody', async () => {
      const [external_id, user_alias, email] = [newId(), newAlias(), newEmail()]
      await people.set({ external_id, email, a: 1 })
      await people.send('/users/alias/new', { user_aliases: [{ external_id, ...user_alias }] })
      const before = await people.person(external_id)
      const nobody = { external_id: newId('nobody') }
      const me = { external_id }
      assert.equal((await people.merge(me, me)).outcome, 'same_person')
      assert.equal((await people.merge(me, { user_alias })).outcome, 'same_person')
      assert.equal((await people.merge({ email, prioritization: ['identified'] }, me)).outcome, 'same_person')
      assert.equal((await people.merge(nobody, me)).outcome, 'nobody_matched')
      assert.equal((await people.merge(me, nobody)).outcome, 'nobody_matched')
      assert.equal((await people.merge({ email, prioritization: ['unidentified'] }, me)).outcome, 'nobody_matched')
      assert.deepEqual(await people.person(external_id), before)
    })

    test('a merged person cannot be found', async () => {
      const [first, second, third] = [newId(), newId(), newId()]
      await people.set({ external_id: first }, { external_id: second }, { external_id: third })
      const { service_id } = await people.person(first)
      await people.merge({ external_id: first }, { external_id: second })
      assert.equal((await people.merge({ external_id: first }, { external_id: third })).outcome, 'nobody_matched')
      assert.equal((await people.merge({ external_id: third }, { external_id: first })).outcome, 'nobody_matched')
      assert.deepEqual(await people.find({ service_id }), [])
    })

    test('the updates of one request are applied in their order', async () => {
      const ids = many(6, () => newId())
      await people.set(...ids.map((external_id, i) => ({ external_id, [`by_${i}`]: i, list: [i] })))
      // Each update merges the result of the one before it; the last ones find nobody.
      const chain = ids.slice(1).map((kept, i) => update({ external_id: ids[i] }, { external_id: kept }))
      const late = [
        update({ external_id: ids[0] }, { external_id: ids[5] }),
        update({ external_id: ids[5] }, { external_id: ids[3] }),
      ]
      const answer = await send({ merge_updates: [...chain, ...late] })
      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes, [...Array(5).fill('done'), 'nobody_matched', 'nobody_matched'])
      const { custom_attributes } = await people.person(ids[5]!)
      assert.deepEqual(custom_attributes, { by_0: 0, by_1: 1, by_2: 2, by_3: 3, by_4: 4, by_5: 5, list: [5] })
    })

    test('fifty people of one request are merged into one', async () => {
      const kept = newId()
      const gone = many(updatesMax, () => newId())
      await people.set({ external_id: kept })
      await people.set(...gone.map((external_id) => ({ external_id, [external_id]: true })))
      const answer = await send({
        merge_updates: gone.map((external_id) => update({ external_id }, { external_id: kept })),
      })
      assert.ok((await people.done(answer)).every(({ outcome }) => outcome === 'done'))
      assert.deepEqual(Object.keys(await people.custom(kept)).toSorted(), gone.toSorted())
    })
  })
}
