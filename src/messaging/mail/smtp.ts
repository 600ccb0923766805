import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { activeSpan } from '../../base/telemetry.ts'
import { MailStream } from './mail-stream.ts'
import { type SmtpFailure, type SmtpStage, smtpOutcome } from './smtp-outcome.ts'
import type { Mail, SmtpOutcome, SmtpTransport } from './transport.ts'

export type SmtpOptions = {
  /** `smtp://user:password@host:port` or `smtps://`; `?requireTLS=true`, `?rejectUnauthorized=false` and `?name=` after it. */
  readonly url: string
  readonly connections: number
}

/** How long a server may take to accept a connection and to greet. */
export const connectMsMax = 10_000
/** How long a server may take to reply. RFC 5321, 4.5.3.2, says ten minutes for the end of the content, but most reply within five. */
const replyMsMax = 5 * 60_000
/** How often a mail is sent again on a new connection, if the server had closed the idle one before anything was sent. */
const newConnectionsMax = 1
const insecurePort = 25
const securePort = 465

type PooledMail = Parameters<SMTPPool['send']>[0]

/**
 * Sends mail over pooled connections to the server of `SMTP_URL`. The pool gets bytes and an envelope, and never an object for which it
 * would read files or URLs. It is loaded with the first mail.
 */
export function openSmtp({ url, connections }: SmtpOptions): SmtpTransport {
  let opening: Promise<SMTPPool> | undefined
  const open = async () => {
    const { default: Pool } = await import('nodemailer/lib/smtp-pool')
    return new Pool({ ...serverOf(url), ...poolOptions(connections) })
  }
  async function send(mail: Mail, signal: AbortSignal): Promise<SmtpOutcome> {
    opening ??= open()
    const pool = await opening
    const [main = '', ...copies] = mail.envelope.to
    const outcome = await sendTo(pool, mail, [main], signal)
    // Copies are sent separately, so that they do not affect the outcome and are not sent without the mail.
    if (outcome.kind !== 'accepted' || copies.length === 0) return outcome
    const copied = await sendTo(pool, mail, copies, signal)
    return { ...outcome, warnings: warningsOf(copies, copied) }
  }

  return {
    server: describeServer(url),
    connections,
    send(mail, signal) {
      const span = activeSpan()
      if (span === undefined) return send(mail, signal)
      const attributes = { 'server.address': serverOf(url).host, 'easel.mail_bytes': mail.raw.length }
      return span.child('smtp.send', { kind: 'client', attributes }, async (own) => {
        const outcome = await send(mail, signal)
        if (outcome.kind !== 'accepted') own.fail(outcome.kind)
        return outcome
      })
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
    maxRequeues: newConnectionsMax,
    connectionTimeout: connectMsMax,
    greetingTimeout: connectMsMax,
    dnsTimeout: connectMsMax,
    socketTimeout: replyMsMax,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false as const,
  }
}

/** Names the server of `SMTP_URL` without user and password. */
export function describeServer(url: string): string {
  const { port } = serverOf(url)
  const { protocol, hostname } = new URL(url)
  return `${protocol}//${hostname}:${port}`
}

/** Returns the options of the connection from `SMTP_URL`. */
export function serverOf(url: string) {
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
  // The members that the pool uses of a mail. It makes a new stream for each connection that it tries.
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
  const reason = 'response' in outcome ? outcome.response : outcome.message
  return [`no copy went to ${copies.join(', ')}: ${reason}`]
}
