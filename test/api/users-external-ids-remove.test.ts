import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Database, drawDatabases } from '../support/harness.ts'
import { type AnswerBody, event, many, newId, only, peopleOf } from '../support/people.ts'

const path = '/users/external_ids/remove'
const itemsMax = 50
const contenders = 20

const unknown = 'the external_id matches nobody'
const primary = 'a primary external_id cannot be removed'

function suite(database: Database): void {
  const people = peopleOf(database)

  const remove = async (...external_ids: (string | number)[]): Promise<AnswerBody> => {
    const { status, text, body } = await people.send(path, { external_ids })
    assert.equal(status, 201, text)
    assert.deepEqual(Object.keys(body), ['removed_ids', 'removal_errors', 'message'])
    assert.equal(body.message, 'success')
    return body
  }
  const renamed = async (...renames: [before: string, after: string][]): Promise<void> => {
    const external_id_renames = renames.map(([current_external_id, new_external_id]) => {
      return { current_external_id, new_external_id }
    })
    const { body } = await people.send('/users/external_ids/rename', { external_id_renames })
    assert.deepEqual(body.rename_errors, [])
  }
  /** Creates a person with a former external_id. */
  const newPerson = async (): Promise<{ before: string; after: string }> => {
    const [before, after] = [newId(), newId()]
    await people.set({ external_id: before, plan: 'free' })
    await renamed([before, after])
    return { before, after }
  }

  test('the removed id names nobody, and the other one the person', async () => {
    const { before, after } = await newPerson()
    const record = await people.person(after)
    assert.deepEqual(await remove(before), { removed_ids: [before], removal_errors: [], message: 'success' })
    assert.deepEqual(await people.find({ external_ids: [before] }), [])
    assert.deepEqual(await people.person(after), record)
  })

  test('items with a removed id create a new person', async () => {
    const { before, after } = await newPerson()
    // The cache knows the id before it is removed.
    await people.set({ external_id: before, total: { inc: 1 } })
    await remove(before)
    await people.set({ external_id: before, total: { inc: 1 } })
    await people.happen(event({ external_id: before }))
    assert.deepEqual(await people.custom(before), { total: 1 })
    assert.deepEqual(await people.custom(after), { plan: 'free', total: 1 })
    assert.equal((await people.person(before)).external_id, before)
    assert.deepEqual(await people.eventsOf(after), [])
    assert.equal(only(await people.eventsOf(before)).count, 1)
  })

  test('an id that cannot be removed is listed with its index, and the others are removed', async () => {
    const { before, after } = await newPerson()
    const unused = newId()
    const body = await remove(after, unused, before, before, 'x'.repeat(988))
    assert.deepEqual(body, {
      removed_ids: [before],
      removal_errors: [
        { type: primary, input_array: 'external_ids', index: 0 },
        { type: unknown, input_array: 'external_ids', index: 1 },
        { type: unknown, input_array: 'external_ids', index: 3 },
        { type: unknown, input_array: 'external_ids', index: 4 },
      ],
      message: 'success',
    })
    assert.equal((await people.person(after)).external_id, after)
  })

  test('of several former ids only the named one is removed', async () => {
    const { before, after } = await newPerson()
    const latest = newId()
    await renamed([after, latest])
    await remove(after)
    assert.deepEqual(await people.find({ external_ids: [after] }), [])
    assert.equal((await people.person(before)).external_id, latest)
  })

  test('integers are external ids and are returned as text', async () => {
    await people.set({ external_id: 9_100_001, plan: 'free' })
    await renamed(['9100001', newId()])
    assert.deepEqual((await remove(9_100_001)).removed_ids, ['9100001'])
  })

  test('a request has 1 to 50 ids', async () => {
    for (const count of [itemsMax - 1, itemsMax]) {
      const ids = many(count, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, plan: 'free' })))
      await renamed(...ids.map((id): [string, string] => [id, newId()]))
      assert.deepEqual((await remove(...ids)).removed_ids, ids)
      assert.deepEqual(await people.find({ external_ids: ids }), [])
    }
    const { before } = await newPerson()
    const external_ids = [before, ...many(itemsMax, () => newId())]
    await people.refused(path, { external_ids }, 'The max number of ids per request was exceeded')
    assert.equal((await people.find({ external_ids: [before] })).length, 1)
  })

  test('an invalid id is listed with its index, and the others are removed', async () => {
    const bad = [null, '', {}, [], true, 1.5, 1e21, 'a\u0000', 'a\ud800']
    const { before } = await newPerson()
    const { status, body } = await people.send(path, { external_ids: [...bad, before] })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      removed_ids: [before],
      removal_errors: bad.map((_, index) => ({
        type: "'external_ids' is not valid",
        input_array: 'external_ids',
        index,
      })),
      message: 'success',
    })
  })

  test('a body without a list of ids is refused', async () => {
    const { before } = await newPerson()
    for (const body of [{}, { external_ids: [] }, { external_ids: before }, { external_ids: {} }]) {
      await people.refused(path, body, "'external_ids' must be an array of strings")
    }
    await people.refused(path, [], 'The request body must be an object')
    assert.equal((await people.find({ external_ids: [before] })).length, 1)
  })

  test('of concurrent removals of one id one succeeds, also while items with it are tracked', async () => {
    const { before, after } = await newPerson()
    const tracked = many(contenders, () => people.set({ external_id: before, total: { inc: 1 } }))
    const bodies = await Promise.all(many(contenders, () => remove(before)))
    await Promise.all(tracked)
    assert.equal(bodies.filter(({ removed_ids }) => removed_ids!.length === 1).length, 1)
    await people.set({ external_id: before, total: { inc: 1 } })
    const [earlier, later] = [await people.custom(after), await people.custom(before)]
    assert.equal(Number(earlier.total ?? 0) + Number(later.total), contenders + 1)
  })
}

for (const database of drawDatabases('users-external-ids-remove'))
  describe(`external ids that are removed (${database})`, () => suite(database))
