import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noPermissions } from '../../src/accounts/permissions/permissions.ts'
import { drawDatabases } from '../support/harness.ts'
import { Signing } from '../support/sign-in.ts'

type Group = { name: string; permissions: { permission: string; allows: string; may_give: boolean }[] }

for (const database of drawDatabases('admin-key-permissions')) {
  describe(`GET /admin/key_permissions (${database})`, () => {
    const at = new Signing()
    before(() => at.start({ database }))
    after(() => at.stop())

    test('each permission that opens an endpoint is in one group, with what it allows', async () => {
      const { body } = await at.service.admin('GET', '/admin/key_permissions')
      const groups = body.groups as Group[]
      const all = groups.flatMap(({ permissions }) => permissions)
      assert.equal(new Set(all.map(({ permission }) => permission)).size, all.length)
      assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length)
      assert.ok(all.every(({ may_give, allows }) => may_give && /^[A-Z].*\.$/s.test(allows)))
      assert.equal(body.may_give_all, true)
      const opened = at.service.app.endpoints.map(({ permission }) => permission)
      const keyed = new Set(opened.filter((permission) => !['admin', 'scim', 'public'].includes(permission)))
      assert.deepEqual(new Set(all.map(({ permission }) => permission)), keyed)
      const track = all.find(({ permission }) => permission === 'users.track')
      assert.match(track!.allows, /^Record events and purchases, update attributes\. Record and update up to 1,000/)
    })

    test('an account may give what it may do itself', async () => {
      const { user_name } = await at.account({ given_name: 'Grace' })
      const permissions = ['edit_api_keys', 'view_segments']
      const given = { ...noPermissions, workspaces: [{ id: 'default', permissions, sets: [], teams: [] }] }
      await at.db.execute(`update account set permissions = '${JSON.stringify(given)}'`)
      const cookie = await at.enter(user_name)
      const { status, body } = await at.get('/admin/key_permissions', cookie)
      assert.equal(status, 200)
      const mine = (body.groups as Group[]).flatMap((group) => group.permissions).filter(({ may_give }) => may_give)
      assert.deepEqual(
        mine.map(({ permission }) => permission),
        ['segments.list', 'segments.data_series', 'segments.details'],
      )
      assert.equal(body.may_give_all, false)
    })
  })
}
