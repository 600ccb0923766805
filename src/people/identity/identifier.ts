import { invalid } from '../../base/errors.ts'
import { ExactNumber } from '../../base/exact-number.ts'
import { badEmail, externalIdTooLong, type IdentifierWords, notValid } from '../values/refusals.ts'
import { isCleanText, isObject } from '../values/values.ts'

export type IdentifierKind = 'external_id' | 'alias' | 'service_id' | 'email' | 'phone' | 'push_token' | 'device'

/**
 * What names a person, normalised: e-mails in lower case, phones in E.164, an integer `external_id` as text, a `service_id` as 24
 * lower-case hex digits (empty if it is not valid: then no person matches), an alias as label and name around U+001F, a push token as app
 * and token around U+001F.
 */
export type Identifier = { readonly kind: IdentifierKind; readonly value: string }

/** Bytes (UTF-8) of an `external_id`, an alias name or an alias label. */
export const idBytesMax = 987

/** Characters of an e-mail address, as mail servers count them (RFC 5321). */
export const emailCharactersMax = 254

const separator = '\u001f'
const serviceIdForm = /^[0-9a-f]{24}$/

export function aliasIdentifier(alias_label: string, alias_name: string): Identifier {
  return { kind: 'alias', value: alias_label + separator + alias_name }
}

/** Splits the value of an alias identifier. */
export function aliasParts(value: string): { alias_label: string; alias_name: string } {
  const at = value.indexOf(separator)
  return { alias_label: value.slice(0, at), alias_name: value.slice(at + 1) }
}

export function pushTokenIdentifier(app_id: string, token: string): Identifier {
  return { kind: 'push_token', value: app_id + separator + token }
}

/**
 * Reads the identifier of a track object (specification 4.1 rules 1 to 3): one of `external_id`, `user_alias` and `service_id`; without
 * them `email`, then `phone`. Returns a text if it refuses the object.
 */
export function readIdentifier(
  object: Readonly<Record<string, unknown>>,
  words: IdentifierWords,
  suspicious: boolean,
): Identifier | string {
  const { external_id, user_alias, email, phone } = object
  const service_id = object[words.serviceIdKey]
  if (isGiven(external_id)) {
    if (isGiven(user_alias) || isGiven(service_id)) return words.onlyOne
    return readExternalId(external_id, suspicious)
  }
  if (isGiven(user_alias)) return isGiven(service_id) ? words.onlyOne : readAlias(user_alias, suspicious)
  if (isGiven(service_id)) return readServiceId(service_id, words)
  if (isGiven(email)) return readEmail(email)
  if (isGiven(phone)) return readPhone(phone)
  return words.required
}

/** Returns the text of an id, which clients may send as an integer; undefined if it is neither. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof ExactNumber) return value.isInteger && value.isStorable ? value.text : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

export function readExternalId(value: unknown, suspicious: boolean): Identifier | string {
  const text = idText(value)
  if (!text || (suspicious && !isCleanText(text))) return notValid('external_id')
  return isTooLong(text) ? externalIdTooLong : { kind: 'external_id', value: text }
}

/** Reads an alias, which needs both members as texts (specification 2.1). */
export function readAlias(value: unknown, suspicious: boolean): Identifier | string {
  const refusal = notValid('user_alias')
  if (!isObject(value)) return refusal
  const { alias_name: name, alias_label: label } = value
  if (typeof name !== 'string' || typeof label !== 'string' || name === '' || label === '') return refusal
  if (isTooLong(name) || isTooLong(label)) return refusal
  if (suspicious && !(isCleanText(name) && isCleanText(label))) return refusal
  // A separator can only come from an escape. A label that contains it could be confused with another alias.
  if (label.includes(separator)) return refusal
  return aliasIdentifier(label, name)
}

export function readServiceId(value: unknown, words: IdentifierWords): Identifier | string {
  if (typeof value !== 'string' || value === '') return notValid(words.serviceIdKey)
  const lower = value.toLowerCase()
  return { kind: 'service_id', value: serviceIdForm.test(lower) ? lower : '' }
}

export function readEmail(value: unknown): Identifier | string {
  const email = typeof value === 'string' ? toEmail(value) : undefined
  return email === undefined ? badEmail : { kind: 'email', value: email }
}

export function readPhone(value: unknown): Identifier | string {
  const phone = typeof value === 'string' ? toE164(value) : undefined
  return phone === undefined ? notValid('phone') : { kind: 'phone', value: phone }
}

/** The rule of the e-mail field of HTML, for these letters. It refuses quoted local parts. */
function emailForm(letters: string, flags: string): RegExp {
  const label = `[${letters}](?:[${letters}-]{0,61}[${letters}])?`
  return new RegExp(`^[${letters}_.!#$%&'*+/=?^\`{|}~-]{1,64}@${label}(?:\\.${label})*$`, flags)
}

const plainEmail = emailForm('a-z0-9', 'i')
const worldEmail = emailForm(String.raw`\p{L}\p{M}\p{N}`, 'u')

/** Returns the normalised e-mail address, in lower case without spaces around it; undefined if the text is not an e-mail address. */
export function toEmail(text: string): string | undefined {
  const address = text.trim()
  if (address.length > emailCharactersMax) return undefined
  return plainEmail.test(address) || worldEmail.test(address) ? address.toLowerCase() : undefined
}

/** Whether an e-mail address is of a domain of this network only, such as `a@localhost`. */
export function isLocalEmail(email: string): boolean {
  return !email.includes('.', email.lastIndexOf('@'))
}

const e164 = /^\+[1-9]\d{6,14}$/
const phoneCharactersMax = 64

/** Returns the phone number in E.164, without spaces, dots, hyphens and brackets; undefined if it is none. */
export function toE164(text: string): string | undefined {
  if (e164.test(text)) return text
  if (text.length > phoneCharactersMax) return undefined
  const bare = text.replace(/[ .\-()[\]]/g, '')
  return e164.test(bare) ? bare : undefined
}

/** Returns the normalised address of a person: an e-mail unchanged, a phone in E.164; null if there is none. */
export function addressOf(
  person: { readonly email: string | null; readonly phone: string | null },
  kind: 'email' | 'phone',
): string | null {
  const value = person[kind]
  if (value === null) return null
  return kind === 'email' ? value : (toE164(value) ?? null)
}

/**
 * Returns an identifier that was read. Throws 400 with the text if it was refused. For requests in which one bad identifier refuses the
 * request.
 */
export function identifierOrThrow(read: Identifier | string): Identifier {
  if (typeof read === 'string') throw invalid(read)
  return read
}

/** Returns whether an identifier is given. Null and the empty text count as absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function isTooLong(text: string): boolean {
  return text.length * 3 > idBytesMax && Buffer.byteLength(text) > idBytesMax
}
