import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { signatureOf } from '../../src/messaging/channels/sms/signature.ts'

/** A text that the provider has taken. */
export type TakenText = {
  readonly sid: string
  readonly to: string
  readonly from: string | undefined
  readonly service: string | undefined
  readonly body: string
  readonly statusUrl: string
  readonly key: string | undefined
  /** The number of its connection, counted from 1 since the start. */
  readonly connection: number
}

/** What happens to the next request: an error of the interface, a cut before or after the text was taken, or an answer that comes late. */
export type NextAnswer =
  | { readonly status: number; readonly code?: number; readonly message?: string }
  | 'cut before'
  | 'cut after'
  | { readonly waitFor: Promise<void> }

export type SmsProvider = {
  /** The value of `SMS_URL`. */
  readonly url: string
  readonly taken: TakenText[]
  readonly next: NextAnswer[]
  /** Requests that were answered with an error because of what they were. */
  readonly complaints: string[]
  /** How many connections there were since the start. */
  readonly opened: number
  /** Passes between a text and its answer. */
  beforeAnswer: (() => Promise<unknown>) | undefined
  /** Whether it takes the account and the secret. */
  acceptsAccount: boolean
  /** Calls a public URL as the provider does, with a signature. The service at `origin` gets the request. */
  call(
    origin: string,
    url: string,
    fields: Readonly<Record<string, string>>,
    secret?: string,
  ): Promise<{ status: number; text: string }>
  /** Closes the port. Connections are cut. */
  stop(): Promise<void>
  /** Opens the same port again. */
  start(): Promise<void>
  close(): Promise<void>
}

const account = `AC${'0'.repeat(31)}1`
const secret = 'secret of the provider'
const accountPath = `/2010-04-01/Accounts/${account}.json`
const path = `/2010-04-01/Accounts/${account}/Messages.json`
const e164 = /^\+[1-9]\d{6,14}$/
const bodyMax = 1_600

/** Starts a provider of text messages with the HTTP interface that most have: basic authentication, a form, JSON with `sid` or `code`. */
export async function startSmsProvider(): Promise<SmsProvider> {
  const taken: TakenText[] = []
  const next: NextAnswer[] = []
  const complaints: string[] = []
  const sockets = new Map<Socket, number>()
  let opened = 0
  const server = createServer((request, response) => void answer(request, response))
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, ++opened)
    socket.on('close', () => sockets.delete(socket))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const refused = provider.acceptsAccount ? mistakeOf(request, form) : notAuthenticated
    if (refused) {
      complaints.push(refused.message)
      return reply(response, refused.status, errorOf(refused))
    }
    if (request.method === 'GET') return reply(response, 200, { sid: account, status: 'active', type: 'Full' })
    const ordered = next.shift()
    if (ordered === 'cut before') return void request.socket.destroy()
    if (typeof ordered === 'object' && 'status' in ordered) {
      return reply(response, ordered.status, errorOf({ code: 20_500, message: 'ordered', ...ordered }))
    }
    if (typeof ordered === 'object') await ordered.waitFor
    const text = { ...textOf(form, request), connection: sockets.get(request.socket) ?? 0 }
    taken.push(text)
    await provider.beforeAnswer?.()
    if (ordered === 'cut after') return void request.socket.destroy()
    reply(response, 201, answerOf(text))
  }

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
  const provider: SmsProvider = {
    url: `http://${account}:${encodeURIComponent(secret)}@127.0.0.1:${port}`,
    taken,
    next,
    complaints,
    get opened() {
      return opened
    },
    beforeAnswer: undefined,
    acceptsAccount: true,
    call,
    stop,
    start: () => listen(port),
    async close() {
      if (server.listening) await stop()
    },
  }
  return provider
}

async function call(
  origin: string,
  url: string,
  fields: Readonly<Record<string, string>>,
  signing = secret,
): Promise<{ status: number; text: string }> {
  const { pathname, search } = new URL(url)
  const lists = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]))
  const answered = await fetch(`${origin}${pathname}${search}`, {
    method: 'POST',
    headers: { 'x-twilio-signature': signatureOf(url, lists, signing) },
    body: new URLSearchParams(fields),
  })
  return { status: answered.status, text: await answered.text() }
}

const notAuthenticated: Refusal = { status: 401, code: 20_003, message: 'Authenticate' }

type Refusal = { readonly status: number; readonly code: number; readonly message: string }

function mistakeOf({ method, url, headers }: IncomingMessage, form: URLSearchParams): Refusal | undefined {
  const expected = `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}`
  if (headers.authorization !== expected) return notAuthenticated
  if (url === accountPath && method === 'GET') return undefined
  if (url !== path || method !== 'POST') return { status: 404, code: 20_404, message: 'The resource was not found' }
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return { status: 400, code: 20_001, message: 'The body is not a form' }
  }
  const to = form.get('To') ?? ''
  const body = form.get('Body') ?? ''
  if (to === '') return { status: 400, code: 21_604, message: "A 'To' phone number is required" }
  if (!e164.test(to)) return { status: 400, code: 21_211, message: `The 'To' number ${to} is not a valid phone number` }
  if (body === '') return { status: 400, code: 21_602, message: 'Message body is required' }
  if (body.length > bodyMax) return { status: 400, code: 21_617, message: 'The message body exceeds 1600 characters' }
  if (!form.has('From') && !form.has('MessagingServiceSid')) {
    return { status: 400, code: 21_603, message: "A 'From' phone number is required" }
  }
  return undefined
}

function textOf(form: URLSearchParams, { headers }: IncomingMessage): Omit<TakenText, 'connection'> {
  const key = headers['idempotency-key']
  return {
    sid: `SM${randomBytes(16).toString('hex')}`,
    to: form.get('To')!,
    from: form.get('From') ?? undefined,
    service: form.get('MessagingServiceSid') ?? undefined,
    body: form.get('Body')!,
    statusUrl: form.get('StatusCallback') ?? '',
    key: typeof key === 'string' ? key : undefined,
  }
}

function answerOf({ sid, body, from, to }: TakenText): object {
  return {
    ...{ account_sid: account, api_version: '2010-04-01', body, direction: 'outbound-api' },
    ...{ error_code: null, error_message: null, from: from ?? null, to, sid, status: 'queued' },
    uri: `/2010-04-01/Accounts/${account}/Messages/${sid}.json`,
  }
}

function errorOf({ status, code, message }: Refusal): object {
  return { code, message, more_info: `https://provider.example/errors/${code}`, status }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
