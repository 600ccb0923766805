import { createHmac } from 'node:crypto'
import { forbidden } from '../../base/errors.ts'
import { sameSecret } from '../../base/ids.ts'
import type { Format } from './schema.ts'

/** The path of downloads; `{object}` is an export's id with a file extension. */
export const filesPath = '/exports/{object}'

const extensions: Readonly<Record<Format, string>> = { zip: 'zip', gzip: 'gz' }
const objectForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{1,12})\.(?:zip|gz)$/

export const linkNotValid = 'This link is not valid'
export const linkExpired = 'This link has expired'

/** The file name of a download. */
export function objectName(id: string, format: Format): string {
  return `${id}.${extensions[format]}`
}

/** Returns a URL that downloads an export without credentials until `expiresMs` (machine time). */
export function linkTo(publicUrl: string, object: string, expiresMs: number, secret: Buffer): string {
  const expires = String(Math.floor(expiresMs / 1000))
  return `${publicUrl}/exports/${object}?expires=${expires}&signature=${signatureOf(object, expires, secret)}`
}

type DownloadLink = { object: string | undefined; expires: string | undefined; signature: string | undefined }

/** Returns the id of the export of a link. Throws 403 for a link that has expired or that this installation has not signed. */
export function readLink(
  { object = '', expires = '', signature = '' }: DownloadLink,
  nowMs: number,
  secret: Buffer,
): string {
  const id = objectForm.exec(object)?.[1]
  const isOurs = sameSecret(signature, signatureOf(object, expires, secret))
  if (id === undefined || !isOurs) throw forbidden(linkNotValid)
  if (Number(expires) * 1000 <= nowMs) throw forbidden(linkExpired)
  return id
}

function signatureOf(object: string, expires: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`export\u001f${object}\u001f${expires}`).digest('base64url')
}
