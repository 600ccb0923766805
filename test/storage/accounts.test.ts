import assert from 'node:assert/strict'
import type { Account, AccountGiven, NewAccount } from '../../src/accounts/accounts/account.ts'
import { countAccounts, findByName, listAccounts } from '../../src/accounts/accounts/account-store.ts'
import { changeAccount, createAccount, getAccount, removeAccount } from '../../src/accounts/accounts/accounts.ts'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { noPermissions } from '../../src/accounts/permissions/permissions.ts'
import { openSession } from '../../src/accounts/sessions/sessions.ts'
import { systemActor } from '../../src/base/call.ts'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { configSections } from '../../src/config-sections.ts'
import { applyFile } from '../../src/workspace/file/apply.ts'
import { checkFile } from '../../src/workspace/file/check-file.ts'
import { type Open, onBothDatabases } from '../support/databases.ts'

const startMs = Date.UTC(2027, 0, 4, 12)
const ada: NewAccount = { user_name: 'Ada@Example.com', given_name: 'Ada', family_name: 'Lovelace' }
const admin = { ...noPermissions, company: ['admin'] }
const unknownId = '00000000-0000-4000-8000-000000000000'
const unknown = { kind: 'notFound', message: 'User not found' }
const taken = { kind: 'conflict', message: 'User already exists in the database.' }

/** Tests the rules that SCIM and other writers of accounts share. */
async function booted(open: Open, processes = 1) {
  const dbs = await open.processes(processes)
  const db = dbs[0]!
  const clock = virtualClock(startMs)
  await bootstrap(db, clock, { apiKey: 'first-secret', adminToken: 'admin-secret' })
  const call = { actor: systemActor, clock, workspace_id: 1 }
  const rules = (at: Db) => ({
    create: (given: Partial<NewAccount> = {}) => at.transaction((tx) => createAccount(tx, call, { ...ada, ...given })),
    replace: (id: string, given: Partial<AccountGiven>, version?: number) =>
      at.transaction((tx) =>
        changeAccount(tx, call, id, () => ({ given_name: 'Ada', family_name: 'Lovelace', ...given }), version),
      ),
    change: (id: string, change: (account: Account) => AccountGiven, version?: number) =>
      at.transaction((tx) => changeAccount(tx, call, id, change, version)),
    remove: (id: string, version?: number) => at.transaction((tx) => removeAccount(tx, call, id, version)),
  })
  const apply = (file: object) =>
    applyFile(
      { db, ...call },
      configSections,
      checkFile(file, '', () => undefined, configSections),
    )
  return { db, clock, apply, ...rules(db), others: dbs.map(rules) }
}

async function sessions(db: Db, account_id: string): Promise<number> {
  return (await db.query(sql`select 1 from session where account_id = ${account_id}`)).length
}

onBothDatabases(
  'an account has the given values, a unique name and address, and a page in order of creation',
  async (open) => {
    const { db, clock, create, remove } = await booted(open)
    const account = await create()
    assert.deepEqual(await getAccount(db, account.account_id), account)
    assert.deepEqual(account, {
      account_id: account.account_id,
      ...ada,
      department: null,
      active: true,
      external_id: null,
      display_name: null,
      locale: null,
      title: null,
      user_type: null,
      ims: [],
      emails: [{ value: 'Ada@Example.com', type: 'work', primary: true }],
      permissions: { ...noPermissions, workspaces: [{ id: 'default', permissions: [], sets: [], teams: [] }] },
      version: 1,
      created_at: new Date(startMs),
      updated_at: new Date(startMs),
      last_sign_in_at: null,
    })
    assert.deepEqual(await findByName(db, 'aDA@example.COM'), account)
    await assert.rejects(getAccount(db, unknownId), unknown)
    await assert.rejects(getAccount(db, "' or true --"), unknown)
    await remove(account.account_id)

    for (const user_name of [
      '',
      'ada',
      'ada@',
      '@example.com',
      'a@b@c',
      'a b@c.de',
      'a@b.c\n',
      'a,b@c.de',
      '<a@b.c>',
    ]) {
      await assert.rejects(create({ user_name }), { kind: 'invalid', message: 'userName must be an e-mail address' })
    }

    // A name is that of one account, an e-mail address may be that of several.
    await create({ emails: [{ value: 'other@example.com' }, { value: 'shared@example.com' }] })
    await assert.rejects(create(), taken)
    await assert.rejects(create({ user_name: 'ADA@example.com' }), taken)
    const b = await create({
      user_name: 'shared@example.com',
      emails: [{ value: 'b@x.org' }, { value: 'c@x.org', primary: true }],
    })
    assert.deepEqual(b.emails, [{ value: 'b@x.org' }, { value: 'c@x.org', primary: true }])
    const other = await create({ user_name: 'b@example.com', emails: [{ value: 'ada@example.com' }] })
    assert.deepEqual(other.emails, [{ value: 'ada@example.com' }])
    await remove(other.account_id)

    for (const name of ['e', 'c', 'd']) {
      clock.moveTo(clock.now() + 1)
      await create({ user_name: `${name}@example.com`, active: name !== 'c' })
    }
    const names = (accounts: readonly Account[]) =>
      accounts.map(({ user_name }) => user_name[0]!.toLowerCase()).join('')
    assert.match(names(await listAccounts(db)), /^(as|sa)ecd$/)
    assert.equal(names(await listAccounts(db, sql`true`, sql`created_at`, { limit: 1, offset: 3 })), 'c')
    assert.equal(names(await listAccounts(db, sql`active`, sql`lower(user_name) desc`)), 'seda')
    assert.equal(await countAccounts(db, sql`active and user_name = ${'d@example.com'}`), 1)
  },
)

onBothDatabases(
  'a change sets version and time, an empty change does not, and sessions end with the account',
  async (open) => {
    const { db, clock, create, replace, change, remove } = await booted(open)
    const { account_id, ...first } = await create({ department: 'finance', permissions: noPermissions })
    clock.moveTo(startMs + 1000)
    const same = await replace(account_id, { department: 'finance', permissions: noPermissions })
    assert.deepEqual(same, { account_id, ...first })
    const other = await replace(account_id, { display_name: 'A. L.', permissions: noPermissions, locale: 'de' }, 1)
    assert.deepEqual(
      [other.version, other.updated_at, other.created_at],
      [2, new Date(startMs + 1000), first.created_at],
    )
    assert.deepEqual([other.department, other.display_name, other.user_name], [null, 'A. L.', first.user_name])
    assert.deepEqual(await getAccount(db, account_id), other)
    await assert.rejects(replace(account_id, {}, 1), { kind: 'preconditionFailed' })
    await assert.rejects(replace(unknownId, {}), unknown)
    const third = await change(account_id, (account) => ({ ...account, family_name: 'King' }), 2)
    assert.deepEqual(third, { ...other, family_name: 'King', version: 3 })

    const account = third
    const signIn = () => openSession(db, clock, account, { ip: '', request_id: '', agent: '' })
    await signIn()
    await signIn()
    assert.equal(await sessions(db, account_id), 2)
    await replace(account_id, { given_name: 'Augusta' })
    assert.equal(await sessions(db, account_id), 2)
    await replace(account_id, { active: false })
    assert.equal(await sessions(db, account_id), 0)
    await replace(account_id, { active: true })
    await signIn()
    await remove(account_id)
    assert.equal(await sessions(db, account_id), 0)
    await assert.rejects(remove(account_id), unknown)
  },
)

onBothDatabases('the last administrator cannot be removed', async (open) => {
  const { db, create, replace, remove, others } = await booted(open, 2)
  const { account_id } = await create({ permissions: admin })
  const idle = await create({ user_name: 'idle@example.com', active: false, permissions: admin })
  const last = { kind: 'invalid', message: /^This is the last active administrator/ }
  await assert.rejects(remove(account_id), last)
  await assert.rejects(replace(account_id, { permissions: noPermissions }), last)
  await assert.rejects(replace(account_id, { permissions: admin, active: false }), last)
  await remove(idle.account_id)
  const other = await create({ user_name: 'b@example.com', permissions: admin })
  await remove(account_id)
  await assert.rejects(remove(other.account_id), last)

  // Of two administrators who remove each other at the same time one stays.
  const pair = [other, await create({ permissions: admin })]
  const removed = await Promise.allSettled(
    pair.map(({ account_id }, i) => others[i % others.length]!.remove(account_id)),
  )
  assert.deepEqual(removed.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal(await countAccounts(db), 1)
})

onBothDatabases(
  'fifty creations of one account at once create one, and of ten changes at once none is lost',
  async (open) => {
    const { db, create, others } = await booted(open, 2)
    const made = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        others[i % others.length]!.create({ user_name: i % 2 === 0 ? 'ada@example.com' : 'ADA@example.com' }),
      ),
    )
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const each of made) {
      if (each.status === 'rejected')
        assert.ok(each.reason instanceof Failure && each.reason.kind === 'conflict', each.reason)
    }
    assert.equal(await countAccounts(db), 1)

    // Of changes at the same time none is lost, and of those with a version one succeeds.
    const { account_id } = await create({ user_name: 'b@example.com', display_name: '' })
    const letters = [...'abcdefghij']
    const appended = letters.map((letter, i) =>
      others[i % others.length]!.change(account_id, (account) => ({
        ...account,
        display_name: `${account.display_name}${letter}`,
      })),
    )
    await Promise.all(appended)
    const after = await getAccount(db, account_id)
    assert.deepEqual([[...after.display_name!].toSorted(), after.version], [letters, 11])
    const won = await Promise.allSettled(
      letters.map((letter, i) => others[i % others.length]!.replace(account_id, { display_name: letter }, 11)),
    )
    assert.equal(won.filter(({ status }) => status === 'fulfilled').length, 1)
  },
)

onBothDatabases(
  'teams, roles and permission sets are declared by a file, and cannot be removed while accounts have them',
  async (open) => {
    const { db, create, apply, remove } = await booted(open)
    const file = {
      teams: [{ id: 'de', name: 'Germany' }],
      roles: [{ id: 'editor', name: 'Editor', permissions: ['basic_access'] }],
      permission_sets: [{ id: 'care', name: 'Care', permissions: ['view_pii', 'view_user_profile'] }],
    }
    assert.equal((await apply(file)).changes.length, 3)
    assert.deepEqual((await apply(file)).changes, [])
    const renamed = { teams: [{ id: 'de', name: 'Deutschland' }], roles: [{ ...file.roles[0], permissions: [] }] }
    assert.equal((await apply(renamed)).changes.length, 2)
    await assert.rejects(apply({ roles: [{ name: 'Pilot', permissions: ['fly'] }] }), /roles\[0\].permissions\[0\]/)
    await assert.rejects(
      apply({ permission_sets: [{ name: 'Boss', permissions: ['manage_company_settings'] }] }),
      Failure,
    )
    await assert.rejects(apply({ teams: [{ name: 'Twice' }, { name: 'Twice' }] }), Failure)
    await apply({
      settings: { scim: { unknown_permissions: 'keep' } },
      roles: [{ id: 'pilot', name: 'Pilot', permissions: ['fly'] }],
    })
    await apply({ settings: { scim: null } })
    assert.deepEqual((await apply({ roles: [{ id: 'pilot', name: 'Flyer', permissions: ['fly'] }] })).changes.length, 1)

    const held = [{ id: 'default', permissions: [], sets: ['care'], teams: [{ id: 'de', permissions: [] }] }]
    const { account_id } = await create({ permissions: { company: [], roles: ['editor'], workspaces: held } })
    const ids: Readonly<Record<string, string>> = { teams: 'de', roles: 'editor', permission_sets: 'care' }
    const end = (name: string) =>
      db.transaction((tx) =>
        configSections.find((each) => each.name === name)!.end(tx, 1, ids[name]!, new Date(startMs)),
      )
    for (const name of Object.keys(ids))
      await assert.rejects(end(name), { kind: 'conflict', message: /^An account has this/ })
    await remove(account_id)
    for (const name of Object.keys(ids)) assert.deepEqual([await end(name), await end(name)], [true, false])
  },
)
