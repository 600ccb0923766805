import { invalid } from '../../base/errors.ts'
import { isAbsent } from '../../content/texts/fields.ts'
import { attachmentTypes, extensionOf } from './attachment-types.ts'
import type { EmailAttachment } from './email-object.ts'
import { type Findings, findUnknown } from './lost-members.ts'
import { hasLiquid, readObject, readText } from './read-text.ts'

export const fileNameCharactersMax = 255
/** The same limit as in `base/fetch`. */
export const urlCharactersMax = 8192
const credentialCharactersMax = 255

/** These hosts answer programs with a web page or a login instead of the file, and the mail is not sent (specification 2.9). */
const drives: readonly string[] = [
  ...[
    'drive.google.com',
    'docs.google.com',
    'dropbox.com',
    'onedrive.live.com',
    '1drv.ms',
    'sharepoint.com',
    'box.com',
  ],
  ...['icloud.com', 'wetransfer.com', 'we.tl', 'mega.nz', 'mediafire.com', 'pcloud.com', 'disk.yandex.com'],
]

const attachmentMembers: ReadonlySet<string> = new Set(['file_name', 'url', 'basic_auth_credential'])

/** Reads the list of attachments. Throws a 400 that begins with `at`. */
export function readAttachments(
  value: unknown,
  at: string,
  filesMax: number,
  found: Findings,
): readonly EmailAttachment[] | undefined {
  if (isAbsent(value)) return undefined
  if (!Array.isArray(value)) throw invalid(`${at} must be an array of objects`)
  if (value.length > filesMax) throw invalid(`${at} must have at most ${filesMax} files (settings.attachments_max)`)
  return value.map((one, i) => readAttachment(one, `${at}[${i}]`, found))
}

function readAttachment(value: unknown, at: string, found: Findings): EmailAttachment {
  const given = readObject(value, at, 'an object with file_name and url')
  findUnknown(given, attachmentMembers, at, found)
  const basic_auth_credential = readText(given.basic_auth_credential, `${at}.basic_auth_credential`, {
    charactersMax: credentialCharactersMax,
  })
  return {
    file_name: readFileName(given.file_name, `${at}.file_name`),
    url: readUrl(given.url, `${at}.url`, found.warnings),
    ...(basic_auth_credential !== undefined && { basic_auth_credential }),
  }
}

function readFileName(value: unknown, at: string): string {
  const name = readText(value, at, { charactersMax: fileNameCharactersMax, oneLine: true, liquid: true })
  if (name === undefined) throw invalid(`${at} is required`)
  if (!hasLiquid(name) && plainName(name) === '') throw invalid(`${at} must be a name of a file`)
  return name
}

/** Returns a file name without its folders and without characters that some systems do not allow in file names. */
export function plainName(text: string): string {
  const last = text.split(/[/\\]/).at(-1)!
  const plain = last
    .replaceAll(/[\p{Cc}\p{Cf}:*?"<>|]/gu, '')
    .trim()
    .replace(/^\.+/, '')
  return plain.trim()
}

function readUrl(value: unknown, at: string, warnings: string[]): string {
  const url = readText(value, at, { charactersMax: urlCharactersMax, oneLine: true, liquid: true })
  if (url === undefined) throw invalid(`${at} is required`)
  if (hasLiquid(url)) return url
  const mistake = urlMistake(url)
  if (mistake !== undefined) throw invalid(`${at} ${mistake}`)
  const { hostname } = new URL(url)
  if (drives.some((drive) => hostname === drive || hostname.endsWith(`.${drive}`))) {
    warnings.push(
      `${at} is a link to a file-sharing drive: it may be refused when the file is fetched, and then no mail is sent`,
    )
  }
  return url
}

/** Returns why a rendered URL cannot be the URL of an attachment, or undefined if it can. */
export function urlMistake(text: string): string | undefined {
  const url = text.length <= urlCharactersMax ? URL.parse(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be a URL that begins with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not have credentials in it'
  const extension = extensionOf(url)
  if (extension !== undefined && attachmentTypes.has(extension)) return undefined
  return `must end in one of the extensions ${[...attachmentTypes.keys()].sort().join(', ')}`
}
