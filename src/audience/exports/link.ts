import { createHmac } from 'node:crypto'
import { forbidden } from '../../base/errors.ts'
import { sameSecret } from '../../base/ids.ts'
import type { Format } from './schema.ts'

/** The path that serves exports; `{object}` is an export's id with its ending. */
export const filesPath = '/exports/{object}'

const endings: Readonly<Record<Format, string>> = { zip: 'zip', gzip: 'gz' }
const objectForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{1,12})\.(?:zip|gz)$/

export const linkNotValid = 'This link is not valid'
export const linkExpired = 'This link has expired'

/** The name under which an export is downloaded. */
export function objectName(id: string, format: Format): string {
  return `${id}.${endings[format]}`
}

/** A URL that serves an export, to whoever has it, until a moment of machine time. */
export function linkTo(publicUrl: string, object: string, expiresMs: number, secret: Buffer): string {
  const expires = String(Math.floor(expiresMs / 1000))
  return `${publicUrl}/exports/${object}?expires=${expires}&signature=${signatureOf(object, expires, secret)}`
}

type DownloadLink = { object: string | undefined; expires: string | undefined; signature: string | undefined }

/** The id of the export that a link serves. Throws 403 for a link that this installation has not made, or that has expired. */
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
