import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { configSections } from '../../src/config-sections.ts'
import { SettingsShape } from '../../src/workspace/settings/settings.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { password, settings, token, wholeWorkspace } from '../support/whole-workspace.ts'

type JsonObject = Record<string, unknown>

async function fileOf(service: Service, query = ''): Promise<string> {
  return (await service.admin('GET', `/admin/file${query}`)).body.file
}

/** Makes everything of the file with single requests, as the dashboard does. */
async function makeSingly(service: Service, file: JsonObject): Promise<void> {
  await service.admin('PATCH', '/admin/workspace', { name: (file.workspace as { name: string }).name })
  for (const section of configSections.filter(({ name }) => name !== 'segments')) {
    // What names a segment comes after it.
    if (section.name === 'content_blocks')
      await makeEntries(service, 'segments', (file.segments as JsonObject[]).toReversed())
    await makeEntries(service, section.path, file[section.name] as JsonObject[])
  }
  await service.admin('PATCH', '/admin/settings', file.settings)
}

async function makeEntries(service: Service, path: string, entries: readonly JsonObject[]): Promise<void> {
  for (const entry of entries) {
    // Nothing can be made in these states; a person makes it and changes it.
    const isMade = entry.state !== 'archived' && entry.archived !== true
    const { state, archived, ...rest } = entry
    const made = isMade ? entry : rest
    await service.admin('POST', `/admin/${path}`, made)
    if (!isMade)
      await service.admin('PATCH', `/admin/${path}/${entry.id}`, {
        ...(state !== undefined && { state }),
        ...(archived !== undefined && { archived }),
      })
  }
}

/** Puts the secrets in that a file of another installation needs. */
function withSecrets(file: JsonObject): JsonObject {
  const [canvas] = file.canvases as [{ steps: JsonObject[] }]
  const steps = canvas.steps.map((step) =>
    step.id === 'hook' ? { ...step, headers: { Authorization: token, 'X-A': 'b' } } : step,
  )
  const [credential] = file.credentials as [JsonObject]
  return { ...file, credentials: [{ ...credential, password }], canvases: [{ ...canvas, steps }] }
}

for (const database of drawDatabases('admin-file')) {
  describe(`GET /admin/file (${database})`, () => {
    test('what the dashboard wrote is the same after its file was applied to a fresh installation', async () => {
      await using first = await startService({ database })
      await makeSingly(first, wholeWorkspace)
      const text = await fileOf(first)
      await using second = await startService({ database })
      const given = withSecrets(parse(text))
      const { body } = await second.admin('POST', '/admin/apply', given)
      assert.deepEqual(
        new Set(body.changes.map(({ member }: { member: string }) => member)),
        new Set(['workspace', 'settings', ...configSections.map(({ name }) => name)]),
      )
      assert.equal(await fileOf(second), text)
      assert.deepEqual((await second.admin('POST', '/admin/apply?plan=true', parse(text))).body.changes, [])
      assert.deepEqual((await first.admin('POST', '/admin/apply', parse(text))).body.changes, [])
      for (const { path, name } of configSections.filter(
        (section) => !['api_keys', 'dkim_keys'].includes(section.name),
      )) {
        const of = async (service: Service) => (await service.admin('GET', `/admin/${path}`)).body[path]
        const byId = (entries: { id: string }[]) => entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        assert.deepEqual(byId(await of(second)), byId(await of(first)), name)
      }
    })

    test('the file has everything but secrets, which it says', async () => {
      await using service = await startService({ database })
      await service.admin('POST', '/admin/apply', wholeWorkspace)
      const { body, text } = await service.admin('GET', '/admin/file?format=json')
      assert.deepEqual(Object.keys(body.file), Object.keys(wholeWorkspace))
      assert.deepEqual(body.file.settings, settings)
      assert.deepEqual(Object.keys(settings).toSorted(), Object.keys(SettingsShape.properties).toSorted())
      assert.deepEqual(body.file, parse(await fileOf(service)))
      for (const secret of [password, token, 'PRIVATE KEY']) assert.ok(!text.includes(secret), secret)
      assert.deepEqual(
        body.omitted.map(({ path, member }: { path: string; member: string }) => `${path} ${member}`),
        [
          'api_keys[0] key',
          'credentials[0] password',
          'dkim_keys[0] private_key',
          'webhooks[0] secret',
          'canvases[0].steps[4].headers Authorization',
        ],
      )
      assert.match(await fileOf(service), /^ {4}# password: is not in this file; add it/m)
      const parts = (await service.admin('GET', '/admin/file?format=json&sections=apps,teams')).body.file
      assert.deepEqual(Object.keys(parts), ['workspace', 'apps', 'teams'])
      for (const query of ['?format=xml', '?sections=nothing', '?sections=']) {
        const { status } = await service.send('GET', `/admin/file${query}`, undefined, { key: service.adminToken })
        assert.equal(status, 400, query)
      }
    })

    test('a mistake in an entry without its secret says which', async () => {
      await using first = await startService({ database })
      await first.admin('POST', '/admin/apply', wholeWorkspace)
      await using second = await startService({ database })
      const { file } = (await first.admin('GET', '/admin/file?format=json')).body
      const { status, body } = await second.send('POST', '/admin/apply', file, { key: second.adminToken })
      assert.equal(status, 400)
      const paths = body.errors.map(({ path }: { path: string }) => path)
      assert.deepEqual(paths, ['credentials[0].password', 'canvases[0].steps[4].headers.Authorization'])
    })

    test('the tag is that of the content, and a plan that is no longer true is not applied', async () => {
      await using service = await startService({ database })
      const asked = (path: string, body: unknown, headers = {}) =>
        service.send('POST', path, body, { key: service.adminToken, headers })
      const { tag } = { tag: (await service.admin('GET', '/admin/file')).headers.etag! }
      const same = await service.send('GET', '/admin/file', undefined, {
        key: service.adminToken,
        headers: { 'If-None-Match': tag },
      })
      assert.equal(same.status, 304)
      const file = { apps: [{ name: 'Web', platform: 'web' }], settings: { time_zone: 'Europe/Paris' } }
      const planned = await asked('/admin/apply?plan=true', file)
      const again = await asked('/admin/apply?plan=true', file)
      assert.equal(planned.headers.etag, again.headers.etag)
      await service.admin('PATCH', '/admin/settings', { time_zone: 'Asia/Tokyo' })
      const refused = await asked('/admin/apply', file, { 'If-Match': planned.headers.etag })
      assert.equal(refused.status, 412)
      assert.match(refused.body.message, /^The workspace has changed since the plan was made/)
      assert.deepEqual((await service.admin('GET', '/admin/apps')).body.apps, [])
      const now = await asked('/admin/apply?plan=true', file)
      assert.deepEqual(now.body.changes[0].before, 'Asia/Tokyo')
      assert.equal((await asked('/admin/apply', file, { 'If-Match': now.headers.etag })).status, 200)
    })

    test('a workspace that is larger than a file is read in parts', async () => {
      await using service = await startService({ database })
      const body = 'a'.repeat(1_000_000)
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await service.admin('POST', '/admin/email_templates', { name, subject: 's', body })
      }
      const { status, body: refused } = await service.send('GET', '/admin/file', undefined, { key: service.adminToken })
      assert.equal(status, 409)
      assert.match(refused.message, /a file may have 4194304: read it in parts, such as \?sections=settings,segments$/)
      assert.equal((await service.admin('GET', '/admin/file?sections=settings,apps')).status, 200)
    })
  })
}
