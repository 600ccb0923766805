import assert from 'node:assert/strict'
import test from 'node:test'
import { type Environment, easel } from '../support/command-line.ts'
import { startSmsProvider } from '../support/sms-provider.ts'

type Finding = { subject: string; ok: boolean; text: string; remedy?: string }

async function textsFinding(env: Environment): Promise<Finding> {
  const { out } = await easel(['doctor', '--json'], { EASEL_DATA: 'memory', ...env })
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  return findings.find(({ subject }) => subject === 'Texts')!
}

test('the doctor says that text messages are kept in the inbox without a provider', async () => {
  const { ok, text } = await textsFinding({})
  assert.deepEqual([ok, text], [true, 'kept in the inbox, GET /admin/inbox; SMS_URL sends text messages'])
})

test('the doctor asks the provider for the account, without sending a text', async (t) => {
  const provider = await startSmsProvider()
  t.after(() => provider.close())
  const { origin, host } = new URL(provider.url)
  const found = await textsFinding({ SMS_URL: provider.url })
  assert.deepEqual([found.ok, found.text], [true, `${origin} accepts the account`])
  assert.equal(provider.taken.length, 0)

  const wrong = await textsFinding({ SMS_URL: `http://AC1:s3cret@${host}` })
  assert.equal(wrong.ok, false)
  assert.match(wrong.text, new RegExp(`^${origin}: it answered 401 .*Authenticate`))
  assert.match(wrong.remedy!, /account and secret of SMS_URL$/)
  assert.doesNotMatch(JSON.stringify(wrong), /s3cret/)

  await provider.stop()
  const away = await textsFinding({ SMS_URL: provider.url })
  assert.equal(away.ok, false)
  assert.match(away.text, /ECONNREFUSED|not reached|refused/i)
})
