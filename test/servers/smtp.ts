import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** What the server does at a step: it answers with a code, ends the connection, or goes on. */
export type Act = { code: number; text: string } | 'drop' | undefined

/** `data` is the step after all of the content, where going on means 250. */
export type Step = 'connect' | 'mail' | 'rcpt' | 'data'

export type Taken = {
  readonly from: string
  readonly to: readonly string[]
  readonly content: string
  /** The number of the connection, counted from 1 since the start. */
  readonly connection: number
}

/** A real mail server whose behaviour at each step can be set. */
export type MailServer = {
  readonly url: string
  readonly port: number
  /** All mails whose content arrived, including those that it did not accept. */
  readonly seen: readonly Taken[]
  /** Mails that it has answered with 250, or was about to. */
  readonly taken: readonly Taken[]
  /** How many connections there were since the start. */
  readonly opened: number
  /** The largest number of connections at once since the start. */
  readonly openMax: number
  /** Sets what it does at a step from now on. `about` is the address of that step. */
  at(step: Step, act: (about: string) => Act | Promise<Act>): void
  /** Makes it continue at every step from now on. */
  calm(): void
  forget(): void
  close(): Promise<void>
}

type Answer = (error?: Error | null) => void

/** The connection has no encryption. A sign-in is required only when a password is given. */
function plain(user: string | undefined): SMTPServerOptions {
  return {
    authOptional: user === undefined,
    disabledCommands: user === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    hideSize: true,
    disableReverseLookup: true,
    logger: false,
  }
}

/** Starts a mail server on a free port, or on the given port. */
export async function startMailServer(options: { port?: number; user?: string } = {}): Promise<MailServer> {
  const acts = new Map<Step, (about: string) => Act | Promise<Act>>()
  const seen: Taken[] = []
  const taken: Taken[] = []
  const numbers = new Map<string, number>()
  let open = 0
  let openMax = 0

  async function answer(step: Step, about: string, id: string, say: Answer, onAccept?: () => void): Promise<void> {
    const act = await acts.get(step)?.(about)
    if (act === 'drop') return drop(id)
    if (act !== undefined) return say(Object.assign(new Error(act.text), { responseCode: act.code }))
    onAccept?.()
    say()
  }

  const server = new SMTPServer({
    ...plain(options.user),
    onAuth: ({ username }, _session, say) =>
      username === options.user ? say(null, { user: username }) : say(new Error('5.7.8 authentication failed')),
    onConnect(session, say) {
      open++
      numbers.set(session.id, numbers.size + 1)
      openMax = Math.max(openMax, open)
      void answer('connect', '', session.id, say)
    },
    onClose() {
      open--
    },
    onMailFrom: ({ address }, session, say) => void answer('mail', address, session.id, say),
    onRcptTo: ({ address }, session, say) => void answer('rcpt', address, session.id, say),
    onData(stream, session, say) {
      void contentOf(stream).then((content) => {
        // The sending process was killed in the middle.
        if (content === undefined) return
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const from = mailFrom ? mailFrom.address : ''
        const mail = { from, to, content, connection: numbers.get(session.id)! }
        seen.push(mail)
        void answer('data', to[0] ?? '', session.id, say, () => taken.push(mail))
      })
    },
  })
  const drop = (id: string) => endConnections(server, id)
  const port = await listen(server, options.port)
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    seen,
    taken,
    get opened() {
      return numbers.size
    },
    get openMax() {
      return openMax
    },
    at: (step, act) => void acts.set(step, act),
    calm: () => acts.clear(),
    forget() {
      seen.length = 0
      taken.length = 0
    },
    close: () => close(server),
  }
}

/** Returns the content of a mail; undefined when the client disconnects before its end. */
async function contentOf(stream: AsyncIterable<Buffer>): Promise<string | undefined> {
  try {
    return Buffer.concat(await Array.fromAsync(stream)).toString()
  } catch {
    // The sending process was killed in the middle.
    return undefined
  }
}

async function listen(server: SMTPServer, port = 0): Promise<number> {
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return (server.server.address() as AddressInfo).port
}

async function close(server: SMTPServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  endConnections(server)
  await Promise.race([promise, pause(1_000)])
}

/** Ends connections without an answer: one session, or all. */
function endConnections(server: SMTPServer, id?: string): void {
  for (const connection of server.connections) {
    const { _socket, session } = connection as unknown as { _socket: { destroy(): void }; session: { id: string } }
    if (id === undefined || session.id === id) _socket.destroy()
  }
}
