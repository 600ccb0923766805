import type { Tx } from '../../base/db/db.ts'
import { type DecisionRow, insertDecisions } from './decision-store.ts'
import type { Reason } from './reasons.ts'

/** A decision about one person and one message, as it was taken. */
export type Decision = {
  /** Where the person is; where the identifier would be when nobody has it. */
  readonly bucket: number
  /** '0' when nobody was found. */
  readonly profile_id: string
  readonly workspace_id: number
  /** The dispatch, or the entry of a canvas with step and visit; a uuid. */
  readonly cause: string
  readonly step?: string
  readonly visit?: number
  readonly channel: string
  /** The message that it ended. */
  readonly message_id?: string
  /** The canvas or campaign that it is about. */
  readonly flow_id?: number | null
  readonly reason: Reason
  /** The identifier that nobody had, as it was asked for. */
  readonly asked?: object
  /** Which rule decided, in words, cut after `ruleMax` characters. */
  readonly rule?: string
  /** What the rule read, each with the time as of which it held; left out beyond `inputsMax` characters of JSON. */
  readonly inputs?: unknown
  /** When it was taken, epoch microseconds. */
  readonly stampUs: number
}

export const ruleMax = 2_000
export const inputsMax = 16_384

/** Writes decisions down in one statement, in the transaction of what they decide. */
export async function recordDecisions(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length > 0) await insertDecisions(tx, decisions.map(rowOf))
}

function rowOf(decision: Decision): DecisionRow {
  const { step = '', visit = 0, message_id = '0', flow_id = null, asked, rule, inputs } = decision
  const texts = { asked: jsonOf(asked), rule: ruleOf(rule), inputs: inputsOf(inputs) }
  return { ...decision, step, visit, message_id, flow_id, ...texts }
}

function inputsOf(inputs: unknown): string | null {
  const text = jsonOf(inputs)
  return text !== null && text.length > inputsMax ? '{"left_out":"too long to keep"}' : text
}

/** What servers and templates say may hold what PostgreSQL does not take; a decision is kept all the same. */
function jsonOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = JSON.stringify(value)
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? clean(inner) : inner))
}

function ruleOf(rule: string | undefined): string | null {
  return rule === undefined ? null : clean(rule.slice(0, ruleMax))
}

function clean(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
