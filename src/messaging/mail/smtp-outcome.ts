import { classifyBounce } from './bounce-kind.ts'
import type { SmtpOutcome, SmtpReply } from './transport.ts'

/** The error of the SMTP library for a mail that was not accepted. */
export type SmtpFailure = {
  readonly message: string
  readonly code?: string
  /** The code of the reply that ended it, if there was one. */
  readonly responseCode?: number | false
  readonly response?: string
  /** The command that failed: `CONN`, `EHLO`, `STARTTLS`, `AUTH ...`, `MAIL FROM`, `RCPT TO`, `DATA`, `RSET`, `API`. */
  readonly command?: string
}

/** Replies that mean too much mail at once. */
const throttlingCodes: ReadonlySet<number> = new Set([421, 450, 451, 454])
/** Codes of a server that requires a login. This is a mistake in `SMTP_URL` and says nothing about the mail. */
const setupCodes: ReadonlySet<number> = new Set([503, 530, 534, 535, 538])
const aboutMail = /^(MAIL FROM|RCPT TO|DATA)$/
const aboutRecipient = /^(RCPT TO|DATA)$/
const enhancedPattern = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/

/** How much of a mail was sent: nothing, sender and recipient, or content. */
export type SmtpStage = 'connecting' | 'envelope' | 'content'

/**
 * Finds the outcome of a mail that was not accepted. If the server replied to the mail, the reply decides. Without a reply the server has
 * no mail as long as no content was sent; after that the outcome is uncertain.
 */
export function smtpOutcome(failure: SmtpFailure, stage: SmtpStage): SmtpOutcome {
  const { command = '', responseCode, response = '', message } = failure
  // 421 can end the connection at any time. It is about the mail if the envelope has begun.
  const isAboutMail = aboutMail.test(command) || (responseCode === 421 && stage !== 'connecting')
  if (!responseCode) return { kind: stage === 'content' ? 'uncertain' : 'unreached', message }
  if (!isAboutMail || setupCodes.has(responseCode)) return { kind: 'unreached', message }
  const reply = replyOf(responseCode, response)
  if (responseCode < 500) return { kind: 'deferred', throttled: throttlingCodes.has(responseCode), ...reply }
  const bounce = aboutRecipient.test(command) ? classifyBounce({ ...reply, text: response }) : 'policy'
  return { kind: 'refused', bounce, ...reply }
}

function replyOf(code: number, response: string): SmtpReply {
  const enhanced = enhancedPattern.exec(response)?.[1]
  return { code, ...(enhanced && { enhanced }), response }
}
