import { fileURLToPath } from 'node:url'
import { startCommand } from './command.ts'

const stepDeadlineMs = 600_000
const programOf = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

/** Several checkers each read what they share: together they take a fifth more of the processor, which the tests need beside them. */
const oneChecker = ['--checkers', '1']
/** The compiler collects its garbage less often, for a quarter of its time and more memory. */
const settings = { GOGC: '400' }

/** The checks that do not run the product, as arguments for Node. */
export const steps: Readonly<Record<string, readonly string[]>> = {
  types: [programOf('typescript/bin/tsc'), '--noEmit', ...oneChecker],
  'types of the dashboard': [programOf('typescript/bin/tsc'), '--noEmit', ...oneChecker, '-p', 'dashboard'],
  lint: [programOf('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '.'],
}

export type StepResult = { readonly passed: boolean; readonly seconds: number; readonly report: string }

export async function runStep(root: string, args: readonly string[], signal: AbortSignal): Promise<StepResult> {
  const startedAt = performance.now()
  const options = { cwd: root, env: { ...settings, ...process.env }, deadlineMs: stepDeadlineMs, signal }
  const { complaint, output } = await startCommand(args, options).ended
  return { passed: complaint === undefined, seconds: (performance.now() - startedAt) / 1000, report: output.trimEnd() }
}
