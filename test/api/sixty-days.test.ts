import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { weekStart } from '../../src/base/db/weeks.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { pathOf } from '../support/exports.ts'
import { type FakeFcm, startFakeFcm } from '../support/fake-fcm.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, only } from '../support/people.ts'
import {
  count,
  crowd,
  dueTo,
  emailOf,
  giveDevice,
  type Leaving,
  listAll,
  peopleIn,
  phoneOf,
  rounds,
  sender,
  sentBy,
  sentToAll,
  sixtyDays,
  texts,
  tokenOf,
  walkSixtyDays,
} from '../support/sixty-days.ts'
import { type SmsProvider, startSmsProvider } from '../support/sms-provider.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const publicUrl = 'https://easel.example.com'
/** The noon before the next Monday but one. It is near, because each week that a clock passes needs new partitions. */
const begin = new Date(weekStart(Date.now()) + 6.5 * 86_400_000).toISOString()

async function start(database: Database, receiver: WebhookReceiver, env: Readonly<Record<string, string>> = {}) {
  const service = await startService({
    database,
    workspace: sixtyDays(receiver),
    env: {
      ...{ EASEL_CLOCK: 'virtual', PUBLIC_URL: publicUrl, EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` },
      ...env,
    },
  })
  const moved = await service.admin('POST', '/admin/clock', { now: begin })
  assert.equal(moved.status, 200, moved.text)
  return service
}

/** Presses the button of a mail program that leaves the list. */
async function unsubscribe(service: Service, header: string): Promise<void> {
  const [, url] = /^<(https:[^>]+)>/.exec(header)!
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await service.post(pathOf(url!), 'List-Unsubscribe=One-Click', { key: null, headers })
  assert.equal(answer.status, 200, answer.text)
}

/** Checks of both services what the interface says of each person. `first`: why the first push to a token that is gone was not sent. */
function accounts(service: () => Service, first?: string): void {
  const about = async (query: Readonly<Record<string, string>>) =>
    (await service().admin('GET', `/admin/why?${new URLSearchParams(query)}`)).body
  const decisionsOf = (id: string) =>
    listAll(service(), `/admin/why?external_id=${id}&canvas_id=weekly`, 'decisions') as Promise<Item[]>

  test('each person has a decision for all that was due, and nothing else', async () => {
    for (const somebody of crowd) {
      const counts: Record<string, number> = {}
      const decisions = await decisionsOf(somebody.id)
      for (const { channel, reason } of decisions) count(counts, `${channel} ${reason}`)
      assert.deepEqual(counts, dueTo(somebody, first), somebody.id)
      for (const { reason, sentence, family, rule } of decisions) {
        if (reason === 'sent') continue
        assert.match(String(sentence), /canvas "Weekly", step (mail|text|call|push), /)
        assert.ok(family === 'held' || family === 'failed', String(sentence))
        assert.equal(typeof rule, 'string', String(sentence))
      }
    }
  })

  test('the messages of each person are those decisions', async () => {
    for (const somebody of crowd) {
      const asked = { external_ids: [somebody.id], fields_to_export: ['service_id'] }
      const { users } = (await service().post('/users/export/ids', asked)).body
      const counts: Record<string, number> = {}
      const messages = await listAll(service(), `/admin/messages?person=${users[0].service_id}`, 'messages')
      for (const { channel, reason } of messages) count(counts, `${channel} ${reason}`)
      assert.deepEqual(counts, dueTo(somebody, first), somebody.id)
    }
  })

  test('why says of a person who was in no round, and of one who left the audience, why nothing came', async () => {
    const { never_entered, decisions } = await about({ external_id: 'never', canvas_id: 'weekly' })
    assert.deepEqual(decisions, [])
    const never = only(never_entered as Item[])
    assert.equal(never.reason, 'not_in_segment')
    assert.match(String(never.because), /`plan` was "silver"/)
    const [last] = await decisionsOf('all-0')
    const { dispatch_id } = last!.dispatch as { dispatch_id: string }
    const early = await about({ external_id: 'early', dispatch_id })
    assert.deepEqual(early.decisions, [])
    assert.match(
      early.because,
      /^Nothing was decided about this person: the order was for the people who were in its segment or audience/,
    )
  })
}

for (const database of drawDatabases('sixty-days')) {
  describe(`sixty days of a canvas with four channels, without servers (${database})`, () => {
    let receiver: WebhookReceiver
    let service: Service
    const inbox = (more = '') => listAll(service, `/admin/inbox?${more}`, 'messages')
    const leaving: Leaving = {
      async mail(id) {
        const [newest] = (await inbox(`external_id=${id}`)).filter(({ channel }) => channel === 'email')
        const { headers } = (await service.admin('GET', `/admin/inbox/${newest!.id}`)).body
        await unsubscribe(service, headers['list-unsubscribe'])
      },
      async texts(id) {
        const state = { subscription_group_id: texts.id, subscription_state: 'unsubscribed', external_ids: [id] }
        const answer = await service.post('/v2/subscription/status/set', { subscription_groups: [state] })
        assert.equal(answer.status, 201, answer.text)
      },
      pushes: (id) => giveDevice(service, id),
    }
    before(async () => {
      receiver = await startWebhookReceiver()
      service = await start(database, receiver)
      await walkSixtyDays(service, receiver, leaving)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await receiver?.close()
    })

    accounts(() => service)

    test('the inbox has each message that was sent, with its channel, and no other', async () => {
      const counts: Record<string, number> = {}
      for (const { external_id, channel } of await inbox()) count(counts, `${external_id} ${channel}`)
      assert.deepEqual(counts, sentToAll())
    })

    test('the inbox shows each as its recipient gets it', async () => {
      const entries = await inbox('external_id=all-0')
      const shown = await Promise.all(
        sentBy.map(async (channel) => {
          const { id } = entries.find((entry) => entry.channel === channel)!
          return (await service.admin('GET', `/admin/inbox/${id}`)).body
        }),
      )
      const [mail, text, webhook, push] = shown
      assert.deepEqual([mail.to, mail.subject, mail.from], [emailOf('all-0'), 'Hi all-0', 'Shop <shop@example.com>'])
      assert.deepEqual(
        [text.to, text.from, text.text, text.details.segments],
        [phoneOf('all-0'), sender, 'Hi all-0', 1],
      )
      const call = { method: 'POST', url: `${receiver.url}/in/all-0`, answer: '200' }
      assert.deepEqual([webhook.to, webhook.details, webhook.text], [receiver.url, call, '{"name":"all-0"}'])
      assert.deepEqual([push.details.title, push.text], ['Hi all-0', 'It is Thursday'])
    })

    test('the inbox says where the messages of each channel go', async () => {
      const { delivery } = (await service.admin('GET', '/admin/inbox')).body
      assert.match(delivery, /^Mails, text messages, .* are kept here and go to nobody, because no server for them is /)
      assert.match(delivery, /Webhooks go to the receivers in their URLs; what these have accepted is here too/)
    })
  })

  describe(`sixty days of a canvas with four channels, with their servers (${database})`, () => {
    let [receiver, mails, provider, fcm] = [] as unknown as [WebhookReceiver, MailServer, SmsProvider, FakeFcm]
    let service: Service
    const leaving: Leaving = {
      async mail(id) {
        const { content } = mails.taken.findLast(({ to }) => to[0] === emailOf(id))!
        const [, header] = /^List-Unsubscribe:((?:.|\r\n[ \t])*)/im.exec(content)!
        await unsubscribe(service, header!.replaceAll(/\s+/g, ''))
      },
      async texts(id) {
        const fields = { From: phoneOf(id), To: sender, Body: 'STOP', MessageSid: 'SM1' }
        const answer = await provider.call(service.url, `${publicUrl}/webhooks/sms/default/inbound`, fields)
        assert.equal(answer.status, 200, answer.text)
      },
      async pushes(id) {
        fcm.unregistered.add(tokenOf(id))
      },
    }
    before(async () => {
      receiver = await startWebhookReceiver()
      mails = await startMailServer()
      provider = await startSmsProvider()
      fcm = await startFakeFcm()
      service = await start(database, receiver, { SMTP_URL: mails.url, SMS_URL: provider.url, ...fcm.env })
      await walkSixtyDays(service, receiver, leaving)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      for (const server of [receiver, mails, provider, fcm]) await server?.close()
    })

    accounts(() => service, 'refused_by_server')

    test('each server has got each message once, and the inbox has none', async () => {
      const got: Record<string, number> = {}
      const take = (channel: string, addressOf: (id: string) => string, addresses: readonly string[]) => {
        for (const address of addresses) {
          const { id } = crowd.find((each) => addressOf(each.id) === address)!
          count(got, `${id} ${channel}`)
        }
      }
      const good = new Map(receiver.calls.map(({ url, headers }) => [headers['idempotency-key'], url!]))
      const callers = [...good.values()]
      take(
        'email',
        emailOf,
        mails.taken.map(({ to }) => to[0]!),
      )
      take(
        'sms',
        phoneOf,
        provider.taken.map(({ to }) => to),
      )
      take('webhook', (id) => `/in/${id}`, callers)
      take(
        'android_push',
        tokenOf,
        fcm.taken.map(({ token }) => token),
      )
      // The receiver also got those that it always answered with 500.
      assert.deepEqual(got, sentToAll(['sent', 'expired'], 'refused_by_server'))
      assert.equal(peopleIn(rounds - 1).length, 8)
      const { messages, delivery } = (await service.admin('GET', '/admin/inbox')).body
      assert.deepEqual(messages, [])
      assert.match(
        delivery,
        /Mails go to the mail server smtp:\/\/127\.0\.0\.1:\d+\. Text messages go to the provider http/,
      )
      assert.match(delivery, /^Pushes to browsers are kept here/)
    })
  })
}
