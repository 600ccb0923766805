import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, many, newId } from '../support/people.ts'

const path = '/preference_center/v1'
const centersMax = 50

const texts = {
  nameBlank: 'Preference Center name cannot be blank',
  nameBad: 'Preference Center name can only contain letters, digits, dashes and underscores',
  nameTooLong: 'Preference Center name must be at most 99 characters',
  nameTaken: 'Preference Center with this name already exists',
  nameFixed: 'Preference Center name cannot be updated for active Preference Centers',
  badState: 'Preference Center state must be either active or draft',
  idUnknown: 'Preference Center ID is invalid for this workspace',
}

const page = 'preference_center_page_html'
const icon = { rel: 'icon', href: 'https://files.example/icon.png' }
const tagged = (tag: unknown) => ({ options: { 'link-tags': [tag] } })
const tags = 'options.link-tags'

/** Bodies that are refused, each with its error text. */
const refusals: readonly [more: Item, text: string][] = [
  [{ name: ' ' }, texts.nameBlank],
  [{ name: 5 }, texts.nameBad],
  [{ name: 'two words' }, texts.nameBad],
  [{ name: 'a\n' }, texts.nameBad],
  [{ name: 'n'.repeat(100) }, texts.nameTooLong],
  [{ preference_center_title: '' }, "'preference_center_title' cannot be blank"],
  [{ preference_center_title: 5 }, "'preference_center_title' must be a string"],
  [{ preference_center_title: 't'.repeat(256) }, "'preference_center_title' must be at most 255 characters"],
  [{ [page]: ' ' }, `'${page}' cannot be blank`],
  [{ [page]: [] }, `'${page}' must be a string`],
  [{ [page]: `${'é'.repeat(51_200)}x` }, `'${page}' must be at most 102400 bytes`],
  [{ [page]: 'a\u0000' }, `'${page}' is not valid`],
  [{ [page]: '{% if %}' }, `'${page}' contains malformed liquid`],
  [{ confirmation_page_html: '{{ a' }, "'confirmation_page_html' contains malformed liquid"],
  [{ state: 'Active' }, texts.badState],
  [{ options: [] }, "'options' must be an object"],
  [{ options: { script: 'a' } }, "'options' can only have meta-viewport-content, link-tags"],
  [
    { options: { 'meta-viewport-content': 'a'.repeat(501) } },
    "'options.meta-viewport-content' must be at most 500 characters",
  ],
  [{ options: { 'link-tags': icon } }, `'${tags}' must be an array`],
  [{ options: { 'link-tags': many(11, () => icon) } }, `'${tags}' must have at most 10 items`],
  [tagged('a'), `'${tags}[0]' must be an object`],
  [tagged({ ...icon, onload: 'a' }), `'${tags}[0]' can only have rel, href, type, sizes`],
  [tagged({ ...icon, rel: 'stylesheet' }), `'${tags}[0].rel' must be one of icon, shortcut icon, apple-touch-icon`],
  [tagged({ rel: 'icon' }), `'${tags}[0].href' must be a string`],
  [tagged({ ...icon, href: 'javascript:alert(1)' }), `'${tags}[0].href' must be an https URL`],
  [tagged({ ...icon, sizes: 's'.repeat(501) }), `'${tags}[0].sizes' must be at most 500 characters`],
]

/** Values at a limit and just below it. */
const accepted: readonly Item[] = [
  { name: newId().padEnd(98, 'n') },
  { name: newId().padEnd(99, 'n') },
  { preference_center_title: 't'.repeat(254) },
  { preference_center_title: '😀'.repeat(255) },
  { [page]: 'x'.repeat(102_399) },
  { [page]: 'é'.repeat(51_200) },
  { options: { 'meta-viewport-content': 'a'.repeat(499) } },
  {
    options: {
      'meta-viewport-content': 'a'.repeat(500),
      'link-tags': many(10, () => ({ ...icon, sizes: 's'.repeat(500) })),
    },
  },
  { options: { 'link-tags': many(9, () => ({ ...icon, sizes: 's'.repeat(499) })) } },
  { state: null, options: null, extra: 1 },
]

for (const database of drawDatabases('preference-centers')) {
  describe(`preference centers (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
    })
    after(() => service[Symbol.asyncDispose]())

    const given = (more: Item = {}): Item => ({
      name: newId('center'),
      preference_center_title: 'Your mail',
      [page]: '<h1>Choose</h1>',
      confirmation_page_html: '<p>Saved</p>',
      ...more,
    })
    const create = (more: Item = {}, key?: string) => service.post(path, given(more), key ? { key } : {})
    const update = (id: string, body: unknown) => service.send('PUT', `${path}/${id}`, body)
    const show = async (id: string) => (await service.get(`${path}/${id}`)).body
    const made = async (more: Item = {}): Promise<string> => {
      const { status, body, text } = await create(more)
      assert.equal(status, 201, text)
      return body.preference_center_api_id
    }
    const refused = (answer: { status: number; body: { message: string } }, text: string) =>
      assert.deepEqual([answer.status, answer.body.message], [400, text])

    test('create returns an id and the tag for mails, and get returns what was given', async () => {
      const options = { 'meta-viewport-content': 'width=device-width', 'link-tags': [{ ...icon, type: 'image/png' }] }
      const body = given({ options, state: 'draft' })
      const answer = await service.post(path, body)
      assert.equal(answer.status, 201)
      assert.deepEqual(Object.keys(answer.body), ['preference_center_api_id', 'liquid_tag', 'created_at', 'message'])
      const { preference_center_api_id, liquid_tag, created_at } = answer.body
      assert.equal(liquid_tag, `{{preference_center.$\{${body.name}}}}`)
      assert.deepEqual(await show(preference_center_api_id), {
        name: body.name,
        preference_center_api_id,
        created_at,
        updated_at: created_at,
        preference_center_title: 'Your mail',
        [page]: '<h1>Choose</h1>',
        confirmation_page_html: '<p>Saved</p>',
        redirect_page_html: null,
        preference_center_options: options,
        state: 'draft',
        message: 'success',
      })
    })

    test('create and update refuse what is not valid, and accept every value at its limit', async () => {
      const id = await made({ state: 'draft' })
      const before = await show(id)
      for (const [more, text] of refusals) {
        refused(await create(more), text)
        refused(await update(id, more), text)
      }
      assert.deepEqual(await show(id), before)
      for (const field of Object.keys(given())) assert.equal((await create({ [field]: null })).status, 400, field)
      refused(await service.post(path, []), 'The request body must be an object')
      for (const more of accepted) await made(more)
    })

    test('an update keeps absent fields', async () => {
      const id = await made({ state: 'draft' })
      const before = await show(id)
      await service.advance('PT1S')
      const name = newId('renamed')
      const { status, body } = await update(id, { name, [page]: '<p>New</p>', state: 'active', options: null })
      assert.equal(status, 200)
      assert.equal(body.liquid_tag, `{{preference_center.$\{${name}}}}`)
      const { updated_at } = body
      assert.ok(updated_at > before.updated_at)
      assert.deepEqual(await show(id), { ...before, name, [page]: '<p>New</p>', state: 'active', updated_at })
    })

    test('names are unique, and an active preference center keeps its name', async () => {
      const name = newId('taken')
      const id = await made({ name })
      refused(await create({ name }), texts.nameTaken)
      refused(await update(id, { name: newId() }), texts.nameFixed)
      refused(await update(await made({ state: 'draft' }), { name }), texts.nameTaken)
      assert.equal((await update(id, { name, state: 'draft' })).status, 200)
      for (const unknown of ['unknown', '%00', newId()]) {
        if (unknown !== '%00') refused(await service.get(`${path}/${unknown}`), texts.idUnknown)
        assert.ok([400, 404].includes((await update(unknown, {})).status))
      }
    })

    test('writes are in the audit, without a row when nothing changes', async () => {
      const id = await made()
      const rows = async () => (await service.admin('GET', `/admin/audit?target=preference_center:${id}`)).body.audit
      await update(id, { preference_center_title: 'Other' })
      await update(id, { preference_center_title: 'Other' })
      const [changed, created, ...more] = await rows()
      assert.deepEqual(
        [created.action, changed.action, more],
        ['preference_center.create', 'preference_center.update', []],
      )
      assert.deepEqual(changed.after, { title: 'Other' })
    })

    test('a workspace has its own list of at most 50, oldest first', async () => {
      const id = newId()
      await service.admin('POST', '/admin/workspace', { id, name: id })
      const permissions = ['preference_center.list', 'preference_center.update']
      const { key } = (await service.admin('POST', `/admin/keys?workspace=${id}`, { name: 'Client', permissions })).body
        .key
      const names = many(centersMax, (i) => `c${i}`)
      for (const name of names) {
        await service.advance('PT1S')
        assert.equal((await create({ name }, key)).status, 201)
      }
      refused(await create({}, key), `There are at most ${centersMax} Preference Centers in a workspace`)
      const { status, body } = await service.get(`${path}/list`, { key })
      assert.equal(status, 200)
      assert.deepEqual(
        body.preference_centers.map(({ name }: Item) => name),
        names,
      )
      const [{ preference_center_api_id, ...first }] = body.preference_centers
      assert.deepEqual(Object.keys(first), ['name', 'created_at', 'updated_at'])
      refused(await service.get(`${path}/${preference_center_api_id}`), texts.idUnknown)
      assert.equal((await service.get(`${path}/${preference_center_api_id}`, { key })).status, 403)
    })
  })
}
