import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type TakenRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The number of its connection, counted from 1 since the start. */
  readonly connection: number
}

/** What happens to the next request: an answer, a cut before or after it was taken, or an answer that comes late. */
export type NextAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | 'cut before'
  | 'cut after'
  | { readonly waitFor: Promise<void> }

/** Answers a request: the status and body, with the work that is done when the request is taken. */
export type Taking = { readonly status: number; readonly body?: unknown; take?(): void }

export type CuttableServer = {
  readonly port: number
  readonly next: NextAnswer[]
  /** How many connections there were since the start. */
  readonly opened: number
  /** Passes between a request that was taken and its answer. */
  beforeAnswer: (() => Promise<unknown>) | undefined
  /** Closes the port. Connections are cut. */
  stop(): Promise<void>
  /** Opens the same port again. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts a server of HTTP that has troubles on order. `ordered` says whether the next trouble is for this request. */
export async function startCuttableServer(
  answer: (request: TakenRequest) => Taking,
  ordered: (request: TakenRequest) => boolean = () => true,
): Promise<CuttableServer> {
  const next: NextAnswer[] = []
  const sockets = new Map<Socket, number>()
  let opened = 0
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = '', url: path = '', headers } = incoming
    const connection = sockets.get(incoming.socket) ?? 0
    const request = { method, path, headers, body: Buffer.concat(chunks), connection }
    const taking = answer(request)
    // A request that is wrong is told so, whatever was ordered.
    if (taking.status >= 400) return reply(response, taking)
    const trouble = ordered(request) ? next.shift() : undefined
    if (trouble === 'cut before') return void incoming.socket.destroy()
    if (typeof trouble === 'object' && 'status' in trouble) return reply(response, trouble)
    if (typeof trouble === 'object') await trouble.waitFor
    taking.take?.()
    await cuttable.beforeAnswer?.()
    if (trouble === 'cut after') return void incoming.socket.destroy()
    reply(response, taking)
  })
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, ++opened)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets.keys()) socket.destroy()
    await closed
  }
  const cuttable: CuttableServer = {
    port,
    next,
    get opened() {
      return opened
    },
    beforeAnswer: undefined,
    stop,
    start: () => listen(port),
    async close() {
      if (server.listening) await stop()
    },
  }
  return cuttable
}

type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }

function reply(response: ServerResponse, { status, headers = {}, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}
