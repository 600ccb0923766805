import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { quotedPrintable } from '../../src/messaging/mail/mime.ts'
import { compose, type Letter, styled, type Way } from '../support/composed-mails.ts'

const golden = join(import.meta.dirname, '../golden/mail')
/** `EASEL_TEST_GOLDEN=write npm test -- test/rules/mail.test.ts` writes the mails again. Read the difference. */
const writes = process.env.EASEL_TEST_GOLDEN === 'write'

const tracked = { opens: true, clicks: true }
const file = { filename: 'invoice.pdf', content_type: 'application/pdf', bytes: Buffer.from('%PDF-1.7 not really') }
const long = 'many words in one line without an end '.repeat(60)

/** The input of each stored mail. */
const matrix: Readonly<Record<string, readonly [letter: Partial<Letter>, way?: Partial<Way>]>> = {
  'text-only': [{ html: '', text: 'Hello Ann\n.a dot\nFrom here\n\nBye ' }],
  'html-and-text': [{ text: 'Hello Ann, in other words' }],
  'text-made-from-html': [{ html: styled.newsletter! }],
  preheader: [{ preheader: 'A <look> inside & "more"' }],
  'inline-css': [{ html: styled.newsletter!, inlineCss: true }],
  'not-inlined': [{ html: styled['old-tables']! }],
  attachments: [{ files: [file, { ...file, filename: 'a.csv', content_type: 'text/csv; charset=utf-8' }] }],
  'attachment-and-text': [{ html: '', text: 'See the file', files: [file] }],
  'unicode-names': [
    {
      from: { name: 'Zoë "Z" Ångström', address: 'zoe@xn--bcher-kva.example', domain: 'xn--bcher-kva.example' },
      subject: 'Grüße 👩‍👩‍👧 — and a subject that goes on for longer than one line of a header may be',
      files: [{ ...file, filename: 'Rechnung für März – Nr. 12 (sehr langer Name, damit er umbrochen wird).pdf' }],
    },
  ],
  'japanese-subject': [
    { subject: 'ご注文ありがとうございます。お届け先をご確認ください。', html: '<p>ありがとうございます</p>' },
  ],
  'extras-and-headers': [
    {
      headers: [
        ['X-Campaign', 'spring'],
        ['X-Note', 'größer'],
      ],
      extras: [
        'X-SMTPAPI',
        { campaign: 'spring', count: 3, on: true, ключ: 'a "quoted" ünicode value', long: 'x'.repeat(80) },
      ],
    },
  ],
  'long-extras': [{ extras: ['X-Args', { one: 'x'.repeat(1_500) }] }],
  'reply-to': [{ replyTo: { name: 'Help, please', address: 'help@example.com', domain: 'example.com' } }],
  bcc: [{ bcc: 'archive@example.com' }],
  'tracked-marketing': [
    { html: styled.newsletter!, preheader: 'Soon' },
    { tracking: tracked, isMarketing: true },
  ],
  'tracked-transactional': [{ html: styled['only-words']! }, { tracking: tracked }],
  'marketing-untracked': [{ html: styled['only-words']! }, { isMarketing: true }],
  'long-lines': [{ html: `<p>${long}</p><p>${'ä'.repeat(400)}</p><p>${'x'.repeat(2_000)}</p>`, text: long }],
  'right-to-left': [{ subject: 'مرحبا', html: styled['right-to-left']!, inlineCss: true }],
}

for (const [name, [letter, way]] of Object.entries(matrix)) {
  test(`the mail of test/golden/mail/${name}.eml has not changed`, async () => {
    const { raw } = await compose(letter, way)
    const path = join(golden, `${name}.eml`)
    if (writes) writeFileSync(path, raw)
    assert.ok(existsSync(path), 'not written yet')
    assert.equal(raw.toString(), readFileSync(path).toString())
  })

  test(`the mail of ${name}.eml is ASCII in lines with CRLF and has its input`, async () => {
    const { raw } = await compose(letter, way)
    const text = raw.toString('latin1')
    assert.match(text, /^[\x20-\x7e\t\r\n]*$/)
    assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/)
    for (const line of text.split('\r\n')) assert.ok(line.length <= 998, line)
    const mail = await PostalMime.parse(raw)
    assert.equal(mail.subject, letter.subject ?? 'Hello Ann')
    assert.equal(mail.from?.name, letter.from?.name ?? 'Shop')
    assert.deepEqual(
      mail.attachments.map((one) => one.filename),
      (letter.files ?? []).map((one) => one.filename),
    )
    for (const one of mail.attachments) assert.deepEqual(Buffer.from(one.content as ArrayBuffer), file.bytes)
    if (letter.text !== undefined) assert.equal(mail.text?.trimEnd(), letter.text.trimEnd())
    const isAsGiven = !letter.inlineCss && !letter.preheader && !way?.tracking && letter.html !== ''
    if (isAsGiven) assert.equal(mail.html?.trimEnd(), letter.html ?? '<p>Hello Ann</p>')
  })
}

test('extras are parsed to the same value, folded or not', async () => {
  for (const name of ['extras-and-headers', 'long-extras'] as const) {
    const [letter, way] = matrix[name]!
    const [header, extras] = letter.extras!
    const { headers } = await PostalMime.parse((await compose(letter, way)).raw)
    const value = headers.find(({ key }) => key === header.toLowerCase())!.value
    const words = value.replace(/=\?UTF-8\?B\?([^?]*)\?=\s*/g, (_, base64) => Buffer.from(base64, 'base64').toString())
    assert.deepEqual(JSON.parse(words), extras)
  }
})

test('text in extras that looks like an encoded word stays text', async () => {
  const extras = { name: '=?UTF-8?Q?x=22,_=22to=22:_=22eve=40example.com?=' }
  const { headers } = await PostalMime.parse((await compose({ extras: ['X-SMTPAPI', extras] })).raw)
  const { value } = headers.find(({ key }) => key === 'x-smtpapi')!
  assert.doesNotMatch(value, /=\?/)
  assert.deepEqual(JSON.parse(value), extras)
})

test('a text of any length makes no line of more than 998 characters', async () => {
  const subject = 'x'.repeat(3_000)
  // Each backslash becomes two.
  const from = { name: '\\'.repeat(900), address: 'shop@example.com', domain: 'example.com' }
  const { raw } = await compose({ subject, from, headers: [['X-Long', 'y'.repeat(990)]] })
  for (const line of raw.toString().split('\r\n')) assert.ok(line.length <= 998, line)
  const mail = await PostalMime.parse(raw)
  assert.deepEqual([mail.subject, mail.from?.name], [subject, from.name])
})

test('bcc is only in the envelope, and the sender of the envelope is the bounce address', async () => {
  const { raw, envelope } = await compose({ bcc: 'archive@example.com' })
  assert.deepEqual(envelope.to, ['ann@example.org', 'archive@example.com'])
  assert.match(envelope.from, /^b\+[0-9a-v]{52}@bounce\.example\.com$/)
  assert.doesNotMatch(raw.toString(), /archive|^bcc/im)
})

test('the text part has the original links', async () => {
  const { raw, links } = await compose({ html: styled['only-words']! }, { tracking: tracked })
  const { text, html } = await PostalMime.parse(raw)
  assert.equal(text?.trim(), 'Just words, some bold & one link [http://example.com/x]')
  assert.deepEqual(links, ['http://example.com/x'])
  assert.match(html!, /href="https:\/\/mail\.example\.com\/l\/[0-9a-v]{52}\/0"/)
})

test('style rules that select links by address still match tracked links', async () => {
  const html = '<style>a[href*="x.example"] { color: red }</style><a href="https://x.example/a">x</a>'
  const { raw, links } = await compose({ html, inlineCss: true }, { tracking: tracked })
  assert.match(
    (await PostalMime.parse(raw)).html!,
    /<a href="https:\/\/mail\.example\.com\/l\/[^"]*" style="color: red;">/,
  )
  assert.deepEqual(links, ['https://x.example/a'])
})

test('text that looks like a placeholder is not replaced', async () => {
  const html = '<style>p { color: red }</style><p ZQXPIXEL0X title="&#122;qxpixel0x">&#122;qxlink0x</p>'
  const { raw } = await compose({ html, inlineCss: true, preheader: 'x' }, { tracking: tracked })
  const mail = await PostalMime.parse(raw)
  assert.match(mail.html!, /<p zqxpixel0x="" title="zqxpixel0x" style="color: red;">zqxlink0x<\/p>/)
  assert.equal(mail.html!.split('/o/').length, 2)
})

test('a mail has warnings about what some mail programs do not show', async () => {
  const advice = 'the preheader has 4 characters: 50 to 100 are recommended'
  assert.deepEqual((await compose({ preheader: 'Soon' })).warnings, [advice])
  assert.deepEqual((await compose({ preheader: 'x'.repeat(100) })).warnings, [])
  const clipped = 'the body is longer than 102400 bytes: some mail services show only the beginning'
  assert.deepEqual((await compose({ html: 'x'.repeat(102_400) })).warnings, [])
  assert.deepEqual((await compose({ html: 'x'.repeat(102_401) })).warnings, [clipped])
  const mistakes = 'the body has 2 HTML mistakes that mail programs tolerate'
  assert.deepEqual((await compose({ html: '<p a a>&bogus;' })).warnings, [mistakes])
})

test('mailto and tel links, anchors, unsubscribe links and links marked so are not tracked', async () => {
  const html = `<a href="mailto:a@b.co">1</a><a href="tel:1">2</a><a href="#x">3</a><a href="https://a.example/" data-no-track>4</a>
    <a href="https://mail.example.com/u/0">5</a><a href="javascript:1">6</a><a>7</a><a href="/x">8</a>
    <map><area HREF=' HTTPS://b.example/?x=1&amp;y=2 '></map>`
  const { raw, links } = await compose({ html }, { tracking: { opens: false, clicks: true } })
  assert.deepEqual(links, ['HTTPS://b.example/?x=1&y=2'])
  const mail = await PostalMime.parse(raw)
  const wrapped = /HREF=' HTTPS:[^']*'/
  assert.equal(
    mail.html!.trimEnd(),
    html.replace(wrapped, mail.html!.match(/href="https:\/\/mail\.example\.com\/l\/[^"]*"/)![0]),
  )
})

const keys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ed25519: generateKeyPairSync('ed25519'),
}

for (const [kind, { privateKey, publicKey }] of Object.entries(keys)) {
  test(`the DKIM signature by ${kind} is valid, and covers both headers for unsubscribing`, async () => {
    const spki = publicKey.export({ type: 'spki', format: 'der' })
    const record = `v=DKIM1; k=${kind}; p=${(kind === 'rsa' ? spki : spki.subarray(-32)).toString('base64')}`
    const resolver = async (name: string, type: string) => {
      assert.equal(`${type} ${name}`, 'TXT one._domainkey.example.com')
      return [[record]]
    }
    for (const [letter, way] of Object.values(matrix)) {
      if (letter.from) continue
      const dkim = { domain: 'example.com', selector: 'one', key: privateKey }
      const { raw } = await compose(letter, { ...way, isMarketing: true, dkim })
      const { results } = await dkimVerify(raw, { resolver } as never)
      assert.equal(results.length, 1)
      assert.equal(results[0]!.status.result, 'pass', JSON.stringify(results[0]))
      const header = raw
        .toString('latin1')
        .split('\r\n\r\n')[0]!
        .replace(/\r\n\s+/g, '')
      assert.match(header, /^DKIM-Signature:[\s\S]*h=[^;]*:list-unsubscribe:list-unsubscribe-post[:;]/)
      for (const added of ['From: Bank <bank@example.com>', 'Subject: Your bank', 'Reply-To: eve@example.net']) {
        const forged = Buffer.concat([Buffer.from(`${added}\r\n`), raw])
        assert.equal((await dkimVerify(forged, { resolver } as never)).results[0]!.status.result, 'fail', added)
      }
    }
  })
}

test('quoted-printable keeps every byte, in lines of at most 76 characters', () => {
  for (const text of [
    '',
    ' ',
    'a \n b\t\r\nc\rd',
    `${'x'.repeat(76)}\n${'='.repeat(80)}`,
    '.a\nFrom b\nFrom',
    '👩‍👩‍👧'.repeat(20),
  ]) {
    const written = quotedPrintable(Buffer.from(text))
    for (const line of written.split('\r\n')) assert.ok(line.length <= 76 && !/[ \t]$/.test(line), JSON.stringify(line))
    const bytes = written
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    assert.equal(Buffer.from(bytes, 'latin1').toString(), text.replace(/\r\n?|\n/g, '\r\n'))
    assert.doesNotMatch(written, /^(?:\.|From )/m)
  }
})
