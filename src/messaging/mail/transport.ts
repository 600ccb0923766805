import type { Tx } from '../../base/db/db.ts'
import type { BounceKind } from './bounce-kind.ts'

/** A composed mail: its bytes with CRLF, and its envelope. The first of `to` is the recipient, the others get a copy. */
export type Mail = {
  readonly raw: Buffer
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
}

/**
 * The outcome of sending a mail to a mail server:
 * - `accepted`: the server accepted the mail; `warnings` list copies that failed
 * - `deferred`: a reply of 4xx; `throttled` if the server says that it gets too much mail
 * - `refused`: a reply of 5xx; `bounce` is what it means for the address
 * - `unreached`: the server got no mail, since it could not be reached or refused the connection
 * - `uncertain`: the connection ended after the content was sent, so the outcome is unknown
 */
export type SmtpOutcome =
  | { readonly kind: 'accepted'; readonly response: string; readonly warnings?: readonly string[] }
  | ({ readonly kind: 'deferred'; readonly throttled: boolean } & SmtpReply)
  | ({ readonly kind: 'refused'; readonly bounce: BounceKind } & SmtpReply)
  | { readonly kind: 'unreached'; readonly message: string }
  | { readonly kind: 'uncertain'; readonly message: string }

/** The reply of a mail server: the code of three digits, an enhanced code such as `5.1.1` if there is one, and the whole text. */
export type SmtpReply = { readonly code: number; readonly enhanced?: string; readonly response: string }

/** A mail for the inbox. `bucket` and the ids are those of its message. */
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
  /** The server without user and password, such as `smtp://mail.example.com:587`. */
  readonly server: string
  readonly connections: number
  /** Sends a mail. Aborting the signal has the effect of a lost connection. */
  send(mail: Mail, signal: AbortSignal): Promise<SmtpOutcome>
  close(): Promise<void>
}

/** A mail that the inbox is about to take. The same lease may be judged again, when a transaction is repeated. */
export type JudgedMail = {
  readonly workspace_id: number
  readonly address: string
  readonly message_id: string
  readonly lease: string
}

/** Decides whether a mail is refused as a mail server would refuse it. Undefined: it is accepted. */
export type JudgeMail = (mail: JudgedMail) => SmtpOutcome | undefined

/** Writes mail to the inbox in the transaction that marks the messages as accepted. */
export type InboxTransport = {
  readonly kind: 'inbox'
  /** Absent: every mail is accepted. */
  readonly judge?: JudgeMail | undefined
  insert(tx: Tx, mails: readonly InboxMail[]): Promise<void>
  close(): Promise<void>
}

export type Transport = SmtpTransport | InboxTransport
