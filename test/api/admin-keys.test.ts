import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { testPostgres } from '../servers/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'

const tracked = { attributes: [{ external_id: 'somebody', plan: 'free' }] }

function asAdmin(service: Service, method: string, path: string, body?: unknown) {
  return service.send(method, path, body, { key: service.adminToken })
}

async function statusOf(service: Service, key: string): Promise<number> {
  return (await service.post('/users/track', tracked, { key })).status
}

for (const database of drawDatabases('admin-keys')) {
  describe(`/admin/keys (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database })
    })
    after(() => service[Symbol.asyncDispose]())

    test('a key is shown once, works at once, and is listed without its text', async () => {
      const { status, body } = await asAdmin(service, 'POST', '/admin/keys', {
        name: 'Loader',
        permissions: ['users.track'],
      })
      assert.equal(status, 201)
      const { id, key } = body.key
      assert.match(key, /^easel_key_.{32}$/)
      assert.equal(await statusOf(service, key), 201)
      const forbidden = await service.post('/users/export/ids', { external_ids: ['a'] }, { key })
      assert.equal(forbidden.status, 403)

      const list = (await service.admin('GET', '/admin/keys')).body
      assert.deepEqual(Object.keys(list), ['keys', 'message'])
      const listed = list.keys.find((each: { id: string }) => each.id === id)
      assert.deepEqual(listed, {
        id,
        name: 'Loader',
        permissions: ['users.track'],
        allowed_ips: [],
        strict: false,
        key_start: key.slice(0, 12),
        created_at: listed.created_at,
        last_used_at: null,
      })
      assert.deepEqual((await service.admin('GET', `/admin/keys/${id}`)).body.key, listed)
      assert.ok(!JSON.stringify(list).includes(key))
    })

    test('a deleted key is refused from the next request', async () => {
      const { body } = await service.admin('POST', '/admin/keys', { name: 'Leaver', permissions: ['*'] })
      assert.equal(await statusOf(service, body.key.key), 201)
      const { status, text } = await asAdmin(service, 'DELETE', `/admin/keys/${body.key.id}`)
      assert.deepEqual([status, text], [204, ''])
      assert.equal(await statusOf(service, body.key.key), 401)
      assert.equal((await asAdmin(service, 'DELETE', `/admin/keys/${body.key.id}`)).status, 404)
      assert.equal((await asAdmin(service, 'GET', `/admin/keys/${body.key.id}`)).status, 404)
    })

    test('a key can have a given text, which is never returned', async () => {
      const { body } = await service.admin('POST', '/admin/keys', {
        name: 'Ours',
        key: 'text-of-our-own',
        permissions: ['users.track'],
        allowed_ips: ['10.0.0.0/8'],
      })
      assert.equal(body.key.key, undefined)
      assert.equal(await statusOf(service, 'text-of-our-own'), 403)
      const again = await asAdmin(service, 'POST', '/admin/keys', {
        name: 'Copy',
        key: 'text-of-our-own',
        permissions: ['*'],
      })
      assert.equal(again.status, 409)
      assert.equal(again.body.message, 'api_keys: the id or the key of "Copy" is in use already')
    })

    test('a second key with the same name and a change of a key are refused', async () => {
      const { body } = await service.admin('POST', '/admin/keys', { name: 'Keeper', permissions: ['users.track'] })
      const twin = await asAdmin(service, 'POST', '/admin/keys', { name: 'Keeper', permissions: ['users.track'] })
      assert.deepEqual([twin.status, twin.body.message], [409, 'There is already one with this name'])
      assert.equal((await asAdmin(service, 'PATCH', `/admin/keys/${body.key.id}`, { name: 'Importer' })).status, 405)
      const edited = await asAdmin(service, 'POST', '/admin/apply', {
        api_keys: [{ name: 'Keeper', permissions: ['*'] }],
      })
      assert.equal(edited.status, 400)
      assert.match(
        edited.body.message,
        /^api_keys\[0\].permissions differs from key "Keeper", and a key cannot be changed/,
      )
    })

    test('an unknown permission or an invalid address is refused with its path', async () => {
      for (const [path, key] of [
        ['permissions[0]', { name: 'A', permissions: ['users.trak'] }],
        ['permissions', { name: 'A', permissions: [] }],
        ['permissions', { name: 'A' }],
        ['allowed_ips[0]', { name: 'A', permissions: ['*'], allowed_ips: ['10.0.0.0/99'] }],
        ['colour', { name: 'A', permissions: ['*'], colour: 'red' }],
      ] as const) {
        const { status, body } = await asAdmin(service, 'POST', '/admin/keys', key)
        assert.equal(status, 400)
        assert.equal(body.errors[0].path, path)
      }
      for (const body of [[], 'text', null, 3])
        assert.equal((await asAdmin(service, 'POST', '/admin/keys', body)).status, 400)
      const { body } = await asAdmin(service, 'POST', '/admin/keys', [])
      assert.match(body.message, /^the body must be /)
    })

    test('only the admin token gives access to /admin', async () => {
      for (const key of [null, service.apiKey, 'something', '']) {
        const { status, body } = await service.get('/admin/keys', { key })
        assert.equal(status, 401)
        assert.match(body.message, /^Invalid admin token/)
      }
      assert.equal(await statusOf(service, service.adminToken), 401)
    })

    test('a key gives access to its own workspace only', async () => {
      await using service = await startService({ database })
      await service.admin('POST', '/admin/workspace', { id: 'shop', name: 'Shop' })
      const { body } = await service.admin('POST', '/admin/keys?workspace=shop', { name: 'Loader', permissions: ['*'] })
      assert.equal(await statusOf(service, body.key.key), 201)
      const asked = { external_ids: ['somebody'], fields_to_export: ['external_id'] }
      assert.equal((await service.post('/users/export/ids', asked, { key: body.key.key })).body.users.length, 1)
      assert.equal((await service.post('/users/export/ids', asked)).body.users.length, 0)
      assert.equal((await service.admin('GET', '/admin/keys?workspace=shop')).body.keys.length, 1)
      assert.equal((await asAdmin(service, 'DELETE', `/admin/keys/${body.key.id}`)).status, 404)
      assert.equal((await asAdmin(service, 'GET', '/admin/keys?workspace=nowhere')).status, 404)
    })
  })
}

test('a key that one process deletes is soon refused by the others', async (t) => {
  const postgres = await testPostgres(t)
  if (!postgres) return
  const env = { DATABASE_URL: await postgres.createDatabase(`keys_${randomUUID()}`) }
  await using one = await startService({ env })
  await using other = await startService({ env })
  const { body } = await one.admin('POST', '/admin/keys', { name: 'Loader', permissions: ['*'] })
  await eventually('the key is accepted', async () => (await statusOf(other, body.key.key)) === 201)
  await one.admin('DELETE', `/admin/keys/${body.key.id}`)
  await eventually('the key is refused', async () => (await statusOf(other, body.key.key)) === 401)
})
