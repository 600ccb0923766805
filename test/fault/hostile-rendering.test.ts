import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { startMailServer } from '../servers/smtp.ts'
import { eventually } from '../support/eventually.ts'
import { databases, type Spawned, spawnService } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'

const recipients = 24
/** Recipients of mails of 12 megabytes. */
const longRecipients = 5
const headers = 25
/** Megabytes of the heap of the service. */
const heapMb = 1_024
/** Megabytes of the service with its heap, buffers, and the embedded database. */
const serviceMbMax = 1_400
/** Megabytes of one process that renders. */
const processMbMax = 450

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

for (const database of databases) {
  test(`texts that grow neither end the service nor fill its memory, and others are served (${database})`, async (t) => {
    await using stack = new AsyncDisposableStack()
    const mailServer = await startMailServer()
    stack.defer(() => mailServer.close())
    const env = { SMTP_URL: mailServer.url, NODE_OPTIONS: `--max-old-space-size=${heapMb}` }
    const service = stack.use(await spawnService({ database, env }))
    await prepare(service)
    for (const [what, { recipients: count, email, reason }] of Object.entries(attacks)) {
      mailServer.forget()
      const sent = await Promise.all([
        send(service, letter({ external_user_ids: ids.slice(0, count) }, email)),
        send(service, letter({ external_user_ids: ids.slice(0, count), recipient_subscription_state: 'all' }, email)),
      ])
      const slowestMs = await serveOthers(service, mailServer, sent)
      for (const dispatch_id of sent)
        assert.deepEqual((await dispatchOf(service, dispatch_id)).reasons, { [reason]: count }, what)
      const [own, ...rendering] = memoryOf(service.pid)
      t.diagnostic(
        `${what}: slowest other request ${slowestMs.toFixed(0)} ms; so far ${own} MB of the service, ${rendering} MB of rendering`,
      )
      assert.ok(own! < serviceMbMax, `${what}: the service has taken ${own} MB`)
      assert.ok(
        rendering.every((mb) => mb < processMbMax),
        `${what}: rendering has taken ${rendering} MB`,
      )
    }
    await service.stop()
  })
}

const ids = many(recipients, (i) => `p${i}`)

async function prepare(service: Spawned): Promise<void> {
  const applied = await service.post('/admin/apply', sendingWorkspace, { key: service.adminToken })
  assert.equal(applied.status, 200, applied.text)
  const attributes = [...ids, 'other'].map((external_id) => ({
    external_id,
    email: `${external_id}@example.com`,
    email_subscribe: 'opted_in',
  }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
}

async function send(service: Spawned, body: unknown): Promise<string> {
  const answer = await service.post('/messages/send', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.dispatch_id
}

async function dispatchOf(service: Spawned, dispatch_id: string) {
  const { body } = await service.get(`/admin/dispatches/${dispatch_id}`, { key: service.adminToken })
  return body.dispatch
}

/** Tracks and sends mail until the dispatches are done. Returns the longest time of a track request. */
async function serveOthers(
  service: Spawned,
  { taken }: { readonly taken: readonly { readonly to: readonly string[] }[] },
  dispatches: readonly string[],
): Promise<number> {
  let slowestMs = 0
  let sent = 0
  const isDone = async () => {
    const startMs = performance.now()
    const { status } = await service.post('/users/track', { attributes: [{ external_id: 'other', n: sent }] })
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
    assert.equal(status, 201)
    if (taken.filter(({ to }) => to[0] === 'other@example.com').length >= sent) {
      sent++
      const other = { external_user_ids: ['other'], recipient_subscription_state: 'all' }
      await send(service, letter(other, { subject: 'Hi {{${user_id}}}' }))
    }
    const states = await Promise.all(dispatches.map(async (id) => (await dispatchOf(service, id)).state))
    return sent > 1 && states.every((state) => state === 'done')
  }
  const rows = async () => JSON.stringify(await Promise.all(dispatches.map((id) => dispatchOf(service, id))))
  await eventually(async () => `${sent} other mails, ${await rows()}`, isDone)
  return slowestMs
}

/** Returns the most megabytes that a process and each of its children have taken so far. */
function memoryOf(pid: number): number[] {
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readFileSync(`/proc/${name}/status`, 'utf8')]
      } catch {
        // The process has ended meanwhile.
        return []
      }
    })
  const number = (status: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const mb = (status: string) => Math.round(number(status, 'VmHWM') / 1024)
  const own = statuses.filter((status) => number(status, 'Pid') === pid)
  return [...own, ...statuses.filter((status) => number(status, 'PPid') === pid)].map(mb)
}
