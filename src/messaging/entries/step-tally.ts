import type { Tx } from '../../base/db/db.ts'
import { dailySubject, Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { Hop } from './trail.ts'

/** A version of a flow. */
export type CountedVersion = { readonly workspace_id: number; readonly flow_id: number; readonly version: number }

/** A hop, counted by the step that was left, the path, and the step that was reached or the end. */
export type HopPart = Pick<Hop, 'from' | 'path' | 'to' | 'ended'>

/** A message that ended, by its step. */
export type EndPart = { readonly step: string; readonly reason: Reason }

/** A message with what it is counted by. */
export type EndedMessage = {
  readonly workspace_id: number
  readonly flow_id: number | null
  readonly flow_version: number | null
  readonly step: string
  readonly reason: Reason
}

/** A part of the tally of a version. */
export type StepPart = HopPart | EndPart

export function stepSubject({ workspace_id, flow_id, version }: CountedVersion): string {
  return dailySubject(workspace_id, `steps ${flow_id} ${version}`)
}

export function parseStepPart(text: string): StepPart {
  const part = JSON.parse(text) as string[]
  if (part.length === 4) {
    const [from, path, to, ended] = part
    return { from, path, to, ended } as HopPart
  }
  const [step, reason] = part
  return { step, reason } as EndPart
}

/** Gathers what a transaction counts of the steps of flows: how people go from step to step, and why messages end. */
export class StepTally {
  readonly #tally: Tally

  /** `tally`: that of the transaction, which the caller then writes. */
  constructor(tally = new Tally()) {
    this.#tally = tally
  }

  hop(version: CountedVersion, { from, path, to, ended }: HopPart, timeUs: number): void {
    this.#tally.add(stepSubject(version), JSON.stringify([from, path, to, ended]), timeUs)
  }

  /** Counts the end of a message of a step. Does nothing for a message of an order. */
  message({ workspace_id, flow_id, flow_version: version, step, reason }: EndedMessage, timeUs: number): void {
    if (flow_id === null || version === null) return
    this.#tally.add(stepSubject({ workspace_id, flow_id, version }), JSON.stringify([step, reason]), timeUs)
  }

  write(tx: Tx): Promise<void> {
    return insertTallyChange(tx, this.#tally)
  }
}
