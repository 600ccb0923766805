import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import { spanFields } from './telemetry.ts'
import { signalsOf } from './telemetry-variables.ts'

/** Lines are buffered up to this length and age: a write for each line would take a tenth of the time of a request. */
const writeChars = 4096
const writeMs = 100

/** The structured log: `log.info({ key_id }, 'sentence that reads alone')`. Secrets are removed from every line. */
export type Log = Logger

/**
 * Returns the log of the process: readable text on a terminal, lines of JSON in production and everywhere else. JSON is written
 * asynchronously and flushed when the process ends by itself or through `process.exit`. `file`: 1 is standard output, 2 is standard error.
 */
export function createLog(config: Config, terminal = process.stdout.isTTY === true, file: 1 | 2 = 1): Log {
  const readable = terminal && config.environment !== 'production'
  const destination = readable ? prettyLines() : bufferedLines(file)
  const redact = redactorFor(secretsOf(config))
  const serializers = { err: (error: Error) => cleaned(pino.stdSerializers.err(error)) }
  // Without traces a line costs what it costs without this.
  const mixin = signalsOf(config)?.traces && { mixin: spanFields }
  return pino(
    { level: config.logLevel, base: null, hooks: { streamWrite: redact }, serializers, ...mixin },
    destination,
  )
}

/** Returns lines that are written together. The option `periodicFlush` of the library would write nothing ten times a second. */
function bufferedLines(file: 1 | 2) {
  const destination = pino.destination({ dest: file, sync: false, minLength: writeChars })
  const write = destination.write.bind(destination)
  let flushing: NodeJS.Timeout | undefined
  destination.write = (line) => {
    if (flushing === undefined) {
      flushing = setTimeout(() => {
        flushing = undefined
        destination.flush()
      }, writeMs).unref()
    }
    return write(line)
  }
  return destination
}

/** Loaded on a terminal only, because loading its modules delays the start. */
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

/** Members of a database error that quote rows and values, which are personal data. */
const rowMembers: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery', 'parameters', 'params', 'values'])

/** Returns an error without the rows and values that the database quoted, also in the errors inside it. */
function withoutRows(error: unknown): object {
  const kept = Object.entries(error as object).filter(([name]) => !rowMembers.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.map(cleaned) : cleaned(value)]),
  )
}

function cleaned(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'stack' in value ? withoutRows(value) : value
}

/** Returns a URL without its password and without its query, where drivers accept passwords too. */
export function redactUrl(url: string): string {
  return url.replace(/^(\w[\w+.-]*:\/\/[^:@/?#]*):[^@]*@/, '$1:***@').replace(/[?#].*$/s, '')
}

const hidden = '[hidden]'
const secretMember = /"([^"\\]*(?:authorization|password|secret|token|api_?key|cookie)[^"\\]*)":"(?:[^"\\]|\\.)*"/gi
const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi
const urlPassword = /(\w:\/\/[^\s:@/"]*):[^\s@"]*@/g
const queryMember = /([?&][^=&\s"]*(?:password|secret|token|key)[^=&\s"]*=)[^&\s"\\]*/gi

/**
 * Returns a function that removes secrets from a finished line of the log: known values anywhere, members with the name of a secret,
 * bearer tokens, and passwords in URLs. It works on the text, so that it finds them at any depth.
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

// Shorter ones would hide ordinary words. Those are still hidden by the name of their member or by their position in a URL.
const knownLengthMin = 8

function secretsOf({
  apiKey,
  adminToken,
  scimToken,
  rootSecrets = [],
  databaseUrl,
  smtpUrl,
  smsUrl,
  webPushPrivateKey,
}: Config): string[] {
  const passwords = [databaseUrl, smtpUrl, smsUrl].map((url) => (url === undefined ? '' : new URL(url).password))
  const keys = [apiKey, adminToken, scimToken, webPushPrivateKey, ...rootSecrets]
  const known = [...keys, ...passwords, ...passwords.map(decodeURIComponent)]
  return known.filter((value): value is string => value !== undefined && value.length >= knownLengthMin)
}
