import { type Reason, reasons } from '../ledger/reasons.ts'
import type { BounceKind } from '../mail/bounce-kind.ts'
import type { Outcome } from '../mail/transport.ts'
import { keptMs, type PauseKind, retryAt } from './backoff.ts'
import type { Leased } from './leased.ts'
import { type End, type Event, endedWith, next, type State } from './states.ts'

/** Why a message ends, for the ledger. */
export type Why = {
  readonly reason: Reason
  readonly rule?: string
  readonly inputs?: unknown
}

/** What becomes of a message that was leased. */
export type Verdict =
  | ({
      readonly ends: true
      readonly state: End
      readonly response?: string
      readonly warnings?: readonly string[]
    } & Why)
  | {
      readonly ends: false
      readonly state: 'queued' | 'held'
      /** When it is tried next, epoch milliseconds; when it was due before, where absent. */
      readonly dueMs?: number
      readonly attempts: number
      readonly room: number
      readonly response?: string
      /** A server may have it: from now on it is sent again or ends as uncertain. */
      readonly doubted?: boolean
    }

/** A message ends where it stands, without having been handed over. */
export function ended(why: Why): Verdict {
  return { ends: true, state: endedWith(why.reason), ...why }
}

/**
 * Why a message ends that a server may have had before: nobody knows whether it arrived, whatever keeps it from being sent again. `why`:
 * what does.
 */
export function inDoubt({ reason, rule, inputs }: Why): Why & { readonly rule: string } {
  return {
    reason: 'uncertain',
    rule: `a server may have it from before; it was not sent again: ${rule ?? reasons[reason]}`,
    inputs: { not_sent_again: reason, ...(typeof inputs === 'object' && inputs) },
  }
}

/** The verdict that is true of a message: one that a server may have had ends as sent or as uncertain. */
export function truthOf({ doubted: isDoubted }: Pick<Leased, 'doubted'>, verdict: Verdict): Verdict {
  if (!isDoubted || !verdict.ends || verdict.reason === 'sent' || verdict.reason === 'uncertain') return verdict
  return { ...verdict, ...inDoubt(verdict), state: end('doubted') }
}

/** A message waits again as if nobody had taken it: the attempt does not count. */
export function givenBack({ attempts, room }: Leased): Verdict {
  return { ends: false, state: 'queued', attempts: Math.max(attempts - 1, 0), room }
}

/** A message of a paused dispatch or flow. */
export function heldBack({ attempts, room }: Leased): Verdict {
  return { ends: false, state: 'held', attempts: Math.max(attempts - 1, 0), room: Math.min(room, 0) }
}

/** A message waits for its place among others. */
export function placed({ attempts }: Leased, dueMs: number, room: number): Verdict {
  return { ends: false, state: 'queued', dueMs, attempts: Math.max(attempts - 1, 0), room }
}

/** What a delivery means for its message, at `nowMs` of business time. `domain`: of the recipient. */
export function judgeOutcome(message: Leased, outcome: Outcome, domain: string, nowMs: number): Verdict {
  const tried = { domain, attempts: message.attempts }
  switch (outcome.kind) {
    case 'accepted': {
      const { response, warnings } = outcome
      const inputs = { ...tried, response, ...(warnings && { warnings }) }
      return { ends: true, state: end('accepted'), reason: 'sent', inputs, response, ...(warnings && { warnings }) }
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
      const state = end(bounce === 'hard' ? 'bounced' : 'failed')
      return { ends: true, state, reason: 'refused_by_server', rule, inputs, response }
    }
  }
}

/** Nobody knows whether a server has a marketing mail, and it is not sent twice. */
export function doubted(inputs: Readonly<Record<string, unknown>>): Verdict & { ends: true } {
  const rule = 'a marketing mail is not sent again when nobody knows whether the server has it'
  return { ends: true, state: end('doubted'), reason: 'uncertain', rule, inputs }
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
      state: end('failed'),
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

/** Where what has happened leads from `handed_over`. */
function end(event: Event): End {
  return next('handed_over' satisfies State, event) as End
}
