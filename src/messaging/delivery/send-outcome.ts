import { channelOf } from '../channels/channels.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { endFor, type MessageOutcome, postpone, reconcileOutcome } from '../messages/outcome.ts'
import type { RetryKind } from '../messages/retried-message.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import { retriedForMs, retryAt } from './retry.ts'

/** Returns the outcome of a message after a delivery. `nowMs` is business time, `domain` the domain of the recipient. */
export function outcomeOfSend(
  message: LeasedMessage,
  sent: TransportOutcome,
  domain: string,
  nowMs: number,
): MessageOutcome {
  const tried = { domain, attempts: message.attempts }
  switch (sent.kind) {
    case 'accepted': {
      const { response, warnings } = sent
      const inputs = { ...tried, response, ...(warnings && { warnings }) }
      const rule = channelOf(message.channel).words.accepted
      const why = { reason: 'sent', ...(rule !== undefined && { rule }), inputs } as const
      return { ends: true, state: 'accepted', ...why, response, ...(warnings && { warnings }) }
    }
    case 'deferred': {
      const kind = sent.throttled ? 'throttled' : 'deferred'
      return later(message, kind, { ...tried, ...replyOf(sent) }, sent.response, nowMs, sent.askedMs)
    }
    case 'busy': {
      const { againMs, busyMs, response } = sent
      const kind = response === '' ? 'waiting' : 'busy'
      return later(message, kind, { ...tried, response }, response, nowMs, againMs, busyMs)
    }
    case 'unreached':
      return later(message, 'unreached', { ...tried, error: sent.message }, sent.message, nowMs)
    case 'uncertain': {
      const inputs = { ...tried, error: sent.message }
      if (message.class === 'marketing') return { ...uncertainOutcome(message.channel, inputs), response: sent.message }
      const outcome = later(message, 'unreached', inputs, sent.message, nowMs)
      return outcome.ends ? reconcileOutcome({ maybe_sent: true }, outcome) : { ...outcome, maybe_sent: true }
    }
    case 'refused': {
      const { bounce, response, leftGroup } = sent
      const inputs = { ...tried, ...replyOf(sent), bounce }
      const rule = leftGroup === undefined ? channelOf(message.channel).words.refused[bounce] : leftAtProvider
      const state = bounce === 'hard' ? 'bounced' : 'failed'
      return { ends: true, state, reason: 'refused_by_server', rule, inputs, response }
    }
  }
}

const leftAtProvider = 'the person has left the group at the provider'

/** Attempts for a message that cannot be prepared because of a defect of Easel, and the pause before the next one. */
const unpreparedMax = 5
const unpreparedPauseMs = 60_000

/** Returns the outcome of a message that could not be prepared because of a defect of Easel. */
export function outcomeOfDefect(message: LeasedMessage, nowMs: number): MessageOutcome {
  const { attempts, channel } = message
  if (attempts < unpreparedMax)
    return { ...postpone(message, nowMs + unpreparedPauseMs, 0), attempts } as MessageOutcome
  return endFor({ reason: 'template_error', rule: `the ${channelOf(channel).words.one} could not be made` })
}

/** Ends a marketing message that a server may have. It is not sent twice. */
export function uncertainOutcome(
  channel: string,
  inputs: Readonly<Record<string, unknown>>,
): MessageOutcome & { ends: true } {
  const { one } = channelOf(channel).words
  const rule = `a marketing ${one} is not sent again when it is uncertain whether the server took it`
  return { ends: true, state: 'uncertain', reason: 'uncertain', rule, inputs }
}

const uncounted: ReadonlySet<RetryKind> = new Set(['throttled', 'busy', 'waiting'])

function later(
  message: LeasedMessage,
  kind: RetryKind,
  inputs: Readonly<Record<string, unknown>>,
  response: string,
  nowMs: number,
  askedMs = 0,
  busyMs = 0,
): MessageOutcome {
  const { words, retry } = channelOf(message.channel)
  const dueMs = retry ? retry.at(message, kind, nowMs, askedMs, busyMs) : retryAt(message, kind, nowMs, askedMs)
  const said = response !== '' && { response }
  if (dueMs === undefined) {
    const rule = retry?.givenUp(message, kind) ?? `a ${words.one} is tried for ${retriedForMs / 3_600_000} hours`
    const planned = new Date(message.plannedMs).toISOString()
    return {
      ends: true,
      state: 'failed',
      reason: 'expired',
      rule,
      inputs: { ...inputs, planned_at: planned },
      ...said,
    }
  }
  const attempts = uncounted.has(kind) ? Math.max(message.attempts - 1, 0) : message.attempts
  // It was prepared, so it ends no process.
  return { ends: false, state: 'queued', dueMs, attempts, crashes: 0, rates_granted: 0, ...said }
}

function replyOf({ code, enhanced, response }: { code: number; enhanced?: string; response: string }) {
  return { code, ...(enhanced && { enhanced }), response }
}
