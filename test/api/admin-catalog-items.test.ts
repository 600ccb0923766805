import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { adminItemsMax } from '../../src/content/catalogs/admin-schema.ts'
import { itemCharactersMax, itemsMax, itemsPerRequestMax } from '../../src/content/catalogs/schema.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { Catalogs, everyType, fullItem } from '../support/catalogs.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const letters = (count: number) => 'n'.repeat(count)
const idField = { name: 'id', type: 'string' }

for (const database of drawDatabases('admin-catalog-items')) {
  describe(`items of a catalog for administrators (${database})`, () => {
    const people = mailedOf(database)
    const catalogs = new Catalogs(() => people.service)
    const send = (method: string, path: string, body?: unknown) =>
      people.service.send(method, `/admin/catalogs/${path}`, body, { key: people.service.adminToken })
    const ok = async (method: string, path: string, body?: unknown): Promise<Any> => {
      const answer = await send(method, path, body)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const made = async (fields: readonly Item[] = everyType): Promise<string> => {
      const id = newId('catalog')
      await ok('POST', '', { id, name: id, fields })
      return id
    }
    const create = (id: string, fields?: Item) => ({ id, action: 'create', ...(fields && { fields }) })
    const edit = (catalog: string, ...items: unknown[]) => send('PATCH', `${catalog}/items`, { items })
    const edited = async (catalog: string, ...items: unknown[]): Promise<Any[]> =>
      (await ok('PATCH', `${catalog}/items`, { items })).items
    const list = (catalog: string, query = ''): Promise<Any> => ok('GET', `${catalog}/items${query}`)
    const refusals = async (catalog: string, ...items: unknown[]): Promise<Any[]> => {
      const { status, body, text } = await edit(catalog, ...items)
      assert.equal(status, 400, text)
      return body.errors
    }

    test('items are listed by id in pages, and found by the beginning of their ids', async () => {
      const catalog = await made([idField, { name: 'n', type: 'number' }])
      const ids = many(130, (i) => `${i % 2 === 0 ? 'shoe' : 'Shoe'}-${String(i).padStart(3, '0')}`)
      for (let i = 0; i < ids.length; i += itemsPerRequestMax) {
        await edited(catalog, ...ids.slice(i, i + itemsPerRequestMax).map((id) => create(id, { n: i })))
      }
      const first = await list(catalog)
      assert.deepEqual([first.items.length, first.num_items], [50, 130])
      const pages: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: Any = await list(catalog, `?limit=60${cursor === '' ? '' : `&cursor=${cursor}`}`)
        pages.push(...page.items.map(({ id }: Item) => id))
        cursor = page.cursor
      }
      assert.deepEqual(pages, ids.toSorted())
      const found = await list(catalog, '?prefix=shoe-00')
      assert.deepEqual(
        found.items.map(({ id }: Item) => id),
        ['shoe-000', 'shoe-002', 'shoe-004', 'shoe-006', 'shoe-008'],
      )
      assert.deepEqual((await list(catalog, '?prefix=none')).items, [])
      assert.deepEqual((await list(catalog, '?prefix=a%20b%25')).items, [])
      assert.equal((await list(catalog, '?prefix=Shoe-&limit=65')).cursor, undefined)
      assert.equal((await list(catalog, '?prefix=Shoe-&limit=64')).items.length, 64)
    })

    test('the limit of a page and the cursor are checked', async () => {
      const catalog = await made()
      for (const limit of [1, adminItemsMax - 1, adminItemsMax]) await list(catalog, `?limit=${limit}`)
      for (const query of ['limit=0', `limit=${adminItemsMax + 1}`, 'limit=x', 'cursor=a%20b']) {
        assert.equal((await send('GET', `${catalog}/items?${query}`)).status, 400, query)
      }
    })

    test('items are created, updated and deleted, and the answer and the public interface have them as they are', async () => {
      const catalog = await made()
      const [item] = await edited(catalog, create('one', fullItem))
      assert.deepEqual(item.fields, fullItem)
      assert.deepEqual(await catalogs.item(catalog, 'one'), { id: 'one', ...fullItem })
      const [updated] = await edited(catalog, {
        ...{ id: 'one', action: 'update', tag: item.tag },
        fields: { Rating: '5', Tags: { $add: ['c'] }, Place: null },
      })
      assert.deepEqual(updated.fields, { ...fullItem, Rating: 5, Tags: ['a', 'b', 'c'], Place: null })
      assert.notEqual(updated.tag, item.tag)
      assert.deepEqual((await list(catalog)).items, [updated])
      const gone = { id: 'one', action: 'delete', tag: updated.tag }
      assert.deepEqual(
        (await edited(catalog, gone, create('two'))).map(({ id }) => id),
        ['two'],
      )
      assert.equal(await catalogs.item(catalog, 'one'), undefined)
      const shown = await catalogs.shown(catalog)
      assert.deepEqual([shown.num_items, shown.storage_size], [1, 'two{}'.length])
    })

    test('a new field does not change the tag of an item', async () => {
      const catalog = await made([idField, { name: 'n', type: 'number' }])
      const [{ tag }] = (await edited(catalog, create('a', { n: 1 }))) as [Any]
      await ok('PATCH', catalog, { fields: [idField, { name: 'n', type: 'number' }, { name: 'more', type: 'string' }] })
      await edited(catalog, { id: 'a', action: 'update', tag, fields: { more: 'x' } })
    })

    test('an item that was changed or deleted meanwhile is not overwritten, and nothing else is written', async () => {
      const catalog = await made([idField, { name: 'n', type: 'number' }])
      const [a, b] = (await edited(catalog, create('a', { n: 1 }), create('b', { n: 1 }))) as [Any, Any]
      await edited(catalog, { id: 'a', action: 'update', tag: a.tag, fields: { n: 2 } })
      for (const action of ['update', 'delete']) {
        const stale = { id: 'a', action, tag: a.tag, fields: { n: 3 } }
        const { status, body } = await edit(catalog, stale, { id: 'b', action, tag: b.tag, fields: { n: 3 } })
        assert.equal(status, 412)
        assert.equal(body.message, 'The item a has changed since you read it. Read it again, and repeat your change.')
      }
      const { items } = await list(catalog)
      assert.deepEqual(
        items.map(({ fields }: Any) => fields.n),
        [2, 1],
      )
      await edited(catalog, { id: 'a', action: 'delete', tag: items[0].tag })
      const { status, body } = await edit(catalog, { id: 'a', action: 'update', tag: items[0].tag, fields: { n: 9 } })
      assert.equal(status, 412)
      assert.match(body.message, /The item a was deleted since you read it/)
    })

    test('of two changes of the same item at the same time, one is refused', async () => {
      const catalog = await made([idField, { name: 'n', type: 'number' }])
      const [{ tag }] = (await edited(catalog, create('a', { n: 0 }))) as [Any]
      const answers = await Promise.all(
        many(6, (i) => edit(catalog, { id: 'a', action: 'update', tag, fields: { n: i + 1 } })),
      )
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412, 412, 412])
    })

    test('a refusal names every mistake by item and field, and nothing is written', async () => {
      const catalog = await made()
      await edited(catalog, create('there'))
      const errors = await refusals(
        catalog,
        create('a', { Rating: 'dear', Open: 'maybe', Created_At: 'today', Nothing: 1 }),
        create('b', { Location: 'x', Tags: 'y', Place: [1], Name: {} }),
        create('there', { Rating: 1 }),
        create('fine', { Rating: 1 }),
        create('deep', { Location: { 'a.b': 1 } }),
      )
      assert.deepEqual(
        errors.map(({ id, message, parameter_values }) => [id, ...parameter_values, message]),
        [
          ['unable-to-coerce-value', 'a', 'Rating', "'Rating' must be a number, such as 1.5"],
          ['unable-to-coerce-value', 'a', 'Open', "'Open' must be true or false"],
          ['unable-to-coerce-value', 'a', 'Created_At', "'Created_At' must be a time, such as 2030-01-31T09:00:00Z"],
          ['invalid-fields', 'a', 'Nothing', "The catalog has no field 'Nothing' that can be written"],
          ['unable-to-coerce-value', 'b', 'Location', `'Location' must be an object, such as {"a": 1}`],
          ['unable-to-coerce-value', 'b', 'Tags', `'Tags' must be a list of at most 100 texts, such as ["a", "b"]`],
          ['unable-to-coerce-value', 'b', 'Place', "'Place' must be a longitude and a latitude, such as [13.4, 52.5]"],
          ['unable-to-coerce-value', 'b', 'Name', "'Name' must be a text"],
          ['item-already-exists', 'there', 'The item already exists'],
          [
            'invalid-keys-in-value-object',
            'deep',
            'Location',
            "'Location': Keys of objects can not contain '.' or '$'",
          ],
        ],
      )
      assert.equal((await list(catalog)).num_items, 1)
    })

    test('ids, actions and tags are checked before anything is read', async () => {
      const catalog = await made()
      const errors = await refusals(
        catalog,
        { action: 'create' },
        create(''),
        create('a b'),
        create(letters(251)),
        create('twice'),
        create('twice'),
        { id: 'x', action: 'replace', tag: 't' },
        { id: 'y', action: 'update' },
        { id: 'z', action: 'create', fields: [] },
      )
      assert.deepEqual(
        errors.map(({ id, message }) => `${id} ${id === 'arbitrary-error' ? message : ''}`.trim()),
        [
          'ids-not-strings',
          'invalid-ids',
          'invalid-ids',
          'ids-too-large',
          'ids-not-unique',
          "arbitrary-error 'action' must be create, update or delete",
          "arbitrary-error 'tag' must be given, as the item had it when you read it",
          "arbitrary-error 'fields' must be an object",
        ],
      )
      await edited(catalog, create(letters(250)))
      for (const body of [undefined, [], {}, { items: [] }, { items: [1] }, { items: 'a' }]) {
        const { status, body: answer } = await send('PATCH', `${catalog}/items`, body)
        assert.deepEqual([status, answer.errors[0].id], [400, 'item-array-invalid'])
        assert.equal(answer.message, "'items' must be an array of objects")
      }
    })

    test('a request has at most fifty items, and an item at most 5000 characters', async () => {
      const catalog = await made([idField, { name: 'text', type: 'string' }])
      for (const [batch, count] of [itemsPerRequestMax - 1, itemsPerRequestMax].entries()) {
        assert.equal((await edited(catalog, ...many(count, (i) => create(`${batch}-${i}`)))).length, count)
      }
      const [tooMany] = await refusals(catalog, ...many(itemsPerRequestMax + 1, (i) => create(`more-${i}`)))
      assert.equal(tooMany.id, 'request-includes-too-many-items')
      for (const count of [itemCharactersMax - 1, itemCharactersMax]) {
        await edited(catalog, create(`long-${count}`, { text: letters(count) }))
      }
      const [tooLarge] = await refusals(catalog, create('longer', { text: letters(itemCharactersMax + 1) }))
      assert.equal(tooLarge.id, 'items-too-large')
    })

    test('a catalog has at most a million items', async () => {
      const catalog = await made([idField])
      await people.db.query(sql`update catalog set num_items = ${itemsMax - 1} where name = ${catalog}`)
      const [full] = await refusals(catalog, create('a'), create('b'))
      assert.equal(full.id, 'already-reached-catalog-item-limit')
      const [{ tag }] = (await edited(catalog, create('a'))) as [Any]
      await edited(catalog, create('b'), { id: 'a', action: 'delete', tag })
    })

    test('a text in a field of a selection is short', async () => {
      const catalog = await made([idField, { name: 'text', type: 'string' }])
      const filters = [{ field: 'text', operator: 'equals', value: 'a' }]
      await ok('POST', `${catalog}/selections`, { selection: { name: 's', filters } })
      await edited(catalog, create('a', { text: letters(1_000) }))
      const [problem] = await refusals(catalog, create('b', { text: letters(1_001) }))
      assert.equal(problem.message, "'text' can not exceed 1000 characters, because a selection uses it")
    })

    test('fields are deleted, and selections are listed, created and deleted', async () => {
      const catalog = await made([idField, { name: 'n', type: 'number' }, { name: 'text', type: 'string' }])
      await edited(catalog, create('a', { n: 1, text: 'x' }))
      assert.deepEqual((await ok('GET', `${catalog}/selections`)).selections, [])
      const selection = { name: 'dear', filters: [{ field: 'n', operator: 'greater than', value: 1 }] }
      const { selections } = await ok('POST', `${catalog}/selections`, { selection })
      assert.deepEqual(selections, (await ok('GET', `${catalog}/selections`)).selections)
      assert.deepEqual(selections[0].filters, selection.filters)
      const again = await send('POST', `${catalog}/selections`, { selection })
      assert.deepEqual([again.status, again.body.message], [400, 'A selection with that name already exists'])
      const used = await send('DELETE', `${catalog}/fields/n`)
      assert.deepEqual([used.status, used.body.message], [400, 'The selection dear uses the field; delete that first'])
      assert.equal((await send('DELETE', `${catalog}/selections/dear`)).status, 204)
      assert.equal((await send('DELETE', `${catalog}/fields/n`)).status, 204)
      assert.deepEqual((await list(catalog)).items[0].fields, { text: 'x' })
      for (const path of [`${catalog}/selections/dear`, `${catalog}/fields/n`]) {
        const { status, body } = await send('DELETE', path)
        assert.equal(status, 404)
        assert.match(body.message, /^Could not find (?:selection|field)$/)
      }
      assert.equal((await send('DELETE', `${catalog}/fields/id`)).status, 400)
    })

    test('an unknown catalog is a 404 everywhere', async () => {
      for (const [method, path] of [
        ['GET', 'items'],
        ['PATCH', 'items'],
        ['POST', 'import'],
        ['GET', 'selections'],
        ['POST', 'selections'],
        ['DELETE', 'selections/a'],
        ['DELETE', 'fields/a'],
      ] as const) {
        const { status, body } = await send(method, `none/${path}`, method === 'GET' ? undefined : {})
        assert.deepEqual([status, body.message], [404, 'There is no catalog "none"'], `${method} ${path}`)
      }
    })

    test('the audit has the ids that were changed, and no values', async () => {
      const catalog = await made([idField, { name: 'text', type: 'string' }])
      const [a] = (await edited(catalog, create('a', { text: 'secret' }), create('b'))) as [Any]
      await edited(catalog, { id: 'a', action: 'delete', tag: a.tag })
      const { body } = await people.service.admin('GET', `/admin/audit?action=catalog_items.update&limit=2`)
      assert.deepEqual(
        body.audit.map(({ target, before, after }: Any) => [target.id, before, after]),
        [
          [catalog, null, { deleted: ['a'] }],
          [catalog, null, { created: ['a', 'b'] }],
        ],
      )
      assert.ok(!JSON.stringify(body).includes('secret'))
    })

    test('reading takes catalogs.read, and writing catalogs.edit', async () => {
      const catalog = await made()
      const reader = { appGroup: [{ appGroupId: 'default', appGroupPermissions: ['view_catalogs'] }] }
      const session = await signIn(people.service, people.db, await makeAccount(people.db, reader))
      const path = `/admin/catalogs/${catalog}`
      for (const read of ['items', 'selections'])
        assert.equal((await session.send('GET', `${path}/${read}`)).status, 200)
      for (const [method, write] of [
        ['PATCH', 'items'],
        ['POST', 'import'],
        ['POST', 'selections'],
        ['DELETE', 'selections/a'],
        ['DELETE', 'fields/a'],
      ] as const) {
        const { status, body } = await session.send(method, `${path}/${write}`, {})
        assert.deepEqual(
          [status, body.message],
          [403, 'You do not have permission to do this: it takes catalogs.edit'],
          `${method} ${write}`,
        )
      }
    })
  })
}
