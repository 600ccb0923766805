import { createHmac, hash, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'

/** Profile ids count milliseconds from this instant, so that 41 bits last until 2094. */
const epochMs = Date.UTC(2025, 0, 1)
const counterBits = 10
const counterMax = 1 << counterBits
const bucketShift = 51n
const idHexDigits = 16
const checkHexDigits = 8
const serviceIdPattern = /^[0-9a-f]{24}$/
const profileIdMax = 2n ** 63n - 1n
const tokenBytes = 24
const uuidBytes = 16
/** The millisecond at which the profile ids of a seed begin. */
const seededMs = 1

// A profile id repeats only when its bucket, millisecond and counter repeat. This process starts at a random counter and continues with the
// next millisecond when it has used every number of one, so it never repeats an id. An id that another process has also made is found by
// `on conflict do nothing`.
let counter = randomInt(counterMax)
let lastMs = 0
let usedInMs = 0

/** Ids and secrets that repeat: they follow from a seed and from how many were made before. */
type Seeded = { readonly seed: string; readonly ids: number; readonly requests: number; readonly bytes: number }
let seeded: Seeded | undefined

/** Where a process with a seed is in the sequence of its ids. */
export type IdPosition = Seeded & { readonly counter: number; readonly lastMs: number; readonly usedInMs: number }

/** Makes all ids and secrets of this process from a seed, in the order of their use. Only for emulators: they can be guessed. */
export function useSeed(seed: string): void {
  seeded = { seed, ids: 0, requests: 0, bytes: 0 }
  counter = 0
  lastMs = 0
  usedInMs = 0
}

/** Returns the position of the sequence; undefined without a seed. */
export function idPosition(): IdPosition | undefined {
  return seeded && { ...seeded, counter, lastMs, usedInMs }
}

/** Continues the sequence at an earlier position. Without a seed nothing changes. */
export function continueIdsAt(position: IdPosition | undefined): void {
  if (!position) return
  const { counter: number, lastMs: ms, usedInMs: used, ...others } = position
  seeded = others
  counter = number
  lastMs = ms
  usedInMs = used
}

/** Returns the next bytes of one of the sequences of the seed. */
function seededBytes(sequence: 'ids' | 'requests' | 'bytes', length: number): Buffer {
  const { seed, [sequence]: count } = seeded!
  seeded = { ...seeded!, [sequence]: count + 1 }
  return createHmac('sha512', seed).update(`${sequence} ${count}`).digest().subarray(0, length)
}

/**
 * Returns a new profile id as a decimal string: 12 bits of bucket, 41 bits of machine time (`elapsedMs`, epoch milliseconds), 10
 * bits of counter. It is unique in this process.
 */
export function nextProfileId(bucket: number, elapsedMs: number): string {
  const ms = seeded ? seededMs : Math.floor(elapsedMs) - epochMs
  if (ms > lastMs || usedInMs === counterMax) {
    lastMs = Math.max(ms, lastMs + 1)
    usedInMs = 0
  }
  usedInMs++
  counter = (counter + 1) % counterMax
  const low = BigInt(lastMs * counterMax + counter)
  return ((BigInt(bucket) << bucketShift) | low).toString()
}

/** Returns the public id of a profile: 16 hex digits of its id and 8 of a checksum keyed by the installation's secret. */
export function formatServiceId(profile_id: string, secret: Buffer): string {
  const id = BigInt(profile_id).toString(16).padStart(idHexDigits, '0')
  return id + checkOf(id, secret)
}

/** Returns the profile id in a service id, or undefined for a text that this installation did not make. */
export function parseServiceId(text: string, secret: Buffer): string | undefined {
  if (!serviceIdPattern.test(text)) return undefined
  const id = text.slice(0, idHexDigits)
  const sent = Buffer.from(text.slice(idHexDigits), 'latin1')
  if (!timingSafeEqual(sent, Buffer.from(checkOf(id, secret), 'latin1'))) return undefined
  const profileId = BigInt(`0x${id}`)
  return profileId > profileIdMax ? undefined : profileId.toString()
}

function checkOf(id: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(id).digest('hex').slice(0, checkHexDigits)
}

export function newUuid(): string {
  return seeded ? uuidOf(seededBytes('ids', uuidBytes)) : randomUUID()
}

/** Returns the id of a request. Requests do not change the other ids of a seed. */
export function newRequestId(): string {
  return seeded ? uuidOf(seededBytes('requests', uuidBytes)) : randomUUID()
}

/** Returns an id that nobody sees, of a lease or of a run. Workers make them at times that no seed decides. */
export function newHiddenId(): string {
  return randomUUID()
}

/** Returns the bytes of a new secret. */
export function newSecretBytes(length: number): Buffer {
  return seeded ? seededBytes('bytes', length) : randomBytes(length)
}

function uuidOf(bytes: Buffer): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns a UUID as the interface writes it: 32 hexadecimal digits. */
export function uuidToHex(uuid: string): string {
  return uuid.replaceAll('-', '')
}

/** Reads a UUID with or without dashes. Returns undefined when the text is none. */
export function parseUuid(text: string): string | undefined {
  const hex = uuidToHex(text).toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns a secret of 192 random bits, with a prefix for its purpose: `easel_key_...`. */
export function generateToken(prefix: string): string {
  return `${prefix}_${newSecretBytes(tokenBytes).toString('base64url')}`
}

export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Compares two secrets in constant time. */
export function sameSecret(sent: string, expected: string): boolean {
  return timingSafeEqual(sha256(sent), sha256(expected))
}
