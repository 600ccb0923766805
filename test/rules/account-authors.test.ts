import assert from 'node:assert/strict'
import test from 'node:test'
import type { Account } from '../../src/accounts/accounts/account.ts'
import { losesAbility, refuseLacking, refuseUnconfirmed } from '../../src/accounts/administration/author.ts'
import { grantsOf } from '../../src/accounts/permissions/abilities.ts'
import { noPermissions, type Permissions } from '../../src/accounts/permissions/permissions.ts'
import { declared } from '../support/declared-permissions.ts'

const company = (...names: string[]): Permissions => ({ ...noPermissions, company: names })
const within = (id: string, ...permissions: string[]): Permissions => ({
  ...noPermissions,
  workspaces: [{ id, permissions, sets: [], teams: [] }],
})
const withRole = (...roles: string[]): Permissions => ({ ...noPermissions, roles })
const withSet = (id: string, ...sets: string[]): Permissions => ({
  ...noPermissions,
  workspaces: [{ id, permissions: [], sets, teams: [] }],
})

/** Who gives, what the account had, what it is to have, and the ability that the giver lacks. */
const gifts: readonly [author: Permissions, before: Permissions, after: Permissions, lacking: string | undefined][] = [
  [company('admin'), noPermissions, company('admin'), undefined],
  [company('admin'), noPermissions, within('shop', 'admin'), undefined],
  [within('default', 'edit_canvases'), noPermissions, within('default', 'edit_canvases'), undefined],
  [within('default', 'edit_canvases'), noPermissions, within('shop', 'edit_canvases'), 'messages.test'],
  [within('default', 'admin'), noPermissions, company('admin'), 'workspace.edit'],
  [company('manage_company_settings'), noPermissions, company('add_remove_app_groups'), 'workspaces.create'],
  // What the account had already is not given.
  [within('default', 'view_canvases'), company('admin'), company('admin'), undefined],
  [within('default', 'view_canvases'), company('admin'), noPermissions, undefined],
  // Roles of several workspaces, and sets.
  [within('default', 'basic_access'), noPermissions, withRole('r-both'), 'dispatches.read'],
  [within('default', 'view_user_profile'), noPermissions, withSet('default', 's-care'), 'people.read'],
  // Two halves that are harmless alone.
  [
    within('default', 'view_user_profile'),
    within('default', 'view_user_profile'),
    within('default', 'view_user_profile', 'view_pii'),
    'people.read',
  ],
  // A name without effect may be given by everybody.
  [noPermissions, noPermissions, within('default', 'manage_tags'), undefined],
]

for (const [i, [author, before, after, lacking]] of gifts.entries()) {
  test(`nobody gives what they lack (${i}): ${lacking ?? 'allowed'}`, () => {
    const give = () =>
      refuseLacking(
        { account_id: 'a', grants: grantsOf(author, declared) },
        { permissions: before },
        { permissions: after },
        declared,
      )
    if (lacking === undefined) give()
    else
      assert.throws(give, {
        kind: 'forbidden',
        message: `You can only give what you may do yourself: you lack ${lacking}`,
      })
  })
}

test('The admin token gives everything.', () => {
  refuseLacking(undefined, undefined, { permissions: company('admin') }, declared)
})

test('An account loses something by being disabled or by losing an ability, and not by gaining one.', () => {
  const account = (permissions: Permissions, active = true) => ({ permissions, active }) as Account
  const loses = (before: Account, after: Account) => losesAbility(before, after, declared)
  assert.ok(loses(account(noPermissions), account(noPermissions, false)))
  assert.ok(!loses(account(noPermissions, false), account(noPermissions)))
  assert.ok(loses(account(company('admin')), account(within('default', 'admin'))))
  assert.ok(loses(account(within('shop', 'view_canvases')), account(within('default', 'view_canvases'))))
  assert.ok(!loses(account(within('shop', 'view_canvases')), account(company('admin'))))
  assert.ok(!loses(account(within('shop', 'manage_tags')), account(within('shop'))))
})

test('Only a change of one’s own account must be confirmed.', () => {
  const author = { account_id: 'a', grants: grantsOf(company('admin'), declared) }
  refuseUnconfirmed(author, 'b', 'it would go')
  refuseUnconfirmed(undefined, 'a', 'it would go')
  refuseUnconfirmed(author, 'a', 'it would go', true)
  assert.throws(() => refuseUnconfirmed(author, 'a', 'it would go'), { kind: 'conflict' })
})
