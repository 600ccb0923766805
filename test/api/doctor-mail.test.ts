import assert from 'node:assert/strict'
import test from 'node:test'
import { startMailServer } from '../servers/smtp.ts'
import { type Environment, easel, typeEasel } from '../support/command-line.ts'

type Finding = { subject: string; ok: boolean; text: string; remedy?: string }

async function mailFinding(env: Environment): Promise<Finding> {
  const { out } = await easel(['doctor', '--json'], { EASEL_DATA: 'memory', ...env })
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  return findings.find(({ subject }) => subject === 'Mail')!
}

test('the doctor says that mail is kept in the inbox without a mail server', async () => {
  const { ok, text } = await mailFinding({})
  assert.deepEqual([ok, text], [true, 'kept in the inbox, GET /admin/inbox; SMTP_URL sends it'])
})

test('the doctor greets the mail server, logs in, and says what it offers, without sending a mail', async (t) => {
  const server = await startMailServer({ user: 'easel' })
  t.after(() => server.close())
  const at = `127.0.0.1:${server.port}`
  const found = await mailFinding({ SMTP_URL: `smtp://easel:pw@${at}` })
  assert.equal(found.ok, true, found.text)
  assert.match(
    found.text,
    new RegExp(`^smtp://${at} says "[^"]+"; offers .*PIPELINING.*AUTH .*; the connection is not encrypted; user and`),
  )
  assert.equal(server.seen.length, 0)

  const wrong = await mailFinding({ SMTP_URL: `smtp://other:s3cret-of-mail@${at}` })
  assert.equal(wrong.ok, false)
  assert.match(wrong.text, new RegExp(`^smtp://${at}: Invalid login: 535`))
  assert.match(wrong.remedy!, /user and password of SMTP_URL$/)
  assert.doesNotMatch(JSON.stringify(wrong), /s3cret/)
  const demanding = await mailFinding({ SMTP_URL: `smtp://${at}?requireTLS=true` })
  assert.equal(demanding.ok, false)
})

test('the doctor ends with 1 when the mail server is away, and names it with the cause', async () => {
  const server = await startMailServer()
  await server.close()
  const env = { EASEL_DATA: 'memory', SMTP_URL: server.url }
  const { code, out } = await typeEasel(['doctor'], env)
  assert.equal(code, 1)
  assert.match(
    out,
    new RegExp(`^wrong +Mail +smtp://127.0.0.1:${server.port}: .*ECONNREFUSED.*\n +check that it is running`, 'm'),
  )
})
