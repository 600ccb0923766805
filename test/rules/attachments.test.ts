import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { FetchResponse } from '../../src/base/fetch/fetch.ts'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'
import { fileSignatures } from '../../src/base/file-signatures.ts'
import { attachmentTypes, checkContentType } from '../../src/messaging/mail/attachment-types.ts'
import type { EmailAttachment } from '../../src/messaging/mail/email-object.ts'
import { openAttachmentFetcher } from '../../src/messaging/mail/fetch-attachments.ts'
import { fetcherOf, type Names, type Seen, type Served, serve } from '../support/fetchers.ts'

const fileBytesMax = 2_097_152
const bytesMax = 25 * 1_048_576
const empty = Buffer.alloc(0)
const listed =
  'txt csv log css ics jpg jpe jpeg gif png bmp psd tif tiff svg indd ai eps doc docx rtf odt ott pdf pub pages mobi epub mp3 ' +
  'm4a m4v wma ogg flac wav aif aifc aiff mp4 mov avi mkv mpeg mpg wmv xls xlsx ods numbers odp ppt pptx pps key zip vcf pkpass'

test('the 57 extensions of the specification are supported', () => {
  assert.deepEqual([...attachmentTypes.keys()].sort(), listed.split(' ').sort())
  assert.equal(attachmentTypes.size, 57)
})

describe('a Content-Type', () => {
  test('that is usual for an extension is accepted and written to the mail', () => {
    for (const [extension, types] of attachmentTypes) {
      for (const type of types) assert.deepEqual(checkContentType(type, extension, empty), { content_type: type })
    }
  })

  const proper = 'it came without a proper Content-Type'
  for (const [header, extension, expected] of [
    ['application/pdf', 'pdf', { content_type: 'application/pdf' }],
    ['Application/PDF; name="a.pdf"', 'pdf', { content_type: 'application/pdf' }],
    ['text/csv; charset=UTF-8', 'csv', { content_type: 'text/csv; charset=utf-8' }],
    ['text/plain;charset="utf-8";x=y', 'csv', { content_type: 'text/plain; charset=utf-8' }],
    [
      'application/json',
      'txt',
      { content_type: 'text/plain', warning: 'it came as application/json instead of text/plain' },
    ],
    ['image/png', 'jpg', { content_type: 'image/jpeg', warning: 'it came as image/png instead of image/jpeg' }],
    ['text/html', 'txt', { refused: 'it is a web page (text/html), not a .txt' }],
    ['text/html; charset=utf-8', 'pages', { refused: 'it is a web page (text/html), not a .pages' }],
    [undefined, 'pdf', { refused: proper }],
    ['', 'pdf', { refused: proper }],
    ['pdf', 'pdf', { refused: proper }],
    ['application/', 'pdf', { refused: proper }],
    ['application/pdf, text/html', 'pdf', { refused: proper }],
    ['application/pdf text/html', 'pdf', { refused: proper }],
    ['application/pdf\r\nX: y', 'pdf', { refused: proper }],
  ] as const) {
    test(`${JSON.stringify(header)} of a .${extension}: ${Object.keys(expected).at(-1)}`, () => {
      assert.deepEqual(checkContentType(header, extension, empty), expected)
    })
  }
})

describe('a file that comes as bytes of any kind is judged by its name and first bytes', () => {
  const bytes = (hex: string, after = '') => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(after)])
  const utf16 = Buffer.from('\ufeffa,b', 'utf16le')
  /** The first bytes of files, by the extensions that they are good for. */
  const files: readonly (readonly [extensions: string, bytes: Buffer])[] = [
    ['pdf ai', Buffer.from('%PDF-1.7')],
    ['pdf', Buffer.from(`${'x'.repeat(1_019)}%PDF-`)],
    ['png', bytes('89504e470d0a1a0a')],
    ['jpg jpe jpeg', bytes('ffd8ffe0')],
    ['gif', Buffer.from('GIF89a')],
    ['bmp', Buffer.from('BM')],
    ['tif tiff', bytes('49492a00')],
    ['psd', Buffer.from('8BPS')],
    ['indd', bytes('0606edf5d81d46e5bd31efe7fe74b71d')],
    ['eps ai', Buffer.from('%!PS-Adobe')],
    ['doc xls ppt pps pub', bytes('d0cf11e0a1b11ae1')],
    ['doc rtf', Buffer.from('{\\rtf1')],
    ['docx xlsx pptx odt ott ods odp pages numbers key epub zip pkpass', bytes('504b0304')],
    ['mobi', Buffer.from(`${'x'.repeat(60)}BOOKMOBI`)],
    ['mp3 flac', Buffer.from('ID3')],
    ['mp3', bytes('fffb')],
    ['m4a m4v mp4 mov', bytes('00000020', 'ftypM4A ')],
    ['mov', bytes('00000020', 'moov')],
    ['wma wmv', bytes('3026b2758e66cf11')],
    ['ogg', Buffer.from('OggS')],
    ['flac', Buffer.from('fLaC')],
    ['wav', bytes('52494646', '1234WAVE')],
    ['avi', bytes('52494646', '1234AVI ')],
    ['aif aiff aifc', Buffer.from('FORM1234AIFF')],
    ['mkv', bytes('1a45dfa3')],
    ['mpeg mpg', bytes('000001ba')],
    ['txt csv log css', Buffer.from('a,b\n1,2')],
    ['txt csv log css', empty],
    ['txt csv log css ics vcf svg', utf16],
    ['ics', Buffer.from('BEGIN:VCALENDAR\r\n')],
    ['vcf', Buffer.from('\ufeffBEGIN:VCARD\r\n')],
    ['svg', Buffer.from('<?xml version="1.0"?><svg/>')],
  ]
  const page = Buffer.from('\n<!-- sign in -->\n<!DOCTYPE html><html><body>Sign in')

  for (const type of ['application/octet-stream', 'binary/octet-stream']) {
    test(`${type} is accepted and becomes the usual type`, () => {
      for (const [extensions, first] of files) {
        for (const extension of extensions.split(' ')) {
          const [usual] = attachmentTypes.get(extension)!
          assert.deepEqual(checkContentType(type, extension, first), { content_type: usual }, extension)
        }
      }
      const tried = new Set(files.flatMap(([extensions]) => extensions.split(' ')))
      assert.deepEqual(
        [...attachmentTypes.keys()].filter((extension) => !tried.has(extension)),
        [],
      )
      assert.deepEqual([...fileSignatures.keys()].toSorted(), [...attachmentTypes.keys()].toSorted())
    })

    test(`${type} is refused when the file begins differently`, () => {
      for (const extension of attachmentTypes.keys()) {
        const refused = { refused: `it came as ${type}, and it does not begin like a .${extension}` }
        for (const other of [page, bytes('00'), bytes('4d5a9000')]) {
          assert.deepEqual(checkContentType(type, extension, other), refused, `${extension} ${other}`)
        }
      }
      assert.ok('refused' in checkContentType(type, 'pdf', Buffer.from(`${'x'.repeat(1_020)}%PDF-`)))
      assert.ok('refused' in checkContentType(type, 'pdf', empty))
    })
  }
})

/** The answers of the server, by the first word of the path; `size` is the second. */
const answers: Readonly<Record<string, (response: ServerResponse, size: number) => void>> = {
  sized: (response, size) => void pdf(response, { 'content-length': String(size) }).end('x'.repeat(size)),
  chunked: (response, size) => {
    pdf(response).write('x'.repeat(size - 1))
    response.end('x')
  },
  // Announces more bytes than it sends.
  long: (response, size) => {
    pdf(response, { 'content-length': String(size + 1) }).write('x'.repeat(size))
    setTimeout(() => response.destroy(), 20)
  },
  // Refused by its headers, before the body is read.
  announced: (response) => void pdf(response, { 'content-length': String(fileBytesMax + 1) }).flushHeaders(),
  silent: () => undefined,
  stalls: (response) => void pdf(response).write('x'),
  inwards: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/terms.pdf' }).end(),
  moved: (response) => void response.writeHead(302, { location: '/sized/5/moved' }).end(),
  untyped: (response) => void response.writeHead(200).end('x'),
  page: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in'),
  absent: (response) => void response.writeHead(404, { 'content-type': 'application/pdf' }).end('x'),
  broken: (response) => void response.writeHead(503).end(),
  leaves: (response) => void response.writeHead(503, { connection: 'close' }).end(),
}

function pdf(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/pdf', ...headers })
}

const scope = { workspace_id: 1, dispatch_id: 'd', bytesMax }
const file = (url: string, more: Partial<EmailAttachment> = {}): EmailAttachment => ({
  file_name: 'terms',
  url,
  ...more,
})

describe('a file is fetched', () => {
  let server: Served
  before(async () => {
    server = await serve((request: Seen, response) => {
      const [, word = '', size] = request.url!.split('/')
      answers[word]!(response, Number(size))
    })
  })
  after(() => server.close())

  /** Fetches the file at this path of the server. Paths that never answer get a short timeout. */
  async function attached(path: string, more: Partial<EmailAttachment> = {}, names: Names = {}) {
    const { fetch, close } = fetcherOf(`127.0.0.1:${server.port},files.example:${server.port}`, names)
    const hurried: typeof fetch = (url, request) =>
      fetch(url, /silent|stalls/.test(url) ? { ...request, timeoutMs: 300 } : request)
    const fetchAttachments = openAttachmentFetcher({
      fetcher: { fetch: hurried },
      clock: { elapsed: () => 0 },
      pausesMs: [1],
      findCredential: async (_, name) =>
        name === 'files' ? { user_name: 'easel', password: 'secret', origins: [server.url] } : undefined,
    })
    const url = path.startsWith('http') ? path : `${server.url}${path}`
    try {
      return await fetchAttachments([file(url, more)], scope)
    } finally {
      await close()
    }
  }

  for (const word of ['sized', 'chunked']) {
    test(`when it has two megabytes at most, ${word}`, async () => {
      for (const size of [fileBytesMax - 1, fileBytesMax]) {
        const got = await attached(`/${word}/${size}/terms.pdf`)
        assert.ok('files' in got, JSON.stringify(got))
        assert.deepEqual([got.files[0]!.filename, got.files[0]!.bytes.length, got.warnings], ['terms.pdf', size, []])
        assert.equal(got.files[0]!.content_type, 'application/pdf')
      }
      const failed = `attachments[0]: it has more than ${fileBytesMax} bytes`
      assert.deepEqual(await attached(`/${word}/${fileBytesMax + 1}/terms.pdf`), { failed })
    })
  }

  test('after a redirect, with the extension of the URL that was given', async () => {
    const got = await attached('/moved/terms.pdf')
    assert.ok('files' in got && got.files[0]!.bytes.length === 5)
  })

  test('with a credential at its own origin only', async () => {
    await attached('/sized/5/terms.pdf', { basic_auth_credential: 'files' })
    assert.equal(server.seen.at(-1)!.headers.authorization, `Basic ${Buffer.from('easel:secret').toString('base64')}`)
    const elsewhere = await attached('https://files.example/terms.pdf', { basic_auth_credential: 'files' })
    assert.deepEqual(elsewhere, { failed: 'attachments[0]: the credential "files" is not for https://files.example' })
    const unknown = await attached('/sized/5/terms.pdf', { basic_auth_credential: 'other' })
    assert.deepEqual(unknown, { failed: 'attachments[0]: there is no credential "other"' })
  })

  const refused: readonly [path: string, failed: RegExp][] = [
    ['/announced/0/terms.pdf', /^it has more than 2097152 bytes$/],
    ['/long/5/terms.pdf', /^it was not fetched: The host could not be reached \(/],
    ['/silent/0/terms.pdf', /^it was not fetched: There was no complete answer within 300 ms$/],
    ['/stalls/0/terms.pdf', /^it was not fetched: There was no complete answer within 300 ms$/],
    [
      '/inwards/0/terms.pdf',
      /^it was not fetched: 127\.0\.0\.1:1 must not be reached: only ports 80 and 443 .*; name host:port in EASEL_FETCH_ALLOW/,
    ],
    ['/untyped/0/terms.pdf', /^it came without a proper Content-Type$/],
    ['/page/0/terms.pdf', /^it is a web page \(text\/html\), not a \.pdf$/],
    ['/absent/0/terms.pdf', /^127\.0\.0\.1:\d+ answered with status 404$/],
    ['/broken/0/terms.pdf', /^127\.0\.0\.1:\d+ answered with status 503$/],
    ['/sized/5/terms.exe', /^its url must end in one of the extensions /],
    [
      'http://10.0.0.1/terms.pdf',
      /^it was not fetched: 10\.0\.0\.1 must not be reached: its address is not a public one$/,
    ],
    ['http://nowhere.example/terms.pdf', /^it was not fetched: The host is not known$/],
  ]
  for (const [path, failed] of refused) {
    test(`or refused: ${path}`, async () => {
      const got = await attached(path)
      assert.ok('failed' in got && got.failed.startsWith('attachments[0]: '), JSON.stringify(got).slice(0, 200))
      assert.match(got.failed.slice('attachments[0]: '.length), failed)
    })
  }

  test('or refused: a host name that resolves to another address at the second look-up', async () => {
    const names: Names = { 'rebinds.example': [['127.0.0.1'], ['10.0.0.1']] }
    const got = await attached(`http://rebinds.example:${server.port}/leaves/0/terms.pdf`, {}, names)
    assert.match(
      'failed' in got ? got.failed : '',
      /rebinds\.example:\d+ must not be reached: its address is not a public one$/,
    )
    assert.match(server.seen.at(-1)!.url!, /leaves/)
  })
})

describe('files of a dispatch', () => {
  /** Returns a fetcher of attachments over a fake `fetch`, which answers as `answer` says. */
  function open(answer: (count: number) => Partial<FetchResponse> | FetchError = () => ({})) {
    const requested: string[] = []
    const clock = { nowMs: 0, elapsed: () => clock.nowMs }
    const fetchAttachments = openAttachmentFetcher({
      clock,
      pausesMs: [],
      findCredential: async () => undefined,
      fetcher: {
        async fetch(url) {
          requested.push(url)
          const given = answer(requested.length)
          if (given instanceof FetchError) throw given
          const body = Buffer.from(`file ${requested.length}`)
          return { status: 200, headers: { 'content-type': 'application/pdf' }, body, url, ...given }
        },
      },
    })
    const fetch = (urls: readonly string[], dispatch_id = 'd') =>
      fetchAttachments(
        urls.map((url) => file(url)),
        { workspace_id: 1, dispatch_id, bytesMax },
      )
    return { requested, clock, fetch, fetchAttachments }
  }
  const [a, b] = ['https://a.co/a.pdf', 'https://a.co/b.pdf']

  test('are fetched once, also when many mails need them at the same time', async () => {
    const { requested, fetch } = open()
    const [first, second] = await Promise.all([fetch([a, b, a]), fetch([b])])
    assert.ok('files' in first && 'files' in second)
    assert.deepEqual(
      first.files.map(({ bytes }) => bytes.toString()),
      ['file 1', 'file 2', 'file 1'],
    )
    assert.equal(second.files[0]!.bytes, first.files[1]!.bytes)
    await fetch([a])
    assert.deepEqual(requested, [a, b])
    await fetch([a], 'another dispatch')
    assert.deepEqual(requested, [a, b, a])
  })

  test('that failed are fetched again after half a minute', async () => {
    const { requested, clock, fetch } = open((count) => (count < 3 ? new FetchError('timeout', 'late') : {}))
    const tried = () => fetch([b])
    assert.deepEqual(await tried(), { failed: 'attachments[0]: it was not fetched: late' })
    clock.nowMs = 29_999
    assert.ok('failed' in (await tried()))
    assert.equal(requested.length, 1)
    clock.nowMs = 30_000
    assert.ok('failed' in (await tried()))
    clock.nowMs = 60_000
    assert.ok('files' in (await tried()))
    clock.nowMs = 1e12
    assert.ok('files' in (await tried()))
    assert.equal(requested.length, 3)
  })

  test('leave the cache when it is full, the longest unused first', async () => {
    const body = Buffer.alloc(2_097_152)
    const { requested, fetch } = open(() => ({ body }))
    const urls = Array.from({ length: 32 }, (_, i) => `https://a.co/${i}.pdf`)
    for (const url of urls.slice(0, 31)) await fetch([url])
    await fetch([urls[0]!])
    assert.equal(requested.length, 31)
    await fetch([urls[31]!])
    await fetch([urls[0]!])
    assert.equal(requested.length, 32)
    await fetch([urls[1]!])
    assert.equal(requested.length, 33)
  })

  test('have at most the size of the setting together, and the reason names them', async () => {
    const urls = Array.from({ length: 14 }, (_, i) => `https://a.co/${i}.pdf`)
    for (const [more, fits] of [
      [-1, true],
      [0, true],
      [1, false],
    ] as const) {
      const sizes = [...urls.slice(1).map(() => 2_000_000), bytesMax - 26_000_000 + more]
      const { fetch } = open((count) => ({ body: Buffer.alloc(sizes[count - 1]!) }))
      const got = await fetch(urls)
      if (fits) assert.ok('files' in got && got.files.length === 14)
      else {
        const failed = `attachments: they have more than ${bytesMax} bytes together (settings.attachments_bytes_max): `
        assert.deepEqual(got, { failed: failed + urls.map(() => 'terms.pdf').join(', ') })
      }
    }
  })

  test('are not fetched any more when those that came are too large together', async () => {
    const urls = Array.from({ length: 50 }, (_, i) => `https://a.co/${i}.pdf`)
    const { fetch, requested } = open(() => ({ body: Buffer.alloc(fileBytesMax) }))
    assert.ok('failed' in (await fetch(urls)))
    assert.ok(requested.length <= 18, `${requested.length} files`)
  })

  test('fail the mail when one of them fails, and the reason names the file', async () => {
    const { fetch } = open((count) => (count === 2 ? { status: 410 } : {}))
    assert.deepEqual(await fetch([a, b]), { failed: 'attachments[1]: a.co answered with status 410' })
  })

  test('have a name that ends in the extension once', async () => {
    const { fetchAttachments } = open()
    const named = async (file_name: string, url = a) => {
      const got = await fetchAttachments([{ file_name, url }], scope)
      return 'files' in got ? got.files[0]!.filename : got.failed
    }
    assert.equal(await named('terms'), 'terms.pdf')
    assert.equal(await named('terms.PDF'), 'terms.pdf')
    assert.equal(await named('terms.v2', 'https://a.co/A.PDF?x=y.exe'), 'terms.v2.pdf')
    assert.equal(await named('../Übersicht'), 'Übersicht.pdf')
    assert.equal(await named('😀'.repeat(300)), `${'😀'.repeat(255)}.pdf`)
    assert.equal(await named('../'), 'attachments[0]: its file_name is empty')
  })
})
