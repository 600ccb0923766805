import type { GetAdminCanvasesIdEntriesEntryIdReply } from '../../api/generated.ts'

export type Run = GetAdminCanvasesIdEntriesEntryIdReply
export type RunMessage = NonNullable<Run['messages']>[number]

/** A step of the way of a person: from when until when, and the messages of it. */
export type RunStep = {
  readonly key: string
  readonly step: string
  readonly name: string
  /** How often the person had come to the step, this time included. */
  readonly visit: number
  /** The path out of the step before. */
  readonly path: string | null
  readonly fromMs: number
  /** When the person left, or will leave; undefined when that is not known. */
  readonly untilMs: number | undefined
  /** Whether the person is there now. */
  readonly isHere: boolean
  /** Whether the person left the flow from there. */
  readonly isLast: boolean
  /** The path that was taken from here. */
  readonly taken: string | null
  readonly messages: readonly RunMessage[]
}

/** The steps of a run, and the messages that belong to none of them. */
export type RunSteps = { readonly steps: readonly RunStep[]; readonly others: readonly RunMessage[] }

/** Returns the way of a person through a flow, step by step, with the messages of each. Pure. */
export function stepsOfRun({ entry, messages }: Run): RunSteps {
  const { trail, is_open, arrived_at, until, ended_at, trail_is_whole } = entry
  const visits = new Map<string, number>()
  const ofStep = Map.groupBy(messages ?? [], ({ step, visit }) => keyOf(step?.id ?? '', visit))
  const steps = trail.map(({ step, step_name, at, path }, i): RunStep => {
    const visit = (visits.get(step) ?? 0) + 1
    visits.set(step, visit)
    const next = trail[i + 1]
    const isNewest = next === undefined
    // A trail that is not whole may end before the step at which the person is.
    const isHere = isNewest && is_open && arrived_at !== null
    const isLast = isNewest && !is_open && trail_is_whole
    const left = next?.at ?? (isHere ? until : isLast ? ended_at : null)
    const key = keyOf(step, visit)
    const own = (ofStep.get(key) ?? []).toReversed()
    ofStep.delete(key)
    return {
      ...{ key, step, name: step_name ?? step, visit, path, isHere, isLast },
      ...{ fromMs: Date.parse(at), untilMs: left === null ? undefined : Date.parse(left) },
      ...{ taken: next?.path ?? null, messages: own },
    }
  })
  return { steps, others: [...ofStep.values()].flat() }
}

function keyOf(step: string, visit: number): string {
  return `${visit} ${step}`
}
