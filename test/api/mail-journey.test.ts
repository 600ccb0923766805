import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { type MailServer, startMailServer, type Taken } from '../servers/smtp.ts'
import { pathOf } from '../support/exports.ts'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, mail } from '../support/messages.ts'
import { ago, apps, dayMs, type Item, many, only, People } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
const count = 50
const publicUrl = 'https://mail.example.com'
const bounceDomain = 'bounce.example.com'
const shared = 'family@example.com'
const patienceMs = 240_000
/** A poll costs as much as a mail. */
const pauseMsMax = 400
/** A server that takes longer than five seconds to answer is given up. */
const slowMs = 2_500
const slowFiles = 49
const csv = 'cup,price\ntea,4.50\n'
/** Five people with special data. */
const special = { one: 'p45', other: 'p46', silent: 'p47', left: 'p48', gone: 'p49' } as const
const ids = many(count, (i) => `p${i}`)
const ordinary = ids.slice(0, 45)
const addressOf = (id: string): string => (id === special.one || id === special.other ? shared : `${id}@example.com`)

const workspace = {
  apps: Object.values(apps),
  campaigns: [{ id: 'news', name: 'News', state: 'active', messages: [{ id: 'a', email: mail() }] }],
  segments: [
    {
      id: 'members',
      name: 'Members',
      audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
    },
  ],
}
const template = {
  template_name: 'Offer',
  subject: '{{${first_name}}}, your {{custom_attribute.${fav}}}',
  preheader: 'Only today',
  body: `<style>p { color: #204060 }</style>{% catalog_items shop {{custom_attribute.\${fav}}} %}
    <p>Dear {{\${first_name}}}, {{ items[0].name }} is {{ items[0].price }}.</p>
    <p><a href="https://shop.example.com/{{ items[0].id }}?who={{\${user_id}}}&amp;x=1">See it</a></p>
    {{content_blocks.\${footer}}}`,
}

// Most of the time the test waits for a server that does not answer.
describe('from a person to a mailbox and back', { concurrency: 2 }, () => {
  for (const database of drawDatabases('mail-journey')) {
    describe(database, { concurrency: 1 }, () => {
      const people = new People()
      let server: MailServer
      let files: Served
      let stalled: string
      /** Slow files are answered at once from then on. */
      const released = Promise.withResolvers<void>()
      let email_template_id: string

      before(async () => {
        server = await startMailServer()
        files = await serve(async ({ url }, response) => {
          if (url?.startsWith('/slow')) await Promise.race([released.promise, pause(slowMs)])
          if (url?.endsWith('.csv')) response.writeHead(200, { 'content-type': 'text/csv' }).end(csv)
        })
        const env = {
          SMTP_URL: server.url,
          PUBLIC_URL: publicUrl,
          BOUNCE_SMTP_PORT: '0',
          BOUNCE_DOMAIN: bounceDomain,
          EASEL_FETCH_ALLOW: `127.0.0.1:${files.port}`,
        }
        await people.start({ database, workspace, env })
      })
      after(async () => {
        await people.stop()
        await Promise.all([server?.close(), files?.close()])
      })

      const post = async (path: string, body: unknown, status = 201): Promise<Any> => {
        const answer = await people.service.post(path, body)
        assert.equal(answer.status, status, answer.text)
        return answer.body
      }
      const send = async (
        who: Item,
        email: Item = { email_template_id, subject: undefined, body: undefined, should_inline_css: true },
      ) => (await post('/messages/send', letter(who, email))).dispatch_id as string
      /** Waits until a dispatch is done. Returns it. */
      const done = async (dispatch_id: string): Promise<Any> => {
        const untilMs = performance.now() + patienceMs
        for (let pauseMs = 25; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
          const { body } = await people.service.admin('GET', `/admin/dispatches/${dispatch_id}`)
          if (body.dispatch.state === 'done') return body.dispatch
          assert.ok(performance.now() < untilMs, JSON.stringify(body.dispatch.messages))
          await pause(pauseMs)
        }
      }
      /** Sends a message. Returns the dispatch, the number of messages by reason, and the mails that the server got. */
      const sent = async (who: Item, email?: Item) => {
        server.forget()
        const dispatch_id = await send(who, email)
        const { reasons } = await done(dispatch_id)
        return { dispatch_id, reasons, mails: await Promise.all(server.taken.map(readMail)) }
      }
      const why = async (query: Readonly<Record<string, string>>): Promise<Any> =>
        (await people.service.admin('GET', `/admin/why?${new URLSearchParams(query)}`)).body
      /** Returns the reason of the decision about a person and a dispatch. */
      const reasonOf = async (external_id: string, dispatch_id: string): Promise<string> =>
        only((await why({ external_id, dispatch_id })).decisions as Any[]).reason
      const stateOf = async (id: string) => (await people.person(id, ['email_subscribe'])).email_subscribe
      const page = (url: string) => people.service.get(pathOf(url), { key: null, headers: browser })

      test('fifty people, a catalog, a block and a template are created', async () => {
        await people.set(
          ...ids.map((external_id, i) => ({
            ...{ external_id, first_name: `Ann ${i}`, plan: 'gold', fav: `item-${i % 5}` },
            ...(external_id !== special.silent && { email: addressOf(external_id) }),
            ...(external_id === special.left && { email_subscribe: 'unsubscribed' }),
          })),
        )
        const fields = [
          { name: 'id', type: 'string' },
          { name: 'name', type: 'string' },
          { name: 'price', type: 'number' },
        ]
        await post('/catalogs', { catalogs: [{ name: 'shop', description: 'Of a test', fields }] })
        const items = many(5, (i) => ({ id: `item-${i}`, name: `Tea & ${i}`, price: i + 0.5 }))
        await post('/catalogs/shop/items', { items }, 202)
        const content = '<p>{{${first_name}}}, <a href="{{${unsubscribe_url}}}">leave</a></p>'
        await post('/content_blocks/create', { name: 'footer', content })
        email_template_id = (await post('/templates/email/create', template)).email_template_id
      })

      test('an unknown mailbox is a hard bounce, and a mail that waits for an attachment delays no other', async () => {
        await people.set({ external_id: 'patient', email: 'patient@example.com' })
        // One silent file is given up after ten seconds, which a busy machine may need for the other mail. The slow ones come before it.
        const names = [...many(slowFiles, (i) => `slow-${i}.csv`), 'never.pdf']
        const attachments = names.map((name) => ({ file_name: name, url: `${files.url}/${name}` }))
        stalled = await send({ external_user_ids: ['patient'] }, { attachments })
        server.at('rcpt', (about) =>
          about === addressOf(special.gone) ? { code: 550, text: '5.1.1 who?' } : undefined,
        )
        const { dispatch_id, reasons } = await sent({ external_user_ids: [special.gone] })
        server.calm()
        assert.deepEqual(reasons, { refused_by_server: 1 })
        assert.equal((await people.service.admin('GET', `/admin/dispatches/${stalled}`)).body.dispatch.state, 'running')
        released.resolve()
        const { message, inputs } = only((await why({ external_id: special.gone, dispatch_id })).decisions as Any[])
        assert.deepEqual([message.state, typeof message.bounced_at, inputs.code], ['bounced', 'string', 550])
      })

      test('each named recipient gets their own mail, or a decision with the reason', async () => {
        const { dispatch_id, reasons, mails } = await sent({ external_user_ids: [...ids.slice(1), 'nobody'] })
        assert.deepEqual(reasons, { sent: 46, no_address: 1, unsubscribed: 1, suppressed: 1, no_such_user: 1 })
        assert.equal(mails.length, 46)
        for (const id of ordinary.slice(1)) {
          const { mail, to } = only(mails.filter(({ to }) => to === addressOf(id)))
          const i = Number(id.slice(1))
          assert.equal(mail.subject, `Ann ${i}, your item-${i % 5}`)
          assert.deepEqual(
            [mail.to, mail.from],
            [[{ address: to, name: '' }], { address: 'shop@example.com', name: 'Shop' }],
          )
          assert.match(
            mail.html!,
            new RegExp(`style="color: #204060;?">Dear Ann ${i}, Tea &(?:amp;)? ${i % 5} is ${i % 5}\\.5\\.`),
          )
          assert.match(mail.text!, new RegExp(`Dear Ann ${i}, Tea &(?:amp;)? ${i % 5} is ${i % 5}\\.5\\.`))
          assert.match(mail.html!, /Only today/)
          assert.match(mail.html!, new RegExp(`<p[^>]*>Ann ${i}, <a href="${publicUrl}/u/`))
        }
        assert.equal(mails.filter(({ to }) => to === shared).length, 2)
        for (const [id, reason] of [
          ['p1', 'sent'],
          [special.one, 'sent'],
          [special.other, 'sent'],
          [special.silent, 'no_address'],
          [special.left, 'unsubscribed'],
          [special.gone, 'suppressed'],
          ['nobody', 'no_such_user'],
        ] as const) {
          assert.equal(await reasonOf(id, dispatch_id), reason, id)
        }
        assert.deepEqual((await why({ external_id: 'p0', dispatch_id })).decisions, [])
      })

      test('a segment gets the mail too, links redirect to their targets, and opens and clicks are recorded', async () => {
        const { reasons, mails } = await sent({ segment_id: 'members', broadcast: true })
        assert.deepEqual(reasons, { sent: 47, no_address: 1, unsubscribed: 1, suppressed: 1 })
        const { mail, taken } = only(mails.filter(({ to }) => to === addressOf('p7')))
        assert.match(taken.from, new RegExp(`^b\\+[0-9a-v]{52}@${bounceDomain}$`))
        const link = only(linksIn(mail).filter((url) => url.startsWith(`${publicUrl}/l/`)))
        const clicked = await page(link)
        assert.deepEqual(
          [clicked.status, clicked.headers.location],
          [302, 'https://shop.example.com/item-2?who=p7&x=1'],
        )
        const pixel = /<img src="(https:[^"]+\/o\/[^"]+)"/.exec(mail.html!)![1]!
        const opened = await page(pixel)
        assert.deepEqual([opened.status, opened.headers['content-type']], [200, 'image/gif'])
        for (let tries = 0; ; tries++) {
          const { engagement } = (await why({ external_id: 'p7' })).decisions[0].message
          // This soon after the send, an open or click can count as one by a machine.
          const seen = engagement.map(({ kind, url }: Any) => [kind.replace('machine_', ''), url]).sort()
          if (seen.length < 2 && tries < 800) await new Promise((resume) => setTimeout(resume, 50))
          else {
            assert.deepEqual(seen, [
              ['clicked', clicked.headers.location],
              ['opened', null],
            ])
            break
          }
        }
      })

      test('one click unsubscribes an address, and no person with that address gets more mail', async () => {
        const { mails } = await sent({ external_user_ids: [special.one, 'p3'] })
        for (const to of [shared, addressOf('p3')]) {
          const { mail } = only(mails.filter((each) => each.to === to))
          assert.equal(headerOf(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
          const [, url, mailto] = /^<(https:[^>]+)>, <mailto:([^>]+)>$/.exec(headerOf(mail, 'list-unsubscribe')!)!
          assert.match(mailto!, new RegExp(`^unsubscribe\\+[0-9a-v]{52}@${bounceDomain}$`))
          const headers = { 'content-type': 'application/x-www-form-urlencoded' }
          const answer = await people.service.post(pathOf(url!), 'List-Unsubscribe=One-Click', { key: null, headers })
          assert.equal(answer.status, 200, answer.text)
        }
        for (const id of [special.one, special.other, 'p3']) assert.equal(await stateOf(id), 'unsubscribed')
        assert.equal(await stateOf('p4'), 'subscribed')
        const { dispatch_id, reasons, mails: later } = await sent({ segment_id: 'members', broadcast: true })
        assert.deepEqual(reasons, { sent: 44, no_address: 1, unsubscribed: 4, suppressed: 1 })
        assert.deepEqual(
          new Set(later.map(({ to }) => to)),
          new Set(ordinary.filter((id) => id !== 'p3').map(addressOf)),
        )
        for (const id of [special.one, special.other, 'p3'])
          assert.equal(await reasonOf(id, dispatch_id), 'unsubscribed')
        // A message to all recipients is sent to unsubscribed people too, without an unsubscribe link.
        const { mails: anyway } = await sent({
          external_user_ids: [special.other],
          recipient_subscription_state: 'all',
        })
        assert.equal(headerOf(only(anyway).mail, 'list-unsubscribe'), undefined)
      })

      test('a bounce is recorded on its message, and the address gets no more mail', async () => {
        const { dispatch_id, mails } = await sent({ external_user_ids: ['p9', 'p10'] })
        const { taken } = only(mails.filter(({ to }) => to === addressOf('p9')))
        await giveBack(people.service.app.bouncePort!, taken)
        const day = (ms: number) => ago(ms).slice(0, 10)
        const listed = await people.service.get(`/email/hard_bounces?start_date=${day(dayMs)}&end_date=${day(-dayMs)}`)
        assert.deepEqual(
          listed.body.emails.map(({ email }: Any) => email).sort(),
          [addressOf(special.gone), addressOf('p9')].sort(),
        )
        const { reason, message } = only((await why({ external_id: 'p9', dispatch_id })).decisions as Any[])
        assert.deepEqual([reason, message.state, typeof message.bounced_at], ['sent', 'accepted', 'string'])
        const again = await sent({ external_user_ids: ['p9', 'p10'] })
        assert.deepEqual(again.reasons, { sent: 1, suppressed: 1 })
        assert.equal(await reasonOf('p9', again.dispatch_id), 'suppressed')
        assert.equal(only(again.mails).to, addressOf('p10'))
      })

      test('an attachment is sent with the mail, and when it cannot be fetched no mail is sent', async () => {
        const attachments = [{ file_name: 'prices', url: `${files.url}/prices.csv` }]
        const { mails } = await sent({ external_user_ids: ['p20', 'p21'] }, { attachments })
        assert.equal(mails.length, 2)
        for (const { mail } of mails) {
          const { filename, mimeType, content } = only(mail.attachments)
          assert.deepEqual([filename, mimeType], ['prices.csv', 'text/csv'])
          assert.equal(Buffer.from(content as ArrayBuffer).toString(), csv)
        }
        assert.equal(files.seen.filter(({ url }) => url === '/prices.csv').length, 1)
        server.forget()
        assert.deepEqual((await done(stalled)).reasons, { attachment_failed: 1 })
        assert.equal(await reasonOf('patient', stalled), 'attachment_failed')
        assert.equal(server.seen.filter(({ to }) => to.includes('patient@example.com')).length, 0)
      })

      test('the files of an order to a campaign are sent with its mails, and are fetched once', async () => {
        server.forget()
        const recipients = ['p22', 'p23'].map((id) => ({ external_user_id: id, trigger_properties: { year: 2026 } }))
        const attachments = [{ file_name: 'prices {{api_trigger_properties.${year}}}', url: `${files.url}/new.csv` }]
        const order = { campaign_id: 'news', recipients }
        const { dispatch_id } = await post('/campaigns/trigger/send', { ...order, attachments })
        await done(dispatch_id)
        const plain = await post('/campaigns/trigger/send', order)
        await done(plain.dispatch_id)
        const mails = await Promise.all(server.taken.map(readMail))
        const names = mails.map(({ to, mail: { attachments: all } }) => [to, ...all.map(({ filename }) => filename)])
        assert.deepEqual(names.toSorted(), [
          ['p22@example.com'],
          ['p22@example.com', 'prices 2026.csv'],
          ['p23@example.com'],
          ['p23@example.com', 'prices 2026.csv'],
        ])
        assert.equal(files.seen.filter(({ url }) => url === '/new.csv').length, 1)
      })
    })
  }
})

async function readMail(taken: Taken) {
  return { taken, to: only(taken.to), mail: await PostalMime.parse(taken.content) }
}

function headerOf({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value
}

function linksIn({ html }: Email): string[] {
  return [...html!.matchAll(/<a href="([^"]+)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'))
}

/** Returns a mail as a server does that finds no mailbox after it has accepted it. */
async function giveBack(port: number, { from, to }: Taken): Promise<void> {
  const raw = [
    'From: MAILER-DAEMON@mx.example.org',
    `To: ${from}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=X',
    '',
    '--X',
    '',
    'I could not deliver it.',
    '--X',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    `Final-Recipient: rfc822; ${to[0]}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 no such user',
    '--X--',
    '',
  ].join('\r\n')
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
  await transport.sendMail({ raw, envelope: { from: '', to: [from] } })
  transport.close()
}
