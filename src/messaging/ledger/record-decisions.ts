import type { Tx } from '../../base/db/db.ts'
import { type DecisionRow, insertDecisions } from './decision-store.ts'
import type { Reason } from './reasons.ts'

/** A decision about a person and a message or an entry. */
export type Decision = {
  /** The bucket of the person, or of the identifier that nobody has. */
  readonly bucket: number
  /** '0' for an identifier that nobody has. */
  readonly profile_id: string
  readonly workspace_id: number
  /** The UUID of the order, or of the entry; for an entry with step and visit. */
  readonly cause: string
  readonly step?: string
  readonly visit?: number
  readonly channel: string
  /** The message that ended with it. */
  readonly message_id?: string
  /** The canvas or campaign. */
  readonly flow_id?: number | null
  readonly reason: Reason
  /** The identifier that nobody has, as the request named it. */
  readonly asked?: object
  /** The rule that decided, in words; cut after `ruleMax` characters. */
  readonly rule?: string
  /** What the rule read, and as of when; dropped when it is more than `inputsMax` characters of JSON. */
  readonly inputs?: unknown
  /** Epoch microseconds. */
  readonly stampUs: number
}

export const ruleMax = 2_000
export const inputsMax = 16_384

/** Inserts decisions in one statement, in the transaction of what they decide. */
export async function recordDecisions(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length > 0) await insertDecisions(tx, decisions.map(toRow))
}

function toRow(decision: Decision): DecisionRow {
  const { step = '', visit = 0, message_id = '0', flow_id = null, asked, rule, inputs } = decision
  const texts = { asked: jsonText(asked), rule: ruleText(rule), inputs: inputsText(inputs) }
  return { ...decision, step, visit, message_id, flow_id, ...texts }
}

function inputsText(inputs: unknown): string | null {
  const text = jsonText(inputs)
  return text !== null && text.length > inputsMax ? '{"left_out":"too long to keep"}' : text
}

/** Replaces what PostgreSQL does not accept: texts of servers and templates may contain it. */
function jsonText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = JSON.stringify(value)
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? clean(inner) : inner))
}

function ruleText(rule: string | undefined): string | null {
  return rule === undefined ? null : clean(rule.slice(0, ruleMax))
}

function clean(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
