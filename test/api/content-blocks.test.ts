import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, many, newId } from '../support/people.ts'
import { sentTo } from '../support/wire-requests.ts'

const texts = {
  contentBlank: 'Content cannot be blank',
  contentNotString: 'Content must be a string',
  contentTooLarge: 'Content must be smaller than 50kb',
  malformed: 'Content contains malformed liquid',
  itself: 'Content Block cannot be referenced within itself',
  descriptionBlank: 'Content Block description cannot be blank',
  descriptionNotString: 'Content Block description must be a string',
  descriptionTooLong: 'Content Block description must be shorter than 250 characters',
  nameBlank: 'Content Block name cannot be blank',
  nameTooLong: 'Content Block name must be shorter than 100 characters',
  nameOdd: 'Content Block name can only contain alphanumeric characters',
  nameTaken: 'Content Block with this name already exists',
  nameFixed: 'Content Block name cannot be updated for active Content Blocks',
  badState: 'Content Block state must be either active or draft',
  stateFixed: 'Active Content Block can not be updated to Draft. Create a new Content Block.',
  idBlank: 'Content Block ID cannot be blank',
  idUnknown: 'Content Block ID is invalid for this workspace',
  tagsNotArray: 'Tags must be an array',
  tagsNotStrings: 'All tags must be strings',
  tagsUnknown: 'Some tags could not be found',
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const including = (name: string) => `before {{content_blocks.$\{${name}}}} after`

/** Bodies of a new block that are refused, each with its error text. */
const refusedAlways: readonly [more: Item, text: string][] = [
  [{ content: '' }, texts.contentBlank],
  [{ content: ' \n' }, texts.contentBlank],
  [{ content: 5 }, texts.contentNotString],
  [{ content: ['a'] }, texts.contentNotString],
  [{ content: {} }, texts.contentNotString],
  [{ content: 'x'.repeat(51_200) }, texts.contentTooLarge],
  [{ content: 'é'.repeat(25_600) }, texts.contentTooLarge],
  [{ content: 'a\u0000b' }, "'content' is not valid"],
  [{ content: 'a\ud800' }, "'content' is not valid"],
  [{ content: '{% if %}' }, texts.malformed],
  [{ content: '{{ a ' }, texts.malformed],
  [{ content: '{% for a in b %}' }, texts.malformed],
  [{ description: '' }, texts.descriptionBlank],
  [{ description: 5 }, texts.descriptionNotString],
  [{ description: 'd'.repeat(250) }, texts.descriptionTooLong],
  [{ description: 'a\u0000b' }, "'description' is not valid"],
  [{ name: '' }, texts.nameBlank],
  [{ name: '  ' }, texts.nameBlank],
  [{ name: 'n'.repeat(100) }, texts.nameTooLong],
  [{ name: 'two words' }, texts.nameOdd],
  [{ name: 'ünïcode' }, texts.nameOdd],
  [{ name: 'a\n' }, texts.nameOdd],
  [{ name: '😀' }, texts.nameOdd],
  [{ name: 5 }, texts.nameOdd],
  [{ name: { a: 1 } }, texts.nameOdd],
  [{ state: 'Active' }, texts.badState],
  [{ state: '' }, texts.badState],
  [{ state: 1 }, texts.badState],
  [{ tags: 'a' }, texts.tagsNotArray],
  [{ tags: { a: 1 } }, texts.tagsNotArray],
  [{ tags: ['a', 5] }, texts.tagsNotStrings],
  [{ tags: [null] }, texts.tagsNotStrings],
  [{ tags: [''] }, texts.tagsUnknown],
  [{ tags: ['t'.repeat(256)] }, texts.tagsUnknown],
  [{ tags: ['a\u0000'] }, texts.tagsUnknown],
  [{ tags: many(51, (i) => `tag ${i}`) }, texts.tagsUnknown],
  // In the order of the texts of the interface.
  [{ content: '', description: '', name: '', state: 'x', tags: 'a' }, texts.contentBlank],
  [{ description: '', name: '', state: 'x', tags: 'a' }, texts.descriptionBlank],
  [{ name: '', state: 'x', tags: 'a' }, texts.nameBlank],
  [{ state: 'x', tags: 'a' }, texts.badState],
]

for (const database of drawDatabases('content-blocks')) {
  describe(`content blocks (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
    })
    after(() => service[Symbol.asyncDispose]())

    const create = (more: Item = {}) =>
      service.post('/content_blocks/create', { name: newId('block'), content: 'Hello', ...more })
    const update = (body: unknown) => service.post('/content_blocks/update', body)
    const show = (id: string, more = '') => service.get(`/content_blocks/info?content_block_id=${id}${more}`)

    const made = async (more: Item = {}): Promise<string> => {
      const { status, body, text } = await create(more)
      assert.equal(status, 201, text)
      return body.content_block_id
    }

    const refused = (answer: { status: number; body: { message: string } }, text: string) =>
      assert.deepEqual([answer.status, answer.body.message], [400, text])

    describe('create', () => {
      test('returns an id and the tag that includes the block', async () => {
        const name = newId('Block-1_')
        const { status, body, text } = await create({ name })
        assert.equal(status, 201)
        assert.deepEqual(Object.keys(body), ['content_block_id', 'liquid_tag', 'created_at', 'message'])
        assert.equal(body.liquid_tag, `{{content_blocks.$\{${name}}}}`)
        assert.match(body.created_at, iso)
        assert.match(text, /"message":"success"}$/)
      })

      test('accepts every value at its limit', async () => {
        await made({ content: 'x'.repeat(51_199) })
        await made({ content: `${'é'.repeat(25_599)}x` })
        await made({ description: '😀'.repeat(249) })
        await made({ name: `${newId()}-`.padEnd(99, 'n') })
        await made({ tags: many(50, (i) => `${i} ${'t'.repeat(250)}`.slice(0, 255)) })
      })

      test('refuses invalid bodies with the texts of the interface, in their order', async () => {
        for (const [more, text] of refusedAlways) refused(await create(more), text)
        for (const body of [[], '"text"', 5, null]) {
          refused(await service.post('/content_blocks/create', body), 'The request body must be an object')
        }
        refused(await service.post('/content_blocks/create', {}), texts.contentBlank)
        refused(await service.post('/content_blocks/create', { content: null, name: null }), texts.contentBlank)
        refused(await service.post('/content_blocks/create', { content: 'a' }), texts.nameBlank)
      })

      test('returns the line and column of a syntax error', async () => {
        const { body } = await create({ content: 'Dear\n  {% if a %}\n{{ b | upcase }}' })
        assert.equal(body.message, texts.malformed)
        assert.equal(body.details.length, 1)
        const { field, line, column, message } = body.details[0]
        assert.deepEqual([field, line, column, typeof message], ['content', 2, 3, 'string'])
      })

      test('treats null as absent, and ignores unknown members', async () => {
        const id = await made({ description: null, state: null, tags: null, extra: 1, ['__proto__']: { state: 'x' } })
        const { body } = await show(id)
        assert.deepEqual([body.description, body.tags], ['', []])
      })

      test('refuses a name that is taken', async () => {
        const name = newId('taken')
        await made({ name })
        refused(await create({ name }), texts.nameTaken)
        await made({ name: name.toUpperCase() })
        const answers = await Promise.all(many(5, () => create({ name: `${name}-2` })))
        assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400])
      })
    })

    describe('a block that includes itself', () => {
      test('is refused, directly and through other blocks', async () => {
        const [a, b, c] = [newId('a'), newId('b'), newId('c')]
        refused(await create({ name: a, content: including(a) }), texts.itself)
        await made({ name: a, content: including(b) })
        await made({ name: b, content: including(c) })
        const { status, body } = await create({ name: c, content: including(a) })
        assert.deepEqual([status, body.message], [400, texts.itself])
        assert.deepEqual(body.details, [{ field: 'content', message: `${c} -> ${a} -> ${b} -> ${c}` }])
        const id = await made({ name: c, content: 'nothing' })
        refused(await update({ content_block_id: id, content: including(b) }), texts.itself)
        const draft = await made({ state: 'draft', content: including(c) })
        await update({ content_block_id: id, content: including('later') })
        refused(await update({ content_block_id: draft, name: 'later' }), texts.itself)
      })

      test('cannot arise from two concurrent changes', async () => {
        const [a, b] = [newId('a'), newId('b')]
        const ids = [await made({ name: a }), await made({ name: b })]
        const answers = await Promise.all([
          update({ content_block_id: ids[0], content: including(b) }),
          update({ content_block_id: ids[1], content: including(a) }),
        ])
        assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400])
      })

      test('is different from a block that is included twice, which is accepted', async () => {
        const [leaf, left, right] = [newId('leaf'), newId('left'), newId('right')]
        await made({ name: leaf })
        await made({ name: left, content: including(leaf) })
        await made({ name: right, content: including(leaf) })
        await made({ content: including(left) + including(right) + including(leaf) })
      })
    })

    describe('update', () => {
      test('changes the given members and leaves the others', async () => {
        const name = newId('whole')
        const id = await made({ name, description: 'Old', tags: ['a'], content: 'Old' })
        const created = (await show(id)).body
        await service.advance('PT1S')
        const { status, body } = await update({ content_block_id: id, content: '<p>New</p>', name })
        assert.equal(status, 201)
        assert.deepEqual(Object.keys(body), ['content_block_id', 'liquid_tag', 'updated_at', 'message'])
        const after = (await show(id)).body
        assert.deepEqual(after, {
          ...created,
          content: '<p>New</p>',
          content_type: 'html',
          last_edited: body.updated_at,
        })
        assert.ok(after.last_edited > after.created_at)
        await update({ content_block_id: id, description: 'New', tags: [], content: null })
        const { description, tags, content } = (await show(id)).body
        assert.deepEqual([description, tags, content], ['New', [], '<p>New</p>'])
      })

      test('refuses invalid bodies with the texts of the interface', async () => {
        const id = await made()
        for (const [more, text] of refusedAlways) refused(await update({ content_block_id: id, ...more }), text)
        refused(await update({}), texts.idBlank)
        refused(await update({ content_block_id: null }), texts.idBlank)
        refused(await update({ content_block_id: '' }), texts.idBlank)
        for (const bad of [newId(), 5, ['a'], { a: 1 }, 'a\u0000', '\ud800']) {
          refused(await update({ content_block_id: bad }), texts.idUnknown)
        }
        refused(await update([]), 'The request body must be an object')
      })

      test('refuses a change of name or state of an active block, and accepts it for a draft', async () => {
        const [name, other] = [newId('draft'), newId('other')]
        await made({ name: other })
        const id = await made({ name, state: 'draft' })
        refused(await update({ content_block_id: id, name: other }), texts.nameTaken)
        assert.equal((await update({ content_block_id: id, name: `${name}-b`, state: 'draft' })).status, 201)
        assert.equal((await update({ content_block_id: id, name: `${name}-c`, state: 'active' })).status, 201)
        refused(await update({ content_block_id: id, name: `${name}-d` }), texts.nameFixed)
        refused(await update({ content_block_id: id, state: 'draft' }), texts.stateFixed)
        assert.equal((await show(id)).body.name, `${name}-c`)
      })
    })

    describe('info', () => {
      test('returns a block, with its inclusions when they are requested', async () => {
        const name = newId('shown')
        const id = await made({ name, content: 'a < b', description: 'What', tags: ['b', 'a', 'b'] })
        const { status, body } = await show(id)
        assert.equal(status, 200)
        const { created_at, last_edited, ...rest } = body
        assert.match(created_at, iso)
        assert.equal(last_edited, created_at)
        assert.deepEqual(rest, {
          content_block_id: id,
          name,
          content: 'a < b',
          description: 'What',
          content_type: 'text',
          tags: ['b', 'a'],
          inclusion_count: 0,
          message: 'success',
        })
        assert.deepEqual((await show(id, '&include_inclusion_data=true')).body, {
          ...body,
          inclusion_data: [],
        })
        assert.deepEqual((await show(id, '&include_inclusion_data=false')).body, body)
        refused(await show(id, '&include_inclusion_data=yes'), 'Include Inclusion Data - error')
      })

      test('refuses an invalid id', async () => {
        refused(await show(''), texts.idBlank)
        refused(await service.get('/content_blocks/info'), texts.idBlank)
        refused(await show(newId()), texts.idUnknown)
        refused(await show('%00'), texts.idUnknown)
      })
    })

    test('requests of existing clients are answered as the interface says', async () => {
      const expected: readonly (readonly [status: number, message: string])[] = [
        [201, 'success'],
        [400, texts.idUnknown], // a placeholder
        [200, 'success'],
        [400, texts.idUnknown], // "string"
      ]
      const sent = sentTo('/content_blocks/')
      assert.equal(sent.length, expected.length)
      for (const [i, [index, { method, path, body }]] of sent.entries()) {
        const answer = await service.send(method, path, body ?? undefined)
        assert.deepEqual([answer.status, answer.body.message], expected[i], `${index}: ${answer.text}`)
      }
    })
  })
}
