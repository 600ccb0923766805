import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { groupMembersMax, groupOperationsMax } from '../../src/accounts/scim/group-request.ts'
import { groupSchema } from '../../src/accounts/scim/schema.ts'
import { drawDatabases, requestOrigin } from '../support/harness.ts'
import { type Item, newId } from '../support/people.ts'
import {
  assertRefused,
  file,
  listSchema,
  patchOf,
  provisioningOf,
  publicUrl,
  searchSchema,
  users,
} from '../support/scim-service.ts'

const groups = '/scim/v2/Groups'
const nobody = '00000000-0000-7000-8000-000000000000'
const add = (...ids: string[]) => ({ op: 'Add', path: 'members', value: ids.map((value) => ({ value })) })
const remove = (...ids: string[]) => ({ op: 'Remove', path: 'members', value: ids.map((value) => ({ value })) })

for (const database of drawDatabases('scim-groups')) {
  describe(`/scim/v2/Groups (${database})`, () => {
    const scim = provisioningOf(database)
    const patch = async (id: string, ...operations: readonly Item[]) =>
      (await scim.done('PATCH', `${groups}/${id}`, patchOf(operations))).body
    const membersOf = async (id: string): Promise<string[]> =>
      ((await scim.done('GET', `${groups}/${id}`)).body.members ?? []).map(({ value }: Item) => value)
    const create = async (given: Item = {}) =>
      (await scim.done('POST', groups, { schemas: [groupSchema], displayName: newId('group'), ...given })).body
    const namesOf = (body: Item) => (body.Resources as Item[]).map(({ displayName }) => displayName)
    const found = async (filter: string) =>
      namesOf((await scim.done('GET', `${groups}?filter=${encodeURIComponent(filter)}`)).body)
    const permissionsOf = async (id: string) => (await scim.get(`${users}/${id}`)).body.permissions

    before(() =>
      scim.service.admin('POST', '/admin/apply', {
        workspace: { id: 'shop', name: 'Shop' },
        teams: [{ id: 'test-team', name: 'Test Team' }],
        roles: [{ id: 'r2', name: 'Editor', permissions: ['admin'] }],
      }),
    )

    test('roles and teams are listed, read and found by their names', async () => {
      const { body } = await scim.get(`${groups}?count=100&startIndex=1`)
      const editor = {
        schemas: [groupSchema],
        id: 'role:editor',
        displayName: 'Editor',
        meta: { resourceType: 'Group', location: `${publicUrl}${groups}/role:editor` },
      }
      assert.deepEqual(namesOf(body), ['Editor', 'Shop/Editor', 'Test Team', 'Shop/Test Team'])
      assert.deepEqual(body.Resources[0], editor)
      assert.deepEqual((await scim.get(`${groups}/role:editor`)).body, editor)
      assert.deepEqual((await scim.get(`${groups}/role%3Aeditor`)).body, editor)
      assert.deepEqual(await found('displayName eq "editor"'), ['Editor'])
      assert.deepEqual(await found('displayName sw "shop/" or id eq "role:editor"'), [
        'Editor',
        'Shop/Editor',
        'Shop/Test Team',
      ])
      const page = await scim.get(
        `${groups}?startIndex=2&count=2&sortBy=displayName&sortOrder=descending&attributes=displayName`,
      )
      assert.deepEqual([page.body.totalResults, namesOf(page.body)], [4, ['Shop/Test Team', 'Shop/Editor']])
      assert.deepEqual(Object.keys(page.body.Resources[0]).sort(), ['displayName', 'id', 'schemas'])
      const search = { schemas: [searchSchema], filter: 'displayName co "team"', count: 1 }
      assert.deepEqual(namesOf((await scim.done('POST', `${groups}/.search`, search)).body), ['Test Team'])
      for (const id of ['1', 'role:none', 'team:default:none', 'role:', 'x'.repeat(1000)]) {
        assertRefused(await scim.get(`${groups}/${id}`), 404, undefined, 'Group not found')
      }
    })

    test('members are added and removed, and have what the role allows', async () => {
      const [one, two, three] = [await scim.make(), await scim.make(), await scim.make()]
      const added = await patch('role:editor', add(one.id, two.id), add(two.id, three.id))
      assert.deepEqual(added.members[0], {
        value: one.id,
        $ref: `${publicUrl}${users}/${one.id}`,
        display: one.body.userName,
        type: 'User',
      })
      assert.deepEqual(await membersOf('role:editor'), [one.id, two.id, three.id])
      assert.equal((await permissionsOf(one.id)).roles[0].roleId, 'editor')
      assert.deepEqual(
        (await scim.written(one.id)).map(({ action }) => action),
        ['account.create', 'account.update'],
      )
      assert.deepEqual(await found(`id eq "role:editor" and members eq "${one.id}"`), ['Editor'])
      assert.deepEqual(await found(`members[value eq "${nobody}"]`), [])
      await patch('role:editor', { op: 'remove', path: `members[value eq "${one.id}"]` }, remove(two.id, nobody))
      assert.deepEqual(await membersOf('role:editor'), [three.id])
      await patch('role:editor', { op: 'replace', path: 'members', value: [{ value: one.id }] })
      assert.deepEqual(await membersOf('role:editor'), [one.id])
      const again = await scim.done('PUT', `${groups}/role:editor`, { schemas: [groupSchema], displayName: 'Editor' })
      assert.deepEqual(
        again.body.members.map(({ value }: Item) => value),
        [one.id],
        'absent members stay',
      )
      await patch('role:editor', remove(one.id), add(one.id), { op: 'Remove', path: 'members' })
      assert.deepEqual(await membersOf('role:editor'), [])
      const { body: version } = await scim.get(one.path)
      await patch('role:editor', remove(one.id))
      assert.deepEqual((await scim.get(one.path)).body, version, 'a removal of nobody changes nothing')
    })

    test('a team has members without permissions of their own', async () => {
      const { id, body } = await scim.make()
      await patch('team:shop:test-team', add(id))
      const { appGroup } = await permissionsOf(id)
      assert.deepEqual(appGroup.at(-1).team, [{ teamId: 'test-team', teamName: 'Test Team', teamPermissions: [] }])
      assert.deepEqual(await membersOf('team:shop:test-team'), [id])
      assert.deepEqual(await membersOf('team:default:test-team'), [])
      await patch('team:shop:test-team', remove(id))
      assert.deepEqual((await permissionsOf(id)).appGroup[0], body.permissions.appGroup[0])
    })

    test('a pushed group is a new role without permissions, is renamed, and deleted with its memberships', async () => {
      const { id: member } = await scim.make()
      const displayName = newId('Marketing')
      const made = await scim.done('POST', groups, {
        schemas: [groupSchema],
        displayName,
        externalId: '00g1',
        members: [{ value: member }],
      })
      assert.equal(made.status, 201)
      const { id } = made.body
      assert.equal(made.headers.location, `${publicUrl}${groups}/${id}`)
      assert.deepEqual([made.body.externalId, made.body.members.length], ['00g1', 1])
      assert.deepEqual(await found('externalId eq "00g1"'), [displayName])
      assertRefused(
        await scim.send('POST', groups, { schemas: [groupSchema], displayName: displayName.toUpperCase() }),
        409,
        'uniqueness',
      )
      const { body: roles } = await scim.service.admin('GET', '/admin/roles')
      assert.deepEqual(roles.roles.find(({ name }: Item) => name === displayName).permissions, [])
      const renamed = await patch(
        id,
        { op: 'replace', value: { id, displayName: `${displayName} 2` } },
        { op: 'Replace', path: 'externalId', value: '00g2' },
      )
      assert.deepEqual([renamed.displayName, renamed.externalId], [`${displayName} 2`, '00g2'])
      assert.equal((await permissionsOf(member)).roles[0].roleName, `${displayName} 2`)
      assertRefused(
        await scim.send('PATCH', `${groups}/${id}`, patchOf([{ op: 'replace', path: 'displayName', value: 'editor' }])),
        409,
        'uniqueness',
      )
      assert.equal((await scim.send('DELETE', `${groups}/${id}`)).status, 204)
      assertRefused(await scim.get(`${groups}/${id}`), 404, undefined)
      assert.deepEqual((await permissionsOf(member)).roles, [])
    })

    test('a deleted group that a workspace has given permissions stays, without members', async () => {
      const { id } = await scim.make({ roles: ['Editor'] })
      assert.equal((await scim.send('DELETE', `${groups}/role:editor`)).status, 204)
      assert.deepEqual((await permissionsOf(id)).roles, [])
      assert.deepEqual((await scim.get(`${groups}/role:editor`)).body.members, undefined)
      assert.deepEqual(
        (await scim.service.admin('GET', '/admin/roles/editor')).body.role.permissions,
        file.roles[0]!.permissions,
      )
    })

    test('wrong requests are refused as a whole', async () => {
      const { id } = await scim.make()
      const path = `${groups}/role:editor`
      const refusals: readonly (readonly [Item, string])[] = [
        [add(id, nobody), 'invalidValue'],
        [add('role:editor'), 'invalidValue'],
        [{ op: 'Add', path: 'members', value: 7 }, 'invalidValue'],
        [{ op: 'Replace', path: `members[value eq "${id}"].value`, value: nobody }, 'invalidPath'],
        [{ op: 'Remove', path: 'members[display eq "x"]' }, 'invalidPath'],
        [{ op: 'Remove', path: 'members[value ne "x"]' }, 'invalidPath'],
        [{ op: 'Replace', path: 'displayName', value: '' }, 'invalidValue'],
        [{ op: 'Replace', path: 'displayName', value: ' x' }, 'invalidValue'],
        [{ op: 'Replace', path: 'id', value: 'x' }, 'mutability'],
        [{ op: 'Replace', path: 'nothing', value: 'x' }, 'invalidPath'],
        [{ op: 'Move' }, 'invalidSyntax'],
        [{ op: 'Remove' }, 'noTarget'],
      ]
      for (const [operation, scimType] of refusals) {
        assertRefused(await scim.send('PATCH', path, patchOf([add(id), operation])), 400, scimType)
      }
      assert.ok(!(await membersOf('role:editor')).includes(id))
      assertRefused(
        await scim.send('POST', groups, { schemas: [groupSchema] }),
        400,
        'invalidValue',
        'displayName is required',
      )
      assertRefused(await scim.send('POST', groups, { displayName: 'x' }), 400, 'invalidValue')
      assertRefused(
        await scim.send('PUT', `${groups}/role:r2`, { schemas: [groupSchema], displayName: 'Mine' }),
        400,
        'mutability',
      )
      assertRefused(await scim.get(`${groups}?filter=members.value%20co%20%22a%22`), 400, 'invalidFilter')
      assertRefused(await scim.get(`${groups}?filter=userName%20eq%20%22a%22`), 400, 'invalidFilter')
      assertRefused(await scim.get(`${groups}?sortBy=members`), 400, 'invalidValue')
      assert.deepEqual((await scim.get(`${groups}?count=0`)).body.schemas, [listSchema])
      const { body: made } = await scim.service.admin('POST', '/admin/scim/tokens', {
        name: newId('t'),
        may_grant: false,
      })
      const options = { key: made.token.token, headers: { 'x-request-origin': requestOrigin } }
      for (const [method, at, body] of [
        ['POST', groups, { schemas: [groupSchema], displayName: 'x' }],
        ['PATCH', path, patchOf([add(id)])],
        ['DELETE', path, undefined],
      ] as const) {
        assertRefused(await scim.service.send(method, at, body, options), 403, undefined)
      }
    })

    test(`one request has at most ${groupOperationsMax} operations and names at most ${groupMembersMax} members`, async () => {
      const { id } = await create()
      const { id: member } = await scim.make()
      const operations = (count: number) => Array.from({ length: count }, () => remove(member))
      assert.equal((await scim.send('PATCH', `${groups}/${id}`, patchOf(operations(groupOperationsMax)))).status, 200)
      assertRefused(
        await scim.send('PATCH', `${groups}/${id}`, patchOf(operations(groupOperationsMax + 1))),
        400,
        'tooMany',
      )
      const members = (count: number) => patchOf([remove(...Array(count).fill(member))])
      assert.equal((await scim.send('PATCH', `${groups}/${id}`, members(groupMembersMax))).status, 200)
      assertRefused(await scim.send('PATCH', `${groups}/${id}`, members(groupMembersMax + 1)), 400, 'tooMany')
    })

    test('the discovery documents name groups', async () => {
      const { body: types } = await scim.get('/scim/v2/ResourceTypes/Group')
      assert.deepEqual([types.endpoint, types.schema], ['/Groups', groupSchema])
      const { body: schema } = await scim.get(`/scim/v2/Schemas/${groupSchema}`)
      assert.deepEqual(
        schema.attributes.map(({ name }: Item) => name),
        ['displayName', 'members'],
      )
    })
  })
}
