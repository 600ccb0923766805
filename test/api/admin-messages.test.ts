import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { formatServiceId } from '../../src/base/ids.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { listMessages } from '../../src/messaging/lookup/list-messages.ts'
import { messagesMax } from '../../src/messaging/lookup/schema.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const steps = [
  { id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail({ subject: 'Three tips' }) },
]

for (const database of drawDatabases('admin-messages')) {
  describe(`/admin/messages (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      people.service.send(method, `/admin/messages${path}`, undefined, { key: people.service.adminToken, headers })
    const list = async (query: Readonly<Record<string, string>>): Promise<Any> => {
      const { status, body, text } = await ask('GET', `?${new URLSearchParams(query)}`)
      assert.equal(status, 200, text)
      return body
    }
    const ids = async (query: Readonly<Record<string, string>>): Promise<string[]> =>
      (await list(query)).messages.map(({ message_id }: Any) => message_id)
    const read = async (id: string, query = ''): Promise<Any> => {
      const { status, body, text } = await ask('GET', `/${id}${query}`)
      assert.equal(status, 200, text)
      return body.message
    }
    const made = async (more: Item = {}) => {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, plan: 'gold', ...more })
      return { external_id, email: `${external_id}@example.com`, id: (await people.person(external_id)).service_id! }
    }
    const send = async (external_id: string, email: Item = {}): Promise<string> => {
      const { status, body, text } = await people.service.post(
        '/messages/send',
        letter({ external_user_ids: [external_id] }, email),
      )
      assert.equal(status, 201, text)
      await people.service.advance('PT1M')
      return body.dispatch_id
    }
    const enter = async (external_user_id: string) => {
      const { body } = await people.service.admin('POST', '/admin/canvases', {
        ...{ name: newId('canvas'), state: 'active', entry: { by: ['api'] }, first: 'hello', steps },
      })
      const canvas_id = body.canvas.id
      const sent = await people.service.post('/canvas/trigger/send', { canvas_id, recipients: [{ external_user_id }] })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1M')
      return { canvas_id, name: body.canvas.name, dispatch_id: sent.body.dispatch_id }
    }

    test('messages are listed newest first, with their people, flows and sentences', async () => {
      const ada = await made({ first_name: 'Ada' })
      const first = await send(ada.external_id, { subject: 'Spring' })
      const { canvas_id, name, dispatch_id } = await enter(ada.external_id)
      const { messages, searched_until, cursor } = await list({ person: ada.id })
      assert.deepEqual([searched_until, cursor], [null, undefined])
      const [tips, spring] = messages
      assert.deepEqual(
        messages.map(({ sentence }: Any) => sentence),
        [
          `The mail "Three tips" of the canvas "${name}", step hello, was sent to ${ada.email}.`,
          `The mail "Spring" was sent to ${ada.email}.`,
        ],
      )
      assert.deepEqual(tips.person, {
        ...{ id: ada.id, external_id: ada.external_id, first_name: 'Ada', last_name: null, email: ada.email },
      })
      assert.deepEqual(
        [tips.flow, tips.step],
        [
          { kind: 'canvas', id: canvas_id, name, version: 1 },
          { id: 'hello', name: 'Hello' },
        ],
      )
      assert.deepEqual([tips.family, tips.reason, tips.state, tips.attempts], ['sent', 'sent', 'accepted', 1])
      assert.deepEqual([spring.flow, spring.step, spring.entry_id, spring.dispatch_id], [null, null, null, first])
      assert.equal(tips.dispatch_id, dispatch_id)
      assert.ok(tips.entry_id)
      assert.deepEqual([tips.decided, tips.is_undecided], [null, false])
    })

    test('each filter finds its messages, alone and with others', async () => {
      const [ada, bo] = [await made(), await made({ email_subscribe: 'unsubscribed' })]
      const spring = await send(ada.external_id)
      const refused = await send(bo.external_id)
      const { canvas_id, dispatch_id } = await enter(ada.external_id)
      const [tips, hello] = await ids({ person: ada.id })
      const [held] = await ids({ person: bo.id })
      const [planned] = (await list({ person: bo.id })).messages.map(({ planned_at }: Any) => planned_at)
      const later = new Date(Date.parse(planned) + 1).toISOString()
      const filters: readonly [Readonly<Record<string, string>>, readonly (string | undefined)[]][] = [
        [{ dispatch: spring }, [hello]],
        [{ dispatch: refused }, [held]],
        [{ dispatch: dispatch_id }, [tips]],
        [{ dispatch: dispatch_id, reason: 'sent' }, [tips]],
        [{ dispatch: spring, reason: 'unsubscribed' }, []],
        [{ dispatch: refused, family: 'held', state: 'suppressed' }, [held]],
        [{ dispatch: 'a'.repeat(32) }, []],
        [{ flow: canvas_id }, [tips]],
        [{ flow: canvas_id, step: 'hello' }, [tips]],
        [{ flow: canvas_id, step: 'other' }, []],
        [{ flow: 'unknown' }, []],
        [{ address: ada.email.toUpperCase() }, [tips, hello]],
        [{ address: 'nobody@example.com' }, []],
        [{ address: 'no address' }, []],
        [{ person: ada.id, step: 'hello' }, [tips]],
        [{ person: ada.id, address: bo.email }, []],
        [{ person: bo.id, reason: 'unsubscribed' }, [held]],
        [{ person: bo.id, family: 'sent' }, []],
        [{ person: bo.id, state: 'accepted' }, []],
        [{ person: bo.id, from: planned }, [held]],
        [{ person: bo.id, from: later }, []],
        [{ person: bo.id, to: planned }, []],
        [{ person: bo.id, to: later }, [held]],
        [{ from: planned, to: later, reason: 'unsubscribed' }, [held]],
        [{ from: planned, family: 'waiting' }, []],
      ]
      for (const [query, found] of filters) assert.deepEqual(await ids(query), found, JSON.stringify(query))
    })

    test('a list goes on page by page, and stops to look after its limit', async () => {
      const ada = await made()
      for (let day = 1; day <= 5; day++) await people.write(ada.external_id, { ended_at: `2020-01-0${day}T00:00:00Z` })
      const all = await ids({ person: ada.id })
      const times = (await list({ person: ada.id })).messages.map(({ planned_at }: Any) => planned_at.slice(8, 10))
      assert.deepEqual(times, ['05', '04', '03', '02', '01'])
      const old = { to: '2020-01-06T00:00:00Z' }
      for (const [limit, pages] of [
        ['2', [2, 2, 1]],
        ['4', [4, 1]],
        ['5', [5]],
        ['6', [5]],
      ] as const) {
        const found: string[][] = []
        for (let cursor = ''; ; ) {
          const page = await list({ ...old, limit, ...(cursor && { cursor }) })
          found.push(page.messages.map(({ message_id }: Any) => message_id))
          if (!page.cursor) break
          cursor = page.cursor
        }
        assert.deepEqual([found.flat(), found.map(({ length }) => length)], [all, pages])
      }
      const call = { db: people.db, clock: { now: () => 0 } } as Any
      const services = {
        graphs: new Graphs(),
        delivery: undefined,
        formatServiceId: (id: string) => formatServiceId(id, Buffer.alloc(32)),
        parseServiceId: () => undefined,
      }
      const search = async (lookedAt: number, cursor?: string) => {
        const query = { to: [old.to], step: ['none'], ...(cursor && { cursor: [cursor] }) }
        const reply = await listMessages(call, query, 1, services, lookedAt)
        assert.equal(reply.messages.length, 0)
        return reply
      }
      assert.deepEqual(await search(6), { messages: [], searched_until: null })
      for (const lookedAt of [5, 4]) {
        const { searched_until, cursor } = await search(lookedAt)
        assert.equal(searched_until, `2020-01-0${6 - lookedAt}T00:00:00.000Z`)
        assert.deepEqual(await search(lookedAt, cursor), { messages: [], searched_until: null })
      }
    })

    test('one message has its decision, engagement and kept mail, and an ETag', async () => {
      const ada = await made()
      await send(ada.external_id, {
        body: '<p>Hello <a href="https://shop.example/tea">tea</a></p>',
        plaintext_body: 'Hello',
      })
      const [id] = await ids({ person: ada.id })
      const message = await read(id!)
      assert.deepEqual(
        message.decisions.map(({ reason, family, sentence }: Any) => [reason, family, sentence]),
        [['sent', 'sent', message.sentence]],
      )
      assert.equal(message.mail_sentence, 'The mail as it was kept in the inbox.')
      const { mail: kept } = message
      assert.deepEqual([kept.to, kept.subject, kept.text.trim()], [ada.email, 'Hello', 'Hello'])
      assert.equal(kept.html_url, `/dashboard/mail/messages/${id}?workspace=default`)
      assert.equal('source' in kept, false)
      assert.match(kept.headers['message-id'], /^<m\./)
      assert.match((await read(id!, '?source=true')).mail.source, /^Message-ID:/im)
      const tagged = await ask('GET', `/${id}`)
      const known = await ask('GET', `/${id}`, { 'If-None-Match': String(tagged.headers.etag) })
      assert.equal(known.status, 304)
      const { html } = (await people.service.admin('GET', `/admin/inbox/${kept.mail_id}`)).body
      const link = new URL(/href="([^"]*\/l\/[^"]*)"/.exec(html)![1]!)
      assert.equal((await people.page(link.pathname, browser)).status, 302)
      await people.service.advance('PT1M')
      const { engagement } = await read(id!)
      assert.deepEqual(
        engagement.map(({ kind, url, count }: Any) => [kind, url, count]),
        [['clicked', 'https://shop.example/tea', 1]],
      )
      await people.service.admin('DELETE', '/admin/inbox')
      const without = await read(id!)
      assert.equal(without.mail, null)
      assert.match(without.mail_sentence, /^The mail was not kept/)
    })

    test('a sentence has the first 200 characters of a subject', async () => {
      const ada = await made()
      for (const [length, said] of [
        [199, 'W'.repeat(199)],
        [200, 'W'.repeat(200)],
        [201, `${'W'.repeat(197)}...`],
      ] as const) {
        const { message_id } = await people.write(ada.external_id)
        await people.db.query(sql`
          update message set reason = 'sent', subject = ${'W'.repeat(length)} where message_id = ${message_id}::int8`)
        assert.equal((await read(message_id)).sentence, `The mail "${said}" was sent to ${ada.email}.`)
      }
    })

    test('a message follows a merged person, and is gone with a deleted one', async () => {
      const [from, into] = [await made(), await made()]
      await send(from.external_id)
      const [id] = await ids({ person: from.id })
      await people.merge({ external_id: from.external_id }, { external_id: into.external_id })
      assert.deepEqual(await ids({ person: from.id }), [id])
      assert.equal((await read(id!)).person.id, into.id)
      await people.delete({ external_ids: [into.external_id] })
      assert.equal((await ask('GET', `/${id}`)).status, 404)
    })

    test('an uncertain message is left or sent again, once', async () => {
      const written = async (state = 'uncertain') =>
        (await people.write((await made()).external_id, { state })).message_id
      const undecided = async () => ids({ state: 'uncertain' })
      const [left, resent, both] = [await written(), await written(), await written()]
      assert.deepEqual(new Set(await undecided()), new Set([left, resent, both]))
      const { status, body } = await ask('POST', `/${left}/leave`)
      assert.deepEqual([status, body.message_id], [200, left])
      assert.equal((await ask('POST', `/${resent}/resend`)).status, 201)
      const asked = ['leave', 'resend', 'leave', 'resend']
      const race = await Promise.all(asked.map((verb) => ask('POST', `/${both}/${verb}`)))
      assert.deepEqual(race.map((answer) => answer.status).toSorted(), [
        race.some((answer) => answer.status === 200) ? 200 : 201,
        409,
        409,
        409,
      ])
      for (const [id, message] of [
        [left, 'It was decided already that the message is left as it is'],
        [resent, 'The message was sent again already'],
      ] as const) {
        for (const verb of ['leave', 'resend']) {
          const again = await ask('POST', `/${id}/${verb}`)
          assert.deepEqual([again.status, again.body.message], [409, message])
        }
      }
      assert.deepEqual(await undecided(), [])
      assert.deepEqual(await ids({ state: 'set_aside' }), [])
      const rows = await people.db.query<{ state: string }>(sql`
        select state from message where message_id = ${left}::int8`)
      assert.equal(rows[0]?.state, 'uncertain')
      assert.equal((await read(left)).decided, 'left')
      assert.equal((await read(resent)).decided, 'resent')
      const { audit } = (await people.service.admin('GET', '/admin/audit?action=message.leave')).body
      assert.ok(audit.some(({ target }: Any) => target.id === left))
      for (const id of ['0', '1', 'x', '9'.repeat(19), '%00', await written('accepted')]) {
        assert.equal((await ask('POST', `/${id}/leave`)).status, 404, id)
      }
    })

    test('an invalid query is refused with the name of the parameter', async () => {
      const refused: readonly [string, RegExp][] = [
        ['limit=0', /'limit' must be a whole number from 1 to 200/],
        [`limit=${messagesMax + 1}`, /'limit'/],
        ['cursor=x', /'cursor' is not valid/],
        [`cursor=${Buffer.from('1.9999999999999999999').toString('base64url')}`, /'cursor' is not valid/],
        ['state=gone', /'state' must be one of: queued/],
        ['reason=gone', /'reason' must be one of: sent/],
        ['family=gone', /'family' must be one of: sent/],
        ['dispatch=x', /'dispatch' is not valid/],
        ['from=yesterday', /'from' must be/],
        ['to=yesterday', /'to' must be/],
        ['step=a%00b', /'step' is not valid/],
        [`step=${'a'.repeat(1001)}`, /'step' is not valid/],
        ['state=uncertain&state=uncertain', /'state' may be given once/],
      ]
      for (const [query, message] of refused) {
        const { status, body } = await ask('GET', `?${query}`)
        assert.equal(status, 400, query)
        assert.match(body.message, message)
      }
      for (const query of [`limit=${messagesMax}`, 'limit=1', `step=${'a'.repeat(1000)}`]) {
        assert.equal((await ask('GET', `?${query}`)).status, 200, query)
      }
      assert.equal((await ask('GET', '?person=nobody')).status, 404)
      assert.equal((await ask('GET', '?workspace=none')).status, 404)
      for (const id of ['0', '1', 'x', '-1', '9'.repeat(19), '9'.repeat(400), '%00']) {
        assert.equal((await ask('GET', `/${id}`)).status, 404, id)
      }
      assert.equal((await ask('GET', '/1?source=2')).status, 400)
    })

    test('messages and their mail take their abilities, with permission to see personal data', async () => {
      const ada = await made()
      await send(ada.external_id, {
        body: '<p>Hello <a href="https://shop.example/tea" target="_top">tea</a></p><script>alert(1)</script>',
      })
      const [id] = await ids({ person: ada.id })
      const { mail: kept } = await read(id!)
      const asAccount = async (...appGroupPermissions: string[]) =>
        signIn(
          people.service,
          people.db,
          await makeAccount(people.db, { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }),
        )
      const blind = await asAccount('view_user_profile', 'send_campaigns_canvases')
      const reader = await asAccount('view_message_activity_log', 'view_pii')
      for (const path of ['/admin/messages', `/admin/messages/${id}`]) {
        const answer = await blind.send('GET', path)
        assert.deepEqual(
          [answer.status, answer.body.message],
          [403, 'You do not have permission to do this: it takes messages.read'],
        )
        assert.equal((await reader.send('GET', path)).status, 200)
      }
      const { message_id } = await people.write(ada.external_id, { state: 'uncertain' })
      assert.equal((await reader.send('POST', `/admin/messages/${message_id}/leave`)).status, 403)
      assert.equal((await blind.send('POST', `/admin/messages/${message_id}/leave`)).status, 200)

      const look = (path: string, { headers }: { headers: Readonly<Record<string, string>> }) =>
        people.page(path, headers)
      const page = await look(kept.html_url, reader)
      assert.equal(page.status, 200)
      assert.equal(
        page.headers['content-security-policy'],
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
      )
      assert.match(
        String((await look(`${kept.html_url}&pictures=true`, reader)).headers['content-security-policy']),
        /img-src data: https:;/,
      )
      assert.match(page.text, /<a href="#" title="https:\/\/shop\.example\/tea" >tea<\/a>/)
      assert.doesNotMatch(page.text, /script|\/o\/|\/l\/|href="[^#]/)
      const inbox = `/dashboard/mail/inbox/${kept.mail_id}?workspace=default`
      for (const [path, who, status] of [
        [kept.html_url, blind, 403],
        [kept.html_url, { headers: {} }, 401],
        [inbox, reader, 403],
        [kept.html_url.replace('default', 'none'), reader, 403],
        ['/dashboard/mail/messages/1', reader, 404],
      ] as const) {
        const answer = await look(path, who)
        assert.equal(answer.status, status, path)
        assert.doesNotMatch(answer.text, /tea/)
        assert.match(String(answer.headers['content-security-policy']), /^sandbox; /)
      }
      const administrator = await signIn(
        people.service,
        people.db,
        await makeAccount(people.db, { companyPermissions: ['admin'] }),
      )
      assert.match((await look(inbox, administrator)).text, /Hello/)
      await people.service.advance('PT1M')
      assert.deepEqual((await read(id!)).engagement, [])
    })
  })
}
