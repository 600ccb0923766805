import { reasonOfChannel } from '../channels/reason-of-channel.ts'
import type { HopPart, StepPart } from '../entries/step-tally.ts'
import type { Graph, Step } from '../flows/flow.ts'
import { familyOf } from '../ledger/families.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { StepStanding } from './schema.ts'

/** A part of the tally of a version, and how often it was counted. */
export type CountedPart = { readonly part: StepPart; readonly count: number }

/** The counts of a version: how many people came in and went out, and what happened at each step. */
export type StepCounts = {
  readonly entered: number
  readonly starts: Record<string, number>
  readonly ended: number
  readonly steps: Record<string, Counts>
}

type Outcomes = Pick<StepStanding, 'outcomes' | 'families'>
type Counts = Omit<StepStanding, 'waiting' | 'held' | 'longest_ms' | 'outcomes' | 'families' | 'rates'>

/** Returns what was counted of a version by its steps. Every step of the graph is there. Pure. */
export function countSteps(parts: readonly CountedPart[], { steps }: Graph): StepCounts {
  const found = new Map<string, Counts>([...steps.keys()].map((id) => [id, nothing()]))
  const starts = members()
  let [entered, ended] = [0, 0]
  for (const { part, count } of parts) {
    if ('reason' in part) {
      const step = at(found, part.step)
      if (part.reason === 'sent') step.sent += count
      else {
        step.failed += count
        add(step.reasons, part.reason, count)
      }
      continue
    }
    if (part.ended !== '') ended += count
    if (part.from === '') {
      entered += count
      add(starts, part.to, count)
    } else addHop(at(found, part.from), part, pathName(steps.get(part.from), part.path), count)
  }
  return { entered, starts, ended, steps: Object.fromEntries(found) }
}

function addHop(step: Counts, { to, ended }: HopPart, path: string, count: number): void {
  if (ended !== '' && ended !== 'completed') {
    add(step.left, ended, count)
    return
  }
  step.passed += count
  add(step.by, to, count)
  if (path !== '') add(step.paths, path, count)
}

/** Returns the name of a path as the definition has it. Pure. */
export function pathName(step: Step | undefined, path: string): string {
  if (step && 'paths' in step) return step.paths[Number(path)]?.name ?? path
  return path
}

/** Returns how the messages of a step ended, the most frequent first, and how many of each family. Pure. */
export function outcomesOf({ sent, reasons }: Pick<Counts, 'sent' | 'reasons'>, channel: string): Outcomes {
  const all = [...(sent === 0 ? [] : [['sent', sent] as const]), ...Object.entries(reasons)] as [Reason, number][]
  const families = members()
  for (const [reason, count] of all) add(families, familyOf(reason), count)
  const outcomes = all
    .map(([reason, count]) => ({ reason, words: reasonOfChannel(reason, channel), family: familyOf(reason), count }))
    .toSorted((one, other) => other.count - one.count || one.reason.localeCompare(other.reason))
  return { outcomes, families }
}

function members(): Record<string, number> {
  return Object.create(null) as Record<string, number>
}

function nothing(): Counts {
  return { passed: 0, sent: 0, failed: 0, by: members(), paths: members(), left: members(), reasons: members() }
}

function at(found: Map<string, Counts>, step: string): Counts {
  const counts = found.get(step) ?? nothing()
  found.set(step, counts)
  return counts
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count
}
