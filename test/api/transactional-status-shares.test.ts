import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openSendsMax, workspaceSendsMax } from '../../src/messaging/statuses/choose-sends.ts'
import { eventually } from '../support/eventually.ts'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, newId, People } from '../support/people.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'

const send = '/transactional/v1/campaigns/receipt/send'

for (const database of drawDatabases('transactional-status-shares')) {
  describe(`shares of workspaces in statuses (${database})`, () => {
    const people = new People()
    let silent: Served
    let quick: Served
    let givenUp = 0
    const fileOf = ({ url }: Served) => ({
      ...triggeredWorkspace,
      settings: { transactional_status_url: url },
      campaigns: [campaign('receipt', { class: 'transactional' })],
    })
    before(async () => {
      silent = await serve((_, response) => response.on('close', () => givenUp++))
      quick = await serve((_, response) => response.end())
      const EASEL_FETCH_ALLOW = `127.0.0.1:${silent.port},127.0.0.1:${quick.port}`
      await people.start({ database, workspace: fileOf(silent), env: { EASEL_FETCH_ALLOW } })
    })
    after(async () => {
      await people.stop()
      await silent?.close()
      await quick?.close()
    })

    /** Sends to somebody who does not exist, so that the only status is `aborted`. Returns the `dispatch_id`. */
    const sent = async (key?: string): Promise<string> => {
      const { status, text, body } = await people.service.post(
        send,
        { recipient: { external_user_id: newId() } },
        key === undefined ? {} : { key },
      )
      assert.equal(status, 201, text)
      return body.dispatch_id
    }

    test('a workspace whose receiver never answers does not delay the statuses of another one', async () => {
      const id = newId('workspace')
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      await people.service.admin('POST', `/admin/apply?workspace=${id}`, fileOf(quick))
      const permissions = ['transactional.send']
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${id}`, { name: id, permissions })
      for (const _ of many(openSendsMax + 1, String)) await sent()
      await eventually('its share of calls', () => silent.seen.length >= workspaceSendsMax)
      const wanted = many(workspaceSendsMax + 1, String)
      const others = await Promise.all(wanted.map(() => sent(body.key.key)))
      await eventually('the calls of the other', () => quick.seen.length === others.length)
      const told = quick.seen.map((call) => JSON.parse(call.body))
      assert.deepEqual(told.map(({ dispatch_id }) => dispatch_id).toSorted(), others.toSorted())
      // The receiver has not answered. On a busy machine, calls to it may have been given up and begun again, never more than its share.
      assert.ok(silent.seen.length - givenUp <= workspaceSendsMax, `${silent.seen.length} calls, ${givenUp} given up`)
    })
  })
}
