import type { Tx } from '../../base/db/db.ts'
import { dailySubject, Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import type { CountedMeasure } from '../channels/channel-counts.ts'

/** The conversions of a flow are `conversions`, `conversions1` and so on, in the order of its definition. */
type ConversionMeasure = `conversions${'' | number}`

/**
 * What is counted of canvases and campaigns. `returned`: accepted messages that bounced later, at the time when they were sent.
 * `..._by_start`: conversions at the time when the message was received (campaign) or the person entered (canvas).
 */
export type FlowMeasure =
  | 'entries'
  | 'unique_recipients'
  | 'sent'
  | 'returned'
  | Exclude<CountedMeasure, 'delivered'>
  | 'revenue'
  | ConversionMeasure
  | `${ConversionMeasure}_by_start`

/** What a count is about. `channel` is empty for what no single message has; `step` is empty for a campaign. */
export type CountedFlow = {
  readonly workspace_id: number
  readonly flow_id: number
  readonly variant: string | null
  readonly step?: string
  readonly channel?: string
  /** The send of the order of the message, if it has one. */
  readonly send_id?: string | null | undefined
}

/** A part of the tally of a flow. */
export type FlowPart = {
  readonly variant: string
  readonly step: string
  readonly channel: string
  readonly measure: FlowMeasure
}

export function flowSubject({ workspace_id, flow_id }: Pick<CountedFlow, 'workspace_id' | 'flow_id'>): string {
  return dailySubject(workspace_id, `flow ${flow_id}`)
}

/** Returns the subject of the messages of a campaign with a send id. */
export function sendSubject({ workspace_id, flow_id }: Omit<CountedFlow, 'variant'>, send_id: string): string {
  return dailySubject(workspace_id, `send ${flow_id} ${send_id}`)
}

export function conversionMeasure(index: number): ConversionMeasure {
  return index === 0 ? 'conversions' : `conversions${index}`
}

/** Returns a part of a tally as it is stored. */
function partText({ variant, step, channel, measure }: FlowPart): string {
  return JSON.stringify([variant, step, channel, measure])
}

export function parsePart(text: string): FlowPart {
  const [variant, step, channel, measure] = JSON.parse(text) as [string, string, string, FlowMeasure]
  return { variant, step, channel, measure }
}

/** Gathers what a transaction counts of flows and sends. */
export class FlowTally {
  readonly #tally: Tally

  /** `tally`: that of the transaction, which the caller then writes. */
  constructor(tally = new Tally()) {
    this.#tally = tally
  }

  count(flow: CountedFlow, measure: FlowMeasure, timeUs: number, count = 1, amount = 0): void {
    this.#tally.add(flowSubject(flow), partOf(flow, measure), timeUs, count, amount)
    this.countSend(flow, measure, timeUs, count, amount)
  }

  /** Counts for the send alone. Does nothing for what belongs to no send. */
  countSend(flow: CountedFlow, measure: FlowMeasure, timeUs: number, count = 1, amount = 0): void {
    if (typeof flow.send_id !== 'string') return
    this.#tally.add(sendSubject(flow, flow.send_id), partOf(flow, measure), timeUs, count, amount)
  }

  write(tx: Tx): Promise<void> {
    return insertTallyChange(tx, this.#tally)
  }
}

function partOf({ variant, step = '', channel = '' }: CountedFlow, measure: FlowMeasure): string {
  return partText({ variant: variant ?? '', step, channel, measure })
}
