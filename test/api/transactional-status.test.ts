import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { type Item, newEmail, newId } from '../support/people.ts'
import { sendgridHeaders, sendgridKey } from '../support/providers.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'

type Told = {
  readonly dispatch_id: string
  readonly status: string
  readonly metadata: Readonly<Record<string, string>>
}

const send = '/transactional/v1/campaigns/receipt/send'
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/

for (const database of drawDatabases('transactional-status')) {
  describe(`statuses of transactional sends (${database})`, () => {
    const people = new Mailed()
    let receiver: Served
    let refusals = 0
    before(async () => {
      receiver = await serve((_, response) => {
        response.writeHead(refusals-- > 0 ? 503 : 200).end()
      })
      const settings = {
        transactional_status_url: `${receiver.url}/status`,
        webhooks: { sendgrid: { public_key: sendgridKey } },
      }
      const workspace = {
        ...triggeredWorkspace,
        settings,
        campaigns: [campaign('receipt', { class: 'transactional' })],
      }
      await people.start({
        database,
        workspace,
        env: { EASEL_CLOCK: 'virtual', EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` },
      })
    })
    after(async () => {
      await people.stop()
      await receiver?.close()
    })

    const sent = async (recipient: Item, external_send_id?: string) => {
      const { status, body, text } = await people.send(send, { recipient, external_send_id })
      assert.equal(status, 201, text)
      return body as unknown as Told
    }
    const toldOf = (dispatch_id: string) =>
      receiver.seen
        .map(({ headers, body }) => ({ ...(JSON.parse(body) as Told), key: headers['idempotency-key'] }))
        .filter((told) => told.dispatch_id === dispatch_id)
    /** Reports twice what became of the mail to an address. */
    const report = async (email: string, more: Item) => {
      const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body
      const token = people.token(await people.messageOf(messages[0].id), 'message')
      const { id } = (await people.service.admin('GET', '/admin/workspace')).body.workspaces[0]
      const event = { email, timestamp: 1795186800, 'smtp-id': `<m.${token}@example.com>`, ...more }
      const body = JSON.stringify([event])
      for (let i = 0; i < 2; i++) {
        await people.service.post(`/webhooks/sendgrid/${id}`, body, { key: null, headers: sendgridHeaders(body) })
      }
    }
    /** Waits for so many calls about a send. */
    const calls = async (dispatch_id: string, count: number) => {
      await eventually(`${count} calls`, async () => toldOf(dispatch_id).length >= count)
      return toldOf(dispatch_id)
    }
    const newPerson = async () => {
      const [external_user_id, email] = [newId(), newEmail()]
      await people.set({ external_id: external_user_id, email })
      return { recipient: { external_user_id }, email }
    }

    test('a mail is sent, processed and, as its provider says, delivered', async () => {
      const { recipient, email } = await newPerson()
      const external_send_id = newId()
      const { dispatch_id, metadata } = await sent(recipient, external_send_id)
      const first = await calls(dispatch_id, 2)
      assert.deepEqual(
        first.map(({ status, key }) => [status, key]),
        ['sent', 'processed'].map((status) => [status, `${dispatch_id}-${status}`]),
      )
      const { sent_at, ...common } = first[0]!.metadata
      assert.deepEqual(common, metadata)
      assert.equal(common.external_send_id, external_send_id)
      assert.match(sent_at!, timePattern)
      await report(email, { event: 'delivered' })
      const all = await calls(dispatch_id, 3)
      assert.deepEqual(
        all.map(({ status }) => status),
        ['sent', 'processed', 'delivered'],
      )
      assert.match(all[2]!.metadata.delivered_at!, timePattern)
    })

    for (const type of ['bounce', 'blocked']) {
      test(`a mail that comes back is bounced, once: ${type}`, async () => {
        const { recipient, email } = await newPerson()
        const { dispatch_id } = await sent(recipient)
        await calls(dispatch_id, 2)
        await report(email, { event: 'bounce', type, reason: '550 5.1.1 no such user' })
        const [, , { metadata }] = (await calls(dispatch_id, 3)) as unknown as [Told, Told, Told]
        assert.match(metadata.bounced_at!, timePattern)
        // The clock stands still, so that both are reported at the same millisecond.
        await report(email, { event: 'delivered' })
        assert.deepEqual(
          (await calls(dispatch_id, 4)).map(({ status }) => status),
          ['sent', 'processed', 'bounced', 'delivered'],
        )
      })
    }

    test('a mail that arrives and then comes back is delivered and bounced', async () => {
      const { recipient, email } = await newPerson()
      const { dispatch_id } = await sent(recipient)
      await calls(dispatch_id, 2)
      await report(email, { event: 'delivered' })
      await report(email, { event: 'bounce', type: 'bounce', reason: '550 5.1.1 no such user' })
      assert.deepEqual(
        (await calls(dispatch_id, 4)).map(({ status }) => status),
        ['sent', 'processed', 'delivered', 'bounced'],
      )
    })

    test('a mail that is not sent is aborted, with the reason, also when nobody is found', async () => {
      const external_id = newId()
      await people.set({ external_id })
      for (const [recipient, reason_code, reason] of [
        [external_id, 'no_address', 'the person has no address for the channel'],
        [newId(), 'no_such_user', 'nobody has the identifier'],
      ] as const) {
        const { dispatch_id } = await sent({ external_user_id: recipient })
        const [{ status, metadata }] = (await calls(dispatch_id, 1)) as unknown as [Told]
        assert.deepEqual([status, metadata.reason_code, metadata.reason], ['aborted', reason_code, reason])
        assert.match(metadata.aborted_at!, timePattern)
      }
    })

    test('a status is repeated with the same key until the receiver takes it', async () => {
      refusals = 1
      const { recipient } = await newPerson()
      const { dispatch_id } = await sent(recipient)
      assert.deepEqual(
        (await calls(dispatch_id, 3)).map(({ key }) => key),
        ['sent', 'sent', 'processed'].map((status) => `${dispatch_id}-${status}`),
      )
    })

    test('the setting is an http or https URL without credentials', async () => {
      const key = people.service.adminToken
      const text = (length: number) => `https://example.com/${'x'.repeat(length - 20)}`
      const set = async (transactional_status_url: unknown) =>
        (await people.service.send('PATCH', '/admin/settings', { transactional_status_url }, { key })).status
      for (const url of [text(2047), text(2048)]) assert.equal(await set(url), 200)
      for (const url of [text(2049), 'ftp://example.com', 'https://a:b@example.com', 'example.com', '', 5]) {
        assert.equal(await set(url), 400)
      }
    })
  })
}
