import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Catalogs, fullItem, newCatalog } from '../support/catalogs.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, peopleOf } from '../support/people.ts'

const id = { name: 'id', type: 'string' }
const fields = [id, { name: 'Name', type: 'string' }, { name: 'n', type: 'number' }, { name: 'Tags', type: 'array' }]
const letters = (count: number) => 'n'.repeat(count)
const methods = ['POST', 'PATCH', 'PUT', 'DELETE'] as const

for (const database of drawDatabases('catalogs-bulk')) {
  describe(`several items of a catalog at once (${database})`, () => {
    const people = peopleOf(database)
    const catalogs = new Catalogs(() => people.service)
    const send = (method: string, name: string, ...items: unknown[]) =>
      catalogs.done(202, method, `/${name}/items`, { items })
    const problems = (method: string, name: string, ...items: unknown[]) =>
      catalogs.problems(method, `/${name}/items`, { items })

    test('items are created, changed, replaced and deleted; existing ones are not created and unknown ones not changed', async () => {
      const name = await catalogs.create(fields)
      const blank = { Name: null, n: null, Tags: null }
      await send('POST', name, { id: 'a', Name: 'A', Tags: ['x'] }, { id: 'b', n: '7' })
      await send('POST', name, { id: 'b', Name: 'no' }, { id: 'c' })
      const first = [
        { id: 'a', Name: 'A', n: null, Tags: ['x'] },
        { id: 'b', Name: null, n: 7, Tags: null },
        { id: 'c', ...blank },
      ]
      assert.deepEqual(await catalogs.items(name), first)
      await send('PATCH', name, { id: 'a', Tags: { $add: ['y'], $remove: ['x'] } }, { id: 'nobody', n: 1 }, { id: 'c' })
      assert.deepEqual(await catalogs.items(name), [{ ...first[0], Tags: ['y'] }, first[1], first[2]])
      await send('PUT', name, { id: 'a', n: 1 }, { id: 'd', n: 2 })
      const replaced = [{ id: 'a', ...blank, n: 1 }, first[1], first[2], { id: 'd', ...blank, n: 2 }]
      assert.deepEqual(await catalogs.items(name), replaced)
      await send('DELETE', name, { id: 'a' }, { id: 'nobody' }, { id: 'd', Name: 'ignored' })
      assert.deepEqual(await catalogs.items(name), [first[1], first[2]])
      assert.equal((await catalogs.shown(name)).num_items, 2)
    })

    test('one answer lists all errors, and nothing is written', async () => {
      const name = await catalogs.create(fields)
      const items = [
        {},
        { id: null },
        { id: 7 },
        { id: letters(251) },
        { id: 'a b' },
        { id: 'twice' },
        { id: 'twice', Other: 1, n: 'x' },
        { id: 'deep', Name: letters(5_001) },
        { id: 'fine', n: 1 },
      ]
      for (const method of ['POST', 'PATCH', 'PUT']) {
        const refusals = await catalogs.refusals(method, `/${name}/items`, { items })
        assert.deepEqual(
          refusals.map((each) => [each.id, ...each.parameters, ...each.parameter_values]),
          [
            ['items-missing-ids'],
            [method === 'PUT' ? 'ids-not-string' : 'ids-not-strings', 'id', 7],
            ['ids-too-large', 'id', letters(250)],
            ['invalid-ids', 'id', 'a b'],
            ['ids-not-unique', 'id', 'twice'],
            ['invalid-fields', 'id', 'twice'],
            ['unable-to-coerce-value', 'id', 'twice'],
            ['items-too-large', 'id', 'deep'],
          ],
        )
        assert.equal(refusals[0]!.message, 'There are 2 item(s) that do not have ids')
      }
      const ids = ['items-missing-ids', 'ids-not-strings', 'ids-too-large', 'invalid-ids', 'ids-not-unique']
      assert.deepEqual(await problems('DELETE', name, ...items), ids)
      assert.deepEqual(await catalogs.items(name), [])
    })

    test('a request has between one and fifty items', async () => {
      const name = await catalogs.create(fields)
      const items = (count: number) => many(count, (i) => ({ id: `i-${i}` }))
      for (const method of methods) {
        for (const body of [undefined, null, [], {}, { items: 'a' }, { items: [] }, { items: [{ id: 'a' }, null] }]) {
          assert.deepEqual(await catalogs.problems(method, `/${name}/items`, body), ['item-array-invalid'])
        }
        for (const count of [49, 50]) await send(method, name, ...items(count))
        assert.deepEqual(await problems(method, name, ...items(51)), ['request-includes-too-many-items'])
        assert.deepEqual(await catalogs.problems(method, '/nobody/items', { items: [] }, 404), ['catalog-not-found'])
      }
    })

    test('an item that a change makes too large prevents the change of the others', async () => {
      const name = await catalogs.create(fields)
      await send('POST', name, { id: 'a', Name: letters(4_999) }, { id: 'b' })
      assert.deepEqual(await problems('PATCH', name, { id: 'a', n: 10 }, { id: 'b', n: 1 }), ['items-too-large'])
      await send('PATCH', name, { id: 'a', n: 1 }, { id: 'b', n: 1 })
      assert.deepEqual(
        (await catalogs.items(name)).map(({ n }) => n),
        [1, 1],
      )
    })

    test('the shorter limit for text that a selection uses holds only for requests about one item', async () => {
      const name = await catalogs.create(fields)
      const filters = [{ field: 'Name', operator: 'equals', value: 'a' }]
      await catalogs.done(202, 'POST', `/${name}/selections`, { selection: { name: 's', filters } })
      await send('PUT', name, { id: 'a', Name: letters(1_001) })
    })

    test('no body causes a 5xx', async () => {
      const name = await catalogs.create()
      const words = [
        'null',
        '0',
        '-1',
        '1e999',
        '""',
        '"a"',
        '"\\u0000"',
        '"\\ud800"',
        '[]',
        '{}',
        '[null]',
        'true',
        '[[]]',
        '{"id":{}}',
        '{"toString":1,"valueOf":1}',
      ]
      const wraps = [
        (word: string) => word,
        (word: string) => `{"items":${word}}`,
        (word: string) => `{"items":[${word}]}`,
        (word: string) => `{"items":[{"id":${word}}]}`,
        ...[...Object.keys(fullItem), '__proto__', '\\u0000'].flatMap((field) => [
          (word: string) => `{"items":[{"id":"one","${field}":${word}}]}`,
          (word: string) => `{"items":[{"${field}":{"$add":${word},"a":${word}}}]}`,
        ]),
      ]
      for (const wrap of wraps) {
        for (const word of words) {
          for (const path of [`/${name}/items`, `/${name}/items/one`]) {
            const { status, text } = await catalogs.send('PUT', path, wrap(word))
            assert.ok(status < 500, `${path} ${wrap(word)}: ${text}`)
          }
        }
      }
      for (const word of words) {
        const bodies = [
          `{"catalogs":[{"name":"${newCatalog()}","description":${word},"fields":[{"name":"id","type":"string"}]}]}`,
        ]
        bodies.push(`{"catalogs":[{"name":${word},"fields":[{"name":${word},"type":${word}}]}]}`)
        for (const body of bodies) {
          const { status, text } = await catalogs.send('POST', '', body)
          assert.ok(status < 500, `${body}: ${text}`)
        }
        const filter = `{"field":"Name","operator":"equals","value":${word}}`
        const members = ['name', 'description', 'results_limit', 'sort_field', 'sort_order']
        const all = members.map((member) => `"${member}":${word}`).join(',')
        const selection = `{"selection":{${all},"filters":[${filter}]}}`
        const { status, text } = await catalogs.send('POST', `/${name}/selections`, selection)
        assert.ok(status < 500, `${selection}: ${text}`)
      }
    })

    test('concurrent requests about the same items are processed one after another', async () => {
      const name = await catalogs.create(fields)
      const ids = many(50, (i) => `i-${i}`)
      const adds = many(12, (n) =>
        catalogs.send('PATCH', `/${name}/items`, {
          items: (n % 2 === 0 ? ids : ids.toReversed()).map((each) => ({ id: each, Tags: { $add: [`t${n}`] } })),
        }),
      )
      await send('POST', name, ...ids.map((each) => ({ id: each, Tags: [] })))
      const more = many(12, (n) =>
        catalogs.send('PATCH', `/${name}/items`, {
          items: ids.map((each) => ({ id: each, Tags: { $add: [`u${n}`] } })),
        }),
      )
      for (const { status, text } of await Promise.all([...adds, ...more])) assert.equal(status, 202, text)
      const items = await catalogs.items(name)
      const wanted = new Set(many(12, (n) => `u${n}`))
      for (const { Tags } of items) assert.ok(wanted.isSubsetOf(new Set(Tags as string[])))
      const makers = await Promise.all(many(8, () => catalogs.send('POST', `/${name}/items/one`, { items: [{}] })))
      assert.deepEqual(makers.map(({ status }) => status).toSorted(), [201, ...many(7, () => 400)])
      assert.equal((await catalogs.shown(name)).num_items, 51)
    })

    test('a catalog that is deleted during a write is deleted with its items', async () => {
      const name = await catalogs.create(fields)
      const items = many(50, (i) => ({ id: `i-${i}` }))
      const write = () => catalogs.send('PUT', `/${name}/items`, { items })
      const before = many(5, write)
      const gone = catalogs.send('DELETE', `/${name}`)
      const after = many(5, write)
      assert.equal((await gone).status, 200)
      for (const { status } of await Promise.all([...before, ...after])) assert.ok([202, 404].includes(status))
      await catalogs.create(fields, name)
      assert.deepEqual(await catalogs.items(name), [])
      assert.equal((await catalogs.shown(name)).num_items, 0)
    })
  })
}
