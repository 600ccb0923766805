import { classifyBounce } from './bounce-kind.ts'
import type { SmtpOutcome, SmtpReply } from './transport.ts'

/** What the library says about a mail that did not get through. */
export type SmtpFailure = {
  readonly message: string
  readonly code?: string
  /** Of the reply that ended it, where there was one. */
  readonly responseCode?: number | false
  readonly response?: string
  /** What was answered: `CONN`, `EHLO`, `STARTTLS`, `AUTH ...`, `MAIL FROM`, `RCPT TO`, `DATA`, `RSET`, `API`. */
  readonly command?: string
}

/** Replies that say that it is too much at once. */
const throttlingCodes: ReadonlySet<number> = new Set([421, 450, 451, 454])
/** It wants to know first who we are: a mistake in how we are set up, and no word on the mail. */
const setupCodes: ReadonlySet<number> = new Set([503, 530, 534, 535, 538])
const aboutMail = /^(MAIL FROM|RCPT TO|DATA)$/
const aboutRecipient = /^(RCPT TO|DATA)$/
const enhancedPattern = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/

/** How far a mail had come: nothing of it was said yet, sender and recipient were, or content was. */
export type SmtpStage = 'connecting' | 'envelope' | 'content'

/**
 * What became of a mail, by where it ended. A reply to the mail decides. Without one the server has nothing as long as no content was
 * sent; after that nobody knows.
 */
export function smtpOutcome(failure: SmtpFailure, stage: SmtpStage): SmtpOutcome {
  const { command = '', responseCode, response = '', message } = failure
  // 421 ends the connection at any time; once the envelope has begun it is about the mail.
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
