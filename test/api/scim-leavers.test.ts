import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { computeChange, passedOverMax } from '../../src/accounts/scim/compute-change.ts'
import { Failure } from '../../src/base/errors.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import {
  assertRefused,
  enterpriseSchema,
  newName,
  patchOf,
  provisioningOf,
  userSchema,
  users,
} from '../support/scim-service.ts'

const name = { givenName: 'Ada', familyName: 'Lovelace' }
const put = (more: Item): Item => ({
  schemas: [userSchema],
  name,
  department: 'bi',
  permissions: {},
  active: false,
  ...more,
})
const replace = (path: string, value: unknown) => ({ op: 'Replace', path, value })

/** Requests of providers that disable an account. Each has a change that cannot be done, and a word of the change that is passed over. */
const leaving: readonly (readonly [
  title: string,
  method: 'PUT' | 'PATCH',
  body: Item,
  passedOver: string | undefined,
])[] = [
  ['a PUT of a renamed person', 'PUT', put({ userName: newName('renamed') }), undefined],
  ['a PUT of an unknown department', 'PUT', put({ department: 'Legal' }), 'department'],
  ['a PUT without a surname', 'PUT', put({ name: { givenName: 'Ada' } }), undefined],
  ['a PUT without a name', 'PUT', put({ name: undefined, userName: newName() }), undefined],
  ['a PUT of an unknown role', 'PUT', put({ permissions: { roles: [{ roleName: 'Nobody' }] } }), 'permissions'],
  ['a PUT of no address', 'PUT', put({ emails: [{ value: 'nowhere' }] }), 'emails'],
  ['a PUT without schemas', 'PUT', { active: 'False' }, undefined],
  [
    'a PATCH of a renamed person',
    'PATCH',
    patchOf([replace('userName', newName()), replace('active', 'False')]),
    'userName',
  ],
  [
    'a PATCH of an object of a renamed person',
    'PATCH',
    patchOf([{ op: 'replace', value: { userName: newName('renamed'), active: false } }]),
    'userName',
  ],
  [
    'a PATCH of an unknown department',
    'PATCH',
    patchOf([replace('active', false), replace('department', 'x')]),
    'department',
  ],
  [
    'a PATCH that removes the surname',
    'PATCH',
    patchOf([{ op: 'Remove', path: 'name.familyName' }, replace('active', 'False')]),
    undefined,
  ],
  ['a PATCH of a wrong path', 'PATCH', patchOf([replace('shoeSize', 44), replace('active', 'False')]), 'shoeSize'],
  ['a PATCH of a wrong verb', 'PATCH', patchOf([{ op: 'Move' }, replace('active', 'False')]), 'Operations[0].op'],
  [
    'a PATCH of no address',
    'PATCH',
    patchOf([replace('emails[type eq "work"].value', 'nowhere'), replace('active', 'False')]),
    'emails',
  ],
  [
    'a PATCH of an unknown role',
    'PATCH',
    patchOf([{ op: 'Add', path: 'permissions.roles', value: [{ roleName: 'x' }] }, replace('active', 'False')]),
    'permissions',
  ],
]

for (const database of drawDatabases('scim-leavers')) {
  describe(`people who leave (${database})`, () => {
    const scim = provisioningOf(database)

    async function signedIn() {
      const account = await makeAccount(scim.db, { companyPermissions: ['manage_company_settings'] })
      const person = await signIn(scim.service, scim.db, account)
      assert.equal((await person.send('GET', '/admin/session')).status, 200)
      return { account, person, path: `${users}/${account.account_id}` }
    }

    for (const [title, method, body, passedOver] of leaving) {
      test(`${title} disables the account and ends its sessions`, async () => {
        const { account, person, path } = await signedIn()
        const answer = await scim.send(method, path, body)
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual([answer.body.active, answer.body.userName], [false, account.user_name])
        assert.equal((await scim.get(path)).body.active, false)
        assert.equal((await person.send('GET', '/admin/session')).status, 401)
        const row = (await scim.written(account.account_id)).at(-1)!
        assert.deepEqual([row.action, row.after!.active], ['account.update', false])
        const told = row.after!.passed_over as string[] | undefined
        if (passedOver !== undefined)
          assert.ok(
            told!.some((each) => each.includes(passedOver)),
            JSON.stringify(told),
          )
        const again = await scim.send(method, path, body)
        assert.deepEqual([again.status, again.body.active], [200, false], 'a retry is answered the same')
      })
    }

    test('what can be done in the same request is done', async () => {
      const { path, account } = await signedIn()
      const changes = {
        displayName: 'Gone',
        userName: newName(),
        [enterpriseSchema]: { department: 'Legal' },
        active: 'false',
      }
      const { body } = await scim.done(
        'PATCH',
        path,
        patchOf([{ op: 'replace', value: changes }, replace('nothing', 1)]),
      )
      assert.deepEqual([body.displayName, body.department, body.active], ['Gone', 'Legal', false])
      const { passed_over: passedOver } = (await scim.written(account.account_id)).at(-1)!.after!
      assert.deepEqual(passedOver, ['userName cannot be changed', 'The path "nothing" is not an attribute'])
    })

    test('the audit lists a limited number of what was passed over', async () => {
      const { path, account } = await signedIn()
      const wrong = Array.from({ length: passedOverMax + 1 }, (_, i) => replace(`nothing${i}`, 1))
      await scim.done('PATCH', path, patchOf([...wrong, replace('active', false)]))
      const { passed_over: passedOver } = (await scim.written(account.account_id)).at(-1)!.after!
      assert.equal((passedOver as string[]).length, passedOverMax)
    })

    test('a request that disables nobody stays refused as a whole', async () => {
      const { path, person } = await signedIn()
      const wrong = replace('userName', newName())
      for (const operations of [
        [wrong, replace('active', true)],
        [replace('active', false), wrong, replace('active', 'True')],
        [replace('active', 'no'), wrong],
        [replace('displayName', 'Ada'), wrong],
      ]) {
        assertRefused(await scim.patch(path, operations), 400, refusalOf(operations))
      }
      assertRefused(await scim.send('PUT', path, put({ active: true, department: 'Legal' })), 400, 'invalidValue')
      assertRefused(await scim.send('PUT', path, put({ active: undefined, department: 'Legal' })), 400, 'invalidValue')
      assertRefused(await scim.send('PATCH', path, { Operations: [replace('active', false)] }), 400, 'invalidSyntax')
      assert.equal((await person.send('GET', '/admin/session')).status, 200)
      // An account that is already disabled is changed by the usual rules.
      await scim.patch(path, [replace('active', false)])
      assertRefused(await scim.patch(path, [wrong]), 400, 'mutability')
      assertRefused(await scim.send('PUT', path, put({ active: undefined, department: 'Legal' })), 400, 'invalidValue')
    })
  })
}

test('the log says what was passed over, and nothing of the person', () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const given = { given_name: 'Ada', family_name: 'Lovelace' }
  const compute = (isDisabling: boolean) =>
    computeChange({ log }, { account_id: '7' }, { active: false }, (passOver) => {
      if (!passOver) throw new Failure('invalid', 'userName cannot be changed')
      passOver({ scimType: 'mutability', detail: 'userName cannot be changed' })
      return { given, isDisabling }
    })
  assert.deepEqual(compute(true), { ...given, active: false, passedOver: ['userName cannot be changed'] })
  const [{ account_id, passed_over, msg }] = lines.map((line) => JSON.parse(line)) as [Item]
  assert.deepEqual([account_id, passed_over], ['7', ['userName cannot be changed']])
  assert.match(msg as string, /^An account was disabled/)
  assert.ok(!lines.join().includes('Ada'))
  assert.throws(() => compute(false), { message: 'userName cannot be changed' })
  assert.equal(lines.length, 1)
})

function refusalOf([first]: readonly { readonly value: unknown }[]): string {
  return first!.value === 'no' ? 'invalidValue' : 'mutability'
}
