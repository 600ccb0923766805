import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Catalogs, everyType, fullItem } from '../support/catalogs.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, isNow, many, peopleOf } from '../support/people.ts'

const id = { name: 'id', type: 'string' }
const letters = (count: number) => 'n'.repeat(count)
const empty = Object.fromEntries(everyType.slice(1).map(({ name }) => [name, null]))

/** Returns an object nested this deep. */
function nested(levels: number): Item {
  return levels === 1 ? {} : { a: nested(levels - 1) }
}

for (const database of drawDatabases('catalogs-items')) {
  describe(`/catalogs/{catalog_name}/items (${database})`, () => {
    const people = peopleOf(database)
    const catalogs = new Catalogs(() => people.service)
    const write = (method: string, name: string, item_id: string, item: unknown) =>
      catalogs.send(method, `/${name}/items/${item_id}`, { items: [item] })
    const problems = (method: string, name: string, item_id: string, item: unknown, status = 400) =>
      catalogs.problems(method, `/${name}/items/${item_id}`, { items: [item] }, status)

    test('an item is created, read, changed, replaced and deleted', async () => {
      const name = await catalogs.create()
      const path = `/${name}/items/one`
      await catalogs.done(201, 'POST', path, { items: [fullItem] })
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', ...fullItem })
      assert.deepEqual(
        Object.keys((await catalogs.item(name, 'one'))!),
        everyType.map((field) => field.name),
      )
      assert.deepEqual(await catalogs.refusals('POST', path, { items: [fullItem] }), [
        {
          id: 'item-already-exists',
          message: 'The item already exists',
          parameters: ['id'],
          parameter_values: ['one'],
        },
      ])
      await catalogs.done(200, 'PATCH', path, { items: [{ Name: 'Bar', Rating: null }] })
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', ...fullItem, Name: 'Bar', Rating: null })
      await catalogs.done(200, 'PATCH', path, { items: [{}] })
      await catalogs.done(200, 'PUT', path, { items: [{ Open: false }] })
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', ...empty, Open: false })
      await catalogs.done(200, 'PUT', `/${name}/items/two`, { items: [{}] })
      assert.deepEqual(await catalogs.item(name, 'two'), { id: 'two', ...empty })
      await catalogs.done(202, 'DELETE', path)
      for (const [method, body] of [['DELETE'], ['GET'], ['PATCH', { items: [{}] }]] as const) {
        assert.deepEqual(await catalogs.refusals(method, path, body, 404), [
          { id: 'item-not-found', message: 'Could not find item', parameters: ['item_id'], parameter_values: ['one'] },
        ])
      }
      await catalogs.done(201, 'POST', path, { items: [{}] })
    })

    test('values are converted to the type of their field', async () => {
      const name = await catalogs.create()
      const cases: [string, unknown, unknown][] = [
        ['Name', 7.5, '7.5'],
        ['Name', true, 'true'],
        ['Name', '', ''],
        ['Name', '😀', '😀'],
        ['Rating', '-4.50', -4.5],
        ['Rating', '1e3', 1000],
        ['Rating', '+1.', 1],
        ['Rating', '.5', 0.5],
        ['Rating', 0.1, 0.1],
        ['Rating', 9007199254740991, 9007199254740991],
        ['Open', 'true', true],
        ['Open', 'false', false],
        ['Created_At', '2022-11-01', '2022-11-01T00:00:00.000Z'],
        ['Created_At', '2022-11-01T09:03:19.967+02:00', '2022-11-01T07:03:19.967Z'],
        ['Created_At', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
        ['Created_At', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
        ['Location', {}, {}],
        ['Location', { '': null, a: [{ b: [] }] }, { '': null, a: [{ b: [] }] }],
        ['Tags', [], []],
        ['Tags', ['a', 1, true, 'a'], ['a', '1', 'true', 'a']],
        ['Place', [180, -90], [180, -90]],
      ]
      for (const [i, [field, given, kept]] of cases.entries()) {
        assert.equal((await write('POST', name, `i-${i}`, { [field]: given })).status, 201, `${field} ${given}`)
        assert.deepEqual((await catalogs.item(name, `i-${i}`))![field], kept)
      }
    })

    test('values that do not match their field are refused', async () => {
      const name = await catalogs.create()
      const tooLong = JSON.rawJSON('7'.repeat(1001))
      const unfit: Record<string, unknown[]> = {
        Name: [{}, ['a'], 'a\0', '\ud800', tooLong],
        Rating: ['', ' 1', '1,5', '1.2.3', 'NaN', '0x10', true, [1], {}, tooLong, '1e400', `${'1'.repeat(1_000_000)}x`],
        Open: [0, 1, 'yes', 'TRUE', []],
        Created_At: ['', 'soon', 0, '2022-13-01', '11/01/2022', '9999-12-31T23:59:59-01:00', {}],
        Location: ['{}', [], 7, { a: tooLong }, { a: '\ud800' }],
        Tags: ['a', {}, [null], [['a']], [{}], { $add: ['a'] }, many(101, String)],
        Place: [[1], [1, 2, 3], ['1', '2'], [181, 0], [0, 91], [null, 0], { longitude: 1, latitude: 2 }],
      }
      for (const [field, values] of Object.entries(unfit)) {
        for (const value of values) {
          const found = await problems('POST', name, 'one', { [field]: value })
          assert.deepEqual(found, ['unable-to-coerce-value'], `${field} ${JSON.stringify(value).slice(0, 100)}`)
        }
      }
      for (const key of ['a.b', '$a', 'a$', '__proto__', 'constructor', 'a\0']) {
        const text = `{"items":[{"Location":{"a":[{${JSON.stringify(key)}:1}]}}]}`
        assert.deepEqual(await catalogs.problems('POST', `/${name}/items/one`, text), ['invalid-keys-in-value-object'])
      }
      for (const unknown of ['Other', '__proto__', 'constructor', '-1', '0', '']) {
        const text = `{"items":[{${JSON.stringify(unknown)}:1}]}`
        assert.deepEqual(await catalogs.problems('POST', `/${name}/items/one`, text), ['invalid-fields'], unknown)
      }
      assert.equal(await catalogs.item(name, 'one'), undefined)
    })

    test('depth, elements and characters are accepted up to their limits', async () => {
      const name = await catalogs.create()
      for (const levels of [49, 50]) {
        assert.equal((await write('PUT', name, 'deep', { Location: nested(levels) })).status, 200)
      }
      assert.deepEqual(await problems('PUT', name, 'deep', { Location: nested(51) }), [
        'too-deep-nesting-in-value-object',
      ])
      const abyss = `{"items":[{"Location":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}]}`
      const deepest = await catalogs.send('PUT', `/${name}/items/deep`, abyss)
      assert.deepEqual([deepest.status, deepest.body.errors[0].id], [400, 'too-deep-nesting-in-value-object'])
      for (const count of [99, 100]) {
        assert.equal((await write('PUT', name, 'long', { Tags: many(count, String) })).status, 200)
      }
      for (const count of [4_998, 4_999]) {
        const face = '😀'.repeat(count)
        assert.equal((await write('PUT', name, 'large', { Name: face, Rating: 1 })).status, 200)
      }
      assert.deepEqual(await problems('PUT', name, 'large', { Name: letters(5_000), Rating: 1 }), ['items-too-large'])
      const escaped = { Location: { a: letters(4_992) } }
      assert.equal((await write('PUT', name, 'object', escaped)).status, 200)
      assert.deepEqual(await problems('PUT', name, 'object', { Location: { a: letters(4_993) } }), ['items-too-large'])
      assert.deepEqual(await problems('PATCH', name, 'object', { Name: 'a' }), ['items-too-large'])
      await catalogs.done(200, 'PATCH', `/${name}/items/object`, { items: [{ Name: 'a', Location: {} }] })
    })

    test('the id is in the path, and has at most 250 letters, digits, hyphens and underscores', async () => {
      const name = await catalogs.create()
      const longest = `${letters(247)}_-9`
      assert.equal((await write('POST', name, longest, {})).status, 201)
      assert.equal((await catalogs.item(name, longest))?.id, longest)
      for (const method of ['POST', 'PATCH', 'PUT']) {
        assert.deepEqual(await problems(method, name, letters(251), {}), ['ids-too-large'])
        for (const bad of ['a.b', 'a%20b', '%F0%9F%98%80', 'a%00', '%ED%A0%80']) {
          const { status, body } = await write(method, name, bad, {})
          assert.deepEqual([status, body.errors?.[0]?.id ?? 'url'], [400, bad === '%ED%A0%80' ? 'url' : 'invalid-ids'])
        }
        const given = { id: 'one', Name: [], Other: 1 }
        assert.deepEqual(await problems(method, name, longest.replace('9', '.'), given), [
          'invalid-ids',
          'id-in-body',
          'unable-to-coerce-value',
          'invalid-fields',
        ])
        const path = `/${name}/items/${longest}`
        for (const body of [
          undefined,
          null,
          [],
          {},
          { items: null },
          { items: [] },
          { items: [null] },
          { items: ['a'] },
        ]) {
          assert.deepEqual(await catalogs.problems(method, path, body), ['item-array-invalid'])
        }
        assert.deepEqual(await catalogs.problems(method, path, { items: [{}, {}] }), [
          'request-includes-too-many-items',
        ])
        for (const other of ['nobody', 'a.b', 'a%00', letters(251)]) {
          const refusals = await catalogs.refusals(method, `/${other}/items/one`, {}, 404)
          assert.deepEqual([refusals.length, refusals[0]!.id], [1, 'catalog-not-found'])
        }
      }
      for (const method of ['GET', 'DELETE']) {
        for (const bad of ['a.b', 'a%00', letters(251)]) {
          assert.deepEqual(await catalogs.problems(method, `/${name}/items/${bad}`, undefined, 404), ['item-not-found'])
        }
        assert.deepEqual(await catalogs.problems(method, '/a.b/items/one', undefined, 404), ['catalog-not-found'])
      }
      assert.deepEqual(await problems('POST', name, longest, { Name: [] }), [
        'unable-to-coerce-value',
        'item-already-exists',
      ])
      assert.deepEqual(await problems('PATCH', name, 'nobody', { Name: [] }, 404), ['item-not-found'])
    })

    test('strings are added to an array and removed from it', async () => {
      const name = await catalogs.create()
      await catalogs.done(201, 'POST', `/${name}/items/one`, { items: [{}] })
      const patch = (Tags: unknown) => catalogs.done(200, 'PATCH', `/${name}/items/one`, { items: [{ Tags }] })
      const tags = async () => (await catalogs.item(name, 'one'))?.Tags
      await patch({ $remove: ['a'] })
      assert.equal(await tags(), null)
      await patch({ $add: ['b', 'a', 'b', 1] })
      assert.deepEqual(await tags(), ['b', 'a', '1'])
      await patch({ $add: ['a', 'c'], $remove: ['b', 'c', 'x'] })
      assert.deepEqual(await tags(), ['a', '1'])
      await patch({ $remove: ['a', '1'] })
      assert.deepEqual(await tags(), [])
      await patch({ $add: many(100, (i) => `t${i}`) })
      assert.deepEqual(await problems('PATCH', name, 'one', { Tags: { $add: ['more'] } }), ['unable-to-coerce-value'])
      await patch({ $add: ['more', 't5'], $remove: ['t0'] })
      assert.deepEqual(await tags(), [...many(99, (i) => `t${i + 1}`), 'more'])
      for (const bad of [{}, { $add: 'a' }, { $add: [null] }, { $add: ['a'], more: 1 }, { $set: ['a'] }]) {
        assert.deepEqual(await problems('PATCH', name, 'one', { Tags: bad }), ['unable-to-coerce-value'])
      }
      assert.deepEqual(await problems('PATCH', name, 'one', { Name: { $add: ['a'] } }), ['unable-to-coerce-value'])
      assert.deepEqual(await problems('PATCH', name, 'one', { Location: { $add: ['a'] } }), [
        'invalid-keys-in-value-object',
      ])
    })

    test('a text field that a selection uses has a shorter limit', async () => {
      const name = await catalogs.create([id, ...['A', 'B', 'C'].map((field) => ({ name: field, type: 'string' }))])
      const filters = [{ field: 'A', operator: 'equals', value: 'a' }]
      const selection = { name: 's', filters, sort_field: 'B', sort_order: 'asc' }
      await catalogs.done(202, 'POST', `/${name}/selections`, { selection })
      for (const method of ['POST', 'PUT', 'PATCH']) {
        for (const field of ['A', 'B']) {
          const found = await problems(method, name, method === 'PATCH' ? 'POST-A' : 'one', { [field]: letters(1_001) })
          assert.deepEqual(found, ['filtered-set-field-too-long'])
          if (method === 'POST')
            assert.equal((await write(method, name, `POST-${field}`, { [field]: letters(1_000) })).status, 201)
        }
      }
      assert.equal((await write('PUT', name, 'one', { C: letters(1_001), A: letters(999) })).status, 200)
    })

    test('items are listed page by page in the order of their ids', async () => {
      const name = await catalogs.create([id, { name: 'n', type: 'number' }])
      const ids = many(101, (i) => `${i % 2 === 0 ? 'a' : 'B'}${String(i).padStart(3, '0')}`)
      const put = async (count: number, from: number) => {
        const items = ids.slice(from, from + count).map((item) => ({ id: item, n: from }))
        await catalogs.done(202, 'POST', `/${name}/items`, { items })
      }
      const page = async (query = '') => {
        const { status, headers, body, text } = await catalogs.send('GET', `/${name}/items${query}`)
        assert.equal(status, 200, text)
        assert.deepEqual(Object.keys(body), ['items', 'message'])
        return [body.items.length, headers.link]
      }
      const link = (skip: number, relation: string) =>
        `</catalogs/${name}/items?cursor=${btoa(`skip:${skip}`)}>; rel="${relation}"`
      assert.deepEqual(await page(), [0, undefined])
      await put(50, 0)
      assert.deepEqual(await page(), [50, undefined])
      assert.deepEqual(await page(`?cursor=${btoa('skip:10')}`), [40, undefined])
      await put(1, 50)
      assert.deepEqual(await page(), [50, link(50, 'next')])
      assert.deepEqual(await page(`?cursor=${btoa('skip:50')}`), [1, link(0, 'prev')])
      await put(50, 51)
      assert.deepEqual(await page(`?cursor=${btoa('skip:50')}`), [50, `${link(0, 'prev')},${link(100, 'next')}`])
      assert.equal(link(0, 'prev').includes('c2tpcDow>'), true)
      assert.deepEqual(await page(`?cursor=${btoa('skip:10').replace(/=+$/, '')}`), [
        50,
        `${link(0, 'prev')},${link(60, 'next')}`,
      ])
      assert.deepEqual(await page('?cursor='), [50, link(50, 'next')])
      assert.deepEqual(await page(`?cursor=${btoa('skip:999999999')}`), [0, link(100, 'prev')])
      const all = await catalogs.items(name)
      assert.deepEqual(
        all.map((item) => item.id),
        ids.toSorted(),
      )
      for (const cursor of [
        'b2tpcDoxMDA=',
        'c2tpcDow=',
        'x',
        'skip:50',
        btoa('skip:-1'),
        btoa('skip:1e3'),
        btoa('skip:1000000000'),
        '%00',
      ]) {
        const [refusal] = await catalogs.refusals('GET', `/${name}/items?cursor=${cursor}`)
        const { id: problem, message, parameters } = refusal!
        assert.deepEqual([problem, message, parameters], ['invalid-cursor', "'cursor' is not valid", ['cursor']])
      }
      assert.deepEqual(await catalogs.problems('GET', `/${name}/items?cursor=a&cursor=b`), ['invalid-cursor'])
      assert.deepEqual(await catalogs.problems('GET', '/nobody/items?cursor=x', undefined, 404), ['catalog-not-found'])
    })

    test('the item count, size and time of a catalog follow its items', async () => {
      const name = await catalogs.create()
      const sizes = async (): Promise<[number, number]> => {
        const { num_items, storage_size, updated_at } = await catalogs.shown(name)
        assert.ok(isNow(updated_at))
        return [num_items, storage_size]
      }
      const bytes = (item_id: string, kept: object) => item_id.length + Buffer.byteLength(JSON.stringify(kept))
      await catalogs.done(201, 'POST', `/${name}/items/one`, { items: [{ Name: 'é' }] })
      const { updated_at: before } = await catalogs.shown(name)
      assert.deepEqual(await sizes(), [1, bytes('one', { 0: 'é' })])
      await catalogs.done(200, 'PATCH', `/${name}/items/one`, { items: [{ Rating: 12 }] })
      assert.deepEqual(await sizes(), [1, bytes('one', { 0: 'é', 1: 12 })])
      await catalogs.done(200, 'PUT', `/${name}/items/one`, { items: [{}] })
      await catalogs.done(202, 'PUT', `/${name}/items`, { items: [{ id: 'one', Open: true }, { id: 'two' }] })
      assert.deepEqual(await sizes(), [2, bytes('one', { 2: true }) + bytes('two', {})])
      await catalogs.done(202, 'DELETE', `/${name}/items/one`)
      await catalogs.done(202, 'DELETE', `/${name}/items`, { items: [{ id: 'two' }, { id: 'nobody' }] })
      assert.deepEqual(await sizes(), [0, 0])
      assert.ok((await catalogs.shown(name)).updated_at > before)
    })
  })
}
