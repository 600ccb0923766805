import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import {
  assertRefused,
  enterpriseSchema,
  listSchema,
  newName,
  patchOf,
  patchSchema,
  provisioningOf,
  userSchema,
  users,
} from '../support/scim-service.ts'

const okta = {
  'user-agent': 'Okta SCIM Client 1.0.0',
  'content-type': 'application/scim+json',
  accept: 'application/scim+json',
}
const entra = { 'content-type': 'application/scim+json; charset=utf-8', accept: 'application/scim+json' }
const search = (filter: string) => `${users}?filter=${encodeURIComponent(filter)}`

for (const database of drawDatabases('scim-providers')) {
  describe(`Okta (${database})`, () => {
    const scim = provisioningOf(database)
    before(() => scim.service.admin('PATCH', '/admin/settings', { default_department: 'engineering' }))
    const send = (method: string, path: string, body?: unknown) => scim.send(method, path, body, okta)
    const byName = (userName: string) =>
      send('GET', `${users}?filter=userName%20eq%20%22${userName}%22&startIndex=1&count=100`)

    /** The exact body with which it assigns a person. */
    const profile = (userName: string): Item => ({
      schemas: [userSchema],
      userName,
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: `00u${userName}`,
      groups: [],
      password: '1mz050nq',
      active: true,
    })

    async function assign(): Promise<Item & { id: string; userName: string }> {
      const userName = newName('okta')
      const none = await byName(userName)
      assert.deepEqual(
        [none.status, none.body],
        [200, { schemas: [listSchema], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] }],
      )
      const { status, body, headers, text } = await send('POST', users, profile(userName))
      assert.deepEqual([status, headers['content-type']], [201, 'application/scim+json'])
      assert.ok(!text.includes('1mz050nq') && !('password' in body) && !('groups' in body))
      return body
    }

    test('tests its connection, assigns a person, and gets 409 for an existing one', async () => {
      const { status, body } = await send('GET', `${users}?startIndex=1&count=2`)
      assert.equal(status, 200)
      for (const number of [body.totalResults, body.startIndex, body.itemsPerPage])
        assert.equal(typeof number, 'number')
      assert.equal((await send('GET', '/scim/v2/Groups?count=100&startIndex=1')).status, 200)
      const made = await assign()
      const { userName } = made
      assert.deepEqual(
        [made.displayName, made.locale, made.externalId, made.active, made.department],
        ['Test User', 'en-US', `00u${userName}`, true, 'engineering'],
      )
      const again = await send('POST', users, profile(userName.toUpperCase()))
      assertRefused(again, 409, 'uniqueness', 'User already exists in the database.')
      assert.equal((await byName(userName)).body.Resources[0].id, made.id)
      const { status: denied, body: error } = await scim.service.get(users, { key: 'nobody', headers: okta })
      assert.deepEqual([denied, error], [401, undefined])
    })

    test('updates, disables and enables a person by GET and PUT', async () => {
      const { id } = await assign()
      const path = `${users}/${id}`
      for (const change of [
        { displayName: 'Renamed User', name: { givenName: 'Renamed', familyName: 'User' } },
        { active: false },
        { active: true },
      ]) {
        const { body: before } = await send('GET', path)
        const { status, body } = await send('PUT', path, { ...before, ...change })
        assert.equal(status, 200)
        const { meta, ...rest } = { ...before, ...change }
        const { meta: now, ...after } = body
        assert.deepEqual(after, rest)
        assert.notEqual(now.version, meta.version)
        assert.deepEqual((await byName(body.userName)).body.Resources, [body])
      }
    })

    test('updates, disables and enables a person by PATCH without paths', async () => {
      const { id, ...before } = await assign()
      const path = `${users}/${id}`
      const replace = async (value: Item) => {
        const { status, body } = await send('PATCH', path, {
          schemas: [patchSchema],
          Operations: [{ op: 'replace', value }],
        })
        assert.equal(status, 200)
        return body
      }
      assert.equal((await replace({ active: false })).active, false)
      assert.equal((await send('GET', path)).body.active, false)
      const { id: same, active } = await replace({ active: true })
      assert.deepEqual([same, active], [id, true])
      const renamed = await replace({
        id: 'x',
        schemas: [],
        displayName: 'R',
        name: { givenName: 'R', familyName: 'U' },
      })
      const { meta: _, ...rest } = renamed
      const { meta: __, ...wanted } = {
        id,
        ...before,
        displayName: 'R',
        name: { givenName: 'R', familyName: 'U' },
      } as Item
      assert.deepEqual(rest, wanted)
      const rows = await scim.written(id)
      assert.deepEqual(
        rows.map(({ action }) => action),
        ['account.create', 'account.update', 'account.update', 'account.update'],
      )
      assert.deepEqual([rows[1]!.before, rows[1]!.after], [{ active: true }, { active: false }])
      assert.ok(!JSON.stringify(rows).includes('1mz050nq'))
    })

    test('imports all people, page by page', async () => {
      for (let i = 0; i < 12; i++) await assign()
      const seen: string[] = []
      let total = Number.POSITIVE_INFINITY
      for (let startIndex = 1; startIndex <= total; startIndex += 5) {
        const { body } = await send('GET', `${users}?startIndex=${startIndex}&count=5`)
        total = body.totalResults
        assert.equal(body.startIndex, startIndex)
        seen.push(...body.Resources.map(({ id }: { id: string }) => id))
      }
      assert.equal(seen.length, total)
      assert.equal(new Set(seen).size, total)
    })
  })

  describe(`Entra (${database})`, () => {
    const scim = provisioningOf(database)
    const send = (method: string, path: string, body?: unknown) => scim.send(method, path, body, entra)

    /** The exact body with which it provisions a person. */
    const provisioned = (userName: string): Item => ({
      schemas: [userSchema, enterpriseSchema],
      externalId: randomUUID(),
      userName,
      active: true,
      addresses: [{ primary: false, type: 'work', country: 'US' }],
      displayName: 'Test User',
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Test User', familyName: 'User', givenName: 'Test' },
      roles: [],
      title: 'Engineer',
      [enterpriseSchema]: { department: 'bi', employeeNumber: '701984', manager: { value: '26118915' } },
    })

    async function provision(): Promise<{ path: string; body: Item & { userName: string; id: string } }> {
      const userName = newName('entra')
      const { status, body: made } = await send('POST', users, provisioned(userName))
      assert.equal(status, 201)
      const { [enterpriseSchema]: extension, ...body } = made
      assert.deepEqual([extension, made.schemas], [{ department: 'bi' }, [userSchema, enterpriseSchema]])
      return { path: `${users}/${body.id}`, body: { ...body, schemas: [userSchema] } }
    }

    /** Patches a person. The answer has in addition the department in the schema in which it was sent. */
    const patched = async (path: string, Operations: readonly Item[]): Promise<Item> => {
      const { status, text, body } = await send('PATCH', path, patchOf(Operations))
      assert.equal(status, 200, text)
      const { [enterpriseSchema]: extension, ...core } = body
      const sent = JSON.stringify(Operations).includes(enterpriseSchema)
      assert.deepEqual(extension, sent ? { department: body.department } : undefined)
      const schemas = sent ? [userSchema] : core.schemas
      assert.deepEqual((await send('GET', path)).body, { ...core, schemas })
      const { meta: _, ...rest } = core
      return { ...rest, schemas }
    }

    test('tests its connection, matches and provisions a person', async () => {
      const { status, body } = await send('GET', search(`userName eq "${randomUUID()}"`))
      assert.deepEqual([status, body.totalResults, body.Resources], [200, 0, []])
      assert.equal((await send('GET', '/scim/v2/Schemas')).status, 200)
      const made = await provision()
      const { userName, externalId } = made.body
      assert.equal(made.body.department, 'bi')
      for (const filter of [
        `userName eq "${userName}"`,
        `userName eq "${userName.toUpperCase()}"`,
        `externalId eq "${externalId}"`,
        `emails[type eq "work"].value eq "${userName}"`,
        `externalId eq "${externalId}" and userName eq "${userName}"`,
      ]) {
        assert.deepEqual((await send('GET', search(filter))).body.Resources, [made.body], filter)
      }
      assertRefused(await send('POST', users, provisioned(userName)), 409, 'uniqueness')
    })

    test('changes one attribute per operation, with capital letters and booleans as text', async () => {
      const { path, body } = await provision()
      const { meta: _, ...before } = body
      const changed = await patched(path, [
        { op: 'Replace', path: 'displayName', value: 'Renamed' },
        { op: 'Add', path: 'name.givenName', value: 'Re' },
        { op: 'Replace', path: `${enterpriseSchema}:department`, value: 'pm' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'work@test.com' },
        { op: 'Add', path: 'emails[type eq "home"].value', value: 'home@test.com' },
        { op: 'Replace', path: 'title', value: 'Chief' },
        { op: 'Replace', path: `${enterpriseSchema}:manager`, value: '26118916' },
        { op: 'Replace', path: 'active', value: 'False' },
      ])
      assert.deepEqual(changed, {
        ...before,
        displayName: 'Renamed',
        name: { givenName: 'Re', familyName: 'User' },
        department: 'pm',
        title: 'Chief',
        emails: [
          { value: 'work@test.com', type: 'work', primary: true },
          { value: 'home@test.com', type: 'home' },
        ],
        active: false,
      })
      const found = (await send('GET', search(`userName eq "${body.userName}"`))).body.Resources
      assert.equal(found[0].active, false)
      const back = await patched(path, [
        { op: 'Remove', path: 'displayName' },
        { op: 'Remove', path: 'emails[type eq "home"]' },
        { op: 'Add', path: 'active', value: 'True' },
      ])
      assert.equal('displayName' in back, false)
      assert.deepEqual([back.emails, back.active], [[{ value: 'work@test.com', type: 'work', primary: true }], true])
    })

    test('changes several attributes by one operation with dotted keys', async () => {
      const { path, body } = await provision()
      const { meta: _, ...before } = body
      const value = {
        displayName: 'Renamed',
        'name.givenName': 'Re',
        active: false,
        [`${enterpriseSchema}:department`]: 'finance',
        [`${enterpriseSchema}:employeeNumber`]: '7',
      }
      assert.deepEqual(await patched(path, [{ op: 'replace', value }]), {
        ...before,
        displayName: 'Renamed',
        name: { givenName: 'Re', familyName: 'User' },
        active: false,
        department: 'finance',
      })
      const { userName: __, id: ___, ...rest } = body
      assertRefused(
        await send('PATCH', path, patchOf([{ op: 'replace', value: { userName: newName() } }])),
        400,
        'mutability',
      )
      assert.deepEqual((await send('GET', path)).body.name, { givenName: 'Re', familyName: rest.name && 'User' })
    })

    test('applies operations on one attribute in order, and all of them or none', async () => {
      const { path } = await provision()
      const to = (value: string) => ({ op: 'Replace', path: 'displayName', value })
      assert.equal((await patched(path, [to('A'), to('B'), to('C')])).displayName, 'C')
      const { body: before } = await send('GET', path)
      const refusals: [Item, string][] = [
        [{ op: 'Replace', path: 'shoeSize', value: '44' }, 'invalidPath'],
        [{ op: 'Replace', path: 'id', value: 'x' }, 'mutability'],
        [{ op: 'Remove', path: 'emails[type eq "other"]' }, 'noTarget'],
        [{ op: 'Remove' }, 'noTarget'],
        [{ op: 'Move', path: 'active', value: true }, 'invalidSyntax'],
        [{ op: 'Replace', path: 'department', value: 'cooking' }, 'invalidValue'],
        [{ op: 'Add', path: 'permissions.companyPermissions', value: ['owner'] }, 'invalidValue'],
        [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'nowhere' }, 'invalidValue'],
      ]
      for (const [operation, scimType] of refusals) {
        assertRefused(await send('PATCH', path, patchOf([to('D'), operation])), 400, scimType)
      }
      assert.deepEqual((await send('GET', path)).body, before)
      assertRefused(await send('PATCH', path, { Operations: [to('D')] }), 400, 'invalidSyntax')
    })

    test('grants and removes permissions', async () => {
      const { path } = await provision()
      const team = [{ teamName: 'Test Team', teamPermissions: ['basic_access'] }]
      const given = await patched(path, [
        { op: 'Add', path: 'permissions.roles', value: [{ roleName: 'Editor' }] },
        {
          op: 'Replace',
          path: 'permissions.appGroup',
          value: [{ appGroupName: 'Test Workspace', appGroupPermissions: ['admin'], team }],
        },
      ])
      const { roles, appGroup } = given.permissions as { roles: Item[]; appGroup: Item[] }
      assert.deepEqual(
        [roles[0]!.roleId, appGroup[0]!.appGroupId, appGroup[0]!.appGroupPermissions],
        ['editor', 'default', ['admin']],
      )
      const taken = await patched(path, [
        { op: 'Remove', path: 'permissions.roles[roleName eq "Editor"]' },
        {
          op: 'Add',
          path: 'permissions.appGroup[appGroupName eq "Test Workspace"].appGroupPermissions',
          value: 'edit_segments',
        },
        { op: 'Remove', path: 'permissions.appGroup[appGroupId eq "default"].team' },
      ])
      const after = taken.permissions as { roles: Item[]; appGroup: Item[] }
      assert.deepEqual(
        [after.roles, after.appGroup[0]!.appGroupPermissions, after.appGroup[0]!.team],
        [[], ['admin', 'edit_segments'], []],
      )
    })

    test('disables a person and deletes them later, twice', async () => {
      const { path } = await provision()
      assert.equal((await patched(path, [{ op: 'Replace', path: 'active', value: 'False' }])).active, false)
      assert.equal((await send('DELETE', path)).status, 204)
      assertRefused(await send('DELETE', path), 404, undefined, 'User not found')
      assertRefused(await send('GET', path), 404, undefined, 'User not found')
    })
  })
}
