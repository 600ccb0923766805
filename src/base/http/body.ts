import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Failure, invalid } from '../errors.ts'
import { parseJson } from '../parse-json.ts'
import { openShares } from '../work/shares.ts'
import { openBodyPacing } from './body-pacing.ts'
import { busy, late, tooLarge } from './body-refusals.ts'
import { malformedJson } from './dialects.ts'
import { hasTooManyLevels, jsonLevelsMax } from './json-levels.ts'
import { openUnpack, readCoding, type UnpackTerms } from './unpack-body.ts'

/** The largest body, inclusive. */
export const bodyBytesMax = 4_194_304
/** The largest body of a SCIM request, inclusive. */
export const scimBytesMax = 1_048_576
/** The bytes of the bodies of all unanswered requests with a credential: it bounds the memory of the process. */
export const heldBytesMax = 32 * bodyBytesMax

/** The largest body of a stranger, inclusive. */
export const strangerBytesMax = 1_048_576
/** The bytes of the bodies of all unanswered requests of strangers. */
export const strangersHeldBytesMax = 32 * strangerBytesMax
/** What a body of a stranger counts while it arrives, at least. It bounds how many arrive at a time. */
export const arrivingBytesMin = 16_384
export const strangerBytesPerSecondMin = 32_768
/** The time between two looks at the rate of a body. */
const rateCheckMs = 250

const jsonType = /^application\/(?:[\w.!#$&^-]+\+)?json$/i
const charset = /^charset\s*=\s*(.*)$/i
const utf8 = /^"?utf-?8"?$/i
const suspicious = /\\u|__proto__|constructor|prototype/

export type Body = { body: unknown; bodyBytes: number; suspicious: boolean }

export const noBody: Body = { body: undefined, bodyBytes: 0, suspicious: false }

/**
 * Whose body it is. `id`: the API key, token or account that was recognised; the address of a stranger. Strangers have a budget of their
 * own and further limits.
 */
export type BodyOwner = { readonly id: string; readonly isStranger: boolean }

/** Reads bodies, and limits the memory for those of unanswered requests. */
export type BodyReader = {
  /**
   * Reads, unpacks and parses the body of a request. Throws a Failure: 415 for anything but JSON in UTF-8, as it is or packed as gzip or
   * br, 413 above `bytesMax` before or after unpacking, as soon as that is known, 408 when it does not arrive in time, 400 when it is not
   * JSON, 503 when the owner has used its share of the memory. Calls `onBytes` with the unpacked bytes before they are parsed.
   */
  read(message: IncomingMessage, owner: BodyOwner, bytesMax?: number, onBytes?: (bytes: Buffer) => void): Promise<Body>
  /** Reads a body of any type as a Buffer, which is empty when none was sent. Throws 413 above `bytesMax`, 408 and 503. */
  readBytes(message: IncomingMessage, owner: BodyOwner, bytesMax?: number): Promise<Body & { body: Buffer }>
  /** Call it when the request is answered. */
  release(body: Body, owner: BodyOwner): void
}

/** `bodyMs`: how long a body may take to arrive · `slowMs`: how long the body of a stranger may be slower than the minimum rate. */
export type BodyTimeouts = { readonly bodyMs: number; readonly slowMs: number }

export function openBodyReader({ bodyMs, slowMs }: BodyTimeouts): BodyReader {
  const budgets = { callers: openShares(heldBytesMax), strangers: openShares(strangersHeldBytesMax) }
  const pacing = openBodyPacing()
  const unpack = openUnpack()
  const termsOf = ({ id, isStranger }: BodyOwner, bytesMax: number): Terms => {
    const budget = isStranger ? budgets.strangers : budgets.callers
    const hold = (bytes: number) => budget.add(id, bytes)
    if (!isStranger) return { owner: id, hold, bytesMax, arrivingMin: 0, dueMs: () => bodyMs }
    return {
      owner: id,
      hold,
      bytesMax: Math.min(bytesMax, strangerBytesMax),
      arrivingMin: arrivingBytesMin,
      dueMs: (received) => Math.min(bodyMs, strangerDueMs(received, slowMs)),
    }
  }
  return {
    async read(message, owner, bytesMax = bodyBytesMax, onBytes) {
      const { headers } = message
      if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return noBody
      const coding = readCoding(headers['content-encoding'])
      checkType(headers['content-type'])
      const terms = termsOf(owner, bytesMax)
      const sent = await collect(message, terms)
      const bytes = coding === undefined || sent.length === 0 ? sent : await unpack(sent, coding, terms)
      onBytes?.(bytes)
      await pacing(bytes.length)
      return parse(bytes, terms)
    },
    async readBytes(message, owner, bytesMax = bodyBytesMax) {
      refuseCoding(message.headers['content-encoding'])
      const body = await collect(message, termsOf(owner, bytesMax))
      await pacing(body.length)
      return { body, bodyBytes: body.length, suspicious: true }
    },
    release({ bodyBytes }, { id, isStranger }) {
      if (bodyBytes > 0) (isStranger ? budgets.strangers : budgets.callers).add(id, -bodyBytes)
    },
  }
}

/** Returns when a body of a stranger is too slow, in milliseconds after its start, if nothing more arrives. */
export function strangerDueMs(received: number, slowMs: number): number {
  return slowMs + (received / strangerBytesPerSecondMin) * 1000
}

/** Refuses packed bodies where bytes are read: they are signed, or are forms. */
function refuseCoding(coding: string | undefined): void {
  if (coding === undefined || coding === 'identity') return
  throw new Failure('unsupportedType', 'Content-Encoding must be identity: compressed bodies are not accepted here')
}

function checkType(type: string | undefined): void {
  if (type !== 'application/json' && !isJson(type ?? '')) {
    throw new Failure('unsupportedType', 'Content-Type must be application/json')
  }
}

function isJson(type: string): boolean {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim())
  if (!jsonType.test(media)) return false
  return parameters.every((parameter) => utf8.test(charset.exec(parameter)?.[1] ?? 'utf-8'))
}

/** How a body is read. */
type Terms = UnpackTerms & {
  /** What it counts while it arrives, at least. */
  readonly arrivingMin: number
  /** Returns when the body is too late, in milliseconds after its start. */
  dueMs(received: number): number
}

/** Reads the bytes of a body. They count as held when it resolves, and not when it rejects. */
async function collect(message: IncomingMessage, { bytesMax, arrivingMin, hold, dueMs }: Terms): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let received = 0
  let held = 0
  const arrival = Promise.withResolvers<void>()
  const count = (bytes: number) => {
    const isWithin = hold(bytes - held)
    held = bytes
    if (!isWithin) arrival.reject(busy())
  }
  const take = (chunk: Buffer) => {
    received += chunk.length
    if (received > bytesMax) {
      arrival.reject(tooLarge(bytesMax))
      return
    }
    chunks.push(chunk)
    count(Math.max(arrivingMin, received))
  }
  let hasEnded = false
  const end = () => {
    hasEnded = true
    arrival.resolve()
  }
  const lost = () => {
    // A request closes also after its end. An error that nobody sees costs as much as the rest of the reading.
    if (!hasEnded) arrival.reject(late('The connection ended before the request body had arrived'))
  }
  const deadline = startDeadline(
    () => dueMs(received),
    () => arrival.reject(late('The request body did not arrive in time')),
  )
  message.on('data', take).on('end', end).on('error', lost).on('close', lost)
  // The connection may have ended while the caller was checked. Then no event follows.
  if (message.destroyed) lost()
  try {
    if (arrivingMin > 0) count(arrivingMin)
    await arrival.promise
    hold(received - held)
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received)
  } catch (error) {
    hold(-held)
    throw error
  } finally {
    deadline.stop()
    message.off('data', take).off('end', end).off('error', lost).off('close', lost)
  }
}

/** Calls `end` once it is due. `dueMs` may move further while time passes. */
function startDeadline(dueMs: () => number, end: () => void): { stop(): void } {
  let waitedMs = 0
  let timer: NodeJS.Timeout
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      waitedMs += ms
      const leftMs = dueMs() - waitedMs
      if (leftMs <= 0) end()
      else wait(Math.max(leftMs, rateCheckMs))
    }, ms)
  }
  wait(dueMs())
  return { stop: () => clearTimeout(timer) }
}

function parse(bytes: Buffer, { hold }: Terms): Body {
  try {
    if (bytes.length === 0) return noBody
    if (!isUtf8(bytes)) throw invalid(malformedJson)
    if (hasTooManyLevels(bytes)) throw invalid(`The request body has more than ${jsonLevelsMax} levels`)
    const text = bytes.toString('utf8')
    return { body: parseJson(text), bodyBytes: bytes.length, suspicious: suspicious.test(text) }
  } catch (cause) {
    hold(-bytes.length)
    throw cause instanceof Failure ? cause : new Failure('invalid', malformedJson, {}, cause)
  }
}
