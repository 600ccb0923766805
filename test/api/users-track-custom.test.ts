import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'

const textMax = 255
const arrayMax = 500

for (const database of drawDatabases('users-track-custom')) {
  describe(`custom attributes (${database})`, () => {
    const people = peopleOf(database)

    /** Sends these objects one after another. Returns the custom attributes of the person. */
    const after = async (...attributes: Item[]) => {
      const external_id = newId()
      for (const each of attributes) await people.set({ external_id, ...each })
      return people.custom(external_id)
    }

    test('strings, numbers, booleans, lists and objects are exported as they were sent', async () => {
      const given = {
        text: 'fruit',
        empty: '',
        'with spaces, Ünïcödé and 東京': '\u{1F600} "quoted" \\ back\nnew line',
        whole: 25,
        negative: -3,
        fraction: 12.12,
        tiny: 1e-7,
        large: Number.MAX_SAFE_INTEGER,
        yes: true,
        no: false,
        list: ['banana', 'apple'],
        numbers: [1, 2.5],
        none: [],
        date: '2020-02-02T00:00:00Z',
        day: '02/15/2019',
        number_text: '007',
        shop: { name: 'Tea & Co', open: true, seats: 12, tags: ['a', 'b'], owner: { first: 'Ann' } },
      }
      assert.deepEqual(await after(given), given)
    })

    test('null removes an attribute, and the removal of an absent one changes nothing', async () => {
      assert.deepEqual(await after({ a: 1, b: 2 }, { a: null, c: null }), { b: 2 })
    })

    test('an attribute that is not sent again stays', async () => {
      assert.deepEqual(await after({ a: 1 }, { b: 2 }, { a: 'one' }), { a: 'one', b: 2 })
    })

    test('names are case-sensitive, and spaces in them count', async () => {
      const given = { plan: 1, Plan: 2, ' plan': 3, 'plan ': 4 }
      assert.deepEqual(await after(given), given)
      assert.deepEqual(await after(given, { Plan: null, 'plan ': 5 }), { plan: 1, ' plan': 3, 'plan ': 5 })
    })

    test('a name has at most 255 characters', async () => {
      const [short, full, long] = many(3, (i) => 'k'.repeat(textMax - 1 + i))
      assert.deepEqual(await after({ [short!]: 1, [full!]: 2 }), { [short!]: 1, [full!]: 2 })
      const external_id = newId()
      await people.track({ attributes: [{ external_id }, { external_id, [long!]: 3 }] })
      assert.deepEqual(await people.custom(external_id), {})
    })

    test('a text of more than 255 characters is not applied, the rest is', async () => {
      const [short, full, long] = many(3, (i) => 'v'.repeat(textMax - 1 + i))
      assert.deepEqual(await after({ a: short, b: full, c: long }), { a: short, b: full })
      assert.deepEqual(await after({ a: 'before' }, { a: long, b: 1 }), { a: 'before', b: 1 })
    })

    test('a date is exported as it was sent, in every form', async () => {
      const dates = {
        a: '2019-02-15T10:00:00Z',
        b: '2019-02-15T10:00:00:123Z',
        c: '2019-02-15T10:00:00',
        d: '2019-02-15 10:00:00',
        e: '2019-02-15',
        f: '02/15/2019',
        g: '2019-02-15 00:00:00 -0500',
        h: '4000-01-01T00:00:00Z',
        i: '-0100-01-01',
      }
      assert.deepEqual(await after(dates), dates)
    })

    test('of equal elements of a list only the last one stays', async () => {
      assert.deepEqual(await after({ food: ['hotdog', 'hotdog', 'hotdog', 'pizza'] }), { food: ['hotdog', 'pizza'] })
      assert.deepEqual(await after({ food: ['hotdog', 'pizza', 'hotdog'] }), { food: ['pizza', 'hotdog'] })
      assert.deepEqual(await after({ mixed: [1, '1', true, 1] }), { mixed: ['1', true, 1] })
    })

    test('a list has at most 500 elements: a longer one is not applied, one that grows loses its oldest', async () => {
      const list = (count: number) => many(count, (i) => `e${i}`)
      const [short, full, long] = [list(arrayMax - 1), list(arrayMax), list(arrayMax + 1)]
      assert.deepEqual(await after({ short, full, long }), { short, full })
      assert.deepEqual(await after({ full }, { full: long, plan: 'free' }), { full, plan: 'free' })
      const grown = await after({ full, short }, { full: { add: ['one', 'two'] }, short: { add: ['one', 'two'] } })
      assert.deepEqual(grown, { full: [...full.slice(2), 'one', 'two'], short: [...short.slice(1), 'one', 'two'] })
    })

    test('a list or an object of more than 100 KB is not applied', async () => {
      const wide = (kilobytes: number) => many(kilobytes * 4, (i) => `${i}`.padEnd(250, 'x'))
      const [fits, over] = [wide(90), wide(120)]
      assert.deepEqual(await after({ list: fits }, { list: over, plan: 'free' }), { list: fits, plan: 'free' })
      const nested = (values: string[]) => Object.fromEntries(values.map((value, i) => [`k${i}`, value]))
      assert.deepEqual(await after({ a: nested(fits) }, { a: nested(over), plan: 'free' }), {
        a: nested(fits),
        plan: 'free',
      })
    })

    test('a list accepts strings, numbers and booleans', async () => {
      const list = ['a', 1, true, 2.5, false, '']
      assert.deepEqual(await after({ list }), { list })
    })

    test('inc adds an integer, also a negative one, and an absent value counts as 0', async () => {
      assert.deepEqual(await after({ n: { inc: 42 } }), { n: 42 })
      assert.deepEqual(await after({ n: 5 }, { n: { inc: 2 } }, { n: { inc: -10 } }), { n: -3 })
      assert.deepEqual(await after({ n: 5 }, { n: { inc: 0 } }), { n: 5 })
      assert.deepEqual(await after({ n: 5 }, { n: null }, { n: { inc: 1 } }), { n: 1 })
    })

    test('inc by anything but an integer, or on anything but a number, changes nothing', async () => {
      for (const inc of [1.5, '1', null, true, '']) {
        assert.deepEqual(
          await after({ n: 5 }, { n: { inc }, plan: 'free' }),
          { n: 5, plan: 'free' },
          JSON.stringify(inc),
        )
      }
      for (const n of ['5', true, ['5']]) {
        assert.deepEqual(await after({ n }, { n: { inc: 1 }, plan: 'free' }), { n, plan: 'free' }, JSON.stringify(n))
      }
    })

    test('concurrent increments all count', async () => {
      const external_id = newId()
      await Promise.all(many(20, () => people.set({ external_id, n: { inc: 1 } }, { external_id, n: { inc: 2 } })))
      assert.deepEqual(await people.custom(external_id), { n: 60 })
    })

    for (const [add, remove] of [
      ['add', 'remove'],
      ['$add', '$remove'],
    ] as const) {
      test(`${add} appends and moves an existing element to the end; ${remove} removes it`, async () => {
        const list = ['a', 'b', 'c']
        assert.deepEqual(await after({ list }, { list: { [add]: ['d', 'e'] } }), { list: ['a', 'b', 'c', 'd', 'e'] })
        assert.deepEqual(await after({ list }, { list: { [add]: ['a'] } }), { list: ['b', 'c', 'a'] })
        assert.deepEqual(await after({ list }, { list: { [add]: ['d', 'd', 'b'] } }), { list: ['a', 'c', 'd', 'b'] })
        assert.deepEqual(await after({ list: { [add]: ['x', 'y', 'x'] } }), { list: ['y', 'x'] })
        assert.deepEqual(await after({ list }, { list: { [remove]: ['b', 'nothing'] } }), { list: ['a', 'c'] })
        assert.deepEqual(await after({ list: ['a', 1, '1'] }, { list: { [remove]: [1] } }), { list: ['a', '1'] })
      })

      test(`${add} and ${remove} can be combined`, async () => {
        const list = ['a', 'b', 'c']
        const both = { [add]: ['d', 'e'], [remove]: ['a', 'e'] }
        assert.deepEqual(await after({ list }, { list: both }), { list: ['b', 'c', 'd'] })
        const turned = { [remove]: ['a', 'e'], [add]: ['d', 'e'] }
        assert.deepEqual(await after({ list }, { list: turned }), { list: ['b', 'c', 'd'] })
      })

      test(`${remove} on an absent attribute creates no element`, async () => {
        const { list = [], plan } = await after({ list: { [remove]: ['a'] }, plan: 'free' })
        assert.deepEqual([list, plan], [[], 'free'])
      })
    }

    test('concurrent additions are all kept', async () => {
      const external_id = newId()
      const names = many(20, (i) => `tag${String(i).padStart(2, '0')}`)
      await Promise.all(names.map((name) => people.set({ external_id, tags: { add: [name] } })))
      const { tags } = await people.custom(external_id)
      assert.deepEqual([...(tags as string[])].sort(), names)
    })

    test('sets, removals and operators of one request are applied in their order', async () => {
      const inOne = async (...attributes: Item[]) => {
        const external_id = newId()
        await people.set({ external_id, old: 1, n: 1 })
        await people.set(...attributes.map((each) => ({ external_id, ...each })))
        return people.custom(external_id)
      }
      assert.deepEqual(await inOne({ n: { inc: 1 } }, { n: 5 }, { n: { inc: 1 } }), { old: 1, n: 6 })
      assert.deepEqual(await inOne({ n: 5 }, { n: null }, { n: { inc: 2 } }), { old: 1, n: 2 })
      assert.deepEqual(await inOne({ a: 1, old: null }, { a: null }), { n: 1 })
      assert.deepEqual(await inOne({ a: null, old: null }, { a: 1, old: 2 }), { n: 1, a: 1, old: 2 })
      assert.deepEqual(await inOne({ a: { add: ['x'] } }, { a: ['y'] }, { a: { add: ['z'] } }), {
        old: 1,
        n: 1,
        a: ['y', 'z'],
      })
      const merged = [
        { a: { x: 1 } },
        { _merge_objects: true, a: { y: 2 } },
        { a: { z: 3 } },
        { _merge_objects: true, a: { y: 4 } },
      ]
      assert.deepEqual(await inOne(...merged), { old: 1, n: 1, a: { z: 3, y: 4 } })
    })

    test('operators of one request are applied one after another', async () => {
      const who = { external_id: newId() }
      await people.set(
        { ...who, n: 1, list: ['a'] },
        { ...who, n: { inc: 1 }, list: { add: ['b'] } },
        { ...who, n: { inc: 1 }, list: { remove: ['a'] } },
        { ...who, list: { add: ['a'] } },
      )
      assert.deepEqual(await people.custom(who.external_id), { n: 3, list: ['b', 'a'] })
    })
  })
}
