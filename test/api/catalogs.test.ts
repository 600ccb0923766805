import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Catalogs, everyType, newCatalog } from '../support/catalogs.ts'
import { drawDatabases } from '../support/harness.ts'
import { isNow, many, peopleOf } from '../support/people.ts'

const id = { name: 'id', type: 'string' }
const letters = (count: number) => 'n'.repeat(count)

for (const database of drawDatabases('catalogs')) {
  describe(`/catalogs (${database})`, () => {
    const people = peopleOf(database)
    const catalogs = new Catalogs(() => people.service)
    const problems = (definition: unknown) => catalogs.problems('POST', '', { catalogs: [definition] })

    test('a catalog is created, listed and deleted', async () => {
      const name = newCatalog()
      const answer = await catalogs.send('POST', '', { catalogs: [{ name, description: 'Mine', fields: everyType }] })
      assert.equal(answer.status, 201, answer.text)
      const { updated_at, ...made } = answer.body.catalogs[0]
      assert.deepEqual(made, {
        description: 'Mine',
        fields: everyType.map((field, i) => ({ ...field, token: String(i - 1) })),
        name,
        source: 'Service',
        num_items: 0,
        storage_size: 0,
        selections_size: 0,
        selections: [],
      })
      assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      assert.ok(isNow(updated_at))
      assert.deepEqual(await catalogs.shown(name), answer.body.catalogs[0])
      const one = await catalogs.send('GET', `/${name}`)
      assert.deepEqual([one.status, one.body], [200, answer.body])
      assert.deepEqual(await catalogs.problems('GET', `/${name}-2`, undefined, 404), ['catalog-not-found'])
      assert.deepEqual(await catalogs.refusals('POST', '', { catalogs: [{ name, fields: [id] }] }), [
        {
          id: 'catalog-name-already-exists',
          message: 'A catalog with that name already exists',
          parameters: ['name'],
          parameter_values: [name],
        },
      ])
      await catalogs.done(200, 'DELETE', `/${name}`)
      assert.equal(await catalogs.shown(name), undefined)
      assert.deepEqual(await catalogs.refusals('DELETE', `/${name}`, undefined, 404), [
        {
          id: 'catalog-not-found',
          message: 'Could not find catalog',
          parameters: ['catalog_name'],
          parameter_values: [name],
        },
      ])
      await catalogs.create([id], name)
    })

    test('an invalid definition is refused with all its errors', async () => {
      const field = (name: unknown, type: unknown = 'string') => ({ name, fields: [id, { name, type }] })
      const named = (name: unknown) => ({ name, fields: [id] })
      const withFields = (...fields: unknown[]) => ({ name: newCatalog(), fields })
      const cases: [unknown, string[]][] = [
        [named(undefined), ['invalid-catalog-name']],
        [named(''), ['invalid-catalog-name']],
        [named(7), ['invalid-catalog-name']],
        [named('with space'), ['invalid-catalog-name']],
        [named('Ünique'), ['invalid-catalog-name']],
        [named(letters(251)), ['catalog-name-too-large']],
        [{ ...named(newCatalog()), description: '😀'.repeat(251) }, ['description-too-long']],
        [{ ...named(newCatalog()), description: 'a\0' }, ['arbitrary-error']],
        [{ ...named(newCatalog()), description: ['a'] }, ['arbitrary-error']],
        [{ name: newCatalog() }, ['invalid-fields']],
        [withFields(), ['invalid-fields']],
        [withFields(id, null), ['invalid-fields']],
        [{ ...named(newCatalog()), fields: 'id' }, ['invalid-fields']],
        [withFields({ name: 'A', type: 'string' }), ['id-not-first-column']],
        [withFields({ name: 'id', type: 'number' }), ['id-not-first-column']],
        [withFields(id, id), ['field-names-not-unique']],
        [withFields(id, { name: 'A', type: 'string' }, { name: 'A', type: 'number' }), ['field-names-not-unique']],
        [{ ...field(letters(251)), name: newCatalog() }, ['field-names-too-large']],
        [{ ...field('a b'), name: newCatalog() }, ['invalid-field-names']],
        [{ ...field('__proto__'), name: newCatalog() }, ['invalid-field-names']],
        [{ ...field(null), name: newCatalog() }, ['invalid-field-names']],
        [{ ...field('A', 'text'), name: newCatalog() }, ['invalid-field-types']],
        [{ ...field('A', 'constructor'), name: newCatalog() }, ['invalid-field-types']],
        [withFields(...many(501, (i) => (i === 0 ? id : { name: `f${i}`, type: 'string' }))), ['too-many-fields']],
        [
          { name: '?', description: letters(251), fields: [{ name: 'a b', type: 'x' }] },
          [
            'invalid-catalog-name',
            'description-too-long',
            'id-not-first-column',
            'invalid-field-names',
            'invalid-field-types',
          ],
        ],
      ]
      for (const [definition, wanted] of cases) assert.deepEqual(await problems(definition), wanted)
      for (const list of [undefined, null, {}, [], ['a'], [null], [[]]]) {
        assert.deepEqual(await catalogs.problems('POST', '', { catalogs: list }), ['catalog-array-invalid'])
      }
      for (const body of [undefined, [], '"catalogs"', 7]) {
        assert.deepEqual(await catalogs.problems('POST', '', body), ['catalog-array-invalid'])
      }
      const two = { catalogs: [named(newCatalog()), named(newCatalog())] }
      assert.deepEqual(await catalogs.problems('POST', '', two), ['too-many-catalog-atoms'])
    })

    test('names, descriptions and fields are accepted up to their limits', async () => {
      const fields = many(500, (i) => (i === 0 ? id : { name: `${i}-${letters(i === 1 ? 248 : 5)}`, type: 'string' }))
      const name = letters(250)
      const description = '😀'.repeat(250)
      const answer = await catalogs.send('POST', '', { catalogs: [{ name, description, fields }] })
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.body.catalogs[0].fields.length, 500)
      const more = { fields: [{ name: 'one-more', type: 'string' }] }
      assert.deepEqual(await catalogs.problems('POST', `/${name}/fields`, more), ['catalog-exceeds-fields-limit'])
      await catalogs.done(202, 'DELETE', `/${name}/fields/3-nnnnn`)
      await catalogs.done(202, 'POST', `/${name}/fields`, more)
      const shown = await catalogs.shown(name)
      assert.deepEqual(shown.fields.at(-1), { ...more.fields[0], token: '499' })
      await catalogs.create([id], letters(249))
    })

    test('a workspace has a maximum number of catalogs', async () => {
      const { service } = people
      await service.admin('POST', '/admin/workspace', { id: 'full', name: 'Full' })
      const { body } = await service.admin('POST', '/admin/keys?workspace=full', { name: 'k', permissions: ['*'] })
      const file = { catalogs: many(499, (i) => ({ name: `many-${i}`, fields: [id] })) }
      await service.admin('POST', '/admin/apply?workspace=full', file)
      const send = (method: string, path: string, name: string) =>
        service.send(method, `/catalogs${path}`, { catalogs: [{ name, fields: [id] }] }, { key: body.key.key })
      assert.equal((await send('POST', '', 'last')).status, 201)
      const refused = await send('POST', '', 'one-more')
      assert.equal(refused.body.errors[0].id, 'company-size-limit-already-reached')
      assert.equal((await send('DELETE', '/last', '')).status, 200)
      assert.equal((await send('POST', '', 'one-more')).status, 201)
      const listed = await service.get('/catalogs', { key: body.key.key })
      assert.equal(listed.body.catalogs.length, 500)
    })

    test('fields are added and removed, and a field that is added again has no old values', async () => {
      const name = await catalogs.create([id, { name: 'A', type: 'string' }])
      await catalogs.done(201, 'POST', `/${name}/items/one`, { items: [{ A: 'old' }] })
      await catalogs.done(202, 'POST', `/${name}/fields`, { fields: [{ name: 'B', type: 'number' }] })
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', A: 'old', B: null })
      await catalogs.done(202, 'DELETE', `/${name}/fields/A`)
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', B: null })
      const add = (...fields: unknown[]) => catalogs.problems('POST', `/${name}/fields`, { fields })
      await catalogs.done(202, 'POST', `/${name}/fields`, { fields: [{ name: 'A', type: 'string' }] })
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', B: null, A: null })
      assert.deepEqual(
        (await catalogs.shown(name)).fields.map(({ token }: { token: string }) => token),
        ['-1', '1', '2'],
      )
      assert.deepEqual(await add({ name: 'A', type: 'string' }), ['field-names-not-unique'])
      assert.deepEqual(await add(id), ['field-names-not-unique'])
      assert.deepEqual(await add({ name: 'ä', type: 'list' }), ['invalid-field-names', 'invalid-field-types'])
      assert.deepEqual(await add(), ['invalid-fields'])
      assert.deepEqual(await catalogs.problems('POST', `/${name}/fields`), ['invalid-fields'])
      const several = (count: number) => many(count, (i) => ({ name: `f${count}-${i}`, type: 'string' }))
      assert.deepEqual(await add(...several(51)), ['request-includes-too-many-fields'])
      await catalogs.done(202, 'POST', `/${name}/fields`, { fields: several(50) })
      await catalogs.done(202, 'POST', `/${name}/fields`, { fields: several(49) })
      assert.deepEqual(await catalogs.problems('DELETE', `/${name}/fields/id`), ['id-not-first-column'])
      assert.deepEqual(await catalogs.refusals('DELETE', `/${name}/fields/a%00`, undefined, 404), [
        {
          id: 'field-not-found',
          message: 'Could not find field',
          parameters: ['field_name'],
          parameter_values: ['a\ufffd'],
        },
      ])
      for (const path of ['fields', 'selections']) {
        assert.deepEqual(await catalogs.problems('POST', `/nobody/${path}`, {}, 404), ['catalog-not-found'])
        assert.deepEqual(await catalogs.problems('DELETE', `/nobody/${path}/a`, undefined, 404), ['catalog-not-found'])
      }
    })

    test('a selection is created, listed and deleted, and its fields cannot be deleted', async () => {
      const name = await catalogs.create()
      const path = `/${name}/selections`
      const filters = [
        { field: 'Name', operator: 'equals', value: 7 },
        { field: 'Rating', operator: 'greater than', value: '4' },
        { field: 'Tags', operator: 'includes value', value: 'a' },
        { field: 'Created_At', operator: 'after', value: '2024-01-01' },
      ]
      const best = {
        name: 'best',
        description: 'The best',
        filters,
        results_limit: 3,
        sort_field: 'Rating',
        sort_order: 'desc',
      }
      await catalogs.done(202, 'POST', path, { selection: best })
      await catalogs.done(202, 'POST', path, { selection: { name: 'all', results_limit: null } })
      const { selections, selections_size } = await catalogs.shown(name)
      const all = { name: 'all', description: '', filters: [], results_limit: 50, sort_field: null, sort_order: null }
      const kept = filters.map((filter, i) => ({ ...filter, value: ['7', 4, 'a', '2024-01-01T00:00:00.000Z'][i] }))
      assert.deepEqual(selections, [all, { ...best, filters: kept }])
      assert.equal(selections_size, Buffer.byteLength(selections.map((each: object) => JSON.stringify(each)).join('')))
      assert.deepEqual(await catalogs.problems('POST', path, { selection: best }), ['selection-name-already-exists'])
      const inUse = await catalogs.refusals('DELETE', `/${name}/fields/Tags`)
      assert.deepEqual([inUse[0]!.id, inUse[0]!.parameter_values], ['selection-has-invalid-filter', ['Tags', 'best']])
      await catalogs.done(202, 'DELETE', `${path}/best`)
      await catalogs.done(202, 'DELETE', `/${name}/fields/Tags`)
      assert.deepEqual(await catalogs.problems('DELETE', `${path}/best`, undefined, 404), ['selection-not-found'])
    })

    test('an invalid selection is refused with all its errors', async () => {
      const name = await catalogs.create([...everyType, { name: 'More', type: 'array' }])
      const path = `/${name}/selections`
      const refused = (given: object) =>
        catalogs.problems('POST', path, { selection: { name: 'a', filters: [], ...given } })
      const filter = (field: unknown, operator: unknown, value: unknown) => ({ filters: [{ field, operator, value }] })
      const cases: [object, string[]][] = [
        [{ name: 'a b' }, ['invalid-selection']],
        [{ name: letters(251) }, ['invalid-selection']],
        [{ description: letters(251) }, ['invalid-selection']],
        [{ description: 7 }, ['invalid-selection']],
        [{ filters: {} }, ['invalid-selection']],
        [{ filters: many(11, () => ({ field: 'Name', operator: 'equals', value: 'a' })) }, ['too-many-filters']],
        [{ filters: [null] }, ['selection-has-invalid-filter']],
        [filter('Unknown', 'equals', 'a'), ['selection-has-invalid-filter']],
        [filter('Name', 'greater than', 'a'), ['selection-has-invalid-filter']],
        [filter('Name', 'constructor', 'a'), ['selection-has-invalid-filter']],
        [filter('Name', 'equals', null), ['selection-has-invalid-filter']],
        [filter('Name', 'equals', 'a\0'), ['selection-has-invalid-filter']],
        [filter('Name', 'equals', letters(1001)), ['selection-has-invalid-filter']],
        [filter('Rating', 'equals', 'a'), ['selection-has-invalid-filter']],
        [filter('Open', 'is', 1), ['selection-has-invalid-filter']],
        [filter('Created_At', 'before', 'soon'), ['selection-has-invalid-filter']],
        [filter('Location', 'equals', {}), ['selection-has-invalid-filter']],
        [filter('Place', 'equals', [1, 2]), ['selection-has-invalid-filter']],
        [
          { filters: ['Tags', 'More'].map((field) => ({ field, operator: 'includes value', value: 'a' })) },
          ['selection-contains-too-many-arrays'],
        ],
        ...[0, 51, 1.5, '5', true].map((results_limit): [object, string[]] => [
          { results_limit },
          ['selection-invalid-results-limit'],
        ]),
        [{ sort_field: 'Name' }, ['invalid-sorting']],
        [{ sort_order: 'asc' }, ['invalid-sorting']],
        [{ sort_field: 'Tags', sort_order: 'asc' }, ['invalid-sort-field']],
        [{ sort_field: 'Unknown', sort_order: 'up' }, ['invalid-sort-field', 'invalid-sort-order']],
        [
          { name: 7, results_limit: 0, ...filter(1, 2, 3) },
          ['invalid-selection', 'selection-has-invalid-filter', 'selection-invalid-results-limit'],
        ],
      ]
      for (const [given, wanted] of cases) assert.deepEqual(await refused(given), wanted, JSON.stringify(given))
      for (const body of [undefined, [], {}, { selection: [] }, { selection: 'a' }]) {
        assert.deepEqual(await catalogs.problems('POST', path, body), ['invalid-selection'])
      }
      const tenFilters = many(10, () => ({ field: 'Name', operator: 'equals', value: letters(1000) }))
      await catalogs.done(202, 'POST', path, {
        selection: { name: letters(250), filters: tenFilters, results_limit: 1 },
      })
      for (const i of many(28, (i) => i)) await catalogs.done(202, 'POST', path, { selection: { name: `s-${i}` } })
      await catalogs.done(202, 'POST', path, { selection: { name: 'last', results_limit: 50 } })
      assert.deepEqual(await refused({}), ['selection-limit-reached'])
    })

    test('catalogs belong to their workspace, and their endpoints require their permissions', async () => {
      const name = await catalogs.create()
      await people.service.admin('POST', '/admin/workspace', { id: 'other', name: 'Other' })
      const { body } = await people.service.admin('POST', '/admin/keys?workspace=other', {
        name: 'k',
        permissions: ['*'],
      })
      const other = { key: body.key.key }
      const get = (path: string, options: { key: string | null }) => people.service.get(path, options)
      assert.deepEqual((await get('/catalogs', other)).body, { catalogs: [], message: 'success' })
      assert.equal((await get(`/catalogs/${name}/items`, other)).status, 404)
      assert.equal((await people.service.send('DELETE', `/catalogs/${name}`, undefined, other)).status, 404)
      const key = await people.service.key(['catalogs.get'])
      assert.equal((await get('/catalogs', { key })).status, 200)
      const forbidden = await get(`/catalogs/${name}/items`, { key })
      assert.deepEqual(
        [forbidden.status, forbidden.body],
        [403, { message: 'You do not have permission to access this resource' }],
      )
      const unknown = await get('/catalogs', { key: 'nobody' })
      assert.deepEqual([unknown.status, unknown.body], [401, { message: 'Invalid API key' }])
    })

    test('a workspace file declares catalogs; it adds fields and changes no type', async () => {
      const { service } = people
      const name = newCatalog()
      const apply = (catalog: object, query = '') =>
        service.send('POST', `/admin/apply${query}`, { catalogs: [catalog] }, { key: service.adminToken })
      const file = { name, description: 'Declared', fields: [id, { name: 'A', type: 'string' }] }
      const planned = await apply(file, '?plan=true')
      assert.deepEqual(
        planned.body.changes.map(({ action, after }: { action: string; after: object }) => [action, after]),
        [['create', { id: 'new 1', ...file }]],
      )
      await apply(file)
      assert.deepEqual((await apply(file)).body.changes, [])
      await catalogs.done(201, 'POST', `/${name}/items/one`, { items: [{ A: 'a' }] })
      const { updated_at } = await catalogs.shown(name)
      const changed = await apply({ name, fields: [id, { name: 'B', type: 'geo' }] })
      assert.deepEqual([changed.status, changed.body.changes.length], [200, 1], changed.text)
      const shown = await catalogs.shown(name)
      assert.deepEqual([shown.description, shown.fields.at(-1)], ['Declared', { name: 'B', token: '1', type: 'geo' }])
      assert.ok(shown.updated_at > updated_at)
      assert.deepEqual(await catalogs.item(name, 'one'), { id: 'one', A: 'a', B: null })

      const all = (await service.admin('GET', '/admin/catalogs')).body.catalogs
      const entry = all.find((each: { name: string }) => each.name === name)
      assert.deepEqual(entry, { id: entry.id, ...file, fields: [...file.fields, { name: 'B', type: 'geo' }] })
      await service.admin('PATCH', `/admin/catalogs/${entry.id}`, { description: 'Other' })
      assert.equal((await service.admin('GET', `/admin/catalogs/${entry.id}`)).body.catalog.description, 'Other')
      const rename = { key: service.adminToken }
      const renamed = await service.send('PATCH', `/admin/catalogs/${entry.id}`, { name: newCatalog() }, rename)
      assert.match(renamed.body.message, /^name cannot be changed from /)
      assert.equal((await service.send('POST', '/admin/catalogs', file, rename)).status, 409)
      await service.admin('DELETE', `/admin/catalogs/${entry.id}`)
      assert.equal(await catalogs.shown(name), undefined)
      await service.admin('POST', '/admin/catalogs', file)
      assert.equal(await catalogs.item(name, 'one'), undefined)
    })

    test('a workspace file that would change the meaning of items is refused', async () => {
      const name = await catalogs.create([id, { name: 'A', type: 'string' }])
      const mistakes: [object, string][] = [
        [
          { name, fields: [id, { name: 'A', type: 'number' }] },
          'catalogs[0].fields[1].type cannot be changed from string',
        ],
        [
          { name, fields: [{ name: 'A', type: 'string' }] },
          'catalogs[0].fields[0] must be the field id of type string',
        ],
        [{ name, fields: [id, id] }, 'catalogs[0].fields[1].name is the name of another field'],
        [
          { name, fields: [id, { name: '__proto__', type: 'string' }] },
          'catalogs[0].fields[1].name must be another name',
        ],
        [
          { name, fields: [id, { name: 'a b', type: 'string' }] },
          'catalogs[0].fields[1].name must be 1 to 250 letters',
        ],
        [
          { name, fields: [id, { name: 'C', type: 'text' }] },
          'catalogs[0].fields[1].type must be one of string, number',
        ],
        [
          { name, fields: [id, ...many(499, (i) => ({ name: `f${i}`, type: 'string' }))] },
          'catalogs[0].fields would be',
        ],
        [{ name, fields: [] }, 'catalogs[0].fields must be a list of 1 to 500 fields'],
        [{ name: 'a b', fields: [id] }, 'catalogs[0].name must be 1 to 250 letters'],
        [{ name: newCatalog(), fields: [id], more: 1 }, 'catalogs[0].more is not known here'],
      ]
      for (const [catalog, message] of mistakes) {
        const { status, body } = await people.service.send(
          'POST',
          '/admin/apply',
          { catalogs: [catalog] },
          { key: people.service.adminToken },
        )
        assert.deepEqual([status, body.message.slice(0, message.length)], [400, message])
      }
    })

    test('errors of the request itself have the form that catalogs use', async () => {
      const broken = await people.service.post('/catalogs', '{"catalogs":')
      assert.equal(broken.status, 400)
      const { errors, ...rest } = broken.body
      assert.deepEqual(rest, {
        message: 'The request body is not valid JSON',
        error: 'The request body is not valid JSON',
      })
      const entry = {
        id: 'arbitrary-error',
        message: 'An arbitrary error occurred',
        parameters: [],
        parameter_values: [],
      }
      assert.deepEqual(errors, [entry])
      const text = await people.service.post('/catalogs', 'a', { headers: { 'content-type': 'text/plain' } })
      assert.deepEqual([text.status, text.body.errors], [415, [entry]])
      await people.service.admin('PATCH', '/admin/settings', { rate_limits: { catalogs: { per_hour: 1 } } })
      await catalogs.send('GET', '')
      const limited = await catalogs.send('GET', '')
      assert.deepEqual([limited.status, limited.body], [429, { message: 'Rate limit exceeded' }])
      await people.service.admin('DELETE', '/admin/settings/rate_limits')
    })
  })
}
