import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** An event as a receiver gets it. */
export type Received = {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly person: string
  readonly signature: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it.
  readonly data: any
  /** Whether it was answered with a success. */
  taken: boolean
}

/** What a receiver answers: a status, or never. */
export type Reaction =
  | number
  | 'never'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** A receiver of webhooks, which checks every signature with the library of the standard. */
export type Receiver = {
  readonly port: number
  readonly url: string
  /** Every request with a valid signature, in order. */
  readonly received: readonly Received[]
  /** The requests whose signature was wrong. */
  readonly forged: number
  /** The most requests that were open at the same time. */
  readonly openMax: number
  /** Those that were answered with a success. */
  taken(): readonly Received[]
  /** Sets what is answered from now on. */
  react(how: (event: Received) => Reaction): void
  /** The secrets of which one must have signed. */
  trust(...secrets: readonly string[]): void
  /** Cuts every connection, and refuses new ones until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let secrets: readonly string[] = []
  let reaction: (event: Received) => Reaction = () => 204
  let [forged, open, openMax, port] = [0, 0, 0, 0]
  let server: Server | undefined

  function answer(response: ServerResponse, how: Reaction): void {
    if (how === 'never') return
    const { status, headers = {}, body = '' } = typeof how === 'number' ? { status: how } : how
    response.writeHead(status, headers).end(body)
  }

  async function start(): Promise<void> {
    server = createServer(async (message, response) => {
      open++
      openMax = Math.max(openMax, open)
      response.on('close', () => open--)
      const chunks: Buffer[] = []
      for await (const chunk of message) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]))
      if (!secrets.some((secret) => isSigned(secret, text, headers))) {
        forged++
        response.writeHead(401).end()
        return
      }
      const { type, timestamp, data } = JSON.parse(text)
      const person = data.person?.service_id ?? ''
      const signature = headers['webhook-signature']!
      const event = { id: headers['webhook-id']!, type, timestamp, person, signature, data, taken: false }
      received.push(event)
      const how = reaction(event)
      event.taken = how !== 'never' && (typeof how === 'number' ? how : how.status) < 300
      answer(response, how)
    })
    const own = server
    await new Promise<void>((listening) => own.listen(port, '127.0.0.1', listening))
    port = (own.address() as AddressInfo).port
  }

  await start()
  return {
    get port() {
      return port
    },
    get url() {
      return `http://127.0.0.1:${port}/hook`
    },
    received,
    get forged() {
      return forged
    },
    get openMax() {
      return openMax
    },
    taken: () => received.filter(({ taken }) => taken),
    react(how) {
      reaction = how
    },
    trust(...trusted) {
      secrets = trusted
    },
    async stop() {
      server?.closeAllConnections()
      await new Promise((closed) => server?.close(closed))
    },
    start,
  }
}

function isSigned(secret: string, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}

/** Fails unless the events of each person, each once, are those of the feed in its order. */
export function assertOrdered(
  events: readonly Pick<Received, 'id' | 'person'>[],
  expected: readonly Pick<Received, 'id' | 'person'>[],
): void {
  const firsts = [...new Map(events.toReversed().map((event) => [event.id, event])).values()].toReversed()
  const idsOf = (list: readonly Pick<Received, 'id' | 'person'>[], person: string) =>
    list.filter((event) => event.person === person).map(({ id }) => id)
  for (const person of new Set(expected.map((event) => event.person)))
    assert.deepEqual(idsOf(firsts, person), idsOf(expected, person), person)
}
