import { isObject } from '../../../people/values/values.ts'

/** Stands for the text of a header that is sealed, in answers and in files. */
export const sealedMark = { sealed: true } as const

/** Characters of a header that is searched for Liquid. */
const searchedCharactersMax = 2_000

const secretNames =
  /^(proxy-)?authorization$|^cookie$|(^|[-_.])(api)?[-_.]?(key|token|secret|password|passwd|auth|signature|credentials?)$/i
const secretValues = /^\s*(basic|bearer|token|apikey|digest|negotiate|aws4-hmac-sha256)\s+\S/i
const liquidTags = /\{\{.*?\}\}|\{%.*?%\}/gs
const schemeWords = /^\s*(basic|bearer|token|apikey|digest|negotiate)\b/i

/**
 * Whether a header looks as if it had a secret: by its name or by its scheme, and not when all of it comes from Liquid. Pure.
 */
export function looksSecret(name: string, value: string): boolean {
  // No header of a definition is so long, but one of a draft may be. Searching it for Liquid could take minutes.
  if (value.length > searchedCharactersMax) return secretNames.test(name) || secretValues.test(value)
  const literal = value.replaceAll(liquidTags, '').replace(schemeWords, '').trim()
  return literal !== '' && (secretNames.test(name) || secretValues.test(value))
}

/** Whether a header is `{"sealed": true}`. */
export function isSealedMark(value: unknown): boolean {
  return isObject(value) && value.sealed === true && Object.keys(value).length === 1
}

/** Whether the value of a header is a text that looks as if it had a secret. Pure. */
export function isSecretHeader(name: string, value: unknown): value is string {
  return typeof value === 'string' && looksSecret(name, value)
}
