import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Seen } from './fetchers.ts'

/** What the next call gets: an answer, none, a cut connection, or an answer that comes late. */
export type CallAnswer =
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer }
  | 'never'
  | 'cut after'
  | 'cut in the answer'
  | { readonly waitFor: Promise<void> }

export type WebhookReceiver = {
  readonly url: string
  readonly port: number
  /** All calls, in their order. */
  readonly calls: Seen[]
  /** The answers of the next calls; then 200. */
  readonly next: CallAnswer[]
  /** The most calls that were open at the same time. */
  openMax: number
  /** Closes the port. Connections are cut. */
  close(): Promise<void>
}

/** Starts a server that webhooks of canvases, campaigns and orders call. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const calls: Seen[] = []
  const next: CallAnswer[] = []
  let open = 0
  const server = createServer((request, response) => void take(request, response))

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open++
    receiver.openMax = Math.max(receiver.openMax, open)
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, headers } = request
    calls.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    await answer(next.shift() ?? 200, request, response)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    ...{ url: `http://127.0.0.1:${port}`, port, calls, next, openMax: 0 },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return receiver
}

async function answer(how: CallAnswer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (how === 'never') return
  if (how === 'cut after') return void request.socket.destroy()
  if (how === 'cut in the answer') {
    response.writeHead(200, { 'content-length': '100' }).write('half of it', () => request.socket.destroy())
    return
  }
  if (typeof how === 'number') return void response.writeHead(how).end()
  if ('waitFor' in how) {
    await how.waitFor
    return void response.writeHead(200).end()
  }
  response.writeHead(how.status, how.headers).end(how.body)
}
