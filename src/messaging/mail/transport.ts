import type { TransportOutcome, TransportReply } from '../messages/transport-outcome.ts'

/** A composed mail: its bytes with CRLF, and its envelope. The first of `to` is the recipient, the others get a copy. */
export type Mail = {
  readonly raw: Buffer
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
}

/** The outcome of sending a mail to a mail server. */
export type SmtpOutcome = TransportOutcome

/** The reply of a mail server: the code of three digits, an enhanced code such as `5.1.1` if there is one, and the whole text. */
export type SmtpReply = TransportReply

/** Delivers over SMTP, at most `connections` mails at once. Never rejects. */
export type SmtpTransport = {
  /** The server without user and password, such as `smtp://mail.example.com:587`. */
  readonly server: string
  readonly connections: number
  /** Sends a mail. Aborting the signal has the effect of a lost connection. */
  send(mail: Mail, signal: AbortSignal): Promise<SmtpOutcome>
  close(): Promise<void>
}
