import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Figure } from './report.ts'
import { untilExit } from './run-child.ts'
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
  const code = await untilExit(child)
  if (code !== 0) throw new Error(`npm test failed with the seed ${seed}`)
  return { what: suiteName, database: 'none', value: (performance.now() - startedMs) / msPerMinute, unit: 'min' }
}
