import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  comparedDeclarationsMax,
  copiedStylesMax,
  inlinedCharactersMax,
  inliningMax,
  trackedLinkCharactersMax,
  trackedLinksMax,
} from '../../src/messaging/mail/decorate-html.ts'
import { elementsDeepMax, elementsMax, textSourceCharactersMax } from '../../src/messaging/mail/mail-libraries.ts'
import { bodyCharactersMax, elementAttributesMax } from '../../src/messaging/mail/parse-html.ts'
import { type ComposedMail, tryCompose } from '../support/composed-mails.ts'

const tracking = { opens: true, clicks: true }

/** Composes a mail of a body. Returns the mail, or the reason of the refusal. */
function made(html: string, inlineCss = false): Promise<string | ComposedMail> {
  return tryCompose({ html, inlineCss, preheader: 'x'.repeat(60) }, { tracking })
}

async function warningsOf(html: string, inlineCss = false): Promise<readonly string[]> {
  const mail = await made(html, inlineCss)
  assert.ok(typeof mail !== 'string', 'the body was refused')
  return mail.warnings.filter((warning) => !/HTML mistakes|bytes/.test(warning))
}

const link = '<a href="https://x.example/">x</a>'
const pairs = (n: number, piece: (i: number) => string) => Array.from({ length: n }, (_, i) => piece(i)).join('')
/** `html`, `head` and `body` count as elements too. */
const given = 3

test('a body at its limits is accepted, and one above them is refused', async () => {
  const table: readonly (readonly [max: number, of: (n: number) => string, sentence: string])[] = [
    [elementsMax - given, (n) => '<br>'.repeat(n), `has more than ${elementsMax} elements`],
    [elementsDeepMax - 2, (n) => '<div>'.repeat(n), `has elements more than ${elementsDeepMax} deep`],
    [
      elementAttributesMax,
      (n) => `<p ${Array.from({ length: n }, (_, i) => `a${i}`).join(' ')}>x`,
      `has more than ${elementAttributesMax} attributes in one element`,
    ],
    [bodyCharactersMax, (n) => 'x'.repeat(n), `has more than ${bodyCharactersMax} characters`],
  ]
  for (const [max, of, sentence] of table) {
    for (const n of [max - 1, max]) assert.notEqual(typeof (await made(of(n))), 'string', `${n} of ${sentence}`)
    assert.equal(await made(of(max + 1)), sentence)
  }
})

test('links above the limits are sent without tracking, with a warning', async () => {
  assert.deepEqual(await warningsOf(link.repeat(trackedLinksMax - 1)), [])
  assert.deepEqual(await warningsOf(link.repeat(trackedLinksMax)), [])
  const [warning] = await warningsOf(link.repeat(trackedLinksMax + 1))
  assert.match(warning!, /^1 links are not counted/)
  const long = (n: number) => `<a href="${'https://x.example/'.padEnd(n, 'x')}">x</a>`
  assert.deepEqual(await warningsOf(long(trackedLinkCharactersMax)), [])
  assert.equal((await warningsOf(long(trackedLinkCharactersMax + 1))).length, 1)
})

test('styles that would take too long to inline are not inlined', async () => {
  const body = (rules: number) => `<style>${'p{}'.repeat(rules)}</style>${'<p>x'.repeat(996)}`
  // With the elements that the composer adds, the body has a thousand elements.
  assert.deepEqual(await warningsOf(body(inliningMax / 1_000), true), [])
  const over = await made(body(inliningMax / 1_000 + 1), true)
  assert.ok(typeof over !== 'string' && over.raw.includes('p{}p{}'))
  assert.match(over.warnings.join(), /styles were not inlined: 4001 selectors and declarations for 1000 elements/)
})

test('styles that would be compared too often, copied too often or make a body too long are not inlined', async () => {
  const ignored = /text part/
  const warnings = async (html: string) => (await warningsOf(html, true)).filter((warning) => !ignored.test(warning))
  // Each part between `{`, `}` and `;` counts: 1,000 of them with 999 different beginnings.
  const many = (elements: number) =>
    `<style>u{${pairs(997, (i) => `--a${i}:1;`)}}</style>${'<p>x'.repeat(elements - given - 1)}`
  const elements = Math.floor(comparedDeclarationsMax / (1_000 * 999))
  for (const n of [elements - 1, elements]) assert.deepEqual(await warnings(many(n)), [])
  assert.match(String(await warnings(many(elements + 1))), /998 selectors and declarations for 401 elements/)

  const long = (characters: number) =>
    `<style>${'u{--a:}'.padEnd(characters, ' ')}</style>${'<p>x'.repeat(1_000 - given - 1)}`
  for (const by of [-1, 0]) assert.deepEqual(await warnings(long(copiedStylesMax / 1_000 + by)), [])
  assert.match(
    String(await warnings(long(copiedStylesMax / 1_000 + 1))),
    /48001 characters of styles for 1000 elements/,
  )

  const copied = (filler: number) =>
    `<style>i{background:url("${'x'.repeat(9_000)}")}</style>${'<i></i>'.repeat(450)}${"'".repeat(filler)}`
  const [length] = /\d+(?= characters)/.exec(String(await warnings(copied(200_000)))) ?? []
  const most = 200_000 - (Number(length) - inlinedCharactersMax)
  for (const n of [most - 1, most]) assert.deepEqual(await warnings(copied(n)), [])
  assert.match(String(await warnings(copied(most + 1))), /the body would have 4194305 characters/)
})

test('the text part of a very long body has its beginning only', async () => {
  const body = (n: number) => 'x'.repeat(n)
  assert.deepEqual(await warningsOf(body(textSourceCharactersMax)), [])
  assert.equal((await warningsOf(body(textSourceCharactersMax + 1))).length, 1)
})

/** Bodies at the limit of size or above, which are slow to process. */
const hostile: Readonly<Record<string, string>> = {
  'ten megabytes of nested elements': '<div>'.repeat(2_000_000),
  'a million links': link.repeat(1_000_000),
  'formatting elements that are reopened again and again': pairs(40_000, (i) => `<b x${i}><p></b>`),
  'less-than signs without end': '<'.repeat(bodyCharactersMax),
  'quotes that never match': `<a "'`.repeat(200_000),
  'comments in comments': '<!--'.repeat(250_000),
  'rows outside tables': '<tr>'.repeat(100_000),
  'preformatted lines': `<pre>${'x\n'.repeat(150_000)}`,
  'rules that match everything': `<style>${pairs(190, (i) => `* * * * * * .a${i} > * ~ *{color:red}`)}</style>${'<i>x</i>'.repeat(9_000)}`,
  'declarations without end': `<style>i{${'--x:1;'.repeat(100_000)}}</style>${'<i>x</i>'.repeat(2_000)}`,
  'attributes without end': `<p ${pairs(100_000, (i) => `a${i}`)}>`,
  'declarations of a thousand properties': `<style>i{${pairs(1_000, (i) => `--a${i}:1;`)}}</style>${'<i>x</i>'.repeat(3_900)}`,
  'a long declaration for many elements': `<style>i{--a:${'x'.repeat(50_000)}}</style>${'<i>x</i>'.repeat(19_000)}`,
  'a hundred thousand comments': '<!--a-->b '.repeat(100_000),
}

for (const [name, html] of Object.entries(hostile)) {
  test(`${name}: the composer ends soon`, { timeout: 30_000 }, async () => {
    const mail = await made(html, true)
    assert.ok(typeof mail === 'string' || mail.warnings.length > 0 || mail.raw.length < 3 * bodyCharactersMax)
  })
}
