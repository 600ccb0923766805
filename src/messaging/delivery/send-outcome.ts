import type { BounceKind } from '../mail/bounce-kind.ts'
import type { SmtpOutcome } from '../mail/transport.ts'
import type { Leased } from '../messages/message.ts'
import { truthOf, type Verdict } from '../messages/outcome.ts'
import { keptMs, type PauseKind, retryAt } from './backoff.ts'

/** What a delivery means for its message, at `nowMs` of business time. `domain`: of the recipient. */
export function judgeOutcome(message: Leased, outcome: SmtpOutcome, domain: string, nowMs: number): Verdict {
  const tried = { domain, attempts: message.attempts }
  switch (outcome.kind) {
    case 'accepted': {
      const { response, warnings } = outcome
      const inputs = { ...tried, response, ...(warnings && { warnings }) }
      return { ends: true, state: 'accepted', reason: 'sent', inputs, response, ...(warnings && { warnings }) }
    }
    case 'deferred': {
      const kind = outcome.throttled ? 'throttled' : 'deferred'
      return later(message, kind, { ...tried, ...replyOf(outcome) }, outcome.response, nowMs)
    }
    case 'unreached':
      return later(message, 'unreached', { ...tried, error: outcome.message }, outcome.message, nowMs)
    case 'uncertain': {
      const inputs = { ...tried, error: outcome.message }
      if (message.class === 'marketing') return { ...doubted(inputs), response: outcome.message }
      const verdict = later(message, 'unreached', inputs, outcome.message, nowMs)
      return verdict.ends ? truthOf({ doubted: true }, verdict) : { ...verdict, doubted: true }
    }
    case 'refused': {
      const { bounce, response } = outcome
      const inputs = { ...tried, ...replyOf(outcome), bounce }
      const rule = ruleOfBounce[bounce]
      const state = bounce === 'hard' ? 'bounced' : 'failed'
      return { ends: true, state, reason: 'refused_by_server', rule, inputs, response }
    }
  }
}

/** Nobody knows whether a server has a marketing mail, and it is not sent twice. */
export function doubted(inputs: Readonly<Record<string, unknown>>): Verdict & { ends: true } {
  const rule = 'a marketing mail is not sent again when nobody knows whether the server has it'
  return { ends: true, state: 'uncertain', reason: 'uncertain', rule, inputs }
}

function later(
  message: Leased,
  kind: PauseKind,
  inputs: Readonly<Record<string, unknown>>,
  response: string,
  nowMs: number,
): Verdict {
  const dueMs = retryAt(message, kind, nowMs)
  if (dueMs === undefined) {
    const rule = `a mail is tried for ${keptMs / 3_600_000} hours`
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
  return { ends: false, state: 'queued', dueMs, attempts, room: 0, response }
}

const ruleOfBounce: Readonly<Record<BounceKind, string>> = {
  hard: 'the server says that there is no such mailbox',
  soft: 'the server says that the mailbox cannot take it',
  policy: 'the server does not want the mail',
}

function replyOf({ code, enhanced, response }: { code: number; enhanced?: string; response: string }) {
  return { code, ...(enhanced && { enhanced }), response }
}
