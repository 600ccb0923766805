import type { FlowOutline } from '../../people/received/flow-outline.ts'
import type { FlowDefinition, FlowKind } from './flow.ts'
import { contextWithoutContents, tryGraphFrom } from './graphs.ts'

const unreadable: FlowOutline = { variants: {}, steps: {}, conversions: [], control_percent: 0 }

/** Returns what exports of people say about a definition. Empty for one that an earlier release accepted and this one cannot read. */
export function outlineOf(kind: FlowKind, id: string, definition: FlowDefinition): FlowOutline {
  const graph = tryGraphFrom({ kind, id, definition }, contextWithoutContents)
  if (!graph) return unreadable
  const { variants, steps, conversions, controlPercent } = graph
  return {
    variants: Object.fromEntries(variants.map((variant) => [variant.id, variant.name])),
    // The messages of a campaign are its variants. Exports have no steps of campaigns.
    steps: kind === 'campaign' ? {} : Object.fromEntries([...steps.values()].map((step) => [step.id, step.name])),
    conversions: conversions.map(({ name }) => name),
    control_percent: controlPercent,
  }
}
