import type { Tx } from '../../base/db/db.ts'
import type { BounceKind } from './bounce-kind.ts'

/** A mail that is ready: its bytes with CRLF, and between whom it goes. The first of `to` is who it is for, others get a copy. */
export type Mail = {
  readonly raw: Buffer
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
}

/**
 * What became of handing a mail to a server:
 * - `accepted`: it took it; `warnings` say who of the others was refused
 * - `deferred`: a reply of 4xx; `throttled` when the server says that it is too much
 * - `refused`: a reply of 5xx; `bounce` is what it says of the address
 * - `unreached`: the server took nothing, because it could not be reached or would not talk
 * - `uncertain`: the connection ended after the content was sent, so that nobody knows
 */
export type SmtpOutcome =
  | { readonly kind: 'accepted'; readonly response: string; readonly warnings?: readonly string[] }
  | ({ readonly kind: 'deferred'; readonly throttled: boolean } & SmtpReply)
  | ({ readonly kind: 'refused'; readonly bounce: BounceKind } & SmtpReply)
  | { readonly kind: 'unreached'; readonly message: string }
  | { readonly kind: 'uncertain'; readonly message: string }

/** What a server said: a code of three digits, where given one such as `5.1.1`, and all of it. */
export type SmtpReply = { readonly code: number; readonly enhanced?: string; readonly response: string }

/** A mail for the inbox, and the message it belongs to; `bucket` and the ids are those of the message row. */
export type InboxMail = Mail & {
  readonly bucket: number
  readonly profile_id: string
  readonly message_id: string
  readonly workspace_id: number
  readonly address: string
  readonly subject: string
  readonly stampUs: number
}

/** Delivers over SMTP, at most `connections` mails at once. Never rejects. */
export type SmtpTransport = {
  readonly kind: 'smtp'
  readonly connections: number
  /** When the signal is aborted the delivery is given up, as if the connection had been lost. */
  send(mail: Mail, signal: AbortSignal): Promise<SmtpOutcome>
  close(): Promise<void>
}

/** Keeps mail in the transaction that marks it as accepted. */
export type InboxTransport = {
  readonly kind: 'inbox'
  insert(tx: Tx, mails: readonly InboxMail[]): Promise<void>
  close(): Promise<void>
}

export type Transport = SmtpTransport | InboxTransport
