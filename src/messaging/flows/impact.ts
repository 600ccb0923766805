import { isDeepStrictEqual } from 'node:util'
import type { Graph, Step } from './flow.ts'
import type { ImpactReply } from './schema.ts'

/** How many stand at a step of a version; an empty step: they have not begun. */
export type StepCount = { readonly version: number; readonly step: string; readonly people: number }

type Impact = Omit<ImpactReply, 'version'>

/** Rules beside the steps that hold for those who enter from then on. */
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
 * What publishing `next` in place of `current` means, and to whom: whoever stands in the flow stays on the version they entered, of which
 * `graphs` has the graph. Pure.
 */
export function judgeImpact(
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
      return { version, step, name: own?.name ?? step, people, in_new: comparedTo(next, own) }
    }),
    steps: {
      added: [...next.steps.keys()].filter((id) => !before.has(id)),
      changed: [...before.values()].filter((step) => comparedTo(next, step) === 'changed').map(({ id }) => id),
      removed: [...before.keys()].filter((id) => !next.steps.has(id)),
    },
    rules: names.filter((name) => current && !isDeepStrictEqual(current[name], next[name])).map((name) => rules[name]),
  }
}

function comparedTo(next: Graph, step: Step | undefined): 'same' | 'changed' | 'gone' {
  const after = step && next.steps.get(step.id)
  if (step === undefined) return 'same'
  if (after === undefined) return 'gone'
  return isDeepStrictEqual(step, after) ? 'same' : 'changed'
}
