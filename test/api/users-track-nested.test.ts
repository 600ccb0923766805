import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'

const pets = [
  { id: 1, type: 'dog', name: 'Gus' },
  { id: 2, type: 'cat', name: 'Gerald' },
  { id: 3, type: 'dog', name: 'Rex' },
]

const named = (key: string, value: unknown) => ({ $identifier_key: key, $identifier_value: value })

for (const database of drawDatabases('users-track-nested')) {
  describe(`nested custom attributes (${database})`, () => {
    const people = peopleOf(database)

    const after = async (...attributes: Item[]) => {
      const external_id = newId()
      for (const each of attributes) await people.set({ external_id, ...each })
      return people.custom(external_id)
    }

    test('an object replaces the earlier one', async () => {
      assert.deepEqual(await after({ a: { x: 1, y: 2 } }, { a: { z: 3 } }), { a: { z: 3 } })
    })

    test('with _merge_objects an object is merged at every depth', async () => {
      const before = { a: { x: 1, deep: { one: 1, two: { three: 3 } }, list: [1, 2] }, b: { y: 1 } }
      const change = { _merge_objects: true, a: { deep: { two: { four: 4 }, five: 5 }, list: [3], z: true } }
      assert.deepEqual(await after(before, change), {
        a: { x: 1, deep: { one: 1, two: { three: 3, four: 4 }, five: 5 }, list: [3], z: true },
        b: { y: 1 },
      })
    })

    test('with _merge_objects an object replaces a value of another type, and the reverse', async () => {
      assert.deepEqual(await after({ a: 'text' }, { _merge_objects: true, a: { x: 1 } }), { a: { x: 1 } })
      assert.deepEqual(await after({ a: { x: { y: 1 } } }, { _merge_objects: true, a: { x: 'text' } }), {
        a: { x: 'text' },
      })
      assert.deepEqual(await after({ _merge_objects: true, a: { x: 1 } }), { a: { x: 1 } })
      assert.deepEqual(await after({ a: { x: 1 } }, { _merge_objects: true, a: 5 }), { a: 5 })
      assert.deepEqual(await after({ a: { x: 1 } }, { _merge_objects: true, a: null }), {})
    })

    test('_merge_objects false has no effect', async () => {
      assert.deepEqual(await after({ a: { x: 1 } }, { _merge_objects: false, a: { y: 2 } }), { a: { y: 2 } })
    })

    test('a $time is exported as its text', async () => {
      const a = { when: { $time: '2020-02-02T10:00:00Z' }, deep: { since: { $time: '2019-02-15' } }, n: 1 }
      assert.deepEqual(await after({ a }), {
        a: { when: '2020-02-02T10:00:00Z', deep: { since: '2019-02-15' }, n: 1 },
      })
    })

    test('an invalid $time prevents the update of its attribute, and nothing else', async () => {
      const [before, plan] = [{ n: 0 }, 'free']
      const wrong = ['not a date', '2020-02-30', null, '', 5, '-0001-01-01', '3001-01-01T00:00:00Z']
      for (const $time of wrong) {
        const change = { a: { n: 1, when: { $time } }, plan }
        assert.deepEqual(await after({ a: before }, change), { a: before, plan }, String($time))
        assert.deepEqual(await after({ a: before }, { ...change, _merge_objects: true }), { a: before, plan })
      }
    })

    test('a nested null leaves its key out, refuses its attribute or is stored, as nested_nulls says', async () => {
      const sent = { n: 1, gone: null, deep: [{ id: 1, gone: null }] }
      const paths = 'has null at a.gone, a.deep[0].gone'
      for (const [nested_nulls, kept, reason] of [
        ['drop_key', { n: 1, deep: [{ id: 1 }] }, `${paths}: it was left out`],
        ['refuse_attribute', { n: 0 }, `${paths}: the attribute was not stored`],
        ['store', sent, undefined],
        [null, { n: 1, deep: [{ id: 1 }] }, `${paths}: it was left out`],
      ] as const) {
        const applied = await people.service.admin('POST', '/admin/apply', { settings: { nested_nulls } })
        assert.equal(applied.status, 200, applied.text)
        for (const merging of [{}, { _merge_objects: true }]) {
          const external_id = newId()
          await people.set({ external_id, a: { n: 0 } })
          const attributes = [{ external_id, ...merging, a: sent, plan: 'free' }]
          const { status, body } = await people.service.post('/users/track', { attributes })
          assert.equal(status, 201)
          const notice = { index: 0, input_array: 'attributes', member: 'a', reason }
          assert.deepEqual(body.notices, reason === undefined ? undefined : [notice])
          assert.deepEqual(await people.custom(external_id), { a: kept, plan: 'free' })
        }
      }
    })

    test('conditions treat a stored null as not set', async () => {
      const set = (nested_nulls: string | null) =>
        people.service.admin('POST', '/admin/apply', { settings: { nested_nulls } })
      await set('store')
      const name = newId('prefs')
      const values = [{ color: null }, { color: null }, { color: null }, { color: 'red' }]
      await people.set(...values.map((value) => ({ external_id: newId(), [name]: value })))
      await set(null)
      const count = async (path: string[], comparison: string) => {
        const given = { custom_attribute_name: name, ...(path.length > 0 && { path }), comparison }
        const audience = {
          AND: [
            { custom_attribute: { custom_attribute_name: name, comparison: 'exists' } },
            { custom_attribute: given },
          ],
        }
        const made = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
        return (await people.service.admin('GET', `/admin/segments/${made.body.segment.id}/count`)).body.count
      }
      assert.equal(await count([], 'exists'), 4)
      assert.equal(await count(['color'], 'exists'), 1)
      assert.equal(await count(['color'], 'does_not_exist'), 3)
    })

    test('a nested key has no spaces, dots or dollars, and at most 255 characters', async () => {
      for (const key of ['with space', 'with.dot', '$dollar', 'dol$lar', 'k'.repeat(256)]) {
        assert.deepEqual(
          await after({ a: { n: 0 } }, { a: { [key]: 1 }, plan: 'free' }),
          { a: { n: 0 }, plan: 'free' },
          key,
        )
      }
      const full = { ['k'.repeat(255)]: 'v'.repeat(255) }
      assert.deepEqual(await after({ a: full }), { a: full })
      const long = { n: 1, text: 'v'.repeat(256) }
      assert.deepEqual(await after({ a: { n: 0 } }, { a: long, plan: 'free' }), { a: { n: 0 }, plan: 'free' })
    })

    test('a list of objects is replaced as a whole', async () => {
      assert.deepEqual(await after({ pets }), { pets })
      assert.deepEqual(await after({ pets }, { pets: [{ id: 9 }] }), { pets: [{ id: 9 }] })
    })

    test('a list of objects has no maximum number of elements', async () => {
      const list = many(700, (id) => ({ id }))
      assert.deepEqual(await after({ list }), { list })
    })

    test('$add appends objects, also to an absent attribute', async () => {
      const added = { id: 4, type: 'fish', name: 'Bubbles' }
      assert.deepEqual(await after({ pets }, { pets: { $add: [added] } }), { pets: [...pets, added] })
      assert.deepEqual(await after({ pets: { $add: [added] } }), { pets: [added] })
    })

    test('$update replaces the object it names, and merges into it with _merge_objects', async () => {
      const $update = [{ ...named('id', 2), $new_object: { name: 'Gerry' } }]
      const [first, second, third] = pets
      assert.deepEqual(await after({ pets }, { pets: { $update } }), { pets: [first, { name: 'Gerry' }, third] })
      assert.deepEqual(await after({ pets }, { _merge_objects: true, pets: { $update } }), {
        pets: [first, { ...second, name: 'Gerry' }, third],
      })
    })

    test('$update of an absent object changes nothing', async () => {
      const $update = [{ ...named('id', 77), $new_object: { name: 'Nobody' } }]
      assert.deepEqual(await after({ pets }, { _merge_objects: true, pets: { $update }, plan: 'free' }), {
        pets,
        plan: 'free',
      })
    })

    test('$remove removes every matching object', async () => {
      assert.deepEqual(await after({ pets }, { pets: { $remove: [named('type', 'dog')] } }), { pets: [pets[1]] })
      const both = [named('id', 1), named('name', 'Gerald')]
      assert.deepEqual(await after({ pets }, { pets: { $remove: both } }), { pets: [pets[2]] })
      assert.deepEqual(await after({ pets }, { pets: { $remove: [named('id', '1')] } }), { pets })
    })

    test('operations on objects are applied in the order $add, $remove, $update', async () => {
      const change = {
        $update: [
          { ...named('id', 5), $new_object: { name: 'Renamed' } },
          { ...named('id', 4), $new_object: { id: 44 } },
        ],
        $remove: [named('id', 4), named('id', 1)],
        $add: [{ id: 4 }, { id: 5, name: 'New' }],
      }
      assert.deepEqual(await after({ pets }, { _merge_objects: true, pets: change }), {
        pets: [pets[1], pets[2], { id: 5, name: 'Renamed' }],
      })
    })

    test('a $time inside the objects of a list is exported as text', async () => {
      const first = { id: 1, born: { $time: '2020-02-02' } }
      const change = {
        $add: [{ id: 2, born: { $time: '2021-02-02' } }],
        $update: [{ ...named('id', 1), $new_object: { born: { $time: '2022-02-02' } } }],
      }
      assert.deepEqual(await after({ pets: [first] }, { _merge_objects: true, pets: change }), {
        pets: [
          { id: 1, born: '2022-02-02' },
          { id: 2, born: '2021-02-02' },
        ],
      })
    })

    test('an update that would make a list of objects larger than 100 KB is not applied, and the rest is', async () => {
      const object = (id: number) => ({ id, text: 'x'.repeat(240) })
      const list = many(360, object)
      assert.deepEqual(await after({ list }), { list })
      const change = { list: { $add: many(100, (i) => object(1000 + i)) }, plan: 'free' }
      assert.deepEqual(await after({ list }, change), { list, plan: 'free' })
    })
  })
}
