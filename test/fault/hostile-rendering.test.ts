import assert from 'node:assert/strict'
import test from 'node:test'
import { drawEvery } from '../sizes.ts'
import { type Attacked, startAttacked } from '../support/attacked.ts'
import { eventually } from '../support/eventually.ts'
import { databases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { peakMemoryOf } from '../support/peak-memory.ts'
import { many } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const recipients = 24
/** Recipients of mails of 12 megabytes. */
const longRecipients = 5
const headers = 25
/** Megabytes of one process that renders. */
const processMbMax = 450
const lookMs = 50

/** Doubles a text of 512 characters eleven times: 1,048,576 characters. */
const seed = 'é'.repeat(512)
const doubling = (text: string) => `{% assign s = '${text}' %}${'{% assign s = s | append: s %}'.repeat(11)}{{ s }}`
const small = many(headers, (i) => [`X-Header-${i}`, doubling('x'.repeat(500))] as const)

type Attack = {
  readonly recipients: number
  readonly email: Readonly<Record<string, unknown>>
  readonly reason: 'sent' | 'template_error'
}

const attacks: Readonly<Record<string, Attack>> = {
  'headers that double a text': {
    recipients,
    email: { headers: Object.fromEntries(small) },
    reason: 'template_error',
  },
  'bodies as long as they may be': {
    recipients: longRecipients,
    email: { body: doubling(seed), plaintext_body: doubling(seed) },
    reason: 'sent',
  },
  'captured texts and lists that fill the memory': {
    recipients,
    email: {
      body: `{% assign l = '' | split: ',' %}{% for i in (1..4000) %}{% assign l = l | push: l %}{% endfor %}${doubling(seed)}`,
      subject: `{% for i in (1..30) %}{% capture c %}${doubling(seed)}{% endcapture %}{% endfor %}Hi`,
    },
    reason: 'template_error',
  },
}

for (const database of drawEvery(databases.length, databases)) {
  test(`texts that grow neither end the service nor fill its memory, and others are served (${database})`, async (t) => {
    await using attacked = await startAttacked({ database })
    await prepare(attacked)
    for (const [what, attack] of Object.entries(attacks)) {
      t.diagnostic(what)
      await assertServed(t, attacked, () => play(attacked, attack, what))
      const { children = [] } = peakMemoryOf(attacked.pid) ?? {}
      t.diagnostic(`memory of rendering so far: ${children} MB`)
      assert.ok(
        children.every((mb) => mb < processMbMax),
        `${what}: rendering has taken ${children} MB`,
      )
    }
    await attacked.stop()
  })
}

const ids = many(recipients, (i) => `p${i}`)

async function prepare(attacked: Attacked): Promise<void> {
  await attacked.admin('POST', '/admin/apply', sendingWorkspace)
  const attributes = ids.map((external_id) => ({
    external_id,
    email: `${external_id}@example.com`,
    email_subscribe: 'opted_in',
  }))
  assert.equal((await attacked.post('/users/track', { attributes })).status, 201)
}

/** Sends the texts as marketing and as transactional mail. Resolves when each recipient has the expected result. */
async function play(attacked: Attacked, { recipients: count, email, reason }: Attack, what: string): Promise<void> {
  const external_user_ids = ids.slice(0, count)
  const sent = await Promise.all(
    [{}, { recipient_subscription_state: 'all' }].map(async (wanted) => {
      const answer = await attacked.post('/messages/send', letter({ external_user_ids, ...wanted }, email))
      assert.equal(answer.status, 201, answer.text)
      return answer.body.dispatch_id as string
    }),
  )
  const rows = () =>
    Promise.all(sent.map(async (id) => (await attacked.admin('GET', `/admin/dispatches/${id}`)).body.dispatch))
  await eventually(
    async () => JSON.stringify(await rows()),
    async () => (await rows()).every(({ state }) => state === 'done'),
    lookMs,
  )
  for (const { reasons } of await rows()) assert.deepEqual(reasons, { [reason]: count }, what)
  // They have many megabytes.
  attacked.mailServer.forget()
}
