import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { event, type Item, newAlias, newEmail, newId, only, peopleOf, purchase, texts } from '../support/people.ts'

const path = '/users/track/sync'

for (const database of drawDatabases('users-track-sync')) {
  describe(`POST ${path} (${database})`, () => {
    const people = peopleOf(database)

    const users = async (body: unknown): Promise<readonly Item[]> => {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, answer.text)
      assert.deepEqual(Object.keys(answer.body), ['users', 'message'], answer.text)
      return answer.body.users!
    }

    test('it answers with the attributes that the object named, as they are then', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free', color: 'red', tags: ['a'], count: 1 })
      const change = { plan: null, color: 'blue', tags: { add: ['b'] }, count: { inc: 2 }, first_name: 'Ann' }
      assert.deepEqual(await users({ attributes: [{ external_id, ...change }] }), [
        { external_id, custom_attributes: { color: 'blue', tags: ['a', 'b'], count: 3 } },
      ])
    })

    test('it answers with the event or the product', async () => {
      const external_id = newId()
      await people.happen(event({ external_id }), event({ external_id }, { name: 'left' }))
      const { custom_events, ...who } = only(await users({ events: [event({ external_id })] }))
      const [happened] = custom_events as { name: string; count: number }[]
      assert.deepEqual([who, happened!.name, happened!.count], [{ external_id }, 'visited', 2])
      assert.deepEqual(
        custom_events,
        (await people.eventsOf(external_id)).filter(({ name }) => name === 'visited'),
      )
      assert.deepEqual(await users({ purchases: [purchase({ external_id })] }), [
        { external_id, purchase_events: await people.purchasesOf(external_id) },
      ])
    })

    test('the person has the identifier of the object', async () => {
      const email = newEmail()
      assert.deepEqual(await users({ attributes: [{ email: email.toUpperCase(), plan: 'free' }] }), [
        { email, custom_attributes: { plan: 'free' } },
      ])
      const user_alias = newAlias()
      const attributes = [{ user_alias, plan: 'free', _update_existing_only: false }]
      assert.deepEqual(await users({ attributes }), [{ user_alias, custom_attributes: { plan: 'free' } }])
      const { service_id } = only(await people.find({ user_aliases: [user_alias] }, ['service_id']))
      assert.deepEqual(await users({ attributes: [{ service_id, plan: 'gold' }] }), [
        { service_id, custom_attributes: { plan: 'gold' } },
      ])
      assert.deepEqual(await users({ attributes: [{ external_id: newId(), _update_existing_only: true }] }), [])
    })

    test('one object is accepted, none and two are refused', async () => {
      const external_id = newId()
      const one = { external_id, plan: 'free' }
      const cases: readonly [body: unknown, message: string, errors: readonly Item[]][] = [
        [{}, texts.nothingValid, []],
        [{ attributes: [one, one] }, texts.tooMany, []],
        [{ attributes: [one], events: [event({ external_id })] }, texts.tooMany, []],
        [{ events: [event({})] }, texts.nothingValid, [{ index: 0, input_array: 'events', type: texts.required }]],
      ]
      for (const [body, message, errors] of cases) {
        const answer = await people.send(path, body)
        assert.deepEqual([answer.status, answer.body], [400, { message, errors }])
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
      assert.equal((await users({ attributes: [one], events: [], purchases: null })).length, 1)
    })
  })
}
