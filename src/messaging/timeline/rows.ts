import type { WorkKind, WorkOutcome, WorkState } from '../../people/merge/work-schema.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { MessageState } from '../messages/states.ts'

/** When something happened, epoch microseconds. Items of one microsecond keep the order of their sources. */
type At = { readonly us: string }

export type HistoryRow = At & { readonly name_id: number; readonly properties: string | null }
export type PurchaseRow = HistoryRow & {
  readonly price: number
  readonly quantity: number
  readonly currency: string
}
export type SessionRow = At & { readonly app_id: string }

/** The message that a row is about, and its position in a flow. */
type AboutMessage = {
  readonly bucket: number
  readonly message_id: string | null
  readonly cause: string
  readonly channel: string
  readonly step: string
  readonly flow_id: number | null
  readonly subject: string | null
  readonly address: string | null
}

export type TimelineDecisionRow = At & AboutMessage & { readonly reason: Reason; readonly rule: string | null }
export type TimelineMessageRow = At &
  AboutMessage & { readonly state: MessageState; readonly due_at: Date; readonly response: string | null }
export type TimelineEngagementRow = At &
  AboutMessage & {
    readonly kind: string
    readonly url: string | null
    readonly count: number
    readonly last_at: Date
  }
export type ReturnRow = At &
  AboutMessage & { readonly what: 'bounced' | 'complained'; readonly response: string | null }
export type TimelineEntryRow = At & {
  readonly entry_id: string
  readonly dispatch_id: string | null
  readonly flow_id: number
  readonly version: number
  readonly what: 'entered' | 'completed'
}
export type TimelineWorkRow = At & {
  readonly request_id: string
  readonly kind: WorkKind
  readonly state: WorkState
  readonly outcome: WorkOutcome | null
}

/** A row with its source. */
export type TimelineRow =
  | ({ readonly source: 'event' } & HistoryRow)
  | ({ readonly source: 'purchase' } & PurchaseRow)
  | ({ readonly source: 'session' } & SessionRow)
  | ({ readonly source: 'decision' } & TimelineDecisionRow)
  | ({ readonly source: 'message' } & TimelineMessageRow)
  | ({ readonly source: 'engagement' } & TimelineEngagementRow)
  | ({ readonly source: 'return' } & ReturnRow)
  | ({ readonly source: 'entry' } & TimelineEntryRow)
  | ({ readonly source: 'work' } & TimelineWorkRow)

export type Source = TimelineRow['source']

/** A part of the past: from `fromUs` to before `untilUs`, epoch microseconds. At most `limit` rows, the newest ones. */
export type Span = { readonly fromUs: number; readonly untilUs: number; readonly limit: number }
