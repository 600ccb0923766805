import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'

const file = {
  settings: { time_zone: 'Europe/Paris', rate_limits: { export_ids: { per_minute: 2 } } },
  apps: [{ id: 'web-1', name: 'Web', platform: 'web' }],
  api_keys: [
    { name: 'Loader', key: 'loader-of-the-tests', permissions: ['users.track'] },
    { name: 'Reader', permissions: ['users.export.ids'] },
  ],
  subscription_groups: [{ id: 'news-1', name: 'News', channel: 'email' }],
}

function asAdmin(service: Service, method: string, path: string, body?: unknown) {
  return service.send(method, path, body, { key: service.adminToken })
}

/** Starts the service with EASEL_WORKSPACE naming a file with this text. */
async function startedWith(database: Database, text: string, name = 'shop.yaml'): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'easel-file-'))
  const path = join(folder, name)
  writeFileSync(path, text)
  return startService({ database, env: { EASEL_WORKSPACE: path } }).finally(() => rmSync(folder, { recursive: true }))
}

for (const database of drawDatabases('workspace-file')) {
  describe(`the workspace file (${database})`, () => {
    test('a file that is named at start is applied before the first answer', async () => {
      await using service = await startedWith(
        database,
        'settings: {export_all_fields: true}\napi_keys: [{name: Loader, key: loader-of-the-tests, permissions: [users.track]}]\n',
      )
      const { status } = await service.post(
        '/users/track',
        { attributes: [{ external_id: 'a' }] },
        { key: 'loader-of-the-tests' },
      )
      assert.equal(status, 201)
      assert.equal((await service.admin('GET', '/admin/settings')).body.settings.export_all_fields, true)
    })

    test('a file with an error stops the start with file, line, column and path', async () => {
      await assert.rejects(
        startedWith(database, 'apps:\n  - {name: Web, platform: fax}\n'),
        /shop.yaml:2:17: apps\[0\].platform must be android, ios, .* or other, not "fax"$/,
      )
    })

    test('a key without a text in a file at start gets one, which is printed', async () => {
      await using service = await startedWith(database, JSON.stringify(file), 'shop.json')
      assert.deepEqual(
        service.app.made.map(({ name }) => name),
        ['Key "Reader"', 'First account'],
      )
    })

    test('a file is planned and applied, and applied again without a change', async () => {
      await using service = await startService({ database })
      const planned = await service.admin('POST', '/admin/apply?plan=true', file)
      assert.equal(planned.status, 200)
      assert.equal(planned.body.changes.length, 6)
      assert.deepEqual((await service.admin('GET', '/admin/apps')).body, { apps: [], message: 'success' })

      const { body } = await service.admin('POST', '/admin/apply', file)
      assert.deepEqual(body.workspace, { id: 'default', name: 'Default' })
      assert.deepEqual(
        body.changes.map((change: { member: string }) => change.member),
        ['settings', 'settings', 'apps', 'api_keys', 'api_keys', 'subscription_groups'],
      )
      assert.deepEqual(
        body.secrets.map(({ name }: { name: string }) => name),
        ['Reader'],
      )
      assert.ok(!JSON.stringify(body).includes('loader-of-the-tests'))

      const again = await service.admin('POST', '/admin/apply', file)
      assert.deepEqual([again.body.changes, again.body.secrets], [[], []])
    })

    test('settings of a file hold from the next request', async () => {
      await using service = await startService({ database })
      await service.admin('POST', '/admin/apply', file)
      const asked = { external_ids: ['a'], fields_to_export: ['external_id'] }
      assert.equal((await service.post('/users/export/ids', asked)).headers['x-ratelimit-limit'], '2')
      const subscription_groups = [{ subscription_group_id: 'news-1', subscription_state: 'subscribed' }]
      const { body } = await service.post('/users/track', { attributes: [{ external_id: 'a', subscription_groups }] })
      assert.deepEqual(body, { attributes_processed: 1, message: 'success' })
    })

    test('all errors of a body are returned, and nothing is applied', async () => {
      await using service = await startService({ database })
      const { status, body } = await asAdmin(service, 'POST', '/admin/apply', {
        settings: { time_zone: 'UTC', tiem_zone: 'UTC' },
        apps: [
          { name: 'Web', platform: 'web' },
          { name: 'Web', platform: 'fax' },
        ],
        audiences: [],
      })
      assert.equal(status, 400)
      assert.deepEqual(
        body.errors.map(({ path }: { path: string }) => path),
        ['audiences', 'settings.tiem_zone', 'apps[1].platform'],
      )
      assert.match(
        body.message,
        /^audiences is not known here; known are workspace, settings, apps, .* \(and 2 more\)$/,
      )
      assert.equal((await service.admin('GET', '/admin/apps')).body.apps.length, 0)
      assert.equal(
        (await asAdmin(service, 'POST', '/admin/apply?plan=maybe', file)).body.message,
        "'plan' must be true or false",
      )
      for (const wrong of [undefined, [], 'text', 3, null]) {
        assert.equal((await asAdmin(service, 'POST', '/admin/apply', wrong)).status, 400, String(wrong))
      }
    })

    test('apps and groups are created, read, changed and archived by their own routes', async () => {
      await using service = await startService({ database })
      const app = (await service.admin('POST', '/admin/apps', { name: 'Web', platform: 'web' })).body.app
      assert.deepEqual((await service.admin('GET', '/admin/apps')).body.apps, [app])
      const changed = await service.admin('PATCH', `/admin/apps/${app.id}`, { name: 'Shop' })
      assert.deepEqual(changed.body, { app: { ...app, name: 'Shop' }, message: 'success' })
      assert.equal((await asAdmin(service, 'PATCH', `/admin/apps/${app.id}`, { id: 'other' })).status, 400)
      assert.equal((await asAdmin(service, 'PATCH', `/admin/apps/${app.id}`, [])).status, 400)
      assert.equal((await asAdmin(service, 'PATCH', '/admin/apps/nothing', { name: 'A' })).status, 404)
      assert.equal(
        (await asAdmin(service, 'POST', '/admin/apps', { id: app.id, name: 'Third', platform: 'ios' })).status,
        409,
      )
      assert.equal((await asAdmin(service, 'DELETE', `/admin/apps/${app.id}`)).status, 204)
      assert.equal((await asAdmin(service, 'GET', `/admin/apps/${app.id}`)).status, 404)

      const path = '/admin/subscription_groups'
      const group = (await service.admin('POST', path, { name: 'News', channel: 'email' })).body.subscription_group
      assert.equal((await asAdmin(service, 'PATCH', `${path}/${group.id}`, { channel: 'sms' })).status, 400)
      assert.equal((await asAdmin(service, 'DELETE', `${path}/${group.id}`)).status, 204)
      assert.deepEqual((await service.admin('GET', path)).body.subscription_groups, [{ ...group, archived: true }])
      const back = await service.admin('PATCH', `${path}/${group.id}`, { archived: false })
      assert.deepEqual(back.body.subscription_group, group)
    })

    test('settings are read with their defaults, set and reset', async () => {
      await using service = await startService({ database })
      const { settings, set } = (await service.admin('GET', '/admin/settings')).body
      assert.deepEqual([settings.time_zone, settings.event_retention, set], ['UTC', 'P2Y', {}])
      const changed = await service.admin('PATCH', '/admin/settings', {
        time_zone: 'Asia/Tokyo',
        bcc: ['a@example.com'],
      })
      assert.deepEqual(changed.body.set, { time_zone: 'Asia/Tokyo', bcc: ['a@example.com'] })
      assert.deepEqual((await service.admin('PATCH', '/admin/settings', { bcc: null })).body.set, {
        time_zone: 'Asia/Tokyo',
      })
      assert.equal((await service.admin('DELETE', '/admin/settings/time_zone')).body.settings.time_zone, 'UTC')
      assert.equal((await asAdmin(service, 'DELETE', '/admin/settings/tiem_zone')).status, 400)
    })

    test('workspaces are created and renamed, and each has its own configuration', async () => {
      await using service = await startService({ database })
      const made = await service.admin('POST', '/admin/workspace', { id: 'shop', name: 'Shop' })
      assert.deepEqual([made.status, made.body.workspace], [201, { id: 'shop', name: 'Shop' }])
      assert.equal((await asAdmin(service, 'POST', '/admin/workspace', { id: 'shop' })).status, 409)
      await service.admin('PATCH', '/admin/workspace?workspace=shop', { name: 'Second shop' })
      await service.admin('PATCH', '/admin/workspace', { name: 'Main' })
      await service.admin('POST', '/admin/apps?workspace=shop', { name: 'Web', platform: 'web' })
      assert.deepEqual((await service.admin('GET', '/admin/workspace')).body.workspaces, [
        { id: 'default', name: 'Main' },
        { id: 'shop', name: 'Second shop' },
      ])
      assert.equal((await service.admin('GET', '/admin/apps')).body.apps.length, 0)
      assert.equal((await service.admin('GET', '/admin/apps?workspace=shop')).body.apps.length, 1)
      assert.equal((await asAdmin(service, 'GET', '/admin/apps?workspace=a&workspace=b')).status, 400)
      assert.equal(
        (await asAdmin(service, 'POST', '/admin/apps?workspace=nowhere', { name: 'W', platform: 'web' })).status,
        404,
      )
    })
  })
}
