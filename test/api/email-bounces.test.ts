import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { createTransport, type Transporter } from 'nodemailer'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { unavailable } from '../../src/base/errors.ts'
import { softBouncesMax } from '../../src/messaging/channels/email/suppress-refused.ts'
import {
  openBounceListener,
  returnConnectionsMax,
  returnedBytesMax,
  returnRecipientsMax,
} from '../../src/messaging/feedback/bounce-listener.ts'
import { findSentMessage } from '../../src/messaging/feedback/message-feedback-store.ts'
import { recordComplaint } from '../../src/messaging/feedback/record-complaints.ts'
import { formatToken, type TokenPurpose, type TokenTarget } from '../../src/people/addresses/message-token.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { getInstallation } from '../../src/workspace/settings/installation-store.ts'
import type { Workspaces } from '../../src/workspace/settings/workspaces.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId } from '../support/people.ts'
import { converse, mailOf, report } from '../support/returned-mail.ts'

const domain = 'bounce.example.com'
const copy = 'archive@example.com'
for (const database of drawDatabases('email-bounces')) {
  describe(`returned mail (${database})`, () => {
    const people = mailedOf(database, {
      env: { BOUNCE_SMTP_PORT: '0', BOUNCE_DOMAIN: domain, EASEL_CLOCK: 'virtual' },
      workspace: { ...sendingWorkspace, settings: { bcc: [copy] } },
    })

    const port = () => people.service.app.bouncePort!
    const pathOf = (named: TokenTarget) => `b+${people.token(named, 'bounce')}@${domain}`

    let transport: Transporter | undefined
    after(() => transport?.close())
    /** Sends a mail as a returning server does. Returns the codes of the replies: one for each refused recipient, then that of the mail. */
    const give = async (raw: string | Buffer, ...to: readonly string[]): Promise<readonly number[]> => {
      // The server greets a new connection after 100 ms.
      transport ??= createTransport({ host: '127.0.0.1', port: port(), ignoreTLS: true, pool: true, maxConnections: 1 })
      const sending = transport.sendMail({ raw, envelope: { from: '', to: [...to] } })
      const [sent] = await Promise.allSettled([sending])
      if (sent.status === 'rejected') return [sent.reason.responseCode]
      const { response = '', rejectedErrors = [] } = sent.value
      return [
        ...rejectedErrors.map(({ responseCode }: { responseCode: number }) => responseCode),
        Number(response.slice(0, 3)),
      ]
    }
    const taken = async (raw: string, named: TokenTarget) => assert.deepEqual(await give(raw, pathOf(named)), [250])

    const newPerson = async (more: object = {}) => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, ...more })
      return { external_id, email }
    }
    const stateOf = async (external_id: string) =>
      (await people.person(external_id, ['email_subscribe'])).email_subscribe
    /** Writes a message that was accepted a minute later than the one before. */
    let minutes = 0
    const write = (external_id: string, more: object = {}) => {
      const ended_at = new Date(Date.UTC(2026, 0, 1, 0, minutes++)).toISOString()
      return people.write(external_id, { ended_at, ...more })
    }

    test('a hard bounce suppresses the address and is recorded on the message', async () => {
      for (const name of ['postfix-unknown', 'exim-plain', 'exchange-unknown', 'qmail-unknown']) {
        const { external_id, email } = await newPerson()
        const named = await write(external_id)
        await taken(mailOf(name), named)
        assert.deepEqual(await people.suppressed(email), ['hard_bounce'])
        const { state, bounced_at } = await people.factsOf(named)
        assert.deepEqual([state, bounced_at === null], ['accepted', false])
        assert.equal(await stateOf(external_id), 'subscribed')
      }
    })

    test('a repeated bounce changes nothing', async () => {
      const { external_id, email } = await newPerson()
      const named = await write(external_id)
      await taken(mailOf('postfix-unknown'), named)
      const { bounced_at } = await people.factsOf(named)
      await people.send('/email/bounce/remove', { email })
      await people.service.advance('PT1H')
      await taken(mailOf('postfix-unknown'), named)
      assert.deepEqual(await people.suppressed(email), [])
      assert.deepEqual((await people.factsOf(named)).bounced_at, bounced_at)
    })

    test('a policy bounce, a delay and an automatic reply suppress no address', async () => {
      const { external_id, email } = await newPerson()
      for (const name of ['policy', 'postfix-delayed', 'away', 'not-spam']) {
        const named = await write(external_id)
        await taken(mailOf(name), named)
        assert.equal((await people.factsOf(named)).bounced_at !== null, name === 'policy', name)
      }
      assert.deepEqual(await people.suppressed(email), [])
    })

    test('a number of soft bounces in a row suppress the address, and a delivery in between resets the count', async () => {
      const { external_id, email } = await newPerson()
      const full = report('5.2.2', '552 5.2.2 mailbox full', email)
      const bounce = async (count: number) => {
        for (let i = 0; i < count; i++) {
          await people.service.advance('PT1M')
          await taken(full, await write(external_id, { ended_at: await machineNow() }))
        }
      }
      const machineNow = async () => (await people.service.admin('GET', '/admin/clock')).body.now
      await bounce(softBouncesMax - 1)
      assert.deepEqual(await people.suppressed(email), [])
      await people.service.advance('PT1M')
      await write(external_id, { ended_at: await machineNow() })
      await bounce(softBouncesMax - 1)
      assert.deepEqual(await people.suppressed(email), [])
      await bounce(1)
      assert.deepEqual(await people.suppressed(email), ['soft_bounces'])
      await people.send('/email/bounce/remove', { email })
      await bounce(softBouncesMax - 1)
      assert.deepEqual(await people.suppressed(email), [])
    })

    test('repeated soft bounces of one message count once', async () => {
      const { external_id, email } = await newPerson()
      const named = await write(external_id)
      for (let i = 0; i <= softBouncesMax; i++) await taken(report('4.4.1', '451 4.4.1 no answer', email), named)
      assert.deepEqual(await people.suppressed(email), [])
    })

    test('a complaint suppresses the address, and unsubscribes and marks everybody who has it, once', async () => {
      const { external_id, email } = await newPerson({ email_subscribe: 'opted_in' })
      const other = newId()
      await people.set({ external_id: other, email })
      const named = await write(external_id)
      await taken(mailOf('complaint'), named)
      assert.deepEqual(await people.suppressed(email), ['spam'])
      for (const id of [external_id, other]) {
        assert.equal(await stateOf(id), 'unsubscribed')
        assert.notEqual(await people.markedAt(id), null)
      }
      assert.notEqual((await people.factsOf(named)).complained_at, null)
      await people.send('/email/spam/remove', { email })
      await people.send('/email/status', { email, subscription_state: 'opted_in' })
      await taken(mailOf('complaint'), named)
      assert.deepEqual(await people.suppressed(email), [])
      assert.deepEqual([await stateOf(external_id), await people.markedAt(external_id)], ['opted_in', null])
    })

    test('a complaint whose recording was interrupted at any point is recorded completely when it is repeated', async () => {
      const { external_id, email } = await newPerson()
      const named = await write(external_id)
      const { secret } = await getInstallation(people.db)
      const noteWith = async (transactions: number) => {
        let left = transactions
        const db: Db = {
          ...people.db,
          query: (statement) => people.db.query(statement),
          transaction: async (work, options) => {
            if (left-- === 0) throw new Error('killed')
            return people.db.transaction(work, options)
          },
        }
        const message = (await findSentMessage(db, named))!
        const saying = { db, clock: systemClock(), workspace_id: message.workspace_id }
        return recordComplaint(saying, { address: email, detail: 'abuse', message }, addressHasher(secret))
      }
      let transactions = 0
      for (; (await Promise.allSettled([noteWith(transactions)]))[0]!.status === 'rejected'; transactions++) {
        assert.equal((await people.factsOf(named)).complained_at, null)
      }
      assert.ok(transactions >= 4, String(transactions))
      assert.deepEqual([await people.suppressed(email), await stateOf(external_id)], [['spam'], 'unsubscribed'])
      assert.notEqual((await people.factsOf(named)).complained_at, null)
    })

    test('a mail to the unsubscribe address unsubscribes, whatever its content', async () => {
      const { external_id } = await newPerson()
      const named = await write(external_id)
      assert.deepEqual(
        await give('', `unsubscribe+${people.token(named, 'unsubscribe').toUpperCase()}@${domain}`),
        [250],
      )
      assert.equal(await stateOf(external_id), 'unsubscribed')
    })

    test('a bounce for a merged person is recorded on the message', async () => {
      const [gone, kept] = [await newPerson(), await newPerson()]
      const named = await write(gone.external_id)
      await people.merge({ external_id: gone.external_id }, { external_id: kept.external_id })
      await taken(mailOf('postfix-unknown'), named)
      assert.deepEqual(await people.suppressed(gone.email), ['hard_bounce'])
      assert.deepEqual(await people.suppressed(kept.email), [])
      assert.notEqual((await people.factsOf(named)).bounced_at, null)
    })

    test('a bounce for a deleted person is accepted and changes nothing', async () => {
      const { external_id, email } = await newPerson()
      const named = await write(external_id)
      await people.delete({ external_ids: [external_id] })
      for (const name of ['postfix-unknown', 'complaint']) await taken(mailOf(name), named)
      assert.deepEqual(await people.suppressed(email), [])
    })

    test('a bounce of a copy changes nothing about the person', async () => {
      const { external_id, email } = await newPerson()
      const named = await write(external_id)
      await taken(report('5.1.1', '550 5.1.1 unknown', copy), named)
      assert.deepEqual(await people.suppressed(email), [])
      assert.equal((await people.factsOf(named)).bounced_at, null)
      await taken(report('5.1.1', '550 5.1.1 unknown', 'forwarded@example.net'), named)
      assert.deepEqual(await people.suppressed(email), ['hard_bounce'])
    })

    test('a recipient can unsubscribe by the address in the mail, and gets no mail after a bounce', async () => {
      const [one, other] = [await newPerson(), await newPerson()]
      const inbox = async (): Promise<{ id: string; to: string }[]> =>
        (await people.service.admin('GET', '/admin/inbox')).body.messages
      const to = async ({ email }: { email: string }) => (await inbox()).filter((mail) => mail.to === email)
      const send = async (...people_: { external_id: string }[]) => {
        const body = letter({ external_user_ids: people_.map(({ external_id }) => external_id) })
        const { status, text } = await people.send('/messages/send', body)
        assert.equal(status, 201, text)
        await people.service.advance('PT1M')
      }
      await send(one, other)
      const [[first], [second]] = [await to(one), await to(other)]
      const { body } = await people.service.admin('GET', `/admin/inbox/${first!.id}`)
      const headers = JSON.stringify(body.headers)
      const [, address] = /mailto:(unsubscribe\+[0-9a-v]+@[a-z.]+)/.exec(headers) ?? []
      assert.deepEqual(await give('', address!), [250])
      const named = await people.messageOf(second!.id)
      await taken(mailOf('postfix-unknown'), named)
      await send(one, other)
      assert.deepEqual([(await to(one)).length, (await to(other)).length], [1, 1])
      const why = async ({ external_id }: { external_id: string }) =>
        (await people.service.admin('GET', `/admin/why?external_id=${external_id}`)).body.decisions[0].reason
      assert.deepEqual([await why(one), await why(other)], ['unsubscribed', 'suppressed'])
    })

    test('mail is accepted only for return paths that this service made', async () => {
      const { external_id } = await newPerson()
      const named = await write(external_id)
      const [bounce, unsubscribe] = [people.token(named, 'bounce'), people.token(named, 'unsubscribe')]
      const foreign = [
        'somebody@example.net',
        `postmaster@${domain}`,
        `b+${bounce}@example.net`,
        `b+${unsubscribe}@${domain}`,
        `unsubscribe+${bounce}@${domain}`,
        `b+${bounce.slice(1)}@${domain}`,
        `b+${bounce.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}@${domain}`,
        `b+${bounce}@${domain}@example.net`,
        `b+${bounce}%example.net@${domain}`,
      ]
      for (const to of foreign) {
        const [code] = await give(mailOf('postfix-unknown'), to)
        assert.ok(code === 550 || code === 501 || code === 553, `${to}: ${code}`)
      }
      assert.deepEqual(await give(mailOf('policy'), 'somebody@example.net', pathOf(named)), [550, 250])
    })

    test('a mail has limits for recipients and bytes', async () => {
      const to = many(returnRecipientsMax + 1, (i) => pathOf({ profile_id: String(i), message_id: '1' }))
      const codes = await converse(port(), ['EHLO a', 'MAIL FROM:<>', ...to.map((each) => `RCPT TO:<${each}>`), 'QUIT'])
      assert.deepEqual(codes.slice(3), [...many(returnRecipientsMax, () => 250), 452, 221])
      const declared = (bytes: number) => converse(port(), ['EHLO a', `MAIL FROM:<> SIZE=${bytes}`, 'QUIT'])
      assert.deepEqual(await declared(returnedBytesMax), [220, 250, 250, 221])
      assert.deepEqual(await declared(returnedBytesMax + 1), [220, 250, 552, 221])
    })

    test('a client that requests a login or encryption is told that the server has none', async () => {
      assert.deepEqual(
        await converse(port(), ['EHLO a', 'AUTH PLAIN AGEAYg==', 'STARTTLS', 'QUIT']),
        [220, 250, 500, 500, 221],
      )
    })

    test('malformed mails and commands do not end the service', async () => {
      const { external_id } = await newPerson()
      const named = await write(external_id)
      for (const raw of [
        '',
        '\0\0\0',
        '\r\n.\r\n',
        'Content-Type: multipart/report; boundary=',
        `${'x'.repeat(5000)}\n`,
      ]) {
        assert.deepEqual(await give(Buffer.from(raw, 'latin1'), pathOf(named)), [250])
      }
      for (const line of ['\0\xff', 'RCPT TO:<a@b>', 'GET / HTTP/1.1', 'x'.repeat(100_000)])
        await converse(port(), [line])
      await taken(mailOf('postfix-unknown'), named)
    })

    test('idle connections of one address leave room for others, and those above its share are told to try again later', async () => {
      transport?.close()
      transport = undefined
      const greet = async (localAddress: string) => {
        const socket = connect({ port: port(), host: '127.0.0.1', localAddress })
        const [text] = await once(socket, 'data')
        return { socket, code: String(text).slice(0, 3) }
      }
      const open = async (count: number, from: string) => {
        const greeted = await Promise.all(many(count, () => greet(from)))
        const end = async () => {
          const ended = greeted.map(({ socket }) => socket.closed || once(socket, 'close'))
          for (const { socket } of greeted) socket.destroy()
          await Promise.all(ended)
        }
        return { codes: greeted.map(({ code }) => code).sort(), end }
      }
      const share = returnConnectionsMax / 2
      const idle = await open(share + 1, '127.0.0.66')
      assert.deepEqual(idle.codes, [...many(share, () => '220'), '421'])
      const other = await open(share / 2 + 1, '127.0.0.77')
      assert.deepEqual(other.codes, [...many(share / 2, () => '220'), '421'])
      const { external_id } = await newPerson()
      await taken(mailOf('postfix-unknown'), await people.write(external_id))
      await Promise.all([idle.end(), other.end()])
      await eventually('the connections are free again', async () => {
        // The transport has the last one.
        const again = await open(share - 1, '127.0.0.66')
        await again.end()
        return again.codes.every((code) => code === '220')
      })
    })
  })
}

describe('the listener without a service', () => {
  const secret = Buffer.alloc(32, 7)
  const away = async () => {
    throw unavailable('The database is unavailable')
  }
  const open = (unsubscribe: () => Promise<unknown>, port = 0) => {
    const db = { query: away, transaction: away } as unknown as Db
    const workspaces = { get: away } as unknown as Workspaces
    const parts = { db, workspaces, secret, domain, host: '127.0.0.1', port, clock: systemClock() }
    return openBounceListener({
      ...parts,
      log: pino({ level: 'silent' }),
      hashAddress: addressHasher(secret),
      unsubscribe,
    })
  }
  const to = (word: string, purpose: TokenPurpose) =>
    `RCPT TO:<${word}+${formatToken({ profile_id: '1', message_id: '1' }, purpose, secret)}@${domain}>`
  const leaving = to('unsubscribe', 'unsubscribe')
  const linesTo = (rcpt: string) => ['EHLO a', 'MAIL FROM:<>', rcpt, 'DATA', `${mailOf('qmail-unknown')}\r\n.`]

  test('a bounce that cannot be recorded now gets a temporary refusal', async () => {
    const listener = await open(away)
    for (const rcpt of [to('b', 'bounce'), leaving]) {
      const codes = await converse(listener.port, [...linesTo(rcpt), 'QUIT'])
      assert.deepEqual(codes, [220, 250, 250, 250, 354, 451, 221])
    }
    await listener.close()
  })

  test('a stop ends idle connections at once and finishes the running ones', async () => {
    const noting = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const listener = await open(() => {
      begun.resolve()
      return noting.promise
    })
    const busy = converse(listener.port, linesTo(leaving))
    const idle = connect(listener.port, '127.0.0.1')
    await Promise.all([begun.promise, once(idle, 'data')])
    const ended = once(idle, 'close')
    const closed = listener.close()
    noting.resolve()
    idle.resume()
    assert.deepEqual(await busy, [220, 250, 250, 250, 354, 250, 421])
    await Promise.all([closed, ended])
  })

  test('a port in use is reported with the name of its setting', async () => {
    const listener = await open(away)
    await assert.rejects(
      open(away, listener.port),
      /^ConfigError: BOUNCE_SMTP_PORT: \d+ cannot be listened on \(EADDRINUSE\)/,
    )
    await listener.close()
  })
})
