import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { Failure } from '../errors.ts'
import { busy, tooLarge } from './body-refusals.ts'

/** Bytes that a decoder yields at a time. It works in another thread, and the event loop goes on between its pieces. */
const chunkSize = 65_536
/** Bodies that are unpacked at a time. A decoder may need 16 MB for itself, which no budget counts. */
const decodersMax = 2

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
}
const accepted = Object.keys(decoders).join(', ')

/** Whose body it is, its most bytes, and a function that counts bytes in memory and returns whether they are within the share. */
export type UnpackTerms = { readonly owner: string; readonly bytesMax: number; hold(bytes: number): boolean }

/**
 * Unpacks a body. Before, the packed bytes count as held; afterwards the unpacked ones do, or none when it rejects. Throws a Failure: 400
 * when the body is not packed like that, 413 above `bytesMax`, 503 beyond the share.
 */
export type Unpack = (packed: Buffer, coding: string, terms: UnpackTerms) => Promise<Buffer>

/** Reads `Content-Encoding`; undefined when the body is not packed. Throws 415 for an unknown one. */
export function readCoding(header: string | undefined): string | undefined {
  const name = header?.trim().toLowerCase()
  if (name === undefined || name === '' || name === 'identity') return undefined
  const coding = name === 'x-gzip' ? 'gzip' : name
  if (Object.hasOwn(decoders, coding)) return coding
  const headers = { 'Accept-Encoding': accepted }
  throw new Failure('unsupportedType', `Content-Encoding must be one of ${accepted}, identity`, { headers })
}

/** Returns a function that unpacks a few bodies at a time. Owners take turns, so that one with many bodies does not delay the others. */
export function openUnpack(): Unpack {
  const waiting = new Map<string, (() => void)[]>()
  let working = 0

  function beginNext(): void {
    const [first] = waiting
    if (first === undefined) {
      working--
      return
    }
    const [owner, begins] = first
    waiting.delete(owner)
    const begin = begins.shift()!
    if (begins.length > 0) waiting.set(owner, begins)
    begin()
  }

  return async (packed, coding, terms) => {
    if (working < decodersMax) working++
    else await new Promise<void>((begin) => waiting.getOrInsertComputed(terms.owner, () => []).push(begin))
    try {
      return await decode(packed, decoders[coding]!(), coding, terms)
    } finally {
      terms.hold(-packed.length)
      beginNext()
    }
  }
}

/** Stops at the first byte that is too many, so that a small body cannot become a large one. */
async function decode(packed: Buffer, decoder: Transform, coding: string, terms: UnpackTerms): Promise<Buffer> {
  const { bytesMax, hold } = terms
  const chunks: Buffer[] = []
  let length = 0
  decoder.end(packed)
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      length += chunk.length
      chunks.push(chunk)
      if (!hold(chunk.length)) throw busy()
      if (length > bytesMax) throw tooLarge(bytesMax, ' when it is unpacked')
    }
    return Buffer.concat(chunks, length)
  } catch (cause) {
    hold(-length)
    throw cause instanceof Failure
      ? cause
      : new Failure('invalid', `The request body is not valid ${coding}`, {}, cause)
  }
}
