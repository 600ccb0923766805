/** The most bytes of a file that are looked at. */
const lookedAtMax = 1024

type Test = (bytes: Buffer) => boolean

/** Returns a test for bytes in hexadecimal at a position. */
function at(position: number, hex: string): Test {
  const wanted = Buffer.from(hex, 'hex')
  return (bytes) => bytes.subarray(position, position + wanted.length).equals(wanted)
}

function text(position: number, words: string): Test {
  return at(position, Buffer.from(words, 'latin1').toString('hex'))
}

function anyOf(...tests: readonly Test[]): Test {
  return (bytes) => tests.some((test) => test(bytes))
}

function allOf(...tests: readonly Test[]): Test {
  return (bytes) => tests.every((test) => test(bytes))
}

const markUtf16 = anyOf(at(0, 'fffe'), at(0, 'feff'))
const webPage = /^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/is

/** Text of any encoding. A server that asks for a login answers with a web page instead of the file. */
const plain: Test = (bytes) => markUtf16(bytes) || (!bytes.includes(0) && !webPage.test(beginningOf(bytes)))

function beginningOf(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '')
}

function textThatBegins(pattern: RegExp): Test {
  return (bytes) => plain(bytes) && (markUtf16(bytes) || pattern.test(beginningOf(bytes)))
}

/** A zip archive, also without files. Office and book formats are zip archives. */
const zip = anyOf(at(0, '504b0304'), at(0, '504b0506'))
/** The container of older office formats. */
const compound = at(0, 'd0cf11e0a1b11ae1')
const pdf: Test = (bytes) => bytes.includes('%PDF-', 0, 'latin1')
const postscript = anyOf(text(0, '%!PS'), at(0, 'c5d0d3c6'))
/** MP4 and its relatives. Older QuickTime films begin with another part. */
const mp4 = text(4, 'ftyp')
const windowsMedia = at(0, '3026b2758e66cf11')
const mpegVideo = anyOf(at(0, '000001ba'), at(0, '000001b3'))
const aiff = allOf(text(0, 'FORM'), anyOf(text(8, 'AIFF'), text(8, 'AIFC')))
/** A frame of MPEG audio begins with eleven bits that are set, a version, and the layer. */
const mpegAudio: Test = (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0b1110_0110) === 0b1110_0010

const signatures: readonly (readonly [extensions: string, test: Test])[] = [
  ['txt csv log css', plain],
  ['ics', textThatBegins(/^\s*BEGIN:VCALENDAR/i)],
  ['vcf', textThatBegins(/^\s*BEGIN:VCARD/i)],
  ['svg', textThatBegins(/^\s*<(?:\?xml|!--|!doctype\s+svg|svg\b|svg:svg\b)/i)],
  ['jpg jpe jpeg', at(0, 'ffd8ff')],
  ['gif', anyOf(text(0, 'GIF87a'), text(0, 'GIF89a'))],
  ['png', at(0, '89504e470d0a1a0a')],
  ['bmp', text(0, 'BM')],
  ['psd', text(0, '8BPS')],
  ['tif tiff', anyOf(at(0, '49492a00'), at(0, '4d4d002a'), at(0, '49492b00'), at(0, '4d4d002b'))],
  ['indd', at(0, '0606edf5d81d46e5bd31efe7fe74b71d')],
  ['pdf', pdf],
  ['eps', postscript],
  ['ai', anyOf(pdf, postscript)],
  ['rtf', text(0, '{\\rtf')],
  ['doc', anyOf(compound, text(0, '{\\rtf'))],
  ['xls ppt pps pub', compound],
  ['docx xlsx pptx odt ott ods odp pages numbers key epub zip pkpass', zip],
  ['mobi', text(60, 'BOOKMOBI')],
  ['mp3', anyOf(text(0, 'ID3'), mpegAudio)],
  ['m4a m4v mp4', mp4],
  ['mov', anyOf(mp4, ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((part) => text(4, part)))],
  ['wma wmv', windowsMedia],
  ['ogg', text(0, 'OggS')],
  ['flac', anyOf(text(0, 'fLaC'), text(0, 'ID3'))],
  ['wav', allOf(anyOf(text(0, 'RIFF'), text(0, 'RF64')), text(8, 'WAVE'))],
  ['aif aiff aifc', aiff],
  ['avi', allOf(text(0, 'RIFF'), text(8, 'AVI '))],
  ['mkv', at(0, '1a45dfa3')],
  ['mpeg mpg', mpegVideo],
]

/** The tests of first bytes, by the extension of the file. */
export const fileSignatures: ReadonlyMap<string, Test> = new Map(
  signatures.flatMap(([extensions, test]) => extensions.split(' ').map((extension) => [extension, test] as const)),
)

/** Returns whether a file begins as files with this extension do. Text may be empty. Pure. */
export function beginsLike(extension: string, bytes: Buffer): boolean {
  return fileSignatures.get(extension)?.(bytes.subarray(0, lookedAtMax)) ?? false
}
