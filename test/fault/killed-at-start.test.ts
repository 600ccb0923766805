import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { testPostgres } from '../servers/postgres.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases, ownEnvironment, ownFlags, programFile, startService } from '../support/harness.ts'
import { temporaryFolder } from './folders.ts'

/** A start on a new database takes about this long. */
const startMs = 2_000
/** After these kills a start is not killed any more. */
const killsInARow = 3

for (const database of drawDatabases('killed-at-start')) {
  test(`the next start completes a database after ${sizes.killsAtStart} kills during the first start (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    using folder = temporaryFolder()
    const server = database === 'postgres' ? await testPostgres() : undefined
    for (let round = 0; round < sizes.killsAtStart; round += killsInARow) {
      const dataDir = join(folder.path, String(round))
      const env = server && { DATABASE_URL: await server.createDatabase(`start_${randomUUID()}`) }
      const kills = Math.min(killsInARow, sizes.killsAtStart - round)
      for (let kill = 0; kill < kills; kill++) await killedStart({ ...env, EASEL_DATA: dataDir }, chance.below(startMs))
      await using service = await startService({ database, env: { ...env, EASEL_DATA: dataDir } })
      const { status, text } = await service.post('/users/track', { attributes: [{ external_id: 'anna' }] })
      assert.equal(status, 201, text)
    }
  })
}

async function killedStart(env: { readonly [name: string]: string }, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [...ownFlags, programFile('src/main.ts')], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...ownEnvironment, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await new Promise((resume) => setTimeout(resume, afterMs))
  child.kill('SIGKILL')
  const [code, signal] = await ended
  assert.deepEqual({ code, signal }, { code: null, signal: 'SIGKILL' })
}
