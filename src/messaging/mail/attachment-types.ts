import registered from 'mime-db/db.json' with { type: 'json' }
import { beginsLike } from '../../base/file-signatures.ts'

const word = 'application/vnd.openxmlformats-officedocument'
const oasis = 'application/vnd.oasis.opendocument'
type Registered = Readonly<Record<string, { readonly source?: string; readonly extensions?: readonly string[] }>>

/** Servers that do not know a format of zipped files say so. */
const zipped = ['application/zip', 'application/x-zip-compressed']
/** By file extension: the usual content type, then those that servers send and `mime-db` does not have for it. */
const ownTypes: Readonly<Record<string, readonly string[]>> = {
  txt: ['text/plain'],
  css: ['text/css', 'text/plain'],
  jpg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  jpe: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  jpeg: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  gif: ['image/gif'],
  png: ['image/png', 'image/x-png'],
  bmp: ['image/bmp', 'image/x-bmp'],
  tif: ['image/tiff', 'image/x-tiff'],
  tiff: ['image/tiff', 'image/x-tiff'],
  svg: ['image/svg+xml', 'image/svg', 'application/svg+xml', 'text/xml', 'application/xml'],
  eps: ['application/postscript', 'application/eps', 'image/x-eps', 'image/eps'],
  ai: ['application/postscript', 'application/illustrator', 'application/pdf', 'application/vnd.adobe.illustrator'],
  doc: ['application/msword', 'application/vnd.ms-word'],
  docx: [`${word}.wordprocessingml.document`, ...zipped],
  rtf: ['application/rtf', 'application/x-rtf', 'text/richtext'],
  odt: [`${oasis}.text`, ...zipped],
  pdf: ['application/pdf', 'application/x-pdf'],
  mp3: ['audio/mpeg', 'audio/mpeg3', 'audio/x-mpeg', 'audio/x-mp3'],
  m4a: ['audio/mp4', 'audio/m4a', 'audio/aac', 'video/mp4'],
  m4v: ['video/x-m4v', 'video/mp4', 'video/m4v'],
  ogg: ['audio/ogg', 'application/ogg', 'video/ogg', 'audio/vorbis'],
  mp4: ['video/mp4', 'audio/mp4'],
  mov: ['video/quicktime'],
  avi: ['video/x-msvideo', 'video/avi', 'video/msvideo', 'video/vnd.avi'],
  mpeg: ['video/mpeg', 'video/mpg', 'video/x-mpeg'],
  mpg: ['video/mpeg', 'video/mpg', 'video/x-mpeg'],
  wmv: ['video/x-ms-wmv', 'video/x-ms-asf'],
  xls: ['application/vnd.ms-excel', 'application/msexcel', 'application/x-msexcel', 'application/x-excel'],
  xlsx: [`${word}.spreadsheetml.sheet`, 'application/vnd.ms-excel', ...zipped],
  ods: [`${oasis}.spreadsheet`, ...zipped],
  odp: [`${oasis}.presentation`, ...zipped],
  ppt: ['application/vnd.ms-powerpoint', 'application/mspowerpoint', 'application/powerpoint'],
  pptx: [`${word}.presentationml.presentation`, 'application/vnd.ms-powerpoint', ...zipped],
  zip: ['application/zip', 'application/x-zip'],
  csv: ['text/csv', 'application/csv', 'text/plain', 'text/comma-separated-values', 'application/vnd.ms-excel'],
  log: ['text/plain', 'text/x-log'],
  ics: ['text/calendar', 'application/ics', 'text/plain', 'text/x-vcalendar'],
  psd: [
    'image/vnd.adobe.photoshop',
    'application/x-photoshop',
    'image/x-photoshop',
    'application/photoshop',
    'image/psd',
  ],
  indd: ['application/x-indesign', 'application/x-adobe-indesign'],
  ott: [`${oasis}.text-template`, ...zipped],
  pub: ['application/x-mspublisher', 'application/vnd.ms-publisher'],
  pages: ['application/vnd.apple.pages', ...zipped],
  mobi: ['application/x-mobipocket-ebook'],
  epub: ['application/epub+zip', ...zipped],
  wma: ['audio/x-ms-wma', 'video/x-ms-asf'],
  flac: ['audio/flac'],
  wav: ['audio/wav', 'audio/vnd.wave', 'audio/x-pn-wav'],
  aif: ['audio/aiff'],
  aifc: ['audio/aiff', 'audio/x-aifc'],
  aiff: ['audio/aiff'],
  mkv: ['video/x-matroska', 'video/matroska', 'video/webm'],
  numbers: ['application/vnd.apple.numbers', ...zipped],
  pps: ['application/vnd.ms-powerpoint', 'application/mspowerpoint', 'application/powerpoint'],
  key: ['application/vnd.apple.keynote', ...zipped],
  vcf: ['text/vcard', 'text/directory', 'text/plain'],
  pkpass: ['application/vnd.apple.pkpass', ...zipped],
}

/**
 * The extensions that an attachment may have (specification 2.9), in lower case without the dot, and their content types, the usual one
 * first.
 */
export const attachmentTypes: ReadonlyMap<string, readonly string[]> = withRegistered(ownTypes)

function withRegistered(own: typeof ownTypes): Map<string, string[]> {
  const types = new Map(Object.entries(own).map(([extension, known]) => [extension, [...known]]))
  for (const [type, { extensions }] of Object.entries(registered as Registered)) {
    for (const extension of extensions ?? []) types.get(extension)?.push(type)
  }
  return types
}

/** Returns the extension of a URL's path in lower case, or undefined if there is none. */
export function extensionOf({ pathname }: URL): string | undefined {
  return /\.([A-Za-z0-9]+)$/.exec(pathname)?.[1]?.toLowerCase()
}

/** The content type to send a file with, or why the file is refused. */
export type ContentTypeCheck =
  | { readonly content_type: string; readonly warning?: string }
  | { readonly refused: string }

const media = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;([^,]*))?$/
const charsetOf = /(?:^|;)\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*(?:;|$)/i
/** Types that servers send for files of any kind. The name and the first bytes of such a file decide. */
const opaque: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream'])

/** Checks the `Content-Type` header of a fetched file and its bytes. `extension` is a key of `attachmentTypes`. Pure. */
export function checkContentType(header: string | undefined, extension: string, bytes: Buffer): ContentTypeCheck {
  const [, given, parameters = ''] = media.exec(header?.trim() ?? '') ?? []
  if (given === undefined) return { refused: 'it came without a proper Content-Type' }
  const types = attachmentTypes.get(extension)!
  const type = given.toLowerCase()
  if (type === 'text/html') return { refused: `it is a web page (text/html), not a .${extension}` }
  const charset = charsetOf.exec(parameters)?.[1]
  const withCharset = (one: string) =>
    charset && one.startsWith('text/') ? `${one}; charset=${charset.toLowerCase()}` : one
  if (types.includes(type)) return { content_type: withCharset(type) }
  const [usual = type] = types
  if (opaque.has(type)) {
    if (beginsLike(extension, bytes)) return { content_type: usual }
    return { refused: `it came as ${type}, and it does not begin like a .${extension}` }
  }
  return { content_type: withCharset(usual), warning: `it came as ${type} instead of ${usual}` }
}
