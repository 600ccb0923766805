import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { drawDatabases, requestOrigin } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { assertRefused, file, patchOf, provisioningOf, sampleUser, userSchema, users } from '../support/scim-service.ts'

const editor = { value: 'Editor', display: 'Editor', primary: true }
const plain = (name: string) => ({ value: name, display: name })
const roleNames = (body: Item): string[] =>
  (body.permissions as { roles: { roleName: string }[] }).roles.map(({ roleName }) => roleName).sort()

for (const database of drawDatabases('scim-roles')) {
  describe(`roles of providers (${database})`, () => {
    const scim = provisioningOf(database)
    const patched = async (path: string, ...operations: readonly Item[]): Promise<Item> =>
      (await scim.done('PATCH', path, patchOf(operations))).body
    before(async () => {
      const roles = [...file.roles, { id: 'reviewer', name: 'Reviewer', permissions: [] }]
      await scim.service.admin('POST', '/admin/apply', { ...file, roles })
      const shop = {
        workspace: { id: 'shop', name: 'Shop' },
        roles: [{ id: 'r2', name: 'Editor', permissions: ['admin'] }],
      }
      await scim.service.admin('POST', '/admin/apply', shop)
    })

    test('a role is given by its name or its id, and answered by its name', async () => {
      const { path, body } = await scim.make({ roles: [{ value: 'Editor' }] })
      assert.deepEqual([body.roles, roleNames(body)], [[editor], ['Editor']])
      assert.equal((await scim.make({ roles: [{ value: 'editor' }] })).body.roles[0].value, 'Editor')
      assert.equal((await scim.make()).body.roles, undefined)
      const both = await patched(path, { op: 'Add', path: 'roles', value: [{ value: 'reviewer' }] })
      assert.deepEqual(both.roles, [plain('Editor'), plain('Reviewer')])
      assert.deepEqual(roleNames(both), ['Editor', 'Reviewer'])
      const one = await patched(path, { op: 'Remove', path: 'roles', value: [{ value: 'editor', display: 'x' }] })
      assert.deepEqual([roleNames(one), (await scim.get(path)).body.roles.length], [['Reviewer'], 1])
      const other = await patched(path, { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Editor' })
      assert.deepEqual([other.roles, roleNames(other)], [[editor], ['Editor']])
      assert.deepEqual(roleNames(await patched(path, { op: 'Remove', path: 'roles[value eq "editor"]' })), [])
      assert.deepEqual(roleNames(await patched(path, { op: 'add', value: { roles: ['Editor', 'Reviewer'] } })), [
        'Editor',
        'Reviewer',
      ])
      assert.deepEqual(roleNames(await patched(path, { op: 'Remove', path: 'roles' })), [])
    })

    test('a role may be JSON text with its name or its id', async () => {
      const json = (given: unknown) => ({ value: JSON.stringify(given) })
      const id = '06b07648-ecfe-589f-9d2f-6325724a46ee'
      for (const given of [
        { id, value: 'Editor', displayName: 'Reviewer' },
        { id, value: 'unknown', displayName: 'Editor' },
        { id, displayName: 'editor' },
        { id: 'editor' },
        { value: 7, displayName: null, id: 'Editor' },
      ]) {
        assert.deepEqual((await scim.make({ roles: [{ ...json(given), primary: 'True' }] })).body.roles, [editor])
      }
      const { path, body } = await scim.make()
      const value = json({ id, displayName: 'Reviewer' })
      const primary = { op: 'Replace', path: 'roles[primary eq "True"].value' }
      assert.deepEqual(roleNames(await patched(path, { ...primary, ...value })), ['Reviewer'])
      assert.deepEqual(
        roleNames(await patched(path, { op: 'Add', path: 'roles', value: [json({ value: 'Editor' })] })),
        ['Editor', 'Reviewer'],
      )
      assert.deepEqual(roleNames(await patched(path, { op: 'Remove', path: 'roles', value: [value] })), ['Editor'])
      const put = { ...body, roles: [value] }
      assert.deepEqual(roleNames((await scim.done('PUT', path, put)).body), ['Reviewer'])
      for (const text of [
        '{',
        '{}',
        '{"value":"Owner"}',
        '{"value":{"value":"Editor"}}',
        '["Editor"]',
        '{"value":"{}"}',
      ]) {
        assertRefused(await scim.send('POST', users, sampleUser({ roles: [{ value: text }] })), 400, 'invalidValue')
        assertRefused(await scim.patch(path, [{ ...primary, value: text }]), 400, 'invalidValue', /declared here$/)
      }
      assert.deepEqual(roleNames((await scim.get(path)).body), ['Reviewer'])
    })

    test('a role that is not declared is refused, and never answered as if it were given', async () => {
      assertRefused(await scim.send('POST', users, sampleUser({ roles: [{ value: 'Owner' }] })), 400, 'invalidValue')
      const { path } = await scim.make()
      for (const operation of [
        { op: 'add', path: 'roles', value: [{ value: 'Owner' }] },
        { op: 'Add', path: 'roles', value: [{ value: 'Editor' }, { value: 'Owner' }] },
        { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Owner' },
        { op: 'replace', value: { roles: ['Owner'] } },
      ]) {
        assertRefused(await scim.patch(path, [operation]), 400, 'invalidValue', /^roles.* declared here$/)
      }
      const put = sampleUser({ permissions: {}, roles: [{ value: 'Owner' }] })
      assertRefused(await scim.send('PUT', path, put), 400, 'invalidValue')
      assert.deepEqual(roleNames((await scim.get(path)).body), [])
    })

    test('a name that two workspaces have is that of the default one; the other has its workspace in its name', async () => {
      const { path, body } = await scim.make({ permissions: { roles: [{ roleName: 'Editor' }] } })
      assert.equal(body.permissions.roles[0].roleId, 'editor')
      const both = await patched(path, { op: 'Add', path: 'roles', value: [{ value: 'Shop/Editor' }] })
      assert.deepEqual(roleNames(both), ['Editor', 'Shop/Editor'])
      const put = {
        schemas: [userSchema],
        name: body.name,
        department: 'bi',
        permissions: { roles: [{ roleName: 'Shop/Editor' }] },
      }
      const { body: after } = await scim.done('PUT', path, put)
      assert.deepEqual([after.permissions.roles[0].roleId, after.roles[0].value], ['r2', 'Shop/Editor'])
      const { body: same } = await scim.done('PUT', path, { ...after, userName: undefined })
      assert.deepEqual(same, after, 'an answer can be sent back')
    })

    test('permissions and roles may be changed in one request; what was sent back unchanged decides nothing', async () => {
      const { path, body } = await scim.make({ roles: ['Editor'] })
      const permissions = { ...body.permissions, roles: [{ roleName: 'Reviewer' }] }
      assert.deepEqual(roleNames((await scim.done('PUT', path, { ...body, permissions })).body), ['Reviewer'])
      const { body: now } = await scim.get(path)
      assert.deepEqual(roleNames((await scim.done('PUT', path, { ...now, roles: ['Editor'] })).body), ['Editor'])
      assert.deepEqual(roleNames((await scim.done('PUT', path, { ...body, roles: [] })).body), [])
    })

    test('an account that comes without permissions gets the default role', async () => {
      await scim.service.admin('PATCH', '/admin/settings', { scim: { default_role: 'Reviewer' } })
      const { body } = await scim.make()
      assert.deepEqual([roleNames(body), body.permissions.appGroup[0].appGroupId], [['Reviewer'], 'default'])
      assert.deepEqual(roleNames((await scim.make({ permissions: {} })).body), [])
      await scim.service.admin('PATCH', '/admin/settings', { scim: { default_role: 'nothing' } })
      assert.deepEqual(roleNames((await scim.make()).body), [])
      await scim.service.admin('DELETE', '/admin/settings/scim')
    })

    test('a token that may not grant changes no permission, and still lets people in and out', async () => {
      const { body: made } = await scim.service.admin('POST', '/admin/scim/tokens', {
        name: 'Careful',
        may_grant: false,
      })
      assert.equal(made.token.may_grant, false)
      const send = async (method: string, path: string, body?: unknown) => {
        const options = { key: made.token.token, headers: { 'x-request-origin': requestOrigin } }
        return scim.service.send(method, path, body, options)
      }
      for (const given of [
        { roles: ['Editor'] },
        { permissions: { companyPermissions: ['admin'] } },
        { permissions: {} },
      ]) {
        assertRefused(
          await send('POST', users, sampleUser(given)),
          403,
          undefined,
          'This SCIM token may not change permissions',
        )
      }
      const created = await send('POST', users, sampleUser({ roles: [] }))
      assert.equal(created.status, 201, created.text)
      const path = `${users}/${created.body.id}`
      const { body } = await patchedBy('displayName', 'Ada')
      assert.equal((await send('PUT', path, { ...body, displayName: 'Grace' })).status, 200)
      assertRefused(await send('PUT', path, { ...body, permissions: {} }), 403, undefined)
      assertRefused(await patchedBy('roles', ['Editor']), 403, undefined)
      assertRefused(await patchedBy('permissions.companyPermissions', ['admin']), 403, undefined)
      const left = await send('PUT', path, { ...body, permissions: { companyPermissions: ['admin'] }, active: false })
      assert.deepEqual([left.status, left.body.active, left.body.permissions], [200, false, body.permissions])

      function patchedBy(attribute: string, value: unknown) {
        return send('PATCH', path, patchOf([{ op: 'Replace', path: attribute, value }]))
      }
    })

    test('the schemas list the names that workspaces declare', async () => {
      const { body } = await scim.get(`/scim/v2/Schemas/${userSchema}`)
      const roles = body.attributes.find(({ name }: Item) => name === 'roles')
      assert.deepEqual(roles.subAttributes[0].canonicalValues, ['Editor', 'Reviewer', 'Shop/Editor'])
    })
  })
}
