import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { decodeMetrics, decodeTraces, type ReceivedMetric, type ReceivedSpan } from '../support/otlp.ts'

type Received = { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }

/** A collector of OpenTelemetry that decodes what it gets. */
export type Collector = {
  readonly url: string
  readonly port: number
  readonly requests: readonly Received[]
  spans(): readonly ReceivedSpan[]
  /** The metrics of the last request with the scope `easel`. */
  metrics(): readonly ReceivedMetric[]
  /** Answers with this status from now on; 0 does not answer at all. */
  answerWith(status: number): void
  /** Answers what it has not answered with 200. */
  release(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a collector on a free port, or on the given port. */
export async function startCollector(port = 0): Promise<Collector> {
  const requests: Received[] = []
  let status = 200
  let waiting: (() => void)[] = []
  const server = createServer(async (message, response) => {
    const parts: Buffer[] = []
    for await (const part of message) parts.push(part)
    const sent = Buffer.concat(parts)
    const body = message.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    requests.push({ path: message.url ?? '', headers: message.headers, body })
    const answer = (code: number) => response.writeHead(code, { 'Content-Type': 'application/x-protobuf' }).end()
    if (status === 0) waiting.push(() => answer(200))
    else answer(status)
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const { port: bound } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  const at = (path: string) => requests.filter((request) => request.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    spans: () => at('/v1/traces').flatMap(decodeTraces),
    metrics: () =>
      at('/v1/metrics')
        .map(decodeMetrics)
        .findLast((metrics) => metrics.length > 0) ?? [],
    answerWith(code) {
      status = code
    },
    release() {
      for (const answer of waiting) answer()
      waiting = []
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
