import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { MailStream } from './mail-stream.ts'
import { type SmtpFailure, type SmtpStage, smtpOutcome } from './smtp-outcome.ts'
import type { Mail, SmtpOutcome, SmtpTransport } from './transport.ts'

export type SmtpOptions = {
  /** `smtp://user:password@host:port` or `smtps://`; `?requireTLS=true`, `?rejectUnauthorized=false` and `?name=` after it. */
  readonly url: string
  readonly connections: number
}

const connectMsMax = 10_000
/** A server may take minutes over a mail (RFC 5321 4.5.3.2 says ten for the end of the content; most have long answered by five). */
const silentMsMax = 5 * 60_000
/** Times that a mail of which nothing was sent goes to a fresh connection, because an idle one had been closed. */
const freshConnectionsMax = 1
const insecurePort = 25
const securePort = 465

type PooledMail = Parameters<SMTPPool['send']>[0]

/**
 * Delivers over pooled connections to the one server of `SMTP_URL`. The pool gets bytes and an envelope, never an object it would read
 * files or URLs for. It is loaded with the first mail.
 */
export function openSmtp({ url, connections }: SmtpOptions): SmtpTransport {
  let opening: Promise<SMTPPool> | undefined
  const open = async () => {
    const { default: Pool } = await import('nodemailer/lib/smtp-pool')
    return new Pool({ ...serverOf(url), ...poolOptions(connections) })
  }
  return {
    kind: 'smtp',
    connections,
    async send(mail, signal) {
      opening ??= open()
      const pool = await opening
      const [main = '', ...copies] = mail.envelope.to
      const outcome = await sendTo(pool, mail, [main], signal)
      // A copy goes apart, so that it neither decides about the mail nor goes out without it.
      if (outcome.kind !== 'accepted' || copies.length === 0) return outcome
      const copied = await sendTo(pool, mail, copies, signal)
      return { ...outcome, warnings: warningsOf(copies, copied) }
    },
    async close() {
      const pool = await opening
      pool?.close({ force: true })
    },
  }
}

function poolOptions(connections: number) {
  return {
    maxConnections: connections,
    maxRequeues: freshConnectionsMax,
    connectionTimeout: connectMsMax,
    greetingTimeout: connectMsMax,
    dnsTimeout: connectMsMax,
    socketTimeout: silentMsMax,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false as const,
  }
}

/** Whom to talk to, and as whom. */
function serverOf(url: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  const secure = protocol === 'smtps:' || port === String(securePort)
  const name = searchParams.get('name')
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? securePort : insecurePort) : Number(port),
    secure,
    requireTLS: searchParams.get('requireTLS') === 'true',
    ...(name && { name }),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { rejectUnauthorized: searchParams.get('rejectUnauthorized') !== 'false' },
  }
}

function sendTo(pool: SMTPPool, mail: Mail, to: readonly string[], signal: AbortSignal): Promise<SmtpOutcome> {
  const { promise, resolve } = Promise.withResolvers<SmtpOutcome>()
  const streams: MailStream[] = []
  const envelope = { from: mail.envelope.from, to: [...to] }
  // What the pool asks of a mail; another stream each time that it goes to a fresh connection.
  const message = {
    getEnvelope: () => ({ ...envelope }),
    messageId: () => '',
    getHeader: () => '',
    createReadStream() {
      const stream = new MailStream(mail.raw)
      streams.push(stream)
      return stream
    },
  }
  const stage = (): SmtpStage =>
    streams.length === 0 ? 'connecting' : streams.some((stream) => stream.readableDidRead) ? 'content' : 'envelope'
  pool.send({ data: { signal }, message } as unknown as PooledMail, (error, done) => {
    resolve(error ? smtpOutcome(error as SmtpFailure, stage()) : { kind: 'accepted', response: done?.response ?? '' })
  })
  return promise
}

function warningsOf(copies: readonly string[], outcome: SmtpOutcome): string[] {
  if (outcome.kind === 'accepted') return []
  const said = 'response' in outcome ? outcome.response : outcome.message
  return [`no copy went to ${copies.join(', ')}: ${said}`]
}
