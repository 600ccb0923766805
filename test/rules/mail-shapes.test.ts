import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { decorateHtml, type HtmlDecoration, placeholder } from '../../src/messaging/mail/decorate-html.ts'
import { DecoratedBodies, fillPlaceholders } from '../../src/messaging/mail/decorated-bodies.ts'
import { loadMailLibraries, type MailLibraries } from '../../src/messaging/mail/mail-libraries.ts'
import { splitWords } from '../../src/messaging/mail/split-words.ts'
import { seed, sizes } from '../sizes.ts'
import { cachedCharactersMax, styled } from '../support/composed-mails.ts'

let tools: MailLibraries
before(async () => {
  tools = await loadMailLibraries()
})

const dressing: HtmlDecoration = {
  opens: true,
  clicks: true,
  preheader: true,
  inlineCss: true,
  text: true,
  ownUrl: 'https://mail.example.com/',
}

/** Composes a body without a cache of shapes. */
function alone(html: string, how: HtmlDecoration) {
  const dressed = decorateHtml(html, how, 'zqalone', tools)
  assert.ok(!('tooComplex' in dressed))
  const done = dressed.html.replace(/<!--(zqalone(?:pixel|preheader)0x)-->/g, '$1')
  return { html: done, text: dressed.text ?? '', links: dressed.links }
}

function shaped(html: string, how: HtmlDecoration, shapes: DecoratedBodies) {
  const fitted = shapes.decorate(html, how, tools)
  assert.ok(!('tooComplex' in fitted))
  const { body, words } = fitted
  const filling = {
    link: (n: number) => placeholder('zqalone', 'link', n),
    pixel: placeholder('zqalone', 'pixel'),
    preheader: placeholder('zqalone', 'preheader'),
  }
  const text = body.text ? fillPlaceholders(body.text, words, filling) : ''
  return {
    html: fillPlaceholders(body.html, words, filling),
    text,
    links: body.links.map((link) => fillPlaceholders(link, words, filling)),
  }
}

const words = fc.oneof(
  fc.constantFrom(
    'Ann',
    'Ann Mary',
    "O'Brien",
    'A & B',
    '&nbsp;',
    '&amp',
    '&copy',
    '<b>x</b>',
    '',
    ' ',
    '  two  ',
    'été 👩‍👩‍👧',
    '1 < 2',
    '"q"',
    '=',
    '\u00a0',
  ),
  fc.constantFrom(
    'a:b',
    'http://x.example',
    'a@b.co',
    '-->',
    '</style>',
    '<!--',
    "x' y",
    '{',
    '}',
    '\u200b',
    '\ufeff',
    'مرحبا',
    '&#8203;',
    'zqx',
    'zqxrun0x',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const around = fc.constantFrom(
  ...[
    '<p>',
    '</p>',
    '<p class="a">',
    '<a href="https://x.example/?a=1&amp;b=2">',
    '</a>',
    '<a href="http://x.example">',
    '<br>',
    ' ',
    '\n',
  ],
  ...[
    '<table><tr><td>',
    '</td></tr></table>',
    '<table>',
    '<tr>',
    '<li>',
    '<h1>',
    '</h1>',
    '<!-- a > b " -->',
    '<![if !mso]>',
    '<![endif]>',
  ],
  ...[
    '<style>p{color:red}',
    '.a,p:empty{margin:0} p::after{content:"',
    '</style>',
    '<title>',
    '</title>',
    '<textarea>',
    '</textarea>',
    '<script>',
  ],
  ...[
    '<img alt="',
    '">',
    "<p title='a > ",
    "'>",
    "<p x' y=\"it's > ",
    '" >',
    '<pre>',
    '</pre>',
    '<body class=b>',
    '</body>',
    '<select><option>',
    '<div hidden>',
  ],
  ...[
    '<svg><style>',
    '</svg>',
    '<template>',
    '<p style="color:',
    '"',
    // No link, because the text of a shape repeats a link without a scheme whose text is its own address.
    '<b title=',
    '>',
    '<frameset>',
    '<noscript>',
    '<plaintext>',
  ],
)
const template = fc.array(fc.oneof({ arbitrary: around, weight: 2 }, fc.constant('{}')), { maxLength: 14 })

test('a body of a known shape is composed like one of a new shape', () => {
  const property = fc.property(
    template,
    fc.array(words, { minLength: 6, maxLength: 6 }),
    fc.array(words, { minLength: 6, maxLength: 6 }),
    fc.boolean(),
    (pieces, first, second, inlineCss) => {
      const shapes = new DecoratedBodies(cachedCharactersMax)
      const how = { ...dressing, inlineCss }
      for (const values of [first, second, first]) {
        let n = 0
        const html = pieces.map((piece) => (piece === '{}' ? values[n++ % values.length] : piece)).join('')
        const { html: frameless, text, links } = shaped(html, how, shapes)
        const only = alone(html, how)
        assert.deepEqual({ html: frameless, text, links }, only, html)
      }
    },
  )
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})

test('bodies that differ only in words have the same shape', () => {
  const shapes = new DecoratedBodies(cachedCharactersMax)
  const frames = ['Ann', 'Zoë Ångström', 'Li'].map(
    (name) => splitWords(`<p title='x'>Dear ${name}, it's you &amp; me</p>`).frame,
  )
  assert.deepEqual(frames[1], frames[0])
  assert.deepEqual(frames[2], frames[0])
  for (const source of Object.values(styled)) {
    const fitted = shapes.decorate(source, dressing, tools)
    assert.ok('body' in fitted && fitted.words.length > 0)
    const again = shapes.decorate(source, dressing, tools)
    assert.ok('body' in again && again.body === fitted.body, 'the shape is cached')
  }
})

test('links that differ only in their query have the same shape, unless styles select by attributes', () => {
  const body = (name: string, css = '') =>
    `<style>p{margin:0}${css}</style><a href="https://x.example/p?utm=a&amp;uid=${name}&amp;v=1#top">Dear ${name}</a>`
  for (const [css, isShared] of [
    ['', true],
    ['[href*=a]{color:red}', false],
  ] as const) {
    const shapes = new DecoratedBodies(cachedCharactersMax)
    const [one, other] = ['ann', 'bob-2'].map((name) => shapes.decorate(body(name, css), dressing, tools))
    assert.ok(one && other && 'body' in one && 'body' in other)
    assert.equal(one.body === other.body, isShared)
    assert.deepEqual(shaped(body('bob-2', css), dressing, shapes), alone(body('bob-2', css), dressing))
    assert.deepEqual(shaped(body('bob-2', css), dressing, shapes).links, [
      'https://x.example/p?utm=a&uid=bob-2&v=1#top',
    ])
  }
})
