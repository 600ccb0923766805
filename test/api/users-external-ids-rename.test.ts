import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Database, drawDatabases } from '../support/harness.ts'
import {
  type AnswerBody,
  event,
  type Item,
  many,
  newEmail,
  newId,
  only,
  peopleOf,
  reservedIds,
  texts,
} from '../support/people.ts'

const path = '/users/external_ids/rename'
const itemsMax = 50
const contenders = 20

const unknown = "'current_external_id' matches nobody"
const deprecated = "'current_external_id' is not the primary external_id of its user"
const same = "'current_external_id' and 'new_external_id' are the same"
const taken = "'new_external_id' is already in use"

type Rename = { current_external_id: string; new_external_id: string }

const pair = (current_external_id: string, new_external_id: string): Rename => ({
  current_external_id,
  new_external_id,
})

function suite(database: Database): void {
  const people = peopleOf(database)

  const rename = async (...external_id_renames: Item[]): Promise<AnswerBody> => {
    const { status, text, body } = await people.send(path, { external_id_renames })
    assert.equal(status, 201, text)
    assert.deepEqual(Object.keys(body), ['rename_errors', 'external_ids', 'message'])
    assert.equal(body.message, 'success')
    return body
  }
  /** Sends renames that must all succeed. */
  const renamed = async (...renames: Rename[]): Promise<void> => {
    assert.deepEqual(await rename(...renames), { rename_errors: [], external_ids: renames, message: 'success' })
  }
  const refusalOf = async (item: Item): Promise<string> => {
    const { rename_errors, external_ids } = await rename(item)
    assert.deepEqual(external_ids, [])
    const { type, ...place } = only(rename_errors ?? [])
    assert.deepEqual(place, { input_array: 'external_id_renames', index: 0 })
    return type
  }
  const newPerson = async (more: Item = {}): Promise<string> => {
    const external_id = newId()
    await people.set({ external_id, plan: 'free', ...more })
    return external_id
  }

  test('both ids name the person, and the new one is exported', async () => {
    const [before, after] = [await newPerson(), newId()]
    const record = await people.person(before)
    await renamed(pair(before, after))
    const expected = { ...record, external_id: after }
    assert.deepEqual(await people.person(before), expected)
    assert.deepEqual(await people.person(after), expected)
    assert.deepEqual(await people.find({ external_ids: [before, after] }), [expected])
  })

  test('items with either id reach the person', async () => {
    const [before, after] = [await newPerson(), newId()]
    await renamed(pair(before, after))
    await people.set({ external_id: before, total: { inc: 1 } }, { external_id: after, total: { inc: 1 } })
    await people.happen(event({ external_id: before }), event({ external_id: after }))
    assert.deepEqual(await people.custom(after), { plan: 'free', total: 2 })
    assert.equal(only(await people.eventsOf(after)).count, 2)
  })

  test('a person can be renamed again, and every former id still names them', async () => {
    const ids = [await newPerson(), newId(), newId(), newId()]
    await renamed(pair(ids[0]!, ids[1]!))
    await renamed(pair(ids[1]!, ids[2]!), pair(ids[2]!, ids[3]!))
    for (const id of ids) assert.equal((await people.person(id)).external_id, ids[3])
  })

  test('integers are external ids and are returned as text', async () => {
    await people.set({ external_id: 9_000_001, plan: 'free' })
    const body = await rename({ current_external_id: 9_000_001, new_external_id: 9_000_002 })
    assert.deepEqual(body.external_ids, [pair('9000001', '9000002')])
    assert.equal((await people.person('9000001')).external_id, '9000002')
  })

  test('a rename that cannot be done is listed with its index, and the others are done', async () => {
    const [one, two, three] = [await newPerson(), await newPerson(), await newPerson()]
    const [former, after] = [newId(), newId()]
    await renamed(pair(three, former))
    await renamed(pair(former, newId()))
    const items = [
      pair(newId(), newId()),
      pair(one, after),
      pair(three, newId()),
      pair(two, two),
      pair(two, former),
      pair(two, after),
      pair(two, one),
      pair(one, newId()),
      pair(two, reservedIds[0]),
      pair(two, newId().padEnd(988, 'x')),
      pair(newId().padEnd(988, 'x'), newId()),
    ]
    const body = await rename(...items)
    const types = ['', ...[deprecated, same, taken, taken, taken, deprecated], texts.reserved, texts.tooLong, unknown]
    assert.deepEqual(body, {
      rename_errors: [unknown, ...types].flatMap((type, index) =>
        type === '' ? [] : [{ type, input_array: 'external_id_renames', index }],
      ),
      external_ids: [pair(one, after)],
      message: 'success',
    })
    assert.equal((await people.person(two)).external_id, two)
  })

  test('a former id cannot become the new one before it is removed', async () => {
    const [before, after] = [await newPerson(), newId()]
    await renamed(pair(before, after))
    assert.equal(await refusalOf(pair(after, before)), taken)
    const removed = await people.send('/users/external_ids/remove', { external_ids: [before] })
    assert.deepEqual(removed.body.removed_ids, [before])
    await renamed(pair(after, before))
    assert.equal((await people.person(after)).external_id, before)
  })

  test('a new id of 987 bytes is accepted, one of 988 is not', async () => {
    const before = await newPerson()
    const longest = newId().padEnd(987, 'x')
    await renamed(pair(before, longest))
    assert.equal(await refusalOf(pair(longest, newId().padEnd(988, 'x'))), texts.tooLong)
    assert.equal((await people.person(before)).external_id, longest)
  })

  test('a renamed person counts as updated', async () => {
    const email = newEmail()
    const [first, second] = [await newPerson({ email }), await newPerson({ email })]
    await renamed(pair(first, newId()))
    await people.set({ email, seen: 'by mail' })
    assert.equal((await people.custom(first)).seen, 'by mail')
    assert.equal((await people.custom(second)).seen, undefined)
  })

  test('a request has 1 to 50 renames', async () => {
    for (const count of [itemsMax - 1, itemsMax]) {
      const ids = many(count, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, plan: 'free' })))
      await renamed(...ids.map((id) => pair(id, `${id}-renamed`)))
      const found = await people.find({ external_ids: ids })
      assert.deepEqual(new Set(found.map(({ external_id }) => external_id)), new Set(ids.map((id) => `${id}-renamed`)))
    }
    const before = await newPerson()
    const message = 'a single request may not contain more than 50 external id renames'
    const renames = many(itemsMax + 1, () => pair(before, newId()))
    await people.refused(path, { external_id_renames: renames }, message)
    assert.equal((await people.person(before)).external_id, before)
  })

  test('an item of the wrong type is listed with its index, and the others are renamed', async () => {
    const before = await newPerson()
    const good = pair(before, newId())
    const bad: [item: unknown, type: string][] = [
      [7, texts.notAnObject],
      [null, texts.notAnObject],
      [{}, "'current_external_id' is not valid"],
      [{ ...good, current_external_id: '' }, "'current_external_id' is not valid"],
      [{ ...good, current_external_id: null }, "'current_external_id' is not valid"],
      [{ ...good, current_external_id: 'a\u0000' }, "'current_external_id' is not valid"],
      [{ ...good, new_external_id: undefined }, "'new_external_id' is not valid"],
      [{ ...good, new_external_id: [] }, "'new_external_id' is not valid"],
      [{ ...good, new_external_id: true }, "'new_external_id' is not valid"],
      [{ ...good, new_external_id: 1.5 }, "'new_external_id' is not valid"],
      [{ ...good, new_external_id: 'a\ud800' }, "'new_external_id' is not valid"],
    ]
    const { status, body } = await people.send(path, { external_id_renames: [...bad.map(([item]) => item), good] })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      rename_errors: bad.map(([, type], index) => ({ type, input_array: 'external_id_renames', index })),
      external_ids: [good],
      message: 'success',
    })
    assert.equal((await people.person(before)).external_id, good.new_external_id)
  })

  test('a body without a list of renames is refused', async () => {
    for (const body of [{}, { external_id_renames: [] }, { external_id_renames: {} }, { external_id_renames: 'x' }]) {
      await people.refused(path, body, "'external_id_renames' must be an array of objects")
    }
    await people.refused(path, [], 'The request body must be an object')
  })

  test('of concurrent renames of one person one succeeds, and a new id gets one owner', async () => {
    const before = await newPerson()
    const bodies = await Promise.all(many(contenders, () => rename(pair(before, newId()))))
    const [winner] = only(bodies.filter(({ external_ids }) => external_ids!.length === 1)).external_ids!
    assert.equal((await people.person(before)).external_id, winner!.new_external_id)
    for (const { rename_errors } of bodies) for (const { type } of rename_errors!) assert.equal(type, deprecated)

    const ids = await Promise.all(many(contenders, () => newPerson()))
    const wanted = newId()
    const answers = await Promise.all(ids.map((id) => rename(pair(id, wanted))))
    const [lucky] = only(answers.filter(({ external_ids }) => external_ids!.length === 1)).external_ids!
    assert.equal((await people.person(wanted)).external_id, wanted)
    assert.equal((await people.person(lucky!.current_external_id as string)).external_id, wanted)
  })

  test('a new id that is tracked for the first time during the rename names one of the two people', async () => {
    for (const _ of many(10, () => 0)) {
      const [before, wanted] = [await newPerson(), newId()]
      const [body] = await Promise.all([
        rename(pair(before, wanted)),
        ...many(4, () => people.set({ external_id: wanted, total: { inc: 1 } })),
      ])
      const { external_id, custom_attributes } = await people.person(wanted)
      const isRenamed = body.external_ids!.length === 1
      assert.deepEqual([external_id, custom_attributes!.total], [wanted, 4])
      assert.equal((await people.person(before)).external_id, isRenamed ? wanted : before)
    }
  })
}

for (const database of drawDatabases('users-external-ids-rename'))
  describe(`external ids that are renamed (${database})`, () => suite(database))
