import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { groups, type Item, many, newEmail, newId, newPhone, only, peopleOf, texts } from '../support/people.ts'
import { bulkPath, join, leave, setStates, singlePath, statesOf } from '../support/subscriptions.ts'

const { news, offers, alerts, bygone } = groups
const usersMax = 50
const badItems = "'subscription_groups' must be an array of objects"

for (const database of drawDatabases('subscription-status-items')) {
  describe(`POST ${singlePath} alone (${database})`, () => {
    const people = peopleOf(database)

    test('a body that is no object is a 400', async () => {
      for (const body of [null, [], [join(news, { external_id: newId() })], 'text', 7, true]) {
        const { status, body: answer } = await people.send(singlePath, JSON.stringify(body))
        assert.deepEqual([status, answer.message], [400, 'The request body must be an object'])
      }
      assert.equal((await people.send(singlePath, '{')).status, 400)
      assert.equal((await people.send(singlePath, '')).status, 400)
    })
  })

  describe(`POST ${bulkPath} alone (${database})`, () => {
    const people = peopleOf(database)
    const send = (...subscription_groups: unknown[]) => people.send(bulkPath, { subscription_groups })

    test('anything but a list of objects with a member is a 400', async () => {
      for (const subscription_groups of [
        undefined,
        null,
        [],
        {},
        'text',
        [null],
        ['text'],
        [[]],
        [join(news, {}), 7],
      ]) {
        const { status, body } = await people.send(bulkPath, { subscription_groups })
        assert.deepEqual([status, body.message], [400, badItems], JSON.stringify(subscription_groups))
      }
      for (const body of ['null', '[]', '7', '"text"']) assert.equal((await people.send(bulkPath, body)).status, 400)
    })

    test('several groups are set at once, by different lists', async () => {
      const [id, other] = [newId(), newId()]
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ external_id: id, email, phone }, { external_id: other })
      await setStates(
        people,
        join(news, { emails: [email], external_ids: [other] }),
        leave(offers, { external_ids: [id] }),
        join(alerts, { phones: [phone] }),
      )
      assert.deepEqual(await statesOf(people, id), ['Alerts: Subscribed', 'News: Subscribed', 'Offers: Unsubscribed'])
      assert.deepEqual(await statesOf(people, other), ['News: Subscribed'])
    })

    test('50 users over all lists of all items are accepted, 51 are a 400', async () => {
      const items = (...counts: number[]) =>
        counts.map((count) => join(news, { external_ids: many(count, () => newId()) }))
      assert.equal((await send(...items(25, 24))).status, 201)
      assert.equal((await send(...items(25, 25))).status, 201)
      assert.equal((await send(...items(...many(50, () => 1)))).status, 201)
      for (const counts of [[25, 26], many(51, () => 1), [50, 1]]) {
        const { status, body } = await send(...items(...counts))
        assert.deepEqual([status, body.message], [400, texts.tooManyIds])
      }
      const mixed = [
        join(news, { external_ids: many(17, () => newId()), emails: many(17, () => newEmail()) }),
        join(alerts, { phones: many(17, () => newPhone()) }),
      ]
      assert.equal((await send(...mixed)).status, 400)
    })

    test('after an invalid item the items before and after it are not applied', async () => {
      const [id, email, phone] = [newId(), newEmail(), newPhone()]
      await people.set({ external_id: id, email, phone })
      const good = [join(news, { external_ids: [id], emails: [email] }), join(alerts, { phones: [phone] })]
      const bad = [
        join({ id: 'nothing' }, { external_ids: [id] }),
        { ...join(offers, { external_ids: [id] }), subscription_state: 'maybe' },
        join(offers, {}),
        join(offers, { emails: [email], phones: [phone] }),
        join(offers, { phones: [phone] }),
        join(alerts, { emails: [email] }),
        join(offers, { emails: ['no e-mail'] }),
        join(offers, { external_ids: [{}] }),
        join(offers, { external_ids: many(usersMax, () => newId()) }),
      ]
      for (const item of bad) {
        for (const list of [
          [...good, item],
          [item, ...good],
        ]) {
          assert.equal((await send(...list)).status, 400)
          assert.deepEqual(await statesOf(people, id), [], JSON.stringify(item).slice(0, 200))
        }
      }
      const late = newId()
      await people.set({ external_id: late, email, phone })
      assert.deepEqual(await statesOf(people, late), [])
      assert.equal((await send(...good)).status, 201)
      assert.deepEqual(await statesOf(people, id), ['Alerts: Subscribed', 'News: Subscribed'])
    })

    test('of two items about one person and group the later holds, whatever the identifiers', async () => {
      const names: ((email: string, id: string) => Item)[] = [
        (email) => ({ emails: [email] }),
        (_, id) => ({ external_ids: [id] }),
      ]
      for (const first of names) {
        for (const second of names) {
          const [email, external_id] = [newEmail(), newId()]
          await people.set({ external_id, email })
          await setStates(people, join(news, first(email, external_id)), leave(news, second(email, external_id)))
          assert.deepEqual(await statesOf(people, external_id), ['News: Unsubscribed'])
          await setStates(
            people,
            leave(offers, first(email, external_id)),
            join(alerts, { phones: [newPhone()] }),
            join(offers, second(email, external_id)),
          )
          assert.deepEqual(await statesOf(people, external_id), ['News: Unsubscribed', 'Offers: Subscribed'])
        }
      }
    })

    test('archived groups and unknown people are named, and the other states are set', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const { status, body } = await send(
        join(news, { external_ids: [external_id, newId()] }),
        join(bygone, { external_ids: [external_id, newId()], note: 'x' }),
        join(news, { external_id: newId() }),
      )
      const named = body.notices?.map(({ input_array, index, member }) => `${input_array}[${index}].${member}`)
      assert.equal(status, 201)
      assert.deepEqual(named, [
        'subscription_groups[1].subscription_group_id',
        'subscription_groups[1].note',
        'subscription_groups[0].external_ids[1].external_id',
        'subscription_groups[2].external_id[0].external_id',
      ])
      assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
    })

    test('concurrent requests are applied one after another', async () => {
      const [email, ids] = [newEmail(), many(4, () => newId())]
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      const answers = await Promise.all(
        many(40, (i) =>
          i % 2 === 0
            ? send((i % 4 === 0 ? join : leave)(news, { emails: [email] }))
            : send((i % 4 === 1 ? join : leave)(news, { external_ids: [ids[i % 4]!] })),
        ),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      await setStates(people, leave(news, { emails: [email] }))
      for (const id of ids) assert.equal(only((await statesOf(people, id)) ?? []), 'News: Unsubscribed')
    })
  })
}
