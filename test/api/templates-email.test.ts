import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { changedTemplate, limitMessage } from '../../src/content/templates/template-fields.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, many, newId } from '../support/people.ts'
import { sentTo } from '../support/wire-requests.ts'

const templatesMax = 1000
const allBytesMax = 67_108_864

const texts = {
  nameRequired: 'Template name is required',
  tagsNotArray: 'Tags must be an array',
  tagsNotStrings: 'All tags must be strings',
  tagsUnknown: 'Some tags could not be found',
  unknownBlocks: 'Email must have valid Content Block names',
  badInline: 'Invalid value for `should_inline_css`. One of `true` or `false` was expected',
  idBlank: 'Email Template ID cannot be blank',
  idUnknown: 'Email Template ID is invalid for this workspace',
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const tooLarge = 'x'.repeat(1_048_577)

/** Values that a new template and a change both refuse. */
const refusedAlways: readonly [more: Item, text: string][] = [
  [{ template_name: '' }, texts.nameRequired],
  [{ template_name: ' ' }, texts.nameRequired],
  [{ template_name: 5 }, "'template_name' is not valid"],
  [{ template_name: 'a\nb' }, "'template_name' is not valid"],
  [{ template_name: 'a\u0000' }, "'template_name' is not valid"],
  [{ template_name: 'n'.repeat(256) }, "'template_name' must be at most 255 characters"],
  [{ subject: '' }, "'subject' is required"],
  [{ subject: ['a'] }, "'subject' must be a string"],
  [{ subject: 'a\ud800' }, "'subject' is not valid"],
  [{ subject: 's'.repeat(1001) }, "'subject' must be at most 1000 characters"],
  [{ body: '' }, "'body' is required"],
  [{ body: { a: 1 } }, "'body' must be a string"],
  [{ body: 'a\u0000' }, "'body' is not valid"],
  [{ body: tooLarge }, "'body' must be at most 1048576 bytes"],
  [{ plaintext_body: 5 }, "'plaintext_body' must be a string"],
  [{ plaintext_body: tooLarge }, "'plaintext_body' must be at most 1048576 bytes"],
  [{ preheader: true }, "'preheader' must be a string"],
  [{ preheader: 'p'.repeat(1001) }, "'preheader' must be at most 1000 characters"],
  [{ tags: 'a' }, texts.tagsNotArray],
  [{ tags: ['a', 5] }, texts.tagsNotStrings],
  [{ tags: [''] }, texts.tagsUnknown],
  [{ should_inline_css: 'true' }, texts.badInline],
  [{ should_inline_css: 1 }, texts.badInline],
  [{ subject: '{% if %}' }, "'subject' contains malformed liquid"],
  [{ preheader: '{{ a' }, "'preheader' contains malformed liquid"],
  [{ body: '<p>{% for a in b %}</p>' }, "'body' contains malformed liquid"],
  [{ plaintext_body: '{{ a' }, "'plaintext_body' contains malformed liquid"],
  [{ body: '{{content_blocks.${nobody}}}' }, texts.unknownBlocks],
  [{ subject: '{{content_blocks.${nobody}}}' }, texts.unknownBlocks],
]

test('bodies of 64 MiB together are accepted, and not one byte more', () => {
  const one = changedTemplate(undefined, 'a', {
    ...{ name: 'a', subject: 'a', body: 'é', plaintext_body: 'x' },
    ...{ preheader: undefined, tags: undefined, should_inline_css: undefined },
  })
  const beside = (bodyBytes: number) => limitMessage({ count: 1, bodyBytes }, one)
  for (const bytes of [allBytesMax - 1, allBytesMax]) assert.equal(beside(bytes - 3), undefined)
  assert.equal(beside(allBytesMax - 2), 'Email templates of a workspace have at most 67108864 bytes together')
})

for (const database of drawDatabases('templates-email')) {
  describe(`e-mail templates (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
    })
    after(() => service[Symbol.asyncDispose]())

    const create = (more: Item = {}) =>
      service.post('/templates/email/create', { template_name: newId(), subject: 'Hi', body: '<p>Hi</p>', ...more })
    const update = (body: unknown) => service.post('/templates/email/update', body)
    const show = (id: string) => service.get(`/templates/email/info?email_template_id=${id}`)

    const made = async (more: Item = {}): Promise<string> => {
      const { status, body, text } = await create(more)
      assert.equal(status, 201, text)
      return body.email_template_id
    }

    const refused = (answer: { status: number; body: { message: string } }, text: string) =>
      assert.deepEqual([answer.status, answer.body.message], [400, text])

    test('a template is created, read, changed where a member is given, and read again', async () => {
      const template_name = newId('Template')
      const { status, body } = await create({ template_name })
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body), ['email_template_id', 'message'])
      const id = body.email_template_id
      const shown = await show(id)
      assert.equal(shown.status, 200)
      const { created_at, updated_at, ...rest } = shown.body
      assert.match(created_at, iso)
      assert.equal(updated_at, created_at)
      assert.deepEqual(rest, {
        email_template_id: id,
        template_name,
        description: '',
        subject: 'Hi',
        preheader: null,
        body: '<p>Hi</p>',
        plaintext_body: null,
        should_inline_css: null,
        tags: [],
        message: 'success',
      })
      await service.advance('PT1S')
      const more = { subject: 'Hi {{${first_name}}}', preheader: 'P', should_inline_css: false, tags: ['a'] }
      const updated = await update({ email_template_id: id, ...more, body: null })
      assert.deepEqual([updated.status, updated.body], [200, { email_template_id: id, message: 'success' }])
      const again = (await show(id)).body
      assert.ok(again.updated_at > created_at)
      assert.deepEqual(again, { ...shown.body, ...more, updated_at: again.updated_at })
      await update({ email_template_id: id, preheader: '', plaintext_body: 'Hi', should_inline_css: true })
      const { preheader, plaintext_body, should_inline_css } = (await show(id)).body
      assert.deepEqual([preheader, plaintext_body, should_inline_css], ['', 'Hi', true])
    })

    test('all members are accepted at their limits, and several templates can have one name', async () => {
      const template_name = 'n'.repeat(255)
      await made({ template_name })
      await made({ template_name })
      await made({ subject: '😀'.repeat(1000), preheader: 'p'.repeat(1000) })
      await made({ body: 'x'.repeat(1_048_576), plaintext_body: 'x'.repeat(1_048_576) })
    })

    test('an invalid template is refused with the texts of the interface', async () => {
      const id = await made()
      const before = (await show(id)).body
      for (const [more, text] of refusedAlways) {
        refused(await create(more), text)
        refused(await update({ email_template_id: id, ...more }), text)
      }
      assert.deepEqual((await show(id)).body, before)
      for (const body of [[], '"text"', 5, null]) {
        refused(await service.post('/templates/email/create', body), 'The request body must be an object')
        refused(await update(body), 'The request body must be an object')
      }
      refused(await service.post('/templates/email/create', {}), texts.nameRequired)
      refused(await service.post('/templates/email/create', { template_name: 'a' }), "'subject' is required")
      refused(await service.post('/templates/email/create', { template_name: 'a', subject: 'a' }), "'body' is required")
    })

    test('the line and column of a syntax error are returned', async () => {
      const { body } = await create({ body: '<p>\n\n  {{ a | }}{% endif %}' })
      const [{ field, line, message }] = body.details
      assert.deepEqual([body.details.length, field, line, typeof message], [1, 'body', 3, 'string'])
    })

    test('content blocks that a template includes must exist', async () => {
      const name = newId('block')
      const body = `{{content_blocks.$\{${name}}}} and {{content_blocks.$\{${name}_b}}}`
      const refusal = await create({ body })
      refused(refusal, texts.unknownBlocks)
      assert.deepEqual(refusal.body.details, [
        { message: `There is no Content Block "${name}"` },
        { message: `There is no Content Block "${name}_b"` },
      ])
      for (const each of [name, `${name}_b`]) {
        await service.post('/content_blocks/create', { name: each, content: 'a', state: 'draft' })
      }
      await made({ body })
    })

    test('an invalid id is refused', async () => {
      for (const body of [{}, { email_template_id: null }, { email_template_id: '' }]) {
        refused(await update(body), texts.idBlank)
      }
      for (const bad of [newId(), 5, ['a'], 'a\u0000', '\ud800']) {
        refused(await update({ email_template_id: bad }), texts.idUnknown)
      }
      refused(await show(''), texts.idBlank)
      refused(await show(newId()), texts.idUnknown)
      refused(await show('%00'), texts.idUnknown)
    })

    describe('list', () => {
      test('lists templates page by page, oldest first, by the time of their last change', async () => {
        const id = newId()
        await service.admin('POST', '/admin/workspace', { id, name: id })
        const permissions = ['templates.email.list', 'templates.email.create', 'templates.email.update']
        const { body } = await service.admin('POST', `/admin/keys?workspace=${id}`, { name: 'Client', permissions })
        const { key } = body.key
        const send = async (path: string, more: Item) => {
          await service.advance('PT1S')
          return (await service.post(`/templates/email/${path}`, more, { key })).body.email_template_id
        }
        const names = ['a', 'b', 'c']
        const ids: string[] = []
        for (const template_name of names) {
          ids.push(await send('create', { template_name, subject: 'a', body: 'a', tags: ['t'] }))
        }
        const list = (query: string) => service.get(`/templates/email/list?${query}`, { key })
        const listed = async (query: string): Promise<string[]> =>
          (await list(query)).body.templates.map((each: { template_name: string }) => each.template_name)
        const all = (await list('')).body
        assert.deepEqual([all.count, Object.keys(all)], [3, ['count', 'templates', 'message']])
        const [first] = all.templates
        assert.deepEqual(Object.keys(first), ['email_template_id', 'template_name', 'created_at', 'updated_at', 'tags'])
        assert.deepEqual([first.email_template_id, first.tags], [ids[0], ['t']])
        assert.deepEqual(await listed(''), names)
        assert.deepEqual(await listed('limit=1&offset=0'), ['a'])
        assert.deepEqual(await listed('limit=5&offset=2'), ['c'])
        await send('update', { email_template_id: ids[0], subject: 'b' })
        const { updated_at } = (await list('')).body.templates[0]
        assert.deepEqual(await listed(`modified_after=${updated_at}`), ['a'])
        assert.deepEqual(await listed(`modified_before=${all.templates[1].updated_at}`), ['b'])
        assert.deepEqual(await listed('modified_before=2020-02-01T01:01:01.000000'), [])
      })

      test('refuses an invalid time, limit or offset', async () => {
        const refusals: readonly [query: string, text: string][] = [
          ['modified_after=soon', 'Modified after time is invalid'],
          ['modified_before=soon', 'Modified before time is invalid'],
          ['limit=a', 'Email Template number limit is invalid'],
          ['limit=0', 'Email Template number limit must be greater than 0'],
          ['limit=1001', 'Email Template number limit exceeds maximum of 1000'],
          ['offset=-1', 'Offset must be greater than 0'],
        ]
        for (const [query, text] of refusals) refused(await service.get(`/templates/email/list?${query}`), text)
      })
    })

    describe('in the workspace file', () => {
      const asAdmin = (body: unknown, path = '/admin/apply') =>
        service.send('POST', path, body, { key: service.adminToken })

      test('a template is created and changed, and the same file again changes nothing', async () => {
        const entry = { id: newId(), name: newId('file'), subject: 'Hi', body: '<p>{{${first_name}}}</p>', tags: ['a'] }
        const { changes } = (await asAdmin({ email_templates: [entry] })).body
        assert.deepEqual(changes[0].after, { ...entry, description: '' })
        assert.deepEqual((await asAdmin({ email_templates: [entry] })).body.changes, [])
        const changed = { name: entry.name, subject: 'Bye', body: 'Bye', preheader: 'P', should_inline_css: true }
        await asAdmin({ email_templates: [changed] })
        const { body } = await service.admin('GET', `/admin/email_templates/${entry.id}`)
        assert.deepEqual(body.email_template, { id: entry.id, tags: ['a'], description: '', ...changed })
        assert.equal((await show(entry.id)).body.subject, 'Bye')
      })

      test('errors are returned with their path', async () => {
        const { status, body } = await asAdmin({ email_templates: [{ name: 'a', subject: '{{ a', body: 'a' }] })
        assert.equal(status, 400)
        assert.match(body.message, /^email_templates\[0\]\.subject contains malformed liquid at line 1, column 1: /)
      })

      test('1000 templates are accepted, not 1001', async () => {
        const id = newId()
        await service.admin('POST', '/admin/workspace', { id, name: id })
        const permissions = ['templates.email.create']
        const made = await service.admin('POST', `/admin/keys?workspace=${id}`, { name: 'Client', permissions })
        const { key } = made.body.key
        const email_templates = many(templatesMax - 1, (i) => ({ name: `t${i}`, subject: 'a', body: 'a' }))
        await service.admin('POST', `/admin/apply?workspace=${id}`, { email_templates })
        const one = () =>
          service.post('/templates/email/create', { template_name: 'a', subject: 'a', body: 'a' }, { key })
        assert.equal((await one()).status, 201)
        refused(await one(), 'There are at most 1000 email templates in a workspace')
      })
    })

    test('requests of existing clients are answered as the interface says', async () => {
      const expected: readonly (readonly [status: number, message: string])[] = [
        [201, 'success'],
        [201, 'success'],
        [400, texts.idUnknown], // a placeholder
        [400, texts.idBlank],
        [200, 'success'],
        [200, 'success'],
        [400, texts.idUnknown], // "string"
        [400, texts.idUnknown], // "template_123"
      ]
      const sent = sentTo('/templates/email/')
      assert.equal(sent.length, expected.length)
      for (const [i, [index, { method, path, body }]] of sent.entries()) {
        const answer = await service.send(method, path, body ?? undefined)
        assert.deepEqual([answer.status, answer.body.message], expected[i], `${index}: ${answer.text}`)
      }
    })
  })
}
