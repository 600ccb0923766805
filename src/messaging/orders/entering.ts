import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { Class } from '../messages/message.ts'
import type { Properties } from './sending.ts'

/** Why nothing is sent to somebody, or why they do not enter. */
export type Refused = { readonly reason: Reason; readonly rule?: string; readonly inputs?: unknown }

/** Somebody whom an order of a canvas or a campaign has found. */
export type Arriving = {
  readonly person: Person
  readonly properties?: Properties | undefined
  /** They do not enter. */
  readonly refused?: Refused | undefined
  /** Epoch milliseconds of business time, where it is not at once, and how it was found: `dispatch/optimal.ts`. */
  readonly dueMs?: number | undefined
  readonly timing?: object | undefined
}

/** The order that people enter by. */
export type EnteringOrder = {
  readonly workspace_id: number
  readonly dispatch_id: string
  readonly flow_id: number
  readonly class: Class
  /** Of everybody. */
  readonly properties: Properties | undefined
  readonly plannedMs: number
  readonly nowMs: number
}

/** Makes people enter, in the transaction of the page that found them; answers how many of them this order has not brought before. */
export type Enter = (tx: Tx, order: EnteringOrder, people: readonly Arriving[]) => Promise<number>
