import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { registerCleanup } from './cleanup.ts'
import type { Figure } from './report.ts'
import { root } from './server.ts'

const msPerMinute = 60_000
export const suiteName = 'npm test'

/** Measures a run of the tests, of which the seed draws the part. It fails when a test fails. */
export async function benchSuite(seed: number): Promise<Figure> {
  const startedMs = performance.now()
  const child = spawn('npm', ['test'], {
    cwd: root,
    env: { ...process.env, EASEL_TEST_SEED: String(seed) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const cleanUp = registerCleanup(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
  })
  const [code] = (await exited) as [number | null]
  await cleanUp()
  if (code !== 0) throw new Error(`npm test failed with the seed ${seed}`)
  return { what: suiteName, database: 'none', value: (performance.now() - startedMs) / msPerMinute, unit: 'min' }
}
