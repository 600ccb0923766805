import type { IncomingMessage } from 'node:http'
import { activeSpan, type Telemetry } from '../telemetry.ts'

/** Pages that machines read every few seconds. Spans of them would say nothing. */
const unrecorded: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/** Answers a request in a span of its own, which continues the trace of the caller. `label` is the path of its route. */
export function recordRequest(
  telemetry: Telemetry,
  label: string,
  { method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  answer: () => Promise<void>,
): Promise<void> {
  if (unrecorded.has(label)) return answer()
  const attributes = { 'http.request.method': method, 'http.route': label }
  return telemetry.root(`${method} ${label}`, { kind: 'server', headers, attributes }, answer)
}

/** Says in the active span how the request was answered. */
export function describeRequest(request_id: string, status: number, workspace_id: number | undefined): void {
  const span = activeSpan()
  if (span === undefined) return
  const workspace = workspace_id === undefined ? undefined : { 'easel.workspace_id': workspace_id }
  span.set({ 'http.response.status_code': status, 'easel.request_id': request_id, ...workspace })
  if (status >= 500) span.fail(String(status))
}
