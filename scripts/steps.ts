import { fileURLToPath } from 'node:url'
import { startCommand } from './command.ts'

const stepDeadlineMs = 120_000
const programOf = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

/** The checks that do not run the product, as arguments for Node. */
export const steps: Readonly<Record<string, readonly string[]>> = {
  types: [programOf('typescript/bin/tsc'), '--noEmit'],
  'types of the dashboard': [programOf('typescript/bin/tsc'), '--noEmit', '-p', 'dashboard'],
  lint: [programOf('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '.'],
}

export type StepResult = { readonly passed: boolean; readonly seconds: number; readonly report: string }

export async function runStep(root: string, args: readonly string[], signal: AbortSignal): Promise<StepResult> {
  const startedAt = performance.now()
  const options = { cwd: root, env: process.env, deadlineMs: stepDeadlineMs, signal }
  const { complaint, output } = await startCommand(args, options).ended
  return { passed: complaint === undefined, seconds: (performance.now() - startedAt) / 1000, report: output.trimEnd() }
}
