import { once } from 'node:events'
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { recordStatus } from './seen-statuses.ts'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed text; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it.
  readonly body: any
}

export type RequestOptions = {
  /** The bearer token; no header when null. */
  readonly key?: string | null
  readonly headers?: { readonly [name: string]: string }
  /** The local address that the request comes from, such as 127.0.0.2. */
  readonly from?: string
  readonly agent?: Agent
}

/** Sends one request to a port of this machine. Text and bytes are sent unchanged, everything else as JSON. */
export function exchange(
  port: number,
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<Answer> {
  const { key, headers, from, agent } = options
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const sent = {
    ...(typeof key === 'string' && { authorization: `Bearer ${key}` }),
    ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
    ...headers,
  }
  const target = {
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: sent,
    ...(from && { localAddress: from }),
    ...(agent && { agent }),
  }
  return new Promise((resolve, reject) => {
    // The connection may also break while the answer is read.
    const asked = request(target, (response) => void readAnswer(response, method, path).then(resolve, reject))
    asked.on('error', reject)
    asked.end(bytes)
  })
}

async function readAnswer(response: IncomingMessage, method: string, path: string): Promise<Answer> {
  const text = Buffer.concat((await Array.fromAsync(response)) as Buffer[]).toString()
  const { statusCode, headers } = response
  recordStatus(method, path, statusCode!)
  const isJson = headers['content-type'] === 'application/json' && text !== ''
  return { status: statusCode!, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** Writes pieces to a connection, `pauseMs` apart, and reads until the other side ends it. */
export async function converse(port: number, pieces: readonly (string | Buffer)[], pauseMs = 0): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const ended = once(socket, 'close')
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  await ended
  return Buffer.concat(received).toString()
}
