import type { BounceKind } from '../mail/bounce-kind.ts'
import type { SmtpOutcome } from '../mail/transport.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { type MessageOutcome, reconcileOutcome } from '../messages/outcome.ts'
import { type RetryKind, retriedForMs, retryAt } from './retry.ts'

/** Returns the outcome of a message after a delivery. `nowMs` is business time, `domain` the domain of the recipient. */
export function outcomeOfSend(
  message: LeasedMessage,
  smtpOutcome: SmtpOutcome,
  domain: string,
  nowMs: number,
): MessageOutcome {
  const tried = { domain, attempts: message.attempts }
  switch (smtpOutcome.kind) {
    case 'accepted': {
      const { response, warnings } = smtpOutcome
      const inputs = { ...tried, response, ...(warnings && { warnings }) }
      return { ends: true, state: 'accepted', reason: 'sent', inputs, response, ...(warnings && { warnings }) }
    }
    case 'deferred': {
      const kind = smtpOutcome.throttled ? 'throttled' : 'deferred'
      return later(message, kind, { ...tried, ...replyOf(smtpOutcome) }, smtpOutcome.response, nowMs)
    }
    case 'unreached':
      return later(message, 'unreached', { ...tried, error: smtpOutcome.message }, smtpOutcome.message, nowMs)
    case 'uncertain': {
      const inputs = { ...tried, error: smtpOutcome.message }
      if (message.class === 'marketing') return { ...uncertainOutcome(inputs), response: smtpOutcome.message }
      const outcome = later(message, 'unreached', inputs, smtpOutcome.message, nowMs)
      return outcome.ends ? reconcileOutcome({ maybe_sent: true }, outcome) : { ...outcome, maybe_sent: true }
    }
    case 'refused': {
      const { bounce, response } = smtpOutcome
      const inputs = { ...tried, ...replyOf(smtpOutcome), bounce }
      const rule = ruleOfBounce[bounce]
      const state = bounce === 'hard' ? 'bounced' : 'failed'
      return { ends: true, state, reason: 'refused_by_server', rule, inputs, response }
    }
  }
}

/** Ends a marketing message that a server may have. It is not sent twice. */
export function uncertainOutcome(inputs: Readonly<Record<string, unknown>>): MessageOutcome & { ends: true } {
  const rule = 'a marketing mail is not sent again when it is uncertain whether the server took it'
  return { ends: true, state: 'uncertain', reason: 'uncertain', rule, inputs }
}

function later(
  message: LeasedMessage,
  kind: RetryKind,
  inputs: Readonly<Record<string, unknown>>,
  response: string,
  nowMs: number,
): MessageOutcome {
  const dueMs = retryAt(message, kind, nowMs)
  if (dueMs === undefined) {
    const rule = `a mail is tried for ${retriedForMs / 3_600_000} hours`
    const planned = new Date(message.plannedMs).toISOString()
    return {
      ends: true,
      state: 'failed',
      reason: 'expired',
      rule,
      inputs: { ...inputs, planned_at: planned },
      response,
    }
  }
  const attempts = kind === 'throttled' ? Math.max(message.attempts - 1, 0) : message.attempts
  // It was prepared, so it ends no process.
  return { ends: false, state: 'queued', dueMs, attempts, crashes: 0, rates_granted: 0, response }
}

const ruleOfBounce: Readonly<Record<BounceKind, string>> = {
  hard: 'the server says that the mailbox does not exist',
  soft: 'the server says that the mailbox cannot take the mail',
  policy: 'the server refuses the mail by its policy',
}

function replyOf({ code, enhanced, response }: { code: number; enhanced?: string; response: string }) {
  return { code, ...(enhanced && { enhanced }), response }
}
