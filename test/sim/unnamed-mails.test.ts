import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { dayMs, type Item, many, newEmail, newId, People } from '../support/people.ts'

const programsTogether = 25
const minuteMs = 60_000
const zone = 'Asia/Tokyo'
const zoneMs = 9 * 60 * minuteMs
const file = Buffer.from('Nothing but text')
const [archive] = sendingWorkspace.settings.bcc

type Mail = {
  readonly subject: string
  readonly html?: string
  readonly text?: string
  readonly headers: Readonly<Record<string, string>>
  readonly attachments?: readonly { filename: string; bytes: number }[]
}

/** A member of an e-mail object with a value, and whether a mail has it. Without that the value is of a wrong type, or nothing keeps it. */
type Member = readonly [name: string, value: unknown, isIn?: (mail: Mail, value: string) => boolean]

const members: readonly Member[] = [
  ['subject', 'Plain', ({ subject }, value) => subject === value],
  ['subject', 'Ünïcode 🦊 日本', ({ subject }, value) => subject === value],
  ['subject', `Long ${'word '.repeat(60)}end`, ({ subject }, value) => subject === value],
  ['subject', 7],
  ['body', '<p>A <b>bold</b> body</p>', ({ html }) => html!.includes('<b>bold</b>')],
  ['body', 5],
  [
    'plaintext_body',
    'Nothing but text\nin two lines',
    ({ text }) => text!.replaceAll('\r', '').includes('text\nin two'),
  ],
  ['plaintext_body', ['text']],
  ['preheader', 'What stands before the body', ({ html }, value) => html!.includes(value)],
  ['preheader', { a: 1 }],
  ['reply_to', 'Desk <desk@example.com>', ({ headers }) => headers['reply-to']!.includes('desk@example.com')],
  ['reply_to', 'no address'],
  ['reply_to', null, ({ headers }) => headers['reply-to'] === undefined],
  ['headers', { 'X-One': 'one' }, ({ headers }) => headers['x-one'] === 'one'],
  ['headers', 'X-One: one'],
  ['headers', { 'X-One': 1 }, ({ headers }) => headers['x-one'] === '1'],
  ['extras', { order: 'A-7', gift: true }, ({ headers }) => JSON.parse(headers['x-extras']!).order === 'A-7'],
  ['extras', ['A-7']],
  ['bcc', archive, () => true],
  ['bcc', 'elsewhere@example.com'],
  ['should_inline_css', true, () => true],
  ['should_inline_css', 'maybe'],
  ['amp_body', '<p>'],
  ['color', 'red'],
]

/** Says that the mail cannot be sent, and that the decision about it says so. */
const hasFailed = () => false

/** Files of a mail, and what may be wrong with them. */
function attachments(url: string): readonly Member[] {
  const hasFiles = (mail: Mail, names: readonly string[]) =>
    JSON.stringify(mail.attachments?.map(({ filename, bytes }) => [filename, bytes])) ===
    JSON.stringify(names.map((name) => [name, file.length]))
  const terms = { file_name: 'terms', url: `${url}/terms.txt` }
  const prices = { file_name: 'prices.txt', url: `${url}/p.txt` }
  return [
    ['attachments', [terms], (mail) => hasFiles(mail, ['terms.txt'])],
    ['attachments', [terms, prices], (mail) => hasFiles(mail, ['terms.txt', 'prices.txt'])],
    ['attachments', [], (mail) => (mail.attachments ?? []).length === 0],
    ['attachments', [{ file_name: 'missing', url: `${url}/missing.txt` }], hasFailed],
    ['attachments', [{ ...terms, colour: 'red' }]],
    ['attachments', [{ file_name: 'terms' }]],
    ['attachments', [{ file_name: 'terms', url: 'soon' }]],
    ['attachments', [{ file_name: 7, url: `${url}/terms.txt` }]],
    ['attachments', terms],
    ['attachments', 'terms.txt'],
  ]
}

/** What a request says about the time of its mail. */
type Schedule = {
  /** Writes the schedule, when it is this time. */
  readonly of: (nowMs: number) => unknown
  /** When the mail is due. `refused` says that no mail may come. */
  readonly due: 'at once' | 'in an hour' | 'refused'
  readonly isNamed?: boolean
}

const iso = (ms: number) => new Date(ms).toISOString()
const basic = (ms: number) => `${iso(ms).slice(0, 19).replaceAll(/[-:]/g, '')}Z`
const inZone = (ms: number) => `${iso(ms + zoneMs).slice(0, 19)}+09:00`
const anHour = 60 * minuteMs

const schedules: readonly Schedule[] = [
  { of: (nowMs) => ({ time: iso(nowMs + anHour) }), due: 'in an hour' },
  { of: (nowMs) => ({ time: basic(nowMs + anHour) }), due: 'in an hour' },
  { of: (nowMs) => ({ time: inZone(nowMs + anHour), at_optimal_time: 'false' }), due: 'in an hour' },
  { of: (nowMs) => ({ time: iso(nowMs + anHour + zoneMs).slice(0, 19), in_local_time: true }), due: 'in an hour' },
  { of: (nowMs) => ({ time: iso(nowMs - anHour) }), due: 'at once', isNamed: true },
  { of: (nowMs) => ({ time: iso(nowMs - dayMs + anHour) }), due: 'at once', isNamed: true },
  { of: (nowMs) => ({ time: iso(nowMs - dayMs - anHour) }), due: 'refused' },
  { of: () => ({ time: 'soon' }), due: 'refused' },
  { of: () => ({ time: 7 }), due: 'refused' },
  { of: (nowMs) => ({ time: iso(nowMs + anHour), in_local_time: 'perhaps' }), due: 'refused' },
  { of: () => iso(0), due: 'refused' },
]

/** A person, an e-mail object for them, members of the request beside it, and a schedule. */
type Program = {
  readonly external_id: string
  readonly email: string
  readonly given: readonly Member[]
  readonly more: Item
  readonly schedule?: Schedule | undefined
}

/** Members of a mail that must arrive, at that time. */
type Expected = { readonly members: readonly Member[]; readonly due: Schedule['due'] }

for (const database of drawDatabases('unnamed-mails')) {
  describe(`what a request to send accepts (${database})`, () => {
    const people = new People()
    let files: Served
    before(async () => {
      files = await serve(({ url }, response) => {
        response.writeHead(url?.startsWith('/missing') ? 404 : 200, { 'content-type': 'text/plain' }).end(file)
      })
      const env = { EASEL_CLOCK: 'virtual', EASEL_FETCH_ALLOW: `127.0.0.1:${files.port}` }
      await people.start({ database, workspace: sendingWorkspace, env })
    })
    after(async () => {
      await people.stop()
      await files?.close()
    })

    test('is in the mail, or the answer names it', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const all = [...members, ...attachments(files.url)]
      for (let first = 0; first < sizes.unnamedMails; first += programsTogether) {
        const count = Math.min(programsTogether, sizes.unnamedMails - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919), all))
        await people.set(...programs.map(({ external_id, email }) => ({ external_id, email, time_zone: zone })))
        const { now } = (await people.service.admin('GET', '/admin/clock')).body
        const expected = await Promise.all(programs.map((program) => send(program, Date.parse(now))))
        await people.service.advance('PT1S')
        await Promise.all(programs.map((program, i) => look(program, expected[i], ['at once'])))
        if (!expected.some((one) => one?.due === 'in an hour')) continue
        await people.service.advance('PT61M')
        await Promise.all(programs.map((program, i) => look(program, expected[i], ['at once', 'in an hour'])))
      }
    })

    /** Sends a request. Returns the members that must be in the mail; nothing when it was refused. */
    async function send({ external_id, given, more, schedule }: Program, nowMs: number): Promise<Expected | undefined> {
      const { messages, ...rest } = more
      const own = letter({ external_user_ids: [external_id] }, Object.fromEntries(given))
      const body = { ...own, ...rest, messages: { ...(own.messages as object), ...(messages as object | undefined) } }
      const path = schedule ? '/messages/schedule/create' : '/messages/send'
      const sent = schedule ? { ...body, schedule: schedule.of(nowMs) } : body
      const { status, text, body: answer } = await people.send(path, sent)
      if (status === 400) {
        const isOfSchedule = schedule?.due === 'refused' && text.includes('schedule')
        assert.match(
          isOfSchedule ? 'messages.' : answer.message,
          /messages\.|^'[a-z_]+'/,
          `${text} ${JSON.stringify(sent)}`,
        )
        return undefined
      }
      assert.equal(status, 201, text)
      assert.notEqual(schedule?.due, 'refused', `${text} ${JSON.stringify(sent)}`)
      const named = new Set((answer.notices ?? []).map(({ member }) => member))
      for (const channel of Object.keys(messages ?? {})) assert.ok(named.has(`messages.${channel}`), text)
      assert.equal(named.has('schedule.time'), schedule?.isNamed ?? false, `${text} ${JSON.stringify(sent)}`)
      const left = given.filter(([name]) => ![...named].some((one) => one.startsWith(`messages.email.${name}`)))
      for (const [name, value, isIn] of left) assert.ok(isIn, `nothing names ${name}: ${JSON.stringify(value)} ${text}`)
      return { members: left, due: schedule?.due ?? 'at once' }
    }

    /** Looks at the mail of a program, by which these were due. */
    async function look(
      { email, external_id, given }: Program,
      expected: Expected | undefined,
      due: readonly Schedule['due'][],
    ): Promise<void> {
      const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body
      const isDue = expected !== undefined && due.includes(expected.due)
      const failed = expected?.members.some(([, , isIn]) => isIn === hasFailed)
      assert.equal(messages.length, isDue && !failed ? 1 : 0, `seed ${seed}: ${JSON.stringify(given)}`)
      if (!isDue) return
      if (failed) {
        const { decisions } = (await people.service.admin('GET', `/admin/why?external_id=${external_id}`)).body
        assert.equal(decisions[0].reason, 'attachment_failed')
        return
      }
      const mail: Mail = (await people.service.admin('GET', `/admin/inbox/${messages[0].id}`)).body
      for (const [name, value, isIn] of expected.members) {
        assert.ok(isIn!(mail, String(value)), `seed ${seed}: ${name} ${JSON.stringify(value)} ${JSON.stringify(mail)}`)
      }
    }
  })
}

function programOf(random: Random, all: readonly Member[]): Program {
  const given = many(random.below(5), () => random.pick(all))
  const more = random.pick<Item>([
    {},
    {},
    {},
    { messages: { kindle_push: { alert: 'hi' } } },
    { messages: { sms: { body: 'hi' } } },
    { override_frequency_capping: random.pick<unknown>([true, 'yes']) },
    { send_id: random.pick<unknown>(['', 7]) },
  ])
  return {
    external_id: newId(),
    email: newEmail(),
    given: [...new Map(given.map((member) => [member[0], member])).values()],
    more,
    schedule: random.below(3) === 0 ? random.pick(schedules) : undefined,
  }
}
