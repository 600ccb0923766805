import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Rendered } from '../../content/rendering/rendered.ts'
import type { MessageClass } from './message.ts'

/** A claimed message that is eligible, with its content. */
export type MessageToPrepare<Content = unknown> = {
  readonly message_id: string
  readonly profile_id: string
  readonly bucket: number
  readonly workspace_id: number
  /** The address whose consent was checked. */
  readonly address: string
  /** Whether the person allows tracking. The workspace has its own setting. */
  readonly tracking: Tracking
  readonly class: MessageClass
  /** The id of the order or of the entry. */
  readonly dispatch_id: string
  /** The same for each attempt to send the message. Absent: it is only looked at. */
  readonly idempotencyKey?: string
  /** Messages with equal keys have the same content; `dispatch_id` if absent. */
  readonly contentKey?: string
  /** Variables for Liquid about what caused the message. */
  readonly about?: Omit<TemplateVariables, 'standard' | 'custom' | 'app' | 'subscribed_state'>
  readonly content: Content
}

/** Whether a person allows tracking of opens and clicks. */
export type Tracking = { readonly opens: boolean; readonly clicks: boolean }

/**
 * A message that is ready for the hand-over. `links` are the targets of its tracked links, `bytes` is what it takes in memory. `address`:
 * where it goes, if the message and not the person says that.
 */
export type PreparedMessage = {
  readonly address?: string
  readonly subject: string
  readonly links: readonly string[]
  readonly warnings: readonly string[]
  readonly bytes: number
}

/** Why a message cannot be made: a reason of the ledger, a sentence, and details. */
export type NotPrepared = {
  readonly reason: 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'deleted'
  readonly rule: string
  readonly inputs: unknown
}

export const deleted: NotPrepared = { reason: 'deleted', rule: 'the person was deleted', inputs: {} }

export function failed(message: string, inputs: object): NotPrepared {
  return { reason: 'template_error', rule: message, inputs }
}

export function aborted(reason: string): NotPrepared {
  return { reason: 'aborted_by_template', rule: reason, inputs: {} }
}

/** Returns why a message cannot be made whose texts were not rendered. */
export function notRendered(rendered: Exclude<Rendered, { readonly outcome: 'rendered' }>): NotPrepared {
  if (rendered.outcome === 'aborted') return aborted(rendered.reason)
  const { outcome: _, message, ...inputs } = rendered
  return failed(message, inputs)
}
