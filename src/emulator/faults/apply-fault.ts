import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { FailureKind } from '../../base/errors.ts'
import { Failure } from '../../base/errors.ts'
import { errorBody, errorDialectOf, statuses } from '../../base/http/dialects.ts'
import { ConnectionCut, type Reply } from '../../base/http/intercept.ts'
import { exceeded } from '../../base/http/rate-headers.ts'
import { ReplyWithHeaders, type Request, type Route } from '../../base/http/route.ts'
import { trackPartially } from './partial-track.ts'
import type { FaultEntry } from './schema.ts'

/** The size of the window that the headers of an ordered 429 name. */
const windowSize = 250_000

export type FaultedRequest = {
  readonly route: Route
  readonly request: Request
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Calls the verb. */
  handle(request: Request): Promise<Reply>
}

/** Answers a request as its fault says. */
export async function applyFault(fault: FaultEntry, of: FaultedRequest): Promise<Reply> {
  const { route, request, clock, signal, handle } = of
  switch (fault.kind) {
    case 'rate_limit': {
      const nowMs = clock.elapsed()
      const endMs = nowMs + (fault.retry_after_s ?? 1) * 1000
      throw exceeded({ size: windowSize, remaining: 0, endMs }, nowMs)
    }
    case 'status':
      return statusReply(route, fault)
    case 'slow':
      await pause(fault.delay_ms, undefined, { signal })
      return handle(request)
    case 'cut':
      if (fault.effect === 'after') await handle(request)
      throw new ConnectionCut()
    case 'partial':
      return trackPartially(request.body, fault.items ?? [], (body) => handle({ ...request, body }))
    case 'refuse_mail':
      return handle(request)
  }
}

/** Answers with a status, in the dialect of the endpoint. */
function statusReply(route: Route, { status = 500, message }: FaultEntry): ReplyWithHeaders {
  const dialect = errorDialectOf(route)
  const kind = (Object.keys(statuses) as FailureKind[]).find((each) => statuses[each] === status)
  const isPlain500 = status === 500 && message === undefined
  const text = message ?? 'An ordered fault refuses this request'
  const failure = isPlain500 ? undefined : new Failure(kind ?? 'unavailable', text)
  const body = errorBody(dialect, failure, 'number')
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {}
  return new ReplyWithHeaders(dialect === 'scim' ? { ...body, status } : body, headers, status)
}
