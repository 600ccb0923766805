import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { strangerBytesMax } from '../../src/base/http/body.ts'
import type { TokenTarget } from '../../src/people/addresses/message-token.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { many, newEmail, newId } from '../support/people.ts'
import {
  eventsOf,
  providerKey,
  sendgridHeaders,
  sendgridKey,
  snsMessage,
  snsServer,
  topic,
} from '../support/providers.ts'

const signingKey = 'key-of-the-tests'
const { fetcher, fetched } = snsServer()
const copy = 'archive@example.com'

const providers = ['amazon-ses', 'sendgrid', 'mailgun'] as const
type Provider = (typeof providers)[number]

for (const database of drawDatabases('webhooks')) {
  describe(`webhooks of mail providers (${database})`, () => {
    const people = mailedOf(database, {
      fetcher,
      workspace: {
        credentials: [
          { name: 'mailgun', user_name: 'api', password: signingKey, origins: ['https://api.mailgun.net'] },
        ],
        settings: {
          bcc: [copy],
          webhooks: {
            amazon_ses: { topic_arn: topic },
            sendgrid: { public_key: sendgridKey },
            mailgun: { credential: 'mailgun' },
          },
        },
      },
    })

    let workspace: string | undefined
    const workspaceId = async () => {
      workspace ??= (await people.service.admin('GET', '/admin/workspace')).body.workspaces[0].id as string
      return workspace
    }
    const post = async (provider: string, body: string, headers: Readonly<Record<string, string>> = {}, id?: string) =>
      people.service.post(`/webhooks/${provider}/${id ?? (await workspaceId())}`, body, { key: null, headers })

    const mailgunBody = (event: object, token: string = randomUUID()) => {
      const timestamp = String(Math.floor(Date.now() / 1000))
      const signature = createHmac('sha256', signingKey)
        .update(timestamp + token)
        .digest('hex')
      return JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event })
    }
    /** Sends signed events as a provider does. Returns the statuses. */
    const send = async (provider: Provider, events: readonly object[], id?: string) => {
      const statuses = new Set<number>()
      if (provider === 'sendgrid') {
        const body = JSON.stringify(events)
        statuses.add((await post(provider, body, sendgridHeaders(body), id)).status)
      }
      for (const event of provider === 'sendgrid' ? [] : events) {
        const body = provider === 'mailgun' ? mailgunBody(event) : JSON.stringify(snsMessage(JSON.stringify(event)))
        const type = provider === 'mailgun' ? 'application/json' : 'text/plain; charset=UTF-8'
        statuses.add((await post(provider, body, { 'content-type': type }, id)).status)
      }
      return [...statuses]
    }
    const taken = async (provider: Provider, ...events: object[]) =>
      assert.deepEqual(await send(provider, events), [200])

    const newPerson = async (more: object = {}) => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, ...more })
      return { external_id, email, named: await people.write(external_id) }
    }
    /** Returns the recorded events of a kind, about a message. */
    const recorded = (provider: Provider, verb: string, address: string, named?: TokenTarget, kind?: string) => {
      const ours = named
        ? { message: people.token(named, 'message'), bounce: people.token(named, 'bounce') }
        : { message: 'none', bounce: 'none' }
      const events = eventsOf(provider, { ...ours, address }).filter(({ expect }) => {
        const expected = (expect ?? { verb: 'nothing' }) as { verb: string; kind?: string }
        return expected.verb === verb && (kind === undefined || expected.kind === kind)
      })
      assert.ok(events.length > 0, `${provider} ${verb}`)
      return events.map(({ message }) => message)
    }
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe

    for (const provider of providers) {
      test(`${provider}: a hard bounce suppresses the address and is recorded on the message, once`, async () => {
        const { external_id, email, named } = await newPerson()
        const [event] = recorded(provider, 'bounced', email, named, 'hard')
        await taken(provider, event!)
        assert.deepEqual(await people.suppressed(email), ['hard_bounce'])
        assert.notEqual((await people.factsOf(named)).bounced_at, null)
        await people.send('/email/bounce/remove', { email })
        await taken(provider, event!)
        assert.deepEqual(await people.suppressed(email), [])
        assert.equal(await stateOf(external_id), 'subscribed')
      })

      test(`${provider}: a complaint suppresses, unsubscribes and marks the person; other events do not`, async () => {
        const { external_id, email, named } = await newPerson({ email_subscribe: 'opted_in' })
        const policy = recorded(provider, 'bounced', email, named, 'policy')
        await taken(
          provider,
          ...recorded(provider, 'nothing', email, named),
          ...recorded(provider, 'delivered', email, named),
        )
        await taken(provider, ...policy)
        assert.deepEqual([await people.suppressed(email), await stateOf(external_id)], [[], 'opted_in'])
        await taken(provider, ...recorded(provider, 'complained', email, named))
        assert.deepEqual(await people.suppressed(email), ['spam'])
        assert.equal(await stateOf(external_id), 'unsubscribed')
        assert.notEqual(await people.markedAt(external_id), null)
        assert.notEqual((await people.factsOf(named)).complained_at, null)
      })

      test(`${provider}: opens and clicks are recorded on the message`, async () => {
        const { email, named } = await newPerson()
        await taken(
          provider,
          ...recorded(provider, 'opened', email, named),
          ...recorded(provider, 'clicked', email, named),
        )
        assert.deepEqual(
          (await people.engaged(named)).map(({ kind, link }) => [kind, link]),
          [
            ['clicked', -1],
            ['opened', -1],
          ],
        )
      })

      test(`${provider}: without an Easel token the address counts, in the workspace of the webhook only`, async () => {
        const { external_id, email } = await newPerson()
        await taken(provider, ...recorded(provider, 'bounced', email.toUpperCase(), undefined, 'hard'))
        assert.deepEqual(await people.suppressed(email), ['hard_bounce'])
        await taken(provider, ...recorded(provider, 'complained', email))
        assert.deepEqual(await people.suppressed(email), ['hard_bounce', 'spam'])
        assert.equal(await stateOf(external_id), 'unsubscribed')
        const nobodys = newEmail()
        await taken(provider, ...recorded(provider, 'bounced', nobodys, undefined, 'hard'))
        const { body } = await people.service.admin('GET', `/admin/suppressions?address=${nobodys}`)
        assert.deepEqual([body.suppressions[0].address, body.suppressions[0].reason], [null, 'hard_bounce'])
        for (const wrong of ['no address', '', '\u0000@example.com']) {
          await taken(provider, ...recorded(provider, 'bounced', JSON.stringify(wrong).slice(1, -1), undefined, 'hard'))
        }
      })

      test(`${provider}: an unsigned request is refused, and nothing is written`, async () => {
        const { email, named } = await newPerson()
        const [event] = recorded(provider, 'bounced', email, named, 'hard')
        const list = JSON.stringify([event])
        const forged: readonly string[] = [
          list,
          JSON.stringify({ signature: { timestamp: '1', token: 'a', signature: 'f'.repeat(64) }, 'event-data': event }),
          JSON.stringify({ ...snsMessage('{}'), Message: JSON.stringify(event) }),
          '{}',
          '[]',
        ]
        for (const body of forged) {
          assert.equal((await post(provider, body)).status, 403, body)
          assert.equal((await post(provider, body, sendgridHeaders(`${body} `))).status, 403, body)
        }
        assert.deepEqual(await people.suppressed(email), [])
        assert.equal((await people.factsOf(named)).bounced_at, null)
      })

      test(`${provider}: a body that is not JSON is a 400, a too large one a 413, an unknown workspace a 404`, async () => {
        for (const body of ['', 'no json', '7', '"text"', 'null', '\u0000']) {
          const { status } = await post(provider, body, sendgridHeaders(body))
          assert.equal(status, 400, `${provider} ${body}`)
        }
        assert.equal((await post(provider, ' '.repeat(strangerBytesMax + 1))).status, 413)
        for (const id of ['nobody', '%00', '__proto__', newId()])
          assert.equal((await post(provider, '{}', {}, id)).status, 404)
      })
    }

    test('a workspace without settings for a provider has no webhook, and events about others change nothing', async () => {
      const { email, named } = await newPerson()
      const id = newId('other')
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      for (const provider of providers) assert.equal((await post(provider, '{}', {}, id)).status, 404)
      const webhooks = { sendgrid: { public_key: sendgridKey } }
      await people.service.admin('PATCH', `/admin/settings?workspace=${id}`, { webhooks })
      const engagements = ['opened', 'clicked'].flatMap((verb) => recorded('sendgrid', verb, email, named))
      const bounced = recorded('sendgrid', 'bounced', email, named, 'hard')
      assert.deepEqual(await send('sendgrid', [...engagements, ...bounced], id), [200])
      assert.deepEqual(await people.suppressed(email), [])
      assert.equal((await people.factsOf(named)).bounced_at, null)
      assert.deepEqual(await people.engaged(named), [])
    })

    test('an event about a copy changes nothing about the person', async () => {
      const { email, named } = await newPerson()
      await taken('sendgrid', ...recorded('sendgrid', 'bounced', copy, named, 'hard'))
      assert.deepEqual([await people.suppressed(email), await people.suppressed(copy)], [[], []])
    })

    test('an unsubscribe at the provider unsubscribes the person', async () => {
      for (const provider of providers) {
        const { external_id, email, named } = await newPerson()
        await taken(provider, ...recorded(provider, 'unsubscribed', email, named))
        assert.equal(await stateOf(external_id), 'unsubscribed')
        assert.deepEqual(
          (await people.engaged(named)).map(({ kind }) => kind),
          ['unsubscribed'],
        )
        const other = await newPerson()
        await taken(provider, ...recorded(provider, 'unsubscribed', `Some Body <${other.email}>`))
        assert.equal(await stateOf(other.external_id), 'unsubscribed')
      }
    })

    test('soft bounces without an Easel token count by their time, each once', async () => {
      const { email } = await newPerson()
      const [event] = recorded('sendgrid', 'bounced', email, undefined, 'soft')
      const at = (n: number) => ({ ...event!, timestamp: 1_795_186_800 + n })
      await taken('sendgrid', ...[1, 2, 2, 3, 1, 4].map(at))
      assert.deepEqual(await people.suppressed(email), [])
      await taken('sendgrid', ...recorded('sendgrid', 'delivered', email), ...[5, 6, 7, 8].map(at))
      assert.deepEqual(await people.suppressed(email), [])
      await taken('sendgrid', at(9))
      assert.deepEqual(await people.suppressed(email), ['soft_bounces'])
    })

    test('concurrent repetitions of an event count once', async () => {
      const [one, other] = [await newPerson(), await newPerson({ email_subscribe: 'opted_in' })]
      const soft = recorded('sendgrid', 'bounced', one.email, one.named, 'soft')
      const spam = recorded('sendgrid', 'complained', other.email, other.named)
      const statuses = await Promise.all(many(8, (i) => send('sendgrid', i % 2 === 0 ? soft : spam)))
      assert.deepEqual(
        statuses.flat(),
        many(8, () => 200),
      )
      assert.deepEqual([await people.suppressed(one.email), await people.suppressed(other.email)], [[], ['spam']])
      assert.equal(await stateOf(other.external_id), 'unsubscribed')
    })

    test('a batch is accepted whatever unknown events it has', async () => {
      const { email, named } = await newPerson()
      const strange = [
        null,
        7,
        'x',
        [],
        {},
        { event: 'toString' },
        { event: 'bounce' },
        { event: 'open', email: 7, ip: {} },
      ]
      const body = JSON.stringify([...strange, ...recorded('sendgrid', 'bounced', email, named, 'hard')])
      assert.equal((await post('sendgrid', body, sendgridHeaders(body))).status, 200)
      assert.deepEqual(await people.suppressed(email), ['hard_bounce'])
    })

    test('a repeated request of Mailgun is refused', async () => {
      const { email, named } = await newPerson()
      const body = mailgunBody(recorded('mailgun', 'bounced', email, named, 'hard')[0]!)
      const atOnce = await Promise.all([post('mailgun', body), post('mailgun', body)])
      assert.deepEqual(atOnce.map(({ status }) => status).sort(), [200, 403])
      assert.equal((await post('mailgun', body)).status, 403)
    })

    test('a body above 1 MB is refused before it is parsed', async () => {
      for (const provider of providers) {
        const unread = `{"a": "${'x'.repeat(strangerBytesMax)}`
        assert.equal((await post(provider, unread)).status, 413, provider)
        assert.notEqual((await post(provider, unread.slice(0, strangerBytesMax))).status, 413, provider)
      }
    })

    test('a subscription of SNS is confirmed at the given URL, for the topic of the workspace only', async () => {
      fetched.length = 0
      const asks = (options: object = {}) =>
        JSON.stringify(snsMessage('x', { type: 'SubscriptionConfirmation', ...options }))
      assert.equal((await post('amazon-ses', asks())).status, 200)
      assert.equal(fetched.at(-1), providerKey.subscribeUrl)
      fetched.length = 0
      assert.equal((await post('amazon-ses', asks({ topic: `${topic}-other` }))).status, 403)
      assert.deepEqual(fetched, [])
      assert.equal((await post('amazon-ses', asks({ certificate: providerKey.goneUrl }))).status, 503)
      assert.equal((await post('amazon-ses', asks({ certificate: providerKey.brokenUrl }))).status, 403)
    })
  })
}
