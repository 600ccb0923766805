import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { type Service, startService } from '../support/harness.ts'
import { newId } from '../support/people.ts'

let service: Service
let db: Db
before(async () => {
  service = await startService({
    opened(opened) {
      db = opened
    },
  })
})
after(() => service[Symbol.asyncDispose]())

async function person(...appGroupPermissions: string[]): Promise<Person> {
  const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
  return signIn(service, db, await makeAccount(db, permissions))
}

const create = (maker: Person, ...permissions: string[]) =>
  maker.send('POST', '/admin/keys', { name: newId('key'), permissions })

const refusals: readonly [held: readonly string[], asked: readonly string[], missing: string][] = [
  [['dev_console'], ['*'], 'workspace.edit'],
  [['dev_console'], ['users.track'], 'people.import'],
  [['dev_console', 'import_users'], ['users.track', 'users.delete'], 'workspace.edit'],
  [['edit_api_keys', 'import_users', 'view_pii'], ['users.export.ids'], 'people.export'],
  // Exporting people takes view_pii as well.
  [['edit_api_keys', 'export_user_data'], ['users.export.ids'], 'people.export'],
  [['edit_api_keys', 'launch_campaigns'], ['messages.send'], 'campaigns.edit'],
]

for (const [held, asked, missing] of refusals) {
  test(`an account with ${held.join(', ')} creates no key with ${asked.join(', ')}`, async () => {
    const maker = await person(...held)
    const { body: before } = await service.admin('GET', '/admin/keys')
    const answer = await create(maker, ...asked)
    assert.equal(answer.status, 403, answer.text)
    assert.equal(answer.body.message, `You do not have permission to do this: it takes ${missing}`)
    assert.equal((await service.admin('GET', '/admin/keys')).body.keys.length, before.keys.length)
  })
}

const grants: readonly [held: readonly string[], asked: readonly string[]][] = [
  [['dev_console', 'import_users'], ['users.track']],
  [['edit_api_keys', 'export_user_data', 'view_pii'], ['users.export.ids']],
  [
    ['edit_api_keys', 'send_campaigns_canvases'],
    ['messages.send', 'canvas.trigger.send', 'canvas.list'],
  ],
  [['admin'], ['*']],
]

for (const [held, asked] of grants) {
  test(`an account with ${held.join(', ')} creates a key with ${asked.join(', ')}`, async () => {
    const answer = await create(await person(...held), ...asked)
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(answer.body.key.permissions, asked)
  })
}

test('a key of an account does what the account may do', async () => {
  const { body } = await create(await person('dev_console', 'import_users'), 'users.track')
  const track = await service.post('/users/track', { attributes: [{ external_id: newId() }] }, { key: body.key.key })
  assert.equal(track.status, 201, track.text)
  const removed = await service.post('/users/delete', { external_ids: [newId()] }, { key: body.key.key })
  assert.equal(removed.status, 403)
})
