import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { databases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newEmail, newId, peopleOf } from '../support/people.ts'

const programsTogether = 25
const [archive] = sendingWorkspace.settings.bcc

type Mail = {
  readonly subject: string
  readonly html?: string
  readonly text?: string
  readonly headers: Readonly<Record<string, string>>
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

/** A person, an e-mail object for them, and members of the request beside it. */
type Program = {
  readonly external_id: string
  readonly email: string
  readonly given: readonly Member[]
  readonly more: Item
}

for (const database of databases) {
  describe(`what a request to send accepts (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace, env: { EASEL_CLOCK: 'virtual' } })

    test('is in the mail, or the answer names it', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedMails; first += programsTogether) {
        const count = Math.min(programsTogether, sizes.unnamedMails - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919)))
        await people.set(...programs.map(({ external_id, email }) => ({ external_id, email })))
        const expected = await Promise.all(programs.map(send))
        await people.service.advance('PT1S')
        await Promise.all(programs.map((program, i) => look(program, expected[i]!)))
      }
    })

    /** Sends a request. Returns the members that must be in the mail; nothing when it was refused. */
    async function send({ external_id, given, more }: Program): Promise<readonly Member[] | undefined> {
      const { messages, ...rest } = more
      const own = letter({ external_user_ids: [external_id] }, Object.fromEntries(given))
      const body = { ...own, ...rest, messages: { ...(own.messages as object), ...(messages as object | undefined) } }
      const { status, text, body: answer } = await people.send('/messages/send', body)
      if (status === 400) {
        assert.match(answer.message, /messages\.|^'[a-z_]+'/, `${text} ${JSON.stringify(body)}`)
        return undefined
      }
      assert.equal(status, 201, text)
      const named = new Set((answer.notices ?? []).map(({ member }) => member))
      for (const channel of Object.keys(messages ?? {})) assert.ok(named.has(`messages.${channel}`), text)
      const left = given.filter(([name]) => ![...named].some((one) => one.startsWith(`messages.email.${name}`)))
      for (const [name, value, isIn] of left) assert.ok(isIn, `nothing names ${name}: ${JSON.stringify(value)} ${text}`)
      return left
    }

    async function look({ email, given }: Program, expected: readonly Member[] | undefined): Promise<void> {
      const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body
      assert.equal(messages.length, expected ? 1 : 0, `seed ${seed}: ${JSON.stringify(given)}`)
      if (!expected) return
      const mail: Mail = (await people.service.admin('GET', `/admin/inbox/${messages[0].id}`)).body
      for (const [name, value, isIn] of expected) {
        assert.ok(isIn!(mail, String(value)), `seed ${seed}: ${name} ${JSON.stringify(value)} ${JSON.stringify(mail)}`)
      }
    }
  })
}

function programOf(random: Random): Program {
  const given = many(random.below(5), () => random.pick(members))
  const more = random.pick<Item>([
    {},
    {},
    {},
    { messages: { web_push: { alert: 'hi' } } },
    { messages: { sms: { body: 'hi' } } },
    { override_frequency_capping: random.pick<unknown>([true, 'yes']) },
    { send_id: random.pick<unknown>(['', 7]) },
  ])
  return {
    external_id: newId(),
    email: newEmail(),
    given: [...new Map(given.map((member) => [member[0], member])).values()],
    more,
  }
}
