import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { readMailbox } from '../../src/messaging/mail/mailbox.ts'
import { plainName } from '../../src/messaging/mail/read-attachments.ts'
import { fromMailbox, readEmail } from '../../src/messaging/mail/read-email-object.ts'
import { headerMistake } from '../../src/messaging/mail/read-headers.ts'

const known = {
  settings: { bcc: ['Archive@shop.example'], extras_header: 'X-Extras', attachments_max: 50 },
  apps: new Set(['web']),
}
const without = { ...known, settings: { ...known.settings, bcc: [] } }
const least = { app_id: 'web', from: 'Shop <hello@shop.example>', body: '<p>Hello</p>' }
const file = { file_name: 'terms', url: 'https://shop.example/terms.pdf' }

/** Reads an e-mail object with these members. */
function read(more: object, workspace: typeof known | typeof without = known) {
  return readEmail({ ...least, ...more }, 'messages.email', workspace)
}

/** Returns the text of the refusal; undefined when the object is accepted. */
function refusal(value: unknown): string | undefined {
  try {
    readEmail(value, 'messages.email', known)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'invalid', String(error))
    return error.message
  }
}

/** Refusals relative to `messages.email.`. A text that begins with the whole path is compared unchanged. */
const refused: readonly [more: object, text: string][] = [
  [{ app_id: undefined }, 'app_id is required'],
  [{ app_id: 5 }, 'app_id must be a string'],
  [{ app_id: '' }, 'app_id is required'],
  [{ app_id: 'other' }, 'app_id must be the id of an app of this workspace'],
  [{ from: null }, 'from is required'],
  [{ from: ['Shop <a@b.co>'] }, 'from must be a string'],
  [{ from: 'Shop <a@b.co>\r\nBcc: x@y.co' }, 'from must be one line'],
  [{ from: 'Shop <a@b.co>\u0000' }, 'from must be text without NUL characters and half surrogate pairs'],
  [{ from: '{{ x' }, 'from contains malformed liquid at line 1, column 1: output "{{ x" not closed'],
  [{ from: `${'n'.repeat(990)} <a@b.co>` }, 'from must be at most 998 characters'],
  ...['Shop', 'a@b.co', '<a@b.co>', 'Shop <a@b>', 'Shop <a@b.co', 'Shop <a@b.co>, More <c@d.co>'].map(
    (from): [object, string] => [{ from }, 'from must be a valid address in the form Display Name <address>'],
  ),
  [{ reply_to: 'nobody' }, 'reply_to must be a valid address or NO_REPLY_TO'],
  [{ reply_to: '' }, 'reply_to must be a valid address or NO_REPLY_TO'],
  [{ reply_to: 'no_reply_to' }, 'reply_to must be a valid address or NO_REPLY_TO'],
  [{ reply_to: false }, 'reply_to must be a string'],
  [{ bcc: 'other@shop.example' }, 'bcc must be one of the BCC addresses of the workspace'],
  [{ bcc: ['archive@shop.example'] }, 'bcc must be a string'],
  [{ subject: 5 }, 'subject must be a string'],
  [{ subject: 'a\nb' }, 'subject must be one line'],
  [{ subject: 's'.repeat(1001) }, 'subject must be at most 1000 characters'],
  [{ subject: '{% if a %}' }, 'subject contains malformed liquid at line 1, column 1: tag {% if a %} not closed'],
  [{ body: null }, 'messages.email.body or messages.email.email_template_id is required'],
  [{ body: {} }, 'body must be a string'],
  [{ body: ' \n' }, 'body must not be empty'],
  [{ body: 'a\u0000' }, 'body must be text without NUL characters and half surrogate pairs'],
  [{ body: 'a\ud800' }, 'body must be text without NUL characters and half surrogate pairs'],
  [{ body: '<p>\n {{ a' }, 'body contains malformed liquid at line 2, column 2: output "{{ a" not closed'],
  [{ body: 'é'.repeat(524_289) }, 'body must be at most 1048576 bytes'],
  [{ plaintext_body: 5 }, 'plaintext_body must be a string'],
  [{ plaintext_body: 'x'.repeat(1_048_577) }, 'plaintext_body must be at most 1048576 bytes'],
  [
    { plaintext_body: '{% nothing %}' },
    'plaintext_body contains malformed liquid at line 1, column 1: tag "nothing" not found',
  ],
  [{ preheader: [] }, 'preheader must be a string'],
  [{ preheader: 'p'.repeat(1001) }, 'preheader must be at most 1000 characters'],
  [{ email_template_id: 5 }, 'email_template_id must be a string'],
  [{ body: undefined, email_template_id: '' }, 'messages.email.body or messages.email.email_template_id is required'],
  [{ message_variation_id: {} }, 'message_variation_id must be a string'],
  [{ should_inline_css: 'yes' }, 'should_inline_css must be true or false'],
  [{ should_inline_css: 1 }, 'should_inline_css must be true or false'],
  [{ extras: 'a' }, 'extras must be an object of texts, numbers or booleans'],
  [{ extras: [] }, 'extras must be an object of texts, numbers or booleans'],
  [{ extras: { a: {} } }, 'extras.a must be a text, a number or a boolean'],
  [{ extras: { a: [1] } }, 'extras.a must be a text, a number or a boolean'],
  [{ extras: { a: '{{' } }, 'extras.a contains malformed liquid at line 1, column 1: output "{{" not closed'],
  [{ extras: { '': 1 } }, 'each name in messages.email.extras must not be ""'],
  [{ extras: { ['n'.repeat(256)]: 1 } }, 'each name in messages.email.extras must be at most 255 characters'],
  [{ headers: [['A', 'b']] }, 'headers must be an object of texts'],
  [{ headers: { 'X-A': {} } }, 'headers.X-A must be a string'],
  [{ headers: { 'X-A': 'a\r\nBcc: b@c.co' } }, 'headers.X-A must be one line'],
  [{ headers: { 'X-A': 'a\u0007' } }, 'headers.X-A must have no line breaks or control characters'],
  [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a must be given once'],
  [{ headers: { 'x-extras': '1' } }, 'headers.x-extras must not be set: it is reserved'],
  ...['', 'X A', 'X-Ä', 'X:', 'X\n', 'x'.repeat(77)].map((name): [object, string] => [
    { headers: { [name]: '1' } },
    'each name in messages.email.headers must be a header name of 1 to 76 visible ASCII characters',
  ]),
  [{ attachments: file }, 'attachments must be an array of objects'],
  [{ attachments: ['a'] }, 'attachments[0] must be an object with file_name and url'],
  [{ attachments: [{ ...file, file_name: undefined }] }, 'attachments[0].file_name is required'],
  [{ attachments: [{ ...file, file_name: 5 }] }, 'attachments[0].file_name must be a string'],
  [{ attachments: [{ ...file, file_name: '../' }] }, 'attachments[0].file_name must be a name of a file'],
  [{ attachments: [file, { ...file, url: null }] }, 'attachments[1].url is required'],
  ...['terms.pdf', 'ftp://shop.example/a.pdf', 'javascript:a.pdf', 'https://'].map((url): [object, string] => [
    { attachments: [{ ...file, url }] },
    'attachments[0].url must be a URL that begins with http:// or https://',
  ]),
  [
    { attachments: [{ ...file, url: 'https://a:b@shop.example/a.pdf' }] },
    'attachments[0].url must not have credentials in it',
  ],
  [{ attachments: [{ ...file, basic_auth_credential: 5 }] }, 'attachments[0].basic_auth_credential must be a string'],
]

describe('an e-mail object is refused', () => {
  for (const [more, text] of refused) {
    test(`${JSON.stringify(more).slice(0, 70)}: ${text.slice(0, 100)}`, () => {
      const whole = refusal({ ...least, ...more })
      assert.ok(whole === `messages.email.${text}` || whole === text, String(whole))
    })
  }

  test('when it is not an object', () => {
    for (const value of [undefined, null, 'text', 5, true, [least]])
      assert.equal(refusal(value), 'messages.email must be an object')
  })

  test('with a header that Easel sets itself', () => {
    const names =
      'From To CC Bcc Sender Reply-To Subject Date Message-Id MIME-Version Content-Type content-x DKIM-Signature'
    const more = 'Received Return-Path List-Unsubscribe List-Unsubscribe-Post ARC-Seal Resent-To Authentication-Results'
    for (const name of [...names.split(' '), ...more.split(' '), '__proto__', 'constructor']) {
      const headers = JSON.parse(`{${JSON.stringify(name)}: "a"}`)
      assert.equal(refusal({ ...least, headers }), `messages.email.headers.${name} must not be set: it is reserved`)
    }
  })

  test('with a URL of an attachment whose path has none of the extensions', () => {
    for (const url of [
      'https://a.co/',
      'https://a.co/a.exe',
      'https://a.co/pdf',
      'https://a.co/a.pdf/b',
      'https://a.co/?a.pdf',
    ]) {
      assert.match(
        refusal({ ...least, attachments: [{ ...file, url }] })!,
        /^messages\.email\.attachments\[0\]\.url must end in one of the extensions ai, aif, .*, xlsx, zip$/,
      )
    }
  })
})

describe('an e-mail object is read', () => {
  test('with the required members, and nothing is added', () => {
    assert.deepEqual(read({}), { email: least, warnings: [], lost: [] })
  })

  test('with every member, where null is the same as absent', () => {
    const whole = {
      ...least,
      subject: 'Hello {{${first_name}}}',
      reply_to: 'Help <help@shop.example>',
      bcc: 'Archive@shop.example',
      plaintext_body: 'Hello',
      preheader: 'p'.repeat(60),
      email_template_id: 't',
      message_variation_id: 'v',
      extras: { order: 'o-1', count: 2, test: false },
      headers: { 'X-Campaign': 'spring', 'Auto-Submitted': '{{ x }}' },
      should_inline_css: true,
      attachments: [{ ...file, basic_auth_credential: 'files' }],
    }
    assert.deepEqual(readEmail(whole, 'messages.email', known), { email: whole, warnings: [], lost: [] })
    const nulls = Object.fromEntries(Object.keys(whole).map((name) => [name, null]))
    assert.deepEqual(read({ ...nulls, ...least }).email, least)
    assert.deepEqual(read({ message_variation_id: '', email_template_id: '' }).email, least)
  })

  test('without a body when it names a template', () => {
    const { email } = read({ body: undefined, email_template_id: 't' })
    assert.deepEqual(email, { app_id: least.app_id, from: least.from, email_template_id: 't' })
  })

  test('with NO_REPLY_TO as no reply address', () => {
    assert.equal(read({ reply_to: 'NO_REPLY_TO' }).email.reply_to, null)
    assert.equal(read({ reply_to: 'help@shop.example' }).email.reply_to, 'help@shop.example')
    assert.equal('reply_to' in read({}).email, false)
  })

  test('with booleans that are texts', () => {
    assert.equal(read({ should_inline_css: 'true' }).email.should_inline_css, true)
    assert.equal(read({ should_inline_css: 'false' }).email.should_inline_css, false)
  })

  test('with a bcc of the workspace in any case, and with none while the workspace has no list', () => {
    assert.equal(read({ bcc: 'archive@SHOP.example' }).email.bcc, 'Archive@shop.example')
    const { email, warnings, lost } = read({ bcc: 'anybody at all' }, without)
    assert.equal('bcc' in email, false)
    const reason = 'is not applied: the workspace has no BCC addresses'
    assert.deepEqual(warnings, [`messages.email.bcc ${reason}`])
    assert.deepEqual(lost, [{ member: 'messages.email.bcc', reason }])
  })

  test('with Liquid in every text for a person, which is checked when the mail is sent', () => {
    const more = {
      from: '{{custom_attribute.${clerk}}}',
      reply_to: '{{ a }}',
      subject: '{% if a %}\nHello\n{% endif %}',
      headers: { 'X-A': '{{ a }}' },
      attachments: [{ file_name: '{{ a }}', url: 'https://shop.example/{{ a }}' }],
    }
    assert.deepEqual(read(more), { email: { ...least, ...more }, warnings: [], lost: [] })
  })

  test('with numbers and booleans as headers', () => {
    assert.deepEqual(read({ headers: { 'X-A': 1, 'X-B': true, 'X-C': null } }).email.headers, {
      'X-A': '1',
      'X-B': 'true',
    })
  })

  test('with warnings about values that have no effect', () => {
    const warned = (more: object) => read(more).warnings.map((text) => text.replace(/^messages\.email\./, ''))
    assert.deepEqual(warned({ amp_body: 'a' }), ['messages.email has members that are not known here: "amp_body"'])
    assert.deepEqual(warned({ preheader: 'p'.repeat(49) }), ['preheader has 49 characters: 50 to 100 are recommended'])
    assert.deepEqual(warned({ preheader: 'p'.repeat(50) }), [])
    assert.deepEqual(warned({ preheader: 'p'.repeat(100) }), [])
    assert.deepEqual(warned({ preheader: 'p'.repeat(101) }), [
      'preheader has 101 characters: 50 to 100 are recommended',
    ])
    assert.deepEqual(warned({ body: 'b'.repeat(102_400) }), [])
    assert.match(warned({ body: 'b'.repeat(102_401) }).join(), /^body is longer than 102400 bytes/)
    for (const host of ['drive.google.com', 'www.dropbox.com', 'shop.sharepoint.com', '1drv.ms']) {
      const attachments = [{ file_name: 'a', url: `https://${host}/a.pdf` }]
      assert.match(warned({ attachments }).join(), /^attachments\[0\]\.url is a link to a file-sharing drive/)
    }
    assert.deepEqual(warned({ attachments: [{ ...file, url: 'https://notdropbox.com/a.pdf' }] }), [])
  })

  test('up to each limit, and refused above it', () => {
    const many = (count: number, of: (i: number) => [string, unknown]) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => of(i)))
    const limits: readonly [max: number, of: (size: number) => object][] = [
      [1000, (size) => ({ subject: '😀'.repeat(size) })],
      [1000, (size) => ({ preheader: 'p'.repeat(size) })],
      [1_048_576, (size) => ({ body: 'b'.repeat(size) })],
      [1_048_576, (size) => ({ plaintext_body: 'b'.repeat(size) })],
      [998, (size) => ({ from: `${'n'.repeat(size - 9)} <a@b.co>` })],
      [255, (size) => ({ message_variation_id: 'v'.repeat(size) })],
      [50, (size) => ({ headers: many(size, (i) => [`X-${i}`, 'a']) })],
      [76, (size) => ({ headers: { ['X'.repeat(size)]: 'a' } })],
      [998, (size) => ({ headers: { 'X-A': 'a'.repeat(size - 5) } })],
      [10_000, (size) => ({ extras: { a: 'a'.repeat(size - '{"a":""}'.length) } })],
      [255, (size) => ({ extras: { ['a'.repeat(size)]: 1 } })],
      [50, (size) => ({ attachments: Array(size).fill(file) })],
      [255, (size) => ({ attachments: [{ ...file, file_name: 'n'.repeat(size) }] })],
      [8192, (size) => ({ attachments: [{ ...file, url: `https://a.co/${'n'.repeat(size - 17)}.pdf` }] })],
    ]
    for (const [max, of] of limits) {
      for (const size of [max - 1, max]) assert.equal(refusal({ ...least, ...of(size) }), undefined)
      assert.ok(refusal({ ...least, ...of(max + 1) }), String(max))
    }
  })

  test('or refused with a 400, for any value', () => {
    const odd = [
      null,
      0,
      -1,
      1e300,
      true,
      '',
      'a',
      '\u0000',
      '\ud800',
      [],
      [[]],
      {},
      { a: {} },
      JSON.parse('{"__proto__":{"a":1}}'),
    ]
    for (const name of [...Object.keys(read({}).email), 'attachments', 'headers', 'extras', 'reply_to', 'bcc']) {
      for (const value of odd) {
        refusal({ ...least, [name]: value })
        refusal({
          ...least,
          attachments: [
            { ...file, file_name: value },
            { ...file, url: value },
          ],
        })
        refusal({ ...least, headers: { 'X-A': value }, extras: { a: value } })
      }
    }
  })
})

describe('a mailbox', () => {
  const mailboxes: readonly [text: string, name: string | undefined, address?: string][] = [
    ['Shop <hello@shop.example>', 'Shop', 'hello@shop.example'],
    ['  Shop  <hello@shop.example> ', 'Shop', 'hello@shop.example'],
    ['Shop, Inc. <a@b.co>', 'Shop, Inc.', 'a@b.co'],
    ['"Shop, \\"Inc.\\"" <a@b.co>', 'Shop, "Inc."', 'a@b.co'],
    ['"a@b" <a@b.co>', 'a@b', 'a@b.co'],
    ['Käse 🧀 <a@münchen.example>', 'Käse 🧀', 'a@xn--mnchen-3ya.example'],
    ['a@B.CO', '', 'a@b.co'],
    ['<a.b+c@b.co>', '', 'a.b+c@b.co'],
    [`${'l'.repeat(64)}@b.co`, '', `${'l'.repeat(64)}@b.co`],
    [`${'l'.repeat(65)}@b.co`, undefined],
    [`a@${'d'.repeat(63)}.co`, '', `a@${'d'.repeat(63)}.co`],
    [`a@${'d'.repeat(64)}.co`, undefined],
    [`a@${'d.'.repeat(125)}co`, '', `a@${'d.'.repeat(125)}co`],
    [`a@${'d.'.repeat(126)}co`, undefined],
    ...[
      ...[
        '',
        '@',
        'a@',
        '@b.co',
        'a@b',
        'a@b.',
        'a@.co',
        'a@b..co',
        '.a@b.co',
        'a.@b.co',
        'a..b@b.co',
        'ä@b.co',
        'a b@b.co',
      ],
      ...[
        '"a b"@b.co',
        'a@[1.2.3.4]',
        'a@1.2.3.4',
        'a@b.co:25',
        'a@b.co/x',
        'a@b_c.co',
        'a@-b.co',
        'a@b.123',
        'a@%62.co',
      ],
      ...[
        'A <a@b.co',
        'A a@b.co>',
        'A <<a@b.co>>',
        'A <b@b.co> <a@b.co>',
        'a@b.co, B <c@d.co>',
        'A <a@b.co>, B',
        'A "B" <a@b.co>',
      ],
      ...['A\r\n <a@b.co>', 'A\u0000 <a@b.co>', 'A\ud800 <a@b.co>', 'a@b.co (x)', 'G: a@b.co;', 'A <@x.co:a@b.co>'],
    ].map((text): [string, undefined] => [text, undefined]),
  ]
  for (const [text, name, address] of mailboxes) {
    test(`${JSON.stringify(text.slice(0, 60))} is ${name === undefined ? 'none' : 'one'}`, () => {
      const mailbox = readMailbox(text)
      assert.deepEqual([mailbox?.name, mailbox?.address], [name, address])
      assert.equal(mailbox?.domain, address?.split('@')[1])
    })
  }

  test('is valid as from only with a name', () => {
    const texts = ['A <a@b.co>', 'a@b.co', '"" <a@b.co>', 'nobody']
    const names = (from_name?: string) => texts.map((text) => fromMailbox(text, from_name)?.name)
    assert.deepEqual(names(), ['A', undefined, undefined, undefined])
    assert.deepEqual(names('Shop'), ['A', 'Shop', 'Shop', undefined])
  })
})

test('a header is checked again after its Liquid is rendered', () => {
  assert.equal(headerMistake('X-A', 'fine\tand ü'), undefined)
  assert.equal(headerMistake('X-A', 'a'.repeat(993)), undefined)
  assert.equal(headerMistake('X-A', 'a'.repeat(994)), 'must be at most 993 characters')
  assert.equal(headerMistake('X-A', 'a\nb'), 'must have no line breaks or control characters')
})

test('a file name has no path', () => {
  for (const [text, name] of [
    ['terms', 'terms'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\terms', 'terms'],
    ['.hidden', 'hidden'],
    [' a"b<c>d|e?f*g:h\u0000\u202e ', 'abcdefgh'],
    ['Preisübersicht 2026', 'Preisübersicht 2026'],
    ['a/', ''],
  ] as const)
    assert.equal(plainName(text), name)
})
