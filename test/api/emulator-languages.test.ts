import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import type { TestEasel } from '../../client/src/testing/testing.ts'
import { joinEmulator } from '../support/emulators.ts'

const folder = join(import.meta.dirname, '../../examples/emulator')
const linesMax = 40
/** How each example is run; undefined for one that needs a project. */
const commands: Readonly<Record<string, readonly string[] | undefined>> = {
  'retry.py': ['python3', 'retry.py'],
  'retry.rb': ['ruby', 'retry.rb'],
  'retry.php': ['php', 'retry.php'],
  'retry.go': ['go', 'run', 'retry.go'],
  'Retry.java': ['java', 'Retry.java'],
  'Retry.cs': undefined,
}

let easel: TestEasel
before(async () => {
  easel = await joinEmulator({ isolated: true })
})
after(() => easel[Symbol.asyncDispose]())

test('there is an example for each language, of at most 40 lines', () => {
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(commands).sort())
  for (const name of Object.keys(commands)) {
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length
    assert.ok(lines <= linesMax, `${name} has ${lines} lines`)
  }
})

for (const [name, command] of Object.entries(commands)) {
  test(`${name} repeats after a 429, and the emulator has seen both requests`, async (t) => {
    if (!command) return t.skip('it needs a project of its language')
    const [program, ...args] = command
    if (!program || spawnSync(program, ['--version']).error) return t.skip(`there is no ${program} on this machine`)
    const { url: EASEL_URL, api_key: EASEL_API_KEY, admin_token: EASEL_ADMIN_TOKEN } = easel.emulator!
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, EASEL_URL, EASEL_API_KEY, EASEL_ADMIN_TOKEN }
    const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    await once(child, 'close')
    assert.equal(printed, '[429, 201]\n', errors)
  })
}
