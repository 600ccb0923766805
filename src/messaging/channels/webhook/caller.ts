import type { Clock } from '../../../base/clock.ts'
import type { Fetcher } from '../../../base/fetch/fetch.ts'
import { tryFetch } from '../../../base/fetch/try-fetch.ts'
import type { Log } from '../../../base/log.ts'
import type { TransportOutcome } from '../../messages/transport-outcome.ts'
import type { MessageTransport } from '../channel.ts'
import { outcomeOfCall } from './outcome.ts'
import type { PreparedCall } from './prepare-calls.ts'
import { type CallEnd, callsOfWorkspaceMax, Receivers } from './receivers.ts'
import { callRequest, receiverOf } from './request.ts'

/** Calls that are handed over at the same time. Each receiver gets one of them at a time. */
export const callsAtOnce = 64
/** Those of one workspace: open ones, and as many that wait for their turn. */
export const callsOfWorkspaceAtOnce = 2 * callsOfWorkspaceMax
/** How long a receiver may take for a complete answer. */
const timeoutMs = 10_000
/** What is read of an answer. */
export const answerBytesMax = 4_096

export type CallerServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly log: Pick<Log, 'error'>
}

/** Opens the transport of webhooks: the receivers are the servers of their URLs, as far as `EASEL_FETCH_ALLOW` lets them be reached. */
export function openCaller({ fetcher, clock, log }: CallerServices): MessageTransport<PreparedCall> {
  const receivers = new Receivers(
    () => clock.now(),
    () => clock.elapsed(),
  )
  return {
    server: 'one of them',
    connections: callsAtOnce,
    workspaceMax: callsOfWorkspaceAtOnce,
    trouble: (workspace_id) => receivers.trouble(workspace_id),
    async send(call, signal) {
      if (call.refusal) return refusedOutcome(call.refusal)
      const turn = await receivers.turn(receiverOf(call.request.url), call.workspace_id)
      if ('againMs' in turn) return { kind: 'busy', ...turn, response: '' }
      const outcome = await makeCall(call, fetcher, signal).catch((error): TransportOutcome => {
        // A defect must not stop the other calls. The receiver may have got this one.
        log.error({ err: error, workspace_id: call.workspace_id }, 'a webhook could not be called')
        return { kind: 'uncertain', message: 'it could not be called' }
      })
      const busyMs = turn.end(endOf(outcome))
      return outcome.kind === 'busy' ? { ...outcome, busyMs } : outcome
    },
    // The fetcher belongs to all of the service.
    close: async () => {},
  }
}

async function makeCall(
  { request, key, credentials }: PreparedCall,
  fetcher: CallerServices['fetcher'],
  signal: AbortSignal,
): Promise<TransportOutcome> {
  const answer = await tryFetch(fetcher, request.url, {
    ...callRequest(request, key, credentials),
    ...{ timeoutMs, bytesMax: answerBytesMax, cutsAnswer: true, redirectsMax: 0, signal },
  })
  return outcomeOfCall(answer)
}

function refusedOutcome({ refused, temporary }: NonNullable<PreparedCall['refusal']>): TransportOutcome {
  const reply = { code: 0, response: refused }
  return temporary ? { kind: 'deferred', throttled: false, ...reply } : { kind: 'refused', bounce: 'policy', ...reply }
}

/** A refusal is about the call: the receiver has answered. */
function endOf(outcome: TransportOutcome): CallEnd {
  switch (outcome.kind) {
    case 'busy':
      return { isFailure: true, askedMs: outcome.againMs }
    case 'deferred':
      return { isFailure: true, ...(outcome.askedMs !== undefined && { askedMs: outcome.askedMs }) }
    case 'unreached':
      return { isFailure: true, unreached: outcome.message }
    case 'uncertain':
      return { isFailure: true }
    default:
      return { isFailure: false }
  }
}
