import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Random } from '../../bench/random.ts'
import { seed } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newEmail, newId, purchase } from '../support/people.ts'
import { eventsOf } from '../support/providers.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
const signingKey = 'key-of-the-tests'
const zone = 'Asia/Kathmandu'
const link = (name: string) => `<a href="https://shop.example.com/${name}">${name}</a>`
const email = mail({ body: `<p>Hello</p>${link('tea')}${link('milk')}</body>` })
const conversions = [{ name: 'Primary Conversion Event - A', on: { purchase: 'any' }, within: 'P7D' }]
const message = (id: string, next?: string): Item => {
  return { id, name: `Step ${id}`, type: 'message', channel: 'email', message: email, ...(next && { next }) }
}

/** The numbers that a test counts itself, by names such as `2026-01-02 one opens`. */
class Expected {
  readonly #counts = new Map<string, number>()

  add(day: string, of: string, measure: string, count = 1): void {
    const key = `${day} ${of} ${measure}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  of(day: string, of: string, measures: readonly string[]): Record<string, number> {
    return Object.fromEntries(measures.map((measure) => [measure, this.#counts.get(`${day} ${of} ${measure}`) ?? 0]))
  }
}

const ofMessages = ['sent', 'delivered', 'opens', 'unique_opens', 'clicks', 'unique_clicks', 'bounces', 'reported_spam']
const picked = (given: Any, members: readonly string[]) =>
  Object.fromEntries(members.map((name) => [name, given[name]]))

for (const [i, database] of drawDatabases('flow-series').entries()) {
  describe(`data series of campaigns and canvases (${database})`, () => {
    const people = mailedOf(database, {
      env: { EASEL_CLOCK: 'virtual' },
      workspace: {
        ...sendingWorkspace,
        credentials: [
          { name: 'mailgun', user_name: 'api', password: signingKey, origins: ['https://api.mailgun.net'] },
        ],
        settings: { time_zone: zone, webhooks: { mailgun: { credential: 'mailgun' } } },
      },
    })
    const random = new Random(seed + i)
    let webhook = ''
    before(async () => {
      const { body } = await people.service.admin('GET', '/admin/workspace')
      webhook = `/webhooks/mailgun/${body.workspaces[0].id}`
    })

    const now = async (): Promise<string> => (await people.service.admin('GET', '/admin/clock')).body.now
    const today = async () =>
      Temporal.Instant.from(await now())
        .toZonedDateTimeISO(zone)
        .toPlainDate()
        .toString()
    const read = async (path: string): Promise<Any> => {
      const answer = await people.get(path)
      assert.equal(answer.status, 200, answer.text)
      return (answer.body as Any).data
    }
    const newPerson = async () => {
      const person = { external_id: newId(), email: newEmail() }
      await people.set(person)
      return person
    }
    type Person = Awaited<ReturnType<typeof newPerson>>
    const buy = async ({ external_id }: Person, price: number) => {
      await people.accept({ purchases: [purchase({ external_id }, { price, quantity: 2, time: await now() })] })
      await people.service.advance('PT1S')
    }

    async function make(kind: 'canvas' | 'campaign', more: Item): Promise<string> {
      const whole = {
        name: newId(kind),
        state: 'active',
        entry: { by: ['api'], again: 'always' },
        conversions,
        ...more,
      }
      const path = kind === 'canvas' ? '/admin/canvases' : '/admin/campaigns'
      const made = await people.service.admin('POST', path, whole)
      assert.equal(made.status, 201, made.text)
      return made.body[kind].id
    }

    async function trigger(kind: 'canvas' | 'campaign', id: string, { external_id }: Person, send_id?: string) {
      const path = kind === 'canvas' ? '/canvas/trigger/send' : '/campaigns/trigger/send'
      const recipients = [{ external_user_id: external_id }]
      const sent = await people.service.post(path, { [`${kind}_id`]: id, recipients, ...(send_id && { send_id }) })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1S')
    }

    /** Returns the last mail to a person. */
    async function lastMail({ email: address }: Person): Promise<{ id: string; html: string }> {
      let newest: Any
      await eventually(`a mail to ${address}`, async () => {
        const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${encodeURIComponent(address)}`)).body
        newest = messages.find(({ to }: Any) => String(to).includes(address))
        return newest !== undefined
      })
      return { id: newest.id, html: (await people.service.admin('GET', `/admin/inbox/${newest.id}`)).body.html }
    }

    async function report(verb: 'bounced' | 'complained', { email: address }: Person, mail_id: string) {
      const named = await people.messageOf(mail_id)
      const ours = { message: people.token(named, 'message'), bounce: people.token(named, 'bounce'), address }
      const event = eventsOf('mailgun', ours).find(({ expect }) => (expect as Any)?.verb === verb)!.message
      const signed = { timestamp: String(Math.floor(Date.now() / 1000)), token: randomUUID() }
      const hmac = createHmac('sha256', signingKey).update(signed.timestamp + signed.token)
      const body = { signature: { ...signed, signature: hmac.digest('hex') }, 'event-data': event }
      const answer = await people.service.post(webhook, body, { key: null })
      assert.equal(answer.status, 200, answer.text)
    }

    /** Opens, clicks and buys at random after a mail. Returns what that adds to the counts of its campaign. */
    async function react(person: Person, html: string): Promise<Record<string, number>> {
      const links = [...html.matchAll(/\/l\/[^"]+/g)].map(([path]) => path)
      const [opens, clicks, purchases] = [random.below(3), random.below(links.length + 1), random.below(3)]
      for (const _ of many(opens, () => 0)) await people.page(/\/o\/[^"]+/.exec(html)![0], browser)
      for (const path of links.slice(0, clicks)) await people.page(path, browser)
      for (const _ of many(purchases, () => 0)) await buy(person, 10.5)
      const once = (count: number) => Math.min(count, 1)
      return {
        ...{ opens, unique_opens: once(opens), clicks, unique_clicks: once(clicks), revenue: purchases * 21 },
        ...{ conversions: once(purchases), conversions_by_send_time: once(purchases) },
      }
    }

    /** Sends mails of a campaign on three days, some with a send id. Returns the days. */
    async function sendOnDays(id: string, expected: Expected): Promise<string[]> {
      const group: Person[] = []
      for (const _ of many(5, () => 0)) group.push(await newPerson())
      const days: string[] = []
      for (const round of [0, 1, 2]) {
        const day = await today()
        days.push(day)
        const seen = new Set<string>()
        for (const person of [...group, group[random.below(group.length)]!]) {
          const isSend = random.below(2) === 0
          await trigger('campaign', id, person, isSend ? 'spring' : undefined)
          const { id: mail_id, html } = await lastMail(person)
          const [had] = (await people.person(person.external_id, ['campaigns_received'])).campaigns_received as Any[]
          const bounces = round === 2 && person === group[0] ? 1 : 0
          const counts = { sent: 1, delivered: 1 - bounces, bounces, ...(await react(person, html)) }
          if (bounces > 0) await report('bounced', person, mail_id)
          for (const name of [had.variation_api_id, 'all', ...(isSend ? ['send'] : [])]) {
            for (const [measure, count] of Object.entries(counts)) expected.add(day, name, measure, count)
            if (!seen.has(person.external_id)) expected.add(day, name, 'unique_recipients')
          }
          seen.add(person.external_id)
          // The mailbox is suppressed.
          if (bounces > 0) break
        }
        await people.service.advance('P1D')
      }
      return days
    }

    test('a campaign and its sends are counted by days and variations', async () => {
      const messages = ['one', 'two'].map((id) => ({ id, name: `Message ${id}`, percent: 50, email }))
      const id = await make('campaign', { messages })
      const expected = new Expected()
      const days = await sendOnDays(id, expected)
      const totals = ['conversions', 'conversions_by_send_time', 'revenue', 'unique_recipients']
      const all = [...ofMessages, ...totals]
      let series: Any[] = []
      const found = () =>
        days.map((_, n) => {
          const email: Any[] = series[n].messages.email
          return [picked(series[n], totals), ...email.map((stats) => picked(stats, all))]
        })
      const wanted = days.map((day) => [
        expected.of(day, 'all', totals),
        ...['one', 'two'].map((variant) => expected.of(day, variant, all)),
      ])
      const campaign = `campaign_id=${id}&length=4`
      await eventually(
        () => JSON.stringify({ found: found(), wanted }),
        async () => {
          series = await read(`/campaigns/data_series?${campaign}`)
          return isDeepStrictEqual(found(), wanted)
        },
      )
      assert.deepEqual(series.map(({ time }) => time).slice(0, 3), days)
      assert.deepEqual(series[0].messages.email[1].variation_name, 'Message two')
      const sends: Any[] = await read(`/sends/data_series?${campaign}&send_id=spring`)
      for (const [n, day] of days.entries()) {
        const total = (name: string) => sends[n].messages.email.reduce((sum: number, each: Any) => sum + each[name], 0)
        for (const [name, count] of Object.entries(expected.of(day, 'send', ofMessages))) {
          assert.equal(total(name), count, `${name} on ${day}`)
        }
      }
      const none: Any[] = await read(`/sends/data_series?${campaign}&send_id=autumn`)
      assert.deepEqual([none.length, none[0].messages.email[0].sent], [4, 0])
    })

    test('a canvas is counted by days, variants and steps, and summed up', async () => {
      const wait = { id: 'wait', type: 'delay', for: 'P1D', next: 'two' }
      const id = await make('canvas', {
        variants: [
          { name: 'Left', percent: 100, first: 'one' },
          { name: 'Right', percent: 0, first: 'two' },
        ],
        steps: [message('one', 'wait'), wait, message('two')],
      })
      const [left, right] = ((await people.get(`/canvas/details?canvas_id=${id}`)).body as Any).variants as Any[]
      const [ann, bob] = [await newPerson(), await newPerson()]
      const first = await today()
      for (const person of [ann, bob]) await trigger('canvas', id, person)
      await people.page(/\/o\/[^"]+/.exec((await lastMail(ann)).html)![0], browser)
      await buy(ann, 5)
      await people.service.advance('P1DT1M')
      const second = await today()
      await buy(ann, 6)
      await buy(bob, 7)
      await report('complained', bob, (await lastMail(bob)).id)
      const all = 'include_variant_breakdown=true&include_step_breakdown=1'
      const path = `canvas_id=${id}&ending_at=${second}`
      let series: Any = {}
      await eventually(
        () => JSON.stringify(series),
        async () => {
          series = await read(`/canvas/data_series?${path}&starting_at=${first}&${all}`)
          const [one, two] = series.stats
          return one.step_stats.one.messages.email[0].unique_opens === 1 && two.total_stats.revenue === 26
        },
      )
      const stats = (revenue: number, conversions: number, byEntry: number) => {
        return { revenue, conversions, conversions_by_entry_time: byEntry }
      }
      const none = { name: 'Right', ...stats(0, 0, 0), entries: 0 }
      assert.deepEqual(
        series.stats.map(({ time, total_stats, variant_stats }: Any) => ({ time, total_stats, variant_stats })),
        [
          {
            time: first,
            total_stats: { ...stats(10, 1, 2), entries: 2 },
            variant_stats: { [left.id]: { name: 'Left', ...stats(10, 1, 2), entries: 2 }, [right.id]: none },
          },
          {
            time: second,
            total_stats: { ...stats(26, 1, 0), entries: 0 },
            variant_stats: { [left.id]: { name: 'Left', ...stats(26, 1, 0), entries: 0 }, [right.id]: none },
          },
        ],
      )
      const counted = (step: Any) => picked(step.messages.email[0], ofMessages)
      const blank = Object.fromEntries(ofMessages.map((name) => [name, 0]))
      const [{ step_stats: before }, { step_stats: after }] = series.stats
      assert.deepEqual(counted(before.one), { ...blank, sent: 2, delivered: 2, opens: 1, unique_opens: 1 })
      assert.deepEqual(counted(before.two), blank)
      assert.deepEqual(counted(after.two), { ...blank, sent: 2, delivered: 2, reported_spam: 1 })
      assert.deepEqual([before.one.name, before.one.revenue, after.two.revenue], ['Step one', 10, 26])
      assert.deepEqual([before.one.conversions, after.two.conversions, after.one.conversions], [1, 1, 0])

      const summary: Any = await read(`/canvas/data_summary?${path}&length=2&${all}`)
      assert.deepEqual(summary.total_stats, { ...stats(36, 2, 2), entries: 2 })
      assert.deepEqual(counted(summary.step_stats.two), counted(after.two))
      const brief: Any = await read(`/canvas/data_summary?${path}&length=14`)
      assert.deepEqual(Object.keys(brief), ['name', 'total_stats'])
    })

    test('ranges that cannot be read, unknown flows and a missing send are refused', async () => {
      const [canvas, campaign] = [await make('canvas', { first: 'one', steps: [message('one')] }), newId('campaign')]
      const day = await today()
      const apart = (days: number) => Temporal.PlainDate.from(day).subtract({ days }).toString()
      const refused = {
        [`/canvas/data_series?canvas_id=${canvas}`]: "'length' or 'starting_at' is required",
        [`/canvas/data_series?canvas_id=${canvas}&length=15`]: "'length' must be a whole number from 1 to 14",
        [`/canvas/data_summary?canvas_id=${canvas}&starting_at=${apart(14)}`]:
          "'starting_at' and 'ending_at' must be at most 14 days apart",
        [`/canvas/data_summary?canvas_id=${canvas}&starting_at=${day}&ending_at=${apart(1)}`]:
          "'starting_at' must be before 'ending_at', and before now",
        [`/canvas/data_summary?canvas_id=${canvas}&starting_at=soon`]: "'starting_at' is not valid",
        [`/canvas/data_series?canvas_id=${canvas}&length=1&include_step_breakdown=2`]:
          "'include_step_breakdown' must be true or false",
        [`/campaigns/data_series?campaign_id=${campaign}&length=101`]: "'length' must be a whole number from 1 to 100",
      }
      for (const [path, message] of Object.entries(refused)) {
        const answer = await people.get(path)
        assert.deepEqual([answer.status, answer.body.message], [400, message], path)
      }
      for (const path of [
        `/campaigns/data_series?campaign_id=${campaign}&length=1`,
        `/sends/data_series?campaign_id=${campaign}&length=1&send_id=spring`,
        '/canvas/data_summary?canvas_id=none&length=1',
      ]) {
        assert.equal((await people.get(path)).status, 400, path)
      }
      const id = await make('campaign', { messages: [{ id: 'one', name: 'One', percent: 100, email }] })
      const unnamed = await people.get(`/sends/data_series?campaign_id=${id}&length=1`)
      assert.deepEqual([unnamed.status, unnamed.body.message], [400, "'send_id' is required"])
      for (const length of [1, 100])
        assert.equal((await read(`/campaigns/data_series?campaign_id=${id}&length=${length}`)).length, length)
      const longest = await read(`/canvas/data_series?canvas_id=${canvas}&starting_at=${apart(13)}`)
      assert.equal(longest.stats.length, 14)
    })
  })
}
