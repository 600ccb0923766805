import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newDatabase } from '../servers/template.ts'
import { databases } from '../support/harness.ts'
import { event, type Item, many, newAlias, newId, only, People } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: two services cannot share a database'
const workspace = { settings: { rate_limits: { export_ids: 'unlimited' } } }
const rounds = 20
const trackers = 6

describe('caches of two services on one database', { skip }, () => {
  const here = new People()
  const there = new People()

  before(async () => {
    const env = { DATABASE_URL: await newDatabase('caches') }
    await here.start({ env, workspace })
    await there.start({ env, workspace })
  })

  after(async () => {
    await there.stop()
    await here.stop()
  })

  const send = async (path: string, body: object): Promise<void> => {
    const { status, text } = await here.send(path, body)
    assert.ok(status < 300, text)
  }
  const rename = (current_external_id: string, new_external_id: string) =>
    send('/users/external_ids/rename', { external_id_renames: [{ current_external_id, new_external_id }] })
  const remove = (external_id: string) => send('/users/external_ids/remove', { external_ids: [external_id] })
  const count = (who: Item): Promise<void> =>
    there.accept({ attributes: [{ ...who, total: { inc: 1 } }], events: [event(who)] })

  /** Returns the totals of attributes and of events of the people that are found. */
  const totals = async (identifiers: Item): Promise<[total: number, events: number]> => {
    const found = await here.find(identifiers, ['external_id', 'custom_attributes', 'custom_events'])
    const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
    return [
      sum(found.map(({ custom_attributes }) => Number(custom_attributes?.total ?? 0))),
      sum(found.flatMap(({ custom_events }) => (custom_events ?? []).map((summary) => summary.count))),
    ]
  }

  test('the second service does not find a person by an external_id that the first has removed', async () => {
    const [earlier, later] = [newId(), newId()]
    await count({ external_id: earlier })
    await rename(earlier, later)
    await count({ external_id: earlier })
    await remove(earlier)
    await count({ external_id: earlier })
    assert.deepEqual(await totals({ external_ids: [later] }), [2, 2])
    assert.deepEqual(await totals({ external_ids: [earlier] }), [1, 1])
  })

  test('the second service does not find a person by an alias that the first has renamed', async () => {
    const [alias, new_alias_name] = [newAlias(), newId()]
    await count({ user_alias: alias, _update_existing_only: false })
    const { alias_label, alias_name: old_alias_name } = alias
    await send('/users/alias/update', { alias_updates: [{ alias_label, old_alias_name, new_alias_name }] })
    await count({ user_alias: alias, _update_existing_only: false })
    assert.deepEqual(await totals({ user_aliases: [{ alias_label, alias_name: new_alias_name }] }), [1, 1])
    assert.deepEqual(await totals({ user_aliases: [alias] }), [1, 1])
  })

  test('the second service creates a new person for the identifier of a profile that the first has merged', async () => {
    const [merged, kept] = [newId(), newId()]
    await count({ external_id: merged })
    await count({ external_id: kept })
    await here.merge({ external_id: merged }, { external_id: kept })
    await count({ external_id: merged })
    assert.deepEqual(await totals({ external_ids: [merged] }), [1, 1])
    assert.equal((await totals({ external_ids: [kept] }))[1], 2)
  })

  test('the second service creates a new person for the identifier of a person that the first has deleted', async () => {
    const external_id = newId()
    await count({ external_id })
    await count({ external_id })
    await here.delete({ external_ids: [external_id] })
    await count({ external_id })
    assert.deepEqual(await totals({ external_ids: [external_id] }), [1, 1])
  })

  test('no data that the second service accepts meanwhile is lost', async () => {
    const ids = many(rounds + 1, () => newId())
    await count({ external_id: ids[0]! })
    let tracked = 1
    let current = 0
    let isOver = false
    const tracking = many(trackers, async (n) => {
      for (let i = n; !isOver; i++) {
        // The latest id and the one before it, which may be removed at this very moment.
        await count({ external_id: ids[Math.max(0, current - (i % 2))]! })
        tracked++
      }
    })
    for (let round = 0; round < rounds; round++) {
      await rename(ids[round]!, ids[round + 1]!)
      current = round + 1
      await remove(ids[round]!)
    }
    isOver = true
    await Promise.all(tracking)
    assert.deepEqual(await totals({ external_ids: ids }), [tracked, tracked])
    const last = ids.at(-1)!
    assert.equal(only(await here.find({ external_ids: [last] })).external_id, last)
  })

  test('no data that the second service accepts about people is lost when they are merged meanwhile', async () => {
    const kept = newId()
    const ids = many(rounds, () => newId())
    for (const external_id of [kept, ...ids]) await count({ external_id })
    let tracked = rounds + 1
    let isOver = false
    const tracking = many(trackers, async (n) => {
      for (let i = n; !isOver; i++) {
        await there.happen(event({ external_id: ids[i % rounds]! }))
        tracked++
      }
    })
    for (const external_id of ids) await here.merge({ external_id }, { external_id: kept })
    isOver = true
    await Promise.all(tracking)
    await here.settled()
    const [, events] = await totals({ external_ids: [kept, ...ids] })
    assert.equal(events, tracked)
  })
})
