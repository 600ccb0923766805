import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The purpose of a token (`opted_in`: the person had opted in). A token is not valid for another purpose. */
export type TokenPurpose =
  | 'unsubscribe'
  | 'preferences'
  | 'preference_center'
  | 'opted_in'
  | 'open'
  | 'link'
  | 'bounce'
  | 'message'
  | 'confirmation'

/**
 * The message of a token and its recipient, who may have been merged later. Both are decimal texts of bigints. With the purpose
 * `confirmation` it is the id of the confirmation in place of the message.
 */
export type TokenTarget = { readonly profile_id: string; readonly message_id: string }

const idHexDigits = 16
const checkHexDigits = 32
/** 32 bytes in the digits 0-9 and a-v: short enough for the local part of an address, and case does not matter. */
export const tokenLength = 52
const tokenPattern = /^[0-9a-v]{52}$/
const idMax = 2n ** 63n - 1n

/**
 * Returns the token for links and return paths of a message. `index` distinguishes the links of a message, and the preference centers.
 */
export function formatToken(
  target: TokenTarget,
  purpose: TokenPurpose,
  secret: Buffer,
  index: number | string = 0,
): string {
  const ids = hexOf(target.profile_id) + hexOf(target.message_id)
  return BigInt(`0x${ids}${checkOf(ids, purpose, index, secret)}`)
    .toString(32)
    .padStart(tokenLength, '0')
}

/** Returns the message and recipient of a token. Returns undefined if this installation has not made it for this purpose and index. */
export function parseToken(
  text: string,
  purpose: TokenPurpose,
  secret: Buffer,
  index: number | string = 0,
): TokenTarget | undefined {
  const hex = hexOfToken(text)
  if (hex === undefined) return undefined
  const ids = hex.slice(0, 2 * idHexDigits)
  const expected = Buffer.from(checkOf(ids, purpose, index, secret), 'latin1')
  if (!timingSafeEqual(Buffer.from(hex.slice(2 * idHexDigits), 'latin1'), expected)) return undefined
  return targetOf(ids)
}

/** Returns what a token is about, without a look at who signed it; undefined for a text that cannot be a token. */
export function readUnsigned(text: string): TokenTarget | undefined {
  const hex = hexOfToken(text)
  return hex === undefined ? undefined : targetOf(hex.slice(0, 2 * idHexDigits))
}

/** Returns the hash by which another installation recognizes a token that it has not signed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token.toLowerCase()).digest('hex')
}

function hexOfToken(text: string): string | undefined {
  const token = text.toLowerCase()
  if (!tokenPattern.test(token)) return undefined
  let value = 0n
  for (const digit of token) value = value * 32n + BigInt(Number.parseInt(digit, 32))
  const hex = value.toString(16).padStart(2 * idHexDigits + checkHexDigits, '0')
  return hex.length > 2 * idHexDigits + checkHexDigits ? undefined : hex
}

function targetOf(ids: string): TokenTarget | undefined {
  const [profile, message] = [BigInt(`0x${ids.slice(0, idHexDigits)}`), BigInt(`0x${ids.slice(idHexDigits)}`)]
  if (profile > idMax || message > idMax) return undefined
  return { profile_id: profile.toString(), message_id: message.toString() }
}

function hexOf(id: string): string {
  return BigInt(id).toString(16).padStart(idHexDigits, '0')
}

function checkOf(ids: string, purpose: TokenPurpose, index: number | string, secret: Buffer): string {
  const text = `${purpose}\u001f${ids}\u001f${index}`
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, checkHexDigits)
}
