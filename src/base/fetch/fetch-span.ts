import type { WorkSpan } from '../telemetry.ts'
import { FetchError } from './fetch-error.ts'

type Request = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly sendsTrace?: boolean
}

/**
 * Records a fetch as part of a span. The span names the host only: paths and queries can have keys. The receiver gets a `traceparent` when
 * the request allows it.
 */
export function recordFetch<R extends Request, A extends { readonly status: number }>(
  span: WorkSpan,
  url: string,
  request: R,
  fetch: (url: string, request: R) => Promise<A>,
): Promise<A> {
  const method = (request.method ?? 'GET').toUpperCase()
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const attributes = { 'http.request.method': method, 'server.address': host }
  return span.child(`${method} ${host}`, { kind: 'client', attributes }, async (own) => {
    const { sendsTrace = false, headers } = request
    const trace = sendsTrace && own.traceparent ? { traceparent: own.traceparent } : undefined
    try {
      const answer = await fetch(url, trace ? { ...request, headers: { ...headers, ...trace } } : request)
      own.set({ 'http.response.status_code': answer.status })
      if (answer.status >= 400) own.fail(String(answer.status))
      return answer
    } catch (error) {
      if (error instanceof FetchError) own.fail(error.reason)
      throw error
    }
  })
}
