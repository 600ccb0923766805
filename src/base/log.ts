import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/** Lines are written together once they are this long, or this old: a write per line would cost a request a tenth of its time. */
const writeChars = 4096
const writeMs = 100

/** The structured log: `log.info({ key_id }, 'sentence that reads alone')`. Secrets are taken out of every line. */
export type Log = Logger

/**
 * Lines of JSON in production and where nobody watches, readable text on a terminal. JSON is written asynchronously and
 * flushed when the process leaves by itself or through `process.exit`.
 */
export function createLog(config: Config, terminal = process.stdout.isTTY === true): Log {
  const readable = terminal && config.environment !== 'production'
  const destination = readable
    ? prettyLines()
    : pino.destination({ dest: 1, sync: false, minLength: writeChars, periodicFlush: writeMs })
  const redact = redactorFor(secretsOf(config))
  const serializers = { err: (error: Error) => cleaned(pino.stdSerializers.err(error)) }
  return pino({ level: config.logLevel, base: null, hooks: { streamWrite: redact }, serializers }, destination)
}

/** Loaded where somebody watches: nobody else need wait for its modules. */
function prettyLines() {
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  return PinoPretty({
    sync: true,
    singleLine: true,
    colorize: true,
    translateTime: 'HH:MM:ss.l',
    ignore: 'pid,hostname',
  })
}

/** What a database tells of rows and values beside the mistake itself: they are somebody's. */
const rowMembers: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery', 'parameters', 'params', 'values'])

/** An error as it is logged, without what the database has quoted; errors inside of it likewise. */
function withoutRows(error: unknown): object {
  const kept = Object.entries(error as object).filter(([name]) => !rowMembers.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.map(cleaned) : cleaned(value)]),
  )
}

function cleaned(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'stack' in value ? withoutRows(value) : value
}

/** A URL as it may be shown: without password, and without query, where drivers take passwords too. */
export function redactUrl(url: string): string {
  return url.replace(/^(\w[\w+.-]*:\/\/[^:@/?#]*):[^@]*@/, '$1:***@').replace(/[?#].*$/s, '')
}

const hidden = '[hidden]'
const secretMember = /"([^"\\]*(?:authorization|password|secret|token|api_?key|cookie)[^"\\]*)":"(?:[^"\\]|\\.)*"/gi
const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi
const urlPassword = /(\w:\/\/[^\s:@/"]*):[^\s@"]*@/g
const queryMember = /([?&][^=&\s"]*(?:password|secret|token|key)[^=&\s"]*=)[^&\s"\\]*/gi

/**
 * A function that takes secrets out of a finished line of the log: known values wherever they stand, members that are
 * named like one, bearer tokens, and passwords in URLs. Working on the text, it misses no depth and no way in.
 */
export function redactorFor(secrets: readonly string[]): (line: string) => string {
  const inJson = secrets.map((value) => JSON.stringify(value).slice(1, -1))
  return (line) => {
    const withoutKnown = inJson.reduce((text, value) => text.replaceAll(value, hidden), line)
    return withoutKnown
      .replace(secretMember, `"$1":"${hidden}"`)
      .replace(bearer, `$1 ${hidden}`)
      .replace(urlPassword, `$1:${hidden}@`)
      .replace(queryMember, `$1${hidden}`)
  }
}

// Shorter ones would hide ordinary words; they are still hidden where a name or a place gives them away.
const knownLengthMin = 8

function secretsOf({ apiKey, adminToken, scimToken, databaseUrl, smtpUrl }: Config): string[] {
  const passwords = [databaseUrl, smtpUrl].map((url) => (url === undefined ? '' : new URL(url).password))
  const known = [apiKey, adminToken, scimToken, ...passwords, ...passwords.map(decodeURIComponent)]
  return known.filter((value): value is string => value !== undefined && value.length >= knownLengthMin)
}
