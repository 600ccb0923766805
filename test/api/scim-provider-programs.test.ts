import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { groupSchema } from '../../src/accounts/scim/schema.ts'
import { signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import type { Answer } from '../support/http-requests.ts'
import { type Item, newId } from '../support/people.ts'
import {
  assertRefused,
  enterpriseSchema,
  file,
  newName,
  patchOf,
  provisioningOf,
  userSchema,
  users,
} from '../support/scim-service.ts'

const groups = '/scim/v2/Groups'
const scimJson = { 'content-type': 'application/scim+json', accept: 'application/scim+json' }
const query = (path: string, filter: string, more = '') => `${path}?filter=${encodeURIComponent(filter)}${more}`
const roleNames = (body: Item) =>
  (body.permissions as { roles: { roleName: string }[] }).roles.map(({ roleName }) => roleName).sort()
const idsOf = (body: Item) => ((body.members ?? []) as { value: string }[]).map(({ value }) => value)

/** What a program needs: requests with the headers of the provider, and the session of a person. */
for (const database of drawDatabases('scim-provider-programs')) {
  describe(`programs of identity providers (${database})`, () => {
    const scim = provisioningOf(database)
    const sends = (headers: Record<string, string>) => (method: string, path: string, body?: unknown) =>
      scim.send(method, path, body, headers)
    const okta = sends({ ...scimJson, 'user-agent': 'Okta SCIM Client 1.0.0' })
    const entra = sends(scimJson)

    before(async () => {
      await scim.service.admin('POST', '/admin/apply', {
        ...file,
        roles: [...file.roles, { id: 'reviewer', name: 'Reviewer', permissions: ['basic_access'] }],
        settings: { default_department: 'engineering' },
      })
    })

    const signedIn = async (account_id: string) => {
      const person = await signIn(scim.service, scim.db, { account_id } as Parameters<typeof signIn>[2])
      assert.equal((await person.send('GET', '/admin/session')).status, 200)
      return async () => (await person.send('GET', '/admin/session')).status === 200
    }
    const ok = (answer: Answer, status = 200): Item & { id: string } => {
      assert.equal(answer.status, status, answer.text)
      return answer.body
    }

    const oktaProfile = (userName: string, more: Item = {}): Item => ({
      ...{ schemas: [userSchema, enterpriseSchema], userName, name: { givenName: 'Maria', familyName: 'Rossi' } },
      ...{ emails: [{ primary: true, value: userName, type: 'work' }], displayName: 'Maria Rossi', locale: 'en-US' },
      ...{ externalId: `00u${userName}`, groups: [], password: '1mz050nq', active: true },
      [enterpriseSchema]: { department: 'Customer Care' },
      ...more,
    })
    /** It imports, assigns two people, links a group to a role, and pushes another group. */
    async function oktaJoins() {
      ok(await okta('GET', `${users}?startIndex=1&count=2`))
      ok(await okta('GET', `${groups}?startIndex=1&count=100`))
      const userName = newName('maria')
      assert.equal(
        ok(await okta('GET', query(users, `userName eq "${userName}"`, '&startIndex=1&count=100'))).totalResults,
        0,
      )
      const maria = ok(await okta('POST', users, oktaProfile(userName)), 201)
      const path = `${users}/${maria.id}`
      assert.deepEqual([maria.department, maria[enterpriseSchema]], ['Customer Care', { department: 'Customer Care' }])
      const colleague = ok(
        await okta('POST', users, oktaProfile(newName('ugo'), { name: { givenName: 'Ugo', familyName: '' } })),
        201,
      )
      assert.deepEqual(colleague.name, { givenName: 'Ugo', familyName: '' })
      const isIn = await signedIn(maria.id)

      // It links one group to a role that is there, and pushes another one.
      const [linked] = ok(await okta('GET', query(groups, 'displayName eq "Editor"'))).Resources as [{ id: string }]
      ok(
        await okta(
          'PATCH',
          `${groups}/${linked.id}`,
          patchOf([{ op: 'add', path: 'members', value: [{ value: maria.id, display: userName }] }]),
        ),
      )
      const displayName = newId('Care')
      assert.equal(ok(await okta('GET', query(groups, `displayName eq "${displayName}"`))).totalResults, 0)
      const members = [{ value: maria.id }, { value: colleague.id }]
      const pushed = ok(await okta('POST', groups, { schemas: [groupSchema], displayName, members }), 201)
      assert.deepEqual(roleNames(ok(await okta('GET', path))), [displayName, 'Editor'].sort())
      return { userName, maria, colleague, path, isIn, linked, pushed, displayName }
    }

    /** She marries: name, address and login change in one PUT. The login stays, everything else is as she is called now. */
    async function oktaRenames({ userName, path, isIn, pushed, displayName }: Awaited<ReturnType<typeof oktaJoins>>) {
      const married = newName('maria.bianchi')
      const stored = ok(await okta('GET', path))
      const renamed = {
        ...stored,
        ...oktaProfile(married, { name: { givenName: 'Maria', familyName: 'Bianchi' }, displayName: 'Maria Bianchi' }),
      }
      const after = ok(await okta('PUT', path, renamed))
      assert.deepEqual(
        [after.userName, after.displayName, (after.emails as Item[])[0]!.value],
        [userName, 'Maria Bianchi', married],
      )
      assert.deepEqual(roleNames(after), [displayName, 'Editor'].sort(), 'a change of a name takes no role')
      ok(
        await okta(
          'PATCH',
          `${groups}/${pushed.id}`,
          patchOf([{ op: 'replace', value: { id: pushed.id, displayName: `${displayName} EU` } }]),
        ),
      )
      assert.ok(await isIn())
      return { married, after }
    }

    test('Okta imports, assigns, renames, pushes groups, and lets people leave by PUT', async () => {
      const joined = await oktaJoins()
      const { married, after } = await oktaRenames(joined)
      const { userName, maria, colleague, path, isIn, linked, pushed } = joined

      // She leaves: first the groups, then a PUT with a login that has changed and a department that nobody knows.
      ok(
        await okta(
          'PATCH',
          `${groups}/${pushed.id}`,
          patchOf([{ op: 'remove', path: `members[value eq "${maria.id}"]` }]),
        ),
      )
      assert.deepEqual(idsOf(ok(await okta('GET', `${groups}/${pushed.id}`))), [colleague.id])
      const left = ok(await okta('PUT', path, { ...after, userName: married, department: 'Alumni', active: false }))
      assert.deepEqual([left.active, left.userName], [false, userName])
      assert.equal(await isIn(), false)
      assert.deepEqual(
        idsOf(ok(await okta('GET', `${groups}/${linked.id}`))),
        [maria.id],
        'a disabled account keeps its roles',
      )

      // She comes back with the same id.
      assert.equal(ok(await okta('PATCH', path, patchOf([{ op: 'replace', value: { active: true } }]))).active, true)
      assert.equal(await isIn(), false, 'sessions that have ended stay so')
      assert.equal((await okta('DELETE', `${groups}/${pushed.id}`)).status, 204)
      assert.deepEqual(roleNames(ok(await okta('GET', path))), ['Editor'])
    })

    /** It matches and provisions two people who share a mailbox. */
    async function entraJoins() {
      const provisioned = (userName: string): Item => ({
        ...{ schemas: [userSchema, enterpriseSchema], externalId: randomUUID(), userName, active: true, roles: [] },
        ...{ displayName: 'Jan Novak', emails: [{ primary: true, type: 'work', value: 'team@test.com' }] },
        ...{ meta: { resourceType: 'User' }, name: { formatted: 'Jan Novak', givenName: 'Jan', familyName: 'Novak' } },
        [enterpriseSchema]: { department: 'R&D', employeeNumber: '701984', manager: { value: '26118915' } },
      })
      assert.equal(ok(await entra('GET', query(users, `userName eq "${randomUUID()}"`))).totalResults, 0)
      const [userName, second] = [newName('jan'), newName('petr')]
      const jan = ok(await entra('POST', users, provisioned(userName)), 201)
      const petr = ok(await entra('POST', users, provisioned(second)), 201)
      assert.deepEqual([jan[enterpriseSchema], petr.emails], [{ department: 'R&D' }, jan.emails], 'a shared mailbox')
      assertRefused(await entra('POST', users, provisioned(userName.toUpperCase())), 409, 'uniqueness')
      const path = `${users}/${jan.id}`
      const patch = async (...operations: Item[]) => ok(await entra('PATCH', path, patchOf(operations)))
      const isIn = await signedIn(jan.id)
      return { userName, jan, petr, path, patch, isIn }
    }

    /** An application role, by the name that the workspace declares, and a group, by its external id and its name. */
    async function entraGrants({ jan, petr, path, patch }: Awaited<ReturnType<typeof entraJoins>>) {
      assert.deepEqual(roleNames(await patch({ op: 'Add', path: 'roles[primary eq "True"].value', value: 'Editor' })), [
        'Editor',
      ])
      assert.deepEqual(
        roleNames(await patch({ op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Reviewer' })),
        ['Reviewer'],
      )
      assertRefused(
        await entra('PATCH', path, patchOf([{ op: 'Add', path: 'roles', value: [{ value: 'Owner' }] }])),
        400,
        'invalidValue',
      )

      const externalId = randomUUID()
      const group = { schemas: [groupSchema], externalId, displayName: newId('Lab'), meta: { resourceType: 'Group' } }
      const search = `${query(groups, `displayName eq "${group.displayName}"`)}&excludedAttributes=members`
      assert.equal(ok(await entra('GET', search)).totalResults, 0)
      const { id } = ok(await entra('POST', groups, group), 201)
      ok(
        await entra(
          'PATCH',
          `${groups}/${id}`,
          patchOf([{ op: 'Add', path: 'members', value: [{ value: jan.id }, { value: petr.id }] }]),
        ),
      )
      assert.equal(ok(await entra('GET', search)).totalResults, 1)
      assert.equal(ok(await entra('GET', query(groups, `id eq "${id}" and members eq "${jan.id}"`))).totalResults, 1)
      assert.deepEqual(roleNames(ok(await entra('GET', path))), [group.displayName, 'Reviewer'].sort())
      return { id, group }
    }

    test('Entra matches, provisions, changes, gives roles and groups, and lets people leave by PATCH', async () => {
      const joined = await entraJoins()
      const { id, group } = await entraGrants(joined)
      const { userName, jan, petr, path, patch, isIn } = joined

      // He changes his name and his department, one attribute an operation.
      const changed = await patch(
        { op: 'Replace', path: 'displayName', value: 'Jan Dvorak' },
        { op: 'Replace', path: 'name.familyName', value: 'Dvorak' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: newName('dvorak') },
        { op: 'Add', path: `${enterpriseSchema}:department`, value: 'Field Sales' },
        { op: 'Replace', path: `${enterpriseSchema}:manager`, value: '26118916' },
      )
      assert.deepEqual([changed.displayName, changed[enterpriseSchema]], ['Jan Dvorak', { department: 'Field Sales' }])
      assertRefused(
        await entra('PATCH', path, patchOf([{ op: 'Replace', path: 'userName', value: newName() }])),
        400,
        'mutability',
      )
      ok(
        await entra(
          'PATCH',
          `${groups}/${id}`,
          patchOf([{ op: 'Replace', path: 'displayName', value: `${group.displayName} 2` }]),
        ),
      )
      assert.ok(await isIn())

      // He leaves: one PATCH with a new login, a removed surname, a department that is removed, and active as text.
      const left = await patch(
        { op: 'Replace', path: 'userName', value: newName('left') },
        { op: 'Remove', path: 'name.familyName' },
        { op: 'Remove', path: `${enterpriseSchema}:department` },
        { op: 'Replace', path: 'active', value: 'False' },
      )
      assert.deepEqual([left.active, left.userName, left.name], [false, userName, { givenName: 'Jan', familyName: '' }])
      assert.equal(await isIn(), false)
      ok(
        await entra(
          'PATCH',
          `${groups}/${id}`,
          patchOf([{ op: 'Remove', path: 'members', value: [{ value: jan.id }] }]),
        ),
      )
      assert.deepEqual(idsOf(ok(await entra('GET', `${groups}/${id}`))), [petr.id])
      const rows = await scim.written(jan.id)
      const told = rows.find(({ after }) => after?.passed_over !== undefined)
      assert.deepEqual(told?.after?.passed_over, ['userName cannot be changed'])
      assert.equal((await entra('DELETE', path)).status, 204)
      assertRefused(await entra('GET', path), 404, undefined)
    })
  })
}
