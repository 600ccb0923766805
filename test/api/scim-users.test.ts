import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  assertRefused,
  enterpriseSchema,
  errorSchema,
  listSchema,
  newName,
  patchOf,
  provisioningOf,
  publicUrl,
  sampleUser,
  userSchema,
  users,
} from '../support/scim-service.ts'

const nobody = '00000000-0000-7000-8000-000000000000'
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const exists = { schemas: [errorSchema], detail: 'User already exists in the database.', status: 409 }
const unknown = { schemas: [errorSchema], detail: 'User not found', status: 404 }

/** The permissions of the sample in the contract, as a request names them. */
const asked = {
  companyPermissions: ['manage_company_settings'],
  appGroup: [
    {
      appGroupName: 'Test Workspace',
      appGroupPermissions: ['basic_access'],
      team: [{ teamName: 'Test Team', teamPermissions: ['admin'] }],
    },
  ],
}
/** The same permissions, as answers have them. */
const answered = {
  companyPermissions: ['manage_company_settings'],
  roles: [],
  appGroup: [
    {
      appGroupId: 'default',
      appGroupName: 'Test Workspace',
      appGroupPermissions: ['basic_access'],
      team: [{ teamId: 'test-team', teamName: 'Test Team', teamPermissions: ['admin'] }],
    },
  ],
}
const nothingInDefault = {
  companyPermissions: [],
  roles: [],
  appGroup: [{ appGroupId: 'default', appGroupName: 'Test Workspace', appGroupPermissions: [], team: [] }],
}

for (const database of drawDatabases('scim-users')) {
  describe(`/scim/v2/Users (${database})`, () => {
    const scim = provisioningOf(database)

    test('a user of the contract is created, read, found by address, updated and deleted', async () => {
      const userName = newName()
      const given = sampleUser({ userName, permissions: asked })
      const made = await scim.send('POST', users, given)
      const { id, createdAt, meta } = made.body
      const location = `${publicUrl}/scim/v2/Users/${id}`
      assert.equal(made.status, 201)
      assert.deepEqual([made.headers.location, made.headers.etag], [location, 'W/"1"'])
      assert.match(createdAt, moment)
      const user = {
        schemas: [userSchema],
        id,
        userName,
        name: { givenName: 'Test', familyName: 'User' },
        active: true,
        emails: [{ value: userName, type: 'work', primary: true }],
        department: 'finance',
        lastSignInAt: null,
        createdAt,
        permissions: answered,
        meta: { resourceType: 'User', created: createdAt, lastModified: createdAt, location, version: 'W/"1"' },
      }
      assert.deepEqual(made.body, user)
      const path = `${users}/${id}`
      const read = await scim.get(path)
      assert.deepEqual([read.status, read.body, read.headers.etag], [200, user, 'W/"1"'])
      for (const filter of [
        `userName%20eq%20%22${userName}%22`,
        `USERNAME+Eq+%22${userName.toUpperCase()}%22`,
        `userName%20eq%20%22${userName.replace('@', '%40')}%22`,
      ]) {
        const { status, body } = await scim.get(`${users}?filter=${filter}`)
        assert.equal(status, 200)
        assert.deepEqual(body, {
          schemas: [listSchema],
          totalResults: 1,
          startIndex: 1,
          itemsPerPage: 1,
          Resources: [user],
        })
      }
      const name = { givenName: 'Ada', familyName: 'Lovelace' }
      const update = { schemas: [userSchema], name, department: 'pm', permissions: {} }
      const put = await scim.send('PUT', path, update)
      const { lastModified } = put.body.meta
      const permissions = { companyPermissions: [], roles: [], appGroup: [] }
      const after = { ...user, name, department: 'pm', permissions, meta: { ...meta, lastModified, version: 'W/"2"' } }
      assert.deepEqual([put.status, put.body, put.headers.etag], [200, after, 'W/"2"'])
      assert.deepEqual((await scim.get(path)).body, after)
      const gone = await scim.send('DELETE', path)
      assert.deepEqual([gone.status, gone.text], [204, ''])
      for (const [method, body] of [['GET'], ['PUT', update], ['DELETE']] as const) {
        const answer = await scim.send(method, path, body)
        assert.deepEqual([answer.status, answer.body], [404, unknown], method)
      }
      const rows = await scim.written(id)
      assert.deepEqual(
        rows.map(({ action, actor }) => `${action} by ${actor}`),
        ['create', 'update', 'delete'].map((verb) => `account.${verb} by scim EASEL_SCIM_TOKEN`),
      )
      assert.deepEqual(rows[1]!.after, {
        given_name: 'Ada',
        family_name: 'Lovelace',
        department: 'pm',
        permissions: { companyPermissions: [], roles: [], appGroup: [] },
      })
    })

    test('a search without a result is an empty list, an unknown id is 404', async () => {
      const none = { schemas: [listSchema], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] }
      const { status, body } = await scim.get(`${users}?filter=userName%20eq%20%22nobody@test.com%22`)
      assert.deepEqual([status, body], [200, none])
      const update = sampleUser({ permissions: {} })
      for (const id of [nobody, nobody.toUpperCase(), 'x', "'--", '..%2f', 'x'.repeat(1400)]) {
        for (const [method, sent] of [
          ['GET'],
          ['PUT', update],
          ['PATCH', patchOf([{ op: 'add', path: 'active', value: true }])],
          ['DELETE'],
        ] as const) {
          const answer = await scim.send(method, `${users}/${id}`, sent)
          assert.deepEqual([answer.status, answer.body], [404, unknown], `${method} ${id}`)
        }
      }
    })

    test('a name that is taken is 409, whatever its case; a mailbox may be that of several accounts', async () => {
      const mailbox = { value: newName('shared'), type: 'work', primary: true }
      const { body, path } = await scim.make({ emails: [mailbox] })
      for (const userName of [body.userName, body.userName.toUpperCase()]) {
        const answer = await scim.send('POST', users, sampleUser({ userName }))
        assert.deepEqual([answer.status, answer.body], [409, { ...exists, scimType: 'uniqueness' }])
      }
      const second = await scim.make({ emails: [mailbox] })
      assert.deepEqual(second.body.emails, [mailbox])
      const third = await scim.make({ userName: mailbox.value })
      const fourth = await scim.patch(third.path, [{ op: 'add', path: 'emails', value: [{ value: body.userName }] }])
      assert.equal(fourth.status, 200)
      const unmarked = [{ value: newName('a'), type: 'work' }, { value: newName('b') }]
      const { body: after } = await scim.done(
        'PATCH',
        path,
        patchOf([{ op: 'replace', path: 'emails', value: unmarked }]),
      )
      assert.deepEqual(after.emails, unmarked, 'no address becomes primary by itself')
    })

    test('permissions are returned with their names and ids, however the request named them', async () => {
      const { path, body } = await scim.make({
        permissions: {
          roles: [{ roleName: 'Editor' }],
          appGroup: [{ appGroupId: 'default', appGroupPermissionSets: [{ appGroupPermissionSetID: 'care' }] }],
        },
      })
      const workspace = { appGroupId: 'default', appGroupName: 'Test Workspace', team: [] }
      const set = {
        appGroupPermissionSetName: 'Care',
        appGroupPermissionSetId: 'care',
        permissions: ['view_user_profile', 'view_pii'],
      }
      const role = { ...workspace, appGroupPermissions: ['basic_access', 'edit_segments'] }
      const permissions = {
        companyPermissions: [],
        roles: [{ roleName: 'Editor', roleId: 'editor', appGroup: [role] }],
        appGroup: [{ ...workspace, appGroupPermissions: [], appGroupPermissionSets: [set] }],
      }
      assert.deepEqual(body.permissions, permissions)
      // An answer can be sent back as a request and changes nothing.
      const { userName: _, ...same } = body
      const { status, body: after } = await scim.send('PUT', path, same)
      assert.deepEqual([status, after], [200, body])
      assert.deepEqual((await scim.make()).body.permissions, nothingInDefault)
    })

    test('userName never changes: a PUT ignores it, a PATCH with another name is refused', async () => {
      const { path, body } = await scim.make()
      const userName = body.userName.toUpperCase()
      const same = await scim.send('PUT', path, sampleUser({ userName, permissions: nothingInDefault }))
      assert.deepEqual([same.status, same.body], [200, body])
      const other = await scim.send('PUT', path, sampleUser({ permissions: nothingInDefault }))
      assert.deepEqual([other.status, other.body], [200, body])
      for (const operation of [
        { op: 'replace', path: 'userName', value: newName() },
        { op: 'Replace', value: { userName: newName() } },
        { op: 'remove', path: 'userName' },
      ]) {
        assertRefused(await scim.patch(path, [operation]), 400, 'mutability')
      }
      assert.deepEqual((await scim.get(path)).body, body)
    })

    test('an update keeps what clients of the specification do not know, unless it names it', async () => {
      const emails = [{ value: newName('mail'), type: 'home', primary: true }]
      const ims = [{ value: 'test.user', type: 'xmpp' }]
      const own = { title: 'Engineer', userType: 'Employee', ims }
      const given = { active: false, externalId: '00u1', displayName: 'Test', locale: 'de', emails, ...own }
      const { path } = await scim.make({ ...given, password: 'pw' })
      const update = sampleUser({ userName: undefined, permissions: {} })
      const { body } = await scim.done('PUT', path, update)
      const { active, externalId, displayName, locale, title, userType } = body
      const kept = { active, externalId, displayName, locale, title, userType, emails: body.emails, ims: body.ims }
      assert.deepEqual(kept, given)
      const { body: again } = await scim.done('PUT', path, {
        ...update,
        active: true,
        externalId: '00u2',
        locale: 'fr',
        title: 'Chief',
        ims: [...ims, { value: 'other', primary: true }],
      })
      assert.deepEqual(
        [again.active, again.externalId, again.locale, again.displayName, again.password],
        [true, '00u2', 'fr', 'Test', undefined],
      )
      assert.deepEqual([again.title, again.userType, again.ims.length], ['Chief', 'Employee', 2])
      const emptied = {
        externalId: null,
        displayName: '',
        locale: null,
        emails: [],
        title: '',
        userType: null,
        ims: [],
      }
      const { body: last } = await scim.done('PUT', path, { ...update, ...emptied })
      assert.deepEqual([last.externalId, last.displayName, last.locale], [undefined, undefined, undefined])
      assert.deepEqual([last.title, last.userType, last.ims], [undefined, undefined, undefined])
      assert.deepEqual(last.emails, [{ value: last.userName, type: 'work', primary: true }])
    })

    test('a department is found at every place that identity providers use, whatever its case, and by default', async () => {
      const { body } = await scim.make({ department: undefined, [enterpriseSchema]: { department: 'Finance' } })
      assert.equal(body.department, 'finance')
      await scim.service.admin('PATCH', '/admin/settings', { default_department: 'bi' })
      const { path, body: made } = await scim.make({ department: undefined, permissions: asked })
      assert.equal(made.department, 'bi')
      const update = { schemas: [userSchema], name: { givenName: 'A', familyName: 'B' } }
      const { body: after } = await scim.done('PUT', path, update)
      assert.deepEqual([after.department, after.permissions, after.name.givenName], ['bi', answered, 'A'])
      await scim.service.admin('DELETE', '/admin/settings/default_department')
      assertRefused(await scim.send('PUT', path, update), 400, 'invalidValue', 'department is required')
      await scim.service.admin('PATCH', '/admin/settings', { departments: ['cooking'] })
      assertRefused(
        await scim.send('POST', users, sampleUser()),
        400,
        'invalidValue',
        'department must be one of cooking',
      )
      // An account keeps a department that it had before the setting.
      assert.equal((await scim.patch(path, [{ op: 'replace', path: 'displayName', value: 'A' }])).status, 200)
      await scim.service.admin('DELETE', '/admin/settings/departments')
    })

    test('unknown permissions are kept when the settings say so', async () => {
      const permissions = { companyPermissions: ['of_a_later_time'] }
      assertRefused(await scim.send('POST', users, sampleUser({ permissions })), 400, 'invalidValue')
      await scim.service.admin('PATCH', '/admin/settings', { scim: { unknown_permissions: 'keep' } })
      const { path, body } = await scim.make({ permissions })
      assert.deepEqual(body.permissions.companyPermissions, ['of_a_later_time'])
      await scim.service.admin('DELETE', '/admin/settings/scim')
      const same = await scim.patch(path, [{ op: 'replace', path: 'locale', value: 'fr' }])
      assert.deepEqual([same.status, same.body.permissions], [200, body.permissions])
    })

    test('an entity tag saves an answer, and prevents lost updates', async () => {
      const { path, body } = await scim.make()
      for (const tag of ['W/"1"', '"1"', 'W/"7", W/"1"', '*']) {
        const { status, text, headers } = await scim.get(path, { 'if-none-match': tag })
        assert.deepEqual([status, text, headers.etag, headers['content-type']], [304, '', 'W/"1"', undefined], tag)
      }
      assert.deepEqual((await scim.get(path, { 'if-none-match': 'W/"2"' })).body, body)
      const to = (value: string) => [{ op: 'replace', path: 'displayName', value }]
      const update = sampleUser({ userName: undefined, permissions: {} })
      for (const tag of ['W/"2"', '1', 'W/"11"', '""', 'x']) {
        const headers = { 'if-match': tag }
        for (const answer of [
          await scim.patch(path, to('Lost'), headers),
          await scim.send('PUT', path, update, headers),
          await scim.send('DELETE', path, undefined, headers),
        ]) {
          assertRefused(answer, 412, undefined, 'The user has changed: it is W/"1" now')
        }
      }
      assert.deepEqual((await scim.get(path)).body, body)
      const second = await scim.patch(path, to('Second'), { 'if-match': 'W/"9", W/"1"' })
      assert.deepEqual([second.status, second.body.meta.version], [200, 'W/"2"'])
      const same = await scim.patch(path, to('Second'), { 'if-match': '*' })
      assert.deepEqual([same.headers.etag, same.body.meta], ['W/"2"', second.body.meta])
      assert.equal((await scim.send('DELETE', path, undefined, { 'if-match': '"2"' })).status, 204)
      assert.equal((await scim.send('DELETE', path, undefined, { 'if-match': '"2"' })).status, 404)
    })

    test('the last administrator cannot be deleted, disabled or demoted', async () => {
      const permissions = { companyPermissions: ['admin'] }
      const { path, body } = await scim.make({ permissions })
      const attempts = () =>
        Promise.all([
          scim.send('DELETE', path),
          scim.send('PUT', path, sampleUser({ userName: undefined, permissions: {} })),
          scim.patch(path, [{ op: 'replace', path: 'active', value: 'False' }]),
          scim.patch(path, [{ op: 'remove', path: 'permissions' }]),
        ])
      for (const answer of await attempts()) {
        assertRefused(answer, 400, 'invalidValue', /^This is the last active administrator/)
      }
      assert.deepEqual((await scim.get(path)).body, body)
      const other = await scim.make({ permissions })
      assert.equal((await scim.send('DELETE', path)).status, 204)
      assertRefused(await scim.send('DELETE', other.path), 400, 'invalidValue')
    })
  })
}
