import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Failure, invalid } from '../errors.ts'
import { openBodyPacing } from './body-pacing.ts'
import { malformedJson } from './dialects.ts'

/** The largest body, inclusive. */
export const bodyBytesMax = 4_194_304
/** The largest body of a SCIM request, inclusive. */
export const scimBytesMax = 1_048_576
/** A body up to this many times too large is still read, because otherwise the client could not read its answer. */
const drainTimes = 16
/** The bytes of the bodies of all unanswered requests: it bounds the memory of the process. */
const heldBytesMax = 32 * bodyBytesMax

const jsonType = /^application\/(?:[\w.!#$&^-]+\+)?json$/i
const charset = /^charset\s*=\s*(.*)$/i
const utf8 = /^"?utf-?8"?$/i
const suspicious = /\\u|__proto__|constructor|prototype/

export type Body = { body: unknown; bodyBytes: number; suspicious: boolean }

export const noBody: Body = { body: undefined, bodyBytes: 0, suspicious: false }

/** Reads bodies, and limits the memory for those of unanswered requests. */
export type BodyReader = {
  /**
   * Reads and parses the body of a request. Throws a Failure: 415 for anything but JSON in UTF-8, 413 above `bytesMax`, 408
   * when it does not arrive in time, 400 when it is not JSON, 503 when the limit of memory is reached.
   */
  read(message: IncomingMessage, bytesMax?: number): Promise<Body>
  /** Reads a body of any type as a Buffer, which is empty when none was sent. Throws 413 above `bytesMax`, 408 and 503. */
  readBytes(message: IncomingMessage, bytesMax?: number): Promise<Body & { body: Buffer }>
  /** Call it when the request is answered. */
  release(body: Body): void
}

export function openBodyReader(timeoutMs: number): BodyReader {
  const held = { bytes: 0 }
  const pacing = openBodyPacing()
  return {
    async read(message, bytesMax = bodyBytesMax) {
      const { headers } = message
      if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return noBody
      checkType(headers['content-type'], headers['content-encoding'])
      const bytes = await collect(message, bytesMax, timeoutMs, held)
      await pacing(bytes.length)
      return parse(bytes, held)
    },
    async readBytes(message, bytesMax = bodyBytesMax) {
      checkEncoding(message.headers['content-encoding'])
      const body = await collect(message, bytesMax, timeoutMs, held)
      return { body, bodyBytes: body.length, suspicious: true }
    },
    release({ bodyBytes }) {
      held.bytes -= bodyBytes
    },
  }
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new Failure('unsupportedType', 'Content-Encoding must be identity: compressed bodies are not accepted')
}

function checkType(type: string | undefined, encoding: string | undefined): void {
  checkEncoding(encoding)
  if (type !== 'application/json' && !isJson(type ?? '')) {
    throw new Failure('unsupportedType', 'Content-Type must be application/json')
  }
}

function isJson(type: string): boolean {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim())
  if (!jsonType.test(media)) return false
  return parameters.every((parameter) => utf8.test(charset.exec(parameter)?.[1] ?? 'utf-8'))
}

type Held = { bytes: number }

/** Reads the bytes of a body. They count as held when it resolves, and not when it rejects. */
async function collect(message: IncomingMessage, bytesMax: number, timeoutMs: number, held: Held): Promise<Buffer> {
  const tooLarge = () => new Failure('tooLarge', `The request body is larger than ${bytesMax} bytes`)
  if (Number(message.headers['content-length'] ?? 0) > drainTimes * bytesMax) throw tooLarge()
  const chunks: Buffer[] = []
  let received = 0
  let kept = 0
  const arrival = Promise.withResolvers<void>()
  const take = (chunk: Buffer) => {
    received += chunk.length
    const keeps = received <= bytesMax ? received : 0
    held.bytes += keeps - kept
    kept = keeps
    if (keeps > 0) chunks.push(chunk)
    else chunks.length = 0
    if (received > drainTimes * bytesMax) arrival.reject(tooLarge())
    if (held.bytes > heldBytesMax) arrival.reject(busy())
  }
  const end = () => (received > bytesMax ? arrival.reject(tooLarge()) : arrival.resolve())
  const lost = () => {
    if (!message.complete) arrival.reject(late('The connection ended before the request body had arrived'))
  }
  const deadline = setTimeout(() => arrival.reject(late('The request body did not arrive in time')), timeoutMs)
  message.on('data', take).on('end', end).on('error', lost).on('close', lost)
  try {
    await arrival.promise
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received)
  } catch (error) {
    held.bytes -= kept
    throw error
  } finally {
    clearTimeout(deadline)
    message.off('data', take).off('end', end).off('error', lost).off('close', lost)
  }
}

function late(text: string): Failure {
  return new Failure('timedOut', text)
}

function busy(): Failure {
  return new Failure('unavailable', 'The service is busy', { retryAfterS: 1, headers: { Connection: 'close' } })
}

function parse(bytes: Buffer, held: Held): Body {
  try {
    if (bytes.length === 0) return noBody
    if (!isUtf8(bytes)) throw invalid(malformedJson)
    const text = bytes.toString('utf8')
    return { body: JSON.parse(text), bodyBytes: bytes.length, suspicious: suspicious.test(text) }
  } catch (cause) {
    held.bytes -= bytes.length
    throw cause instanceof Failure ? cause : new Failure('invalid', malformedJson, {}, cause)
  }
}
