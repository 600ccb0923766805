import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { readWeights } from './accepted.ts'

/** Smaller answers are sent as they are, unless the client refuses that. */
export const packedBytesMin = 16_384

export type Coding = 'br' | 'gzip'

// The fastest levels: the next ones take two to three times as long, for answers that are 2 to 6% smaller (measured with exports).
const encoders: Readonly<Record<Coding, () => Transform>> = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
}

/** Returns a stream that packs a body. It works in another thread, piece by piece, as fast as the client reads. */
export function openEncoder(coding: Coding): Transform {
  return encoders[coding]()
}

const packableType = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?json)/

/** Returns whether an answer is text that is not packed yet. */
export function isPackable(headers: Readonly<Record<string, string | string[]>>): boolean {
  return headers['Content-Encoding'] === undefined && packableType.test(String(headers['Content-Type']))
}

/**
 * Chooses the coding of an answer by the request (RFC 9110, 12.5.3); undefined for none. An answer to a request with a cookie is never
 * packed: a foreign site could make a browser send such requests with texts of its own, and learn a secret beside them from the length.
 */
export function chooseCoding(
  { 'accept-encoding': accepted, cookie }: Pick<IncomingHttpHeaders, 'accept-encoding' | 'cookie'>,
  bytes: number,
): Coding | undefined {
  if (accepted === undefined || cookie !== undefined) return undefined
  // Most answers are small, and few clients refuse `identity`.
  if (bytes < packedBytesMin && !String(accepted).includes('q=0')) return undefined
  const weights = readWeights(accepted)
  const others = weights.get('*') ?? 0
  const br = weights.get('br') ?? others
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others
  const identity = weights.get('identity') ?? (weights.get('*') === 0 ? 0 : undefined)
  const most = Math.max(br, gzip)
  if (most === 0 || (identity ?? 0) > most) return undefined
  if (bytes < packedBytesMin && identity !== 0) return undefined
  return br >= gzip ? 'br' : 'gzip'
}
