import { createHmac, timingSafeEqual } from 'node:crypto'

export type FormFields = { readonly [name: string]: readonly string[] | undefined }

/**
 * Returns the signature of a request of the provider: HMAC-SHA1, in base64, of the URL followed by the name and value of each field, by the
 * order of their names. Pure.
 */
export function signatureOf(url: string, fields: FormFields, secret: string): string {
  const names = Object.keys(fields).sort()
  const text = names.reduce((all, name) => all + (fields[name] ?? []).map((value) => name + value).join(''), url)
  return createHmac('sha1', secret).update(text, 'utf8').digest('base64')
}

export function isSigned(url: string, fields: FormFields, secret: string, given: string | undefined): boolean {
  const [expected, found] = [Buffer.from(signatureOf(url, fields, secret)), Buffer.from(given ?? '')]
  return expected.length === found.length && timingSafeEqual(expected, found)
}
