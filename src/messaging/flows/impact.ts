import { isDeepStrictEqual } from 'node:util'
import type { Graph, Step } from './flow.ts'
import type { ImpactReply } from './schema.ts'

/** The number of people at a step of a version. Empty `step`: they have not begun. */
export type StepCount = { readonly version: number; readonly step: string; readonly people: number }

type Impact = Omit<ImpactReply, 'version'>

/** The members of a graph, besides the steps, that apply to people who enter after publishing; with their names in the workspace file. */
const rules = {
  segment: 'segment',
  entry: 'entry',
  exit: 'exit',
  conversions: 'conversions',
  controlPercent: 'control_percent',
  variants: 'variants',
  wanted: 'recipient_subscription_state',
  quietHours: 'quiet_hours',
  rate: 'rate',
} as const satisfies Partial<Record<keyof Graph, string>>

/**
 * Computes what publishing `next` in place of `current` changes, and for how many people. People in the flow stay on the version that they
 * entered; `graphs` has the graphs of these versions. Pure.
 */
export function computeImpact(
  current: Graph | undefined,
  next: Graph,
  graphs: ReadonlyMap<number, Graph>,
  counts: readonly StepCount[],
): Impact {
  const before = current?.steps ?? new Map<string, Step>()
  const names = Object.keys(rules) as (keyof typeof rules)[]
  return {
    open: counts.reduce((sum, { people }) => sum + people, 0),
    standing: counts.map(({ version, step, people }) => {
      const own = graphs.get(version)?.steps.get(step)
      return { version, step, name: own?.name ?? step, people, in_new: compareStep(own, next) }
    }),
    steps: {
      added: [...next.steps.keys()].filter((id) => !before.has(id)),
      changed: [...before.values()].filter((step) => compareStep(step, next) === 'changed').map(({ id }) => id),
      removed: [...before.keys()].filter((id) => !next.steps.has(id)),
    },
    rules: names.filter((name) => current && !isDeepStrictEqual(current[name], next[name])).map((name) => rules[name]),
  }
}

function compareStep(step: Step | undefined, next: Graph): 'same' | 'changed' | 'gone' {
  const after = step && next.steps.get(step.id)
  if (step === undefined) return 'same'
  if (after === undefined) return 'gone'
  return isDeepStrictEqual(step, after) ? 'same' : 'changed'
}
