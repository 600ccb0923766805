import type { Socket } from 'node:net'
import type {
  SMTPServer,
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server'
import { ConfigError } from '../../base/config.ts'
import { sourceOf } from '../../base/http/caller-ip.ts'
import type { Log } from '../../base/log.ts'
import { openShares } from '../../base/work/shares.ts'
import { parseToken, type TokenTarget } from '../../people/addresses/message-token.ts'
import { isOfAccountMail } from '../mail/account-mail.ts'
import { type BounceReport, readBounceReport } from './bounce-report.ts'
import { type FeedbackServices, recordFeedback } from './record-feedback.ts'

/** The largest accepted mail. A bounce may contain our whole mail: its texts, and the largest files that a workspace can allow, encoded. */
export const returnedBytesMax = 96 * 2 ** 20
/** The most bytes of a mail that are read into memory: the report is at its beginning. */
const keptBytesMax = 131_072
/** Connections at a time. An address may have as many as are free. */
export const returnConnectionsMax = 100
/** A connection ends after this time, even when it is not idle. */
export const returnConnectionMsMax = 600_000
/** The most recipients of one mail. A bounce has one. */
export const returnRecipientsMax = 10
const socketIdleMs = 60_000
const closeMs = 5_000

const localPart = /^(b|unsubscribe)\+([0-9a-v]{52})$/i

export type BounceListenerServices = FeedbackServices & {
  readonly host: string
  readonly port: number
  /** The domain of return paths, lower case. */
  readonly domain: string
  readonly secret: Buffer
  readonly log: Log
  readonly signal?: AbortSignal
  /** Unsubscribes the recipient of a message. */
  unsubscribe(target: TokenTarget): Promise<unknown>
}

export type BounceListener = {
  readonly port: number
  /** Stops listening and resolves when all mail in progress was answered, or after a time limit. */
  close(): Promise<void>
}

/** A parsed return path with a valid token. */
type ReturnPath = { readonly kind: 'bounced' | 'unsubscribed'; readonly target: TokenTarget }

class Refusal extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/**
 * Opens an SMTP server that accepts mail only to return paths of this installation, so it cannot be used as a relay. A mail is answered
 * with 250 when its content was recorded durably, and with 451 if this is not possible now.
 */
export async function openBounceListener(services: BounceListenerServices): Promise<BounceListener> {
  const { host, port, log } = services
  const inProgress = new Set<Promise<void>>()
  const server = await createServer({
    name: services.domain,
    banner: 'Easel takes returned mail',
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: returnedBytesMax,
    socketTimeout: socketIdleMs,
    closeTimeout: closeMs,
    onRcptTo: (address, session, done) => done(refusalOf(address, session, services)),
    onData(stream, session, done) {
      const receiving = receiveMail(stream, session, services).then(
        () => done(null, 'Noted'),
        (error) => done(smtpErrorOf(error, log)),
      )
      inProgress.add(receiving)
      void receiving.finally(() => inProgress.delete(receiving))
    },
  })
  // The sender of a mail retries when its connection broke.
  server.on('error', (error: Error) => log.debug({ err: error }, 'a connection for returned mail broke'))
  return { port: await listen(server, host, port), close: () => close(server, inProgress) }
}

/** Returns a server that limits the connections of each address from their first moment. */
async function createServer(options: SMTPServerOptions): Promise<SMTPServer> {
  const { SMTPServer } = await import('smtp-server')
  const shares = openShares(returnConnectionsMax)
  class SharedServer extends SMTPServer {
    override connect(socket: Socket, ...more: unknown[]): void {
      const address = sourceOf(socket.remoteAddress ?? '')
      const isAdmitted = shares.add(address, 1)
      const late = setTimeout(() => socket.destroy(), returnConnectionMsMax)
      socket.once('close', () => {
        clearTimeout(late)
        shares.add(address, -1)
      })
      if (isAdmitted) super.connect(socket, ...(more as []))
      else refuse(socket)
    }
  }
  return new SharedServer(options)
}

function refuse(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.write('421 4.7.0 Too many connections, please try again later\r\n')
  socket.destroySoon()
}

function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const fail = ({ code }: NodeJS.ErrnoException) =>
    reject(new ConfigError(`BOUNCE_SMTP_PORT: ${port} cannot be listened on (${code}), accepted is a free port`))
  server.server.once('error', fail)
  server.listen(port, host, () => {
    server.server.off('error', fail)
    const address = server.server.address()
    resolve(typeof address === 'object' && address !== null ? address.port : port)
  })
  return promise
}

async function close(server: SMTPServer, inProgress: ReadonlySet<Promise<void>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, closeMs)
  server.close(resolve)
  let isClosed = false
  void promise.then(() => {
    isClosed = true
  })
  while (inProgress.size > 0 && !isClosed) await Promise.race([...inProgress, promise])
  for (const connection of server.connections) {
    connection.send(421, 'Easel is leaving')
    connection.close()
  }
  await promise
  clearTimeout(late)
}

function refusalOf(
  { address }: SMTPServerAddress,
  session: SMTPServerSession,
  services: BounceListenerServices,
): Refusal | null {
  if (session.envelope.rcptTo.length >= returnRecipientsMax) return new Refusal(452, 'Too many recipients')
  if (parseReturnPath(address, services)) return null
  const isOurs = address.toLowerCase().endsWith(`@${services.domain}`)
  return isOurs ? new Refusal(550, '5.1.1 No such return path') : new Refusal(550, '5.7.1 Relaying denied')
}

/** Parses a return path. Returns undefined if this installation has not made the address. */
export function parseReturnPath(
  address: string,
  { domain, secret }: Pick<BounceListenerServices, 'domain' | 'secret'>,
): ReturnPath | undefined {
  const at = address.lastIndexOf('@')
  if (address.slice(at + 1).toLowerCase() !== domain) return undefined
  const [, word, token] = localPart.exec(address.slice(0, at)) ?? []
  if (word === undefined || token === undefined) return undefined
  const bounced = word.toLowerCase() === 'b'
  const target = parseToken(token, bounced ? 'bounce' : 'unsubscribe', secret)
  return target && { kind: bounced ? 'bounced' : 'unsubscribed', target }
}

async function receiveMail(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  services: BounceListenerServices,
): Promise<void> {
  const bytes = await collect(stream)
  const paths = envelope.rcptTo.flatMap(({ address }) => parseReturnPath(address, services) ?? [])
  const report = paths.some(({ kind }) => kind === 'bounced') ? await readBounceReport(bytes) : undefined
  for (const { kind, target } of paths) {
    if (kind === 'unsubscribed') await services.unsubscribe(target)
    else if (report) await applyReport(report, target, services)
  }
}

async function applyReport(report: BounceReport, target: TokenTarget, services: BounceListenerServices): Promise<void> {
  if (report.verb === 'nothing') return
  if (isOfAccountMail(target)) {
    services.log.warn(
      { recipient: report.recipient, detail: report.detail },
      'a mail to a dashboard account was returned',
    )
    return
  }
  if (report.verb === 'unsubscribed') await services.unsubscribe(target)
  else await recordFeedback({ ...report, address: report.recipient, target }, services)
}

/** Reads a whole mail, so that its sender gets an answer, and returns its beginning. */
async function collect(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let kept = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (kept >= keptBytesMax) continue
    const part = chunk.subarray(0, keptBytesMax - kept)
    chunks.push(part)
    kept += part.length
  }
  if (stream.sizeExceeded) throw new Refusal(552, '5.3.4 The mail is too large')
  return Buffer.concat(chunks, kept)
}

function smtpErrorOf(error: unknown, log: Log): Refusal {
  if (error instanceof Refusal) return error
  log.warn({ err: error }, 'returned mail could not be recorded; its sender will try again')
  return new Refusal(451, '4.3.0 Not now, please try again later')
}
