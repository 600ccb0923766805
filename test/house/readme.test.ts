import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../support/harness.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const address = 'http://127.0.0.1:8080'

/** The calls of the page, and the printed answer below each. */
function callsAndAnswers(): [string, string][] {
  const section = readme.slice(readme.indexOf('## The first five calls'), readme.indexOf('## What it looks like'))
  const blocks = [...section.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({ kind, text: text! }))
  return blocks.flatMap(({ kind, text }, i) => (kind === 'json' ? [[blocks[i - 1]!.text, text.trim()]] : []))
}

test('the calls of the README return the answers that the README prints', async () => {
  const secrets = { KEY: 'key-of-a-newcomer-0000000000000000', ADMIN: 'admin-token-of-a-newcomer-0000000' }
  const env = { EASEL_API_KEY: secrets.KEY, EASEL_ADMIN_TOKEN: secrets.ADMIN }
  await using service = await startService({ database: 'pglite', env })
  const calls = callsAndAnswers()
  assert.equal(calls.length, 18)
  for (const [call, answer] of calls) {
    const command = call.replaceAll(address, service.url)
    assert.notEqual(command, call, 'every call goes to the address of the first start')
    assert.equal((await run(command, secrets)).trim(), answer)
  }
})

async function run(command: string, secrets: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, ...secrets } })
  return stdout
}
