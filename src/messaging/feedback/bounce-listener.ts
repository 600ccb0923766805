import type { SMTPServer, SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { ConfigError } from '../../base/config.ts'
import type { Log } from '../../base/log.ts'
import { parseToken, type TokenTarget } from '../../people/addresses/message-token.ts'
import { type BounceReport, readBounceReport } from './bounce-report.ts'
import { type FeedbackServices, recordFeedback } from './record-feedback.ts'

/** The largest mail that is taken: a report may bring the whole of ours back. */
export const returnedBytesMax = 33_554_432
/** What a report says stands at its beginning: no more of it is kept. */
const keptBytesMax = 131_072
export const returnConnectionsMax = 50
/** Recipients of one mail; a return path has one. */
export const returnRecipientsMax = 10
const socketIdleMs = 60_000
const closeMs = 5_000

const path = /^(b|unsubscribe)\+([0-9a-v]{52})$/i

export type BounceListenerServices = FeedbackServices & {
  readonly host: string
  readonly port: number
  /** The domain of return paths, lower case. */
  readonly domain: string
  readonly secret: Buffer
  readonly log: Log
  readonly signal?: AbortSignal
  /** Ends marketing mail to whom a message was written to. */
  unsubscribe(named: TokenTarget): Promise<unknown>
}

export type BounceListener = {
  readonly port: number
  /** Takes no more mail and ends when what is under way has been answered, or when that takes too long. */
  close(): Promise<void>
}

/** What a return path of ours says; its token was made here. */
type ReturnPath = { readonly kind: 'bounced' | 'unsubscribed'; readonly named: TokenTarget }

class Refusal extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/**
 * Takes mail that comes back, at the return paths that this installation has made and nowhere else, so nobody can relay through it.
 * A mail is answered with 250 once what it says is durable, with 451 when that cannot be done now.
 */
export async function openBounceListener(parts: BounceListenerServices): Promise<BounceListener> {
  const { host, port, log } = parts
  const { SMTPServer } = await import('smtp-server')
  const underWay = new Set<Promise<void>>()
  const server = new SMTPServer({
    name: parts.domain,
    banner: 'Easel takes returned mail',
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: returnedBytesMax,
    maxClients: returnConnectionsMax,
    socketTimeout: socketIdleMs,
    closeTimeout: closeMs,
    onRcptTo: (address, session, done) => done(refusalOf(address, session, parts)),
    onData(stream, session, done) {
      const taking = receiveMail(stream, session, parts).then(
        () => done(null, 'Noted'),
        (error) => done(answerTo(error, log)),
      )
      underWay.add(taking)
      void taking.finally(() => underWay.delete(taking))
    },
  })
  // Connections that break are their own end.
  server.on('error', (error: Error) => log.debug({ err: error }, 'a connection with returned mail broke'))
  return { port: await listen(server, host, port), close: () => closed(server, underWay) }
}

function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const taken = ({ code }: NodeJS.ErrnoException) =>
    reject(new ConfigError(`BOUNCE_SMTP_PORT: ${port} cannot be listened on (${code}), accepted is a free port`))
  server.server.once('error', taken)
  server.listen(port, host, () => {
    server.server.off('error', taken)
    const address = server.server.address()
    resolve(typeof address === 'object' && address !== null ? address.port : port)
  })
  return promise
}

async function closed(server: SMTPServer, underWay: ReadonlySet<Promise<void>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, closeMs)
  server.close(resolve)
  let left = false
  void promise.then(() => {
    left = true
  })
  while (underWay.size > 0 && !left) await Promise.race([...underWay, promise])
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
  parts: BounceListenerServices,
): Refusal | null {
  if (session.envelope.rcptTo.length >= returnRecipientsMax) return new Refusal(452, 'Too many recipients')
  if (parseReturnPath(address, parts)) return null
  const isOurs = address.toLowerCase().endsWith(`@${parts.domain}`)
  return isOurs ? new Refusal(550, '5.1.1 No such return path') : new Refusal(550, '5.7.1 Relaying denied')
}

/** What an address says, when it is a return path that was made here. */
export function parseReturnPath(
  address: string,
  { domain, secret }: Pick<BounceListenerServices, 'domain' | 'secret'>,
): ReturnPath | undefined {
  const at = address.lastIndexOf('@')
  if (address.slice(at + 1).toLowerCase() !== domain) return undefined
  const [, word, token] = path.exec(address.slice(0, at)) ?? []
  if (word === undefined || token === undefined) return undefined
  const bounced = word.toLowerCase() === 'b'
  const named = parseToken(token, bounced ? 'bounce' : 'unsubscribe', secret)
  return named && { kind: bounced ? 'bounced' : 'unsubscribed', named }
}

async function receiveMail(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  parts: BounceListenerServices,
): Promise<void> {
  const bytes = await collect(stream)
  const paths = envelope.rcptTo.flatMap(({ address }) => parseReturnPath(address, parts) ?? [])
  const report = paths.some(({ kind }) => kind === 'bounced') ? await readBounceReport(bytes) : undefined
  for (const { kind, named } of paths) {
    if (kind === 'unsubscribed') await parts.unsubscribe(named)
    else if (report) await applyReport(report, named, parts)
  }
}

async function applyReport(report: BounceReport, named: TokenTarget, parts: BounceListenerServices): Promise<void> {
  if (report.verb === 'nothing') return
  if (report.verb === 'unsubscribed') await parts.unsubscribe(named)
  else await recordFeedback({ ...report, address: report.recipient, named }, parts)
}

/** The beginning of a mail; the whole is read, so that its sender hears an answer. */
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

function answerTo(error: unknown, log: Log): Refusal {
  if (error instanceof Refusal) return error
  log.warn({ err: error }, 'returned mail could not be noted and is asked for again')
  return new Refusal(451, '4.3.0 Not now, please try again later')
}
