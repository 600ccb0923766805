import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { startMailServer } from '../servers/smtp.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import { apps, many } from '../support/people.ts'

type Line = { level: number; msg: string; cause?: string }

const warnLevel = 40
const ids = many(7, (i) => `p${i}`)

/** Returns the port of a mail server that has been stopped. */
async function freePort(): Promise<number> {
  const server = await startMailServer()
  await server.close()
  return server.port
}

async function ready(service: Service) {
  const { status, body } = await service.get('/ready', { key: null })
  return { status, mail: body.mail as string }
}

async function metric(service: Service, name: string): Promise<number> {
  const { text } = await service.get('/metrics', { key: null })
  const value = text.split('\n').find((line) => line.startsWith(`${name} `))
  assert.ok(value, `${name} in ${text}`)
  return Number(value.slice(name.length + 1))
}

for (const database of drawDatabases('mail-server-away')) {
  test(`a mail server that is away is named in the log, /ready, why and the metrics, until it is back (${database})`, async () => {
    const port = await freePort()
    const server = `smtp://127.0.0.1:${port}`
    const lines: Line[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const logged = () => lines.filter(({ msg }) => msg.startsWith('The mail server'))
    const env = { SMTP_URL: `smtp://user:s3cret-of-mail@127.0.0.1:${port}`, EASEL_CLOCK: 'virtual' }
    await using service = await startService({ database, env, log, workspace: { apps: Object.values(apps) } })
    assert.deepEqual(await ready(service), { status: 200, mail: 'ok' })

    const attributes = ids.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    const toAll = letter({ external_user_ids: ids, recipient_subscription_state: 'all' })
    const sent = await service.post('/messages/send', toAll)
    assert.equal(sent.status, 201, sent.text)

    await eventually('/ready says it', async () => (await ready(service)).mail !== 'ok')
    const { status, mail } = await ready(service)
    assert.equal(status, 200)
    assert.match(mail, new RegExp(`^degraded: ${server} was not reached: .*ECONNREFUSED`))
    await eventually('the breaker opens', () => logged().some(({ msg }) => msg.includes('Mails wait')))
    const { body } = await service.admin('GET', '/admin/why?external_id=p0')
    const waits = body.open[0].waits_for as string
    assert.match(waits, new RegExp(`^the mail server: ${server} was not reached: .*ECONNREFUSED`))
    assert.ok((await metric(service, 'easel_mail_failures_total{kind="unreached"}')) >= 5)
    assert.doesNotMatch(JSON.stringify([lines, mail, waits]), /s3cret/)

    const open = await startMailServer({ port })
    try {
      await eventually('all mails are sent', async () => {
        await service.admin('POST', '/admin/clock', { advance: 'PT2M' })
        return open.taken.length === ids.length
      })
      await eventually('/ready says it', async () => (await ready(service)).mail === 'ok')
    } finally {
      await open.close()
    }
    const told = logged().map(({ level, msg }) => [
      level,
      msg.replace(server, 'S').replace(/: connect ECONNREFUSED 127\.0\.0\.1:\d+/, ': C'),
    ])
    assert.deepEqual(told, [
      [warnLevel, 'The mail server S was not reached: C. The mail is tried again'],
      [
        warnLevel,
        'The mail server S was not reached: C. Mails wait, and one at a time tests the server, at least once a minute',
      ],
      [30, 'The mail server S is reached again'],
    ])
    for (const line of logged().slice(0, 2)) assert.match(line.cause!, /ECONNREFUSED/)
  })
}
