import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type ComposedMail, composeMail } from '../../src/messaging/mail/compose-mail.ts'
import { inliningMax, trackedLinkCharactersMax, trackedLinksMax } from '../../src/messaging/mail/decorate-html.ts'
import { DecoratedBodies } from '../../src/messaging/mail/decorated-bodies.ts'
import {
  elementsDeepMax,
  elementsMax,
  loadMailLibraries,
  type MailLibraries,
  textSourceCharactersMax,
} from '../../src/messaging/mail/mail-libraries.ts'
import { bodyCharactersMax, elementAttributesMax } from '../../src/messaging/mail/parse-html.ts'
import { letter, way } from '../support/composed-mails.ts'

let tools: MailLibraries
before(async () => {
  tools = await loadMailLibraries()
})

const tracking = { opens: true, clicks: true }

/** Composes a mail of a body. Returns the mail, or the reason of the refusal. */
function made(html: string, inlineCss = false): string | ComposedMail {
  const mail = composeMail(
    letter({ html, inlineCss, preheader: 'x'.repeat(60) }),
    way({ tracking }),
    new DecoratedBodies(),
    tools,
  )
  return 'tooComplex' in mail ? mail.tooComplex : mail
}

function warningsOf(html: string, inlineCss = false): readonly string[] {
  const mail = made(html, inlineCss)
  assert.ok(typeof mail !== 'string', 'the body was refused')
  return mail.warnings.filter((warning) => !/HTML mistakes|bytes/.test(warning))
}

const link = '<a href="https://x.example/">x</a>'
/** `html`, `head` and `body` count as elements too. */
const given = 3

test('a body at its limits is accepted, and one above them is refused', () => {
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
    for (const n of [max - 1, max]) assert.notEqual(typeof made(of(n)), 'string', `${n} of ${sentence}`)
    assert.equal(made(of(max + 1)), sentence)
  }
})

test('links above the limits are sent without tracking, with a warning', () => {
  assert.deepEqual(warningsOf(link.repeat(trackedLinksMax - 1)), [])
  assert.deepEqual(warningsOf(link.repeat(trackedLinksMax)), [])
  const [warning] = warningsOf(link.repeat(trackedLinksMax + 1))
  assert.match(warning!, /^1 links are not counted/)
  const long = (n: number) => `<a href="${'https://x.example/'.padEnd(n, 'x')}">x</a>`
  assert.deepEqual(warningsOf(long(trackedLinkCharactersMax)), [])
  assert.equal(warningsOf(long(trackedLinkCharactersMax + 1)).length, 1)
})

test('styles that would take too long to inline are not inlined', () => {
  const body = (rules: number) => `<style>${'p{}'.repeat(rules)}</style>${'<p>x'.repeat(996)}`
  // With the elements that the composer adds, the body has a thousand elements.
  assert.deepEqual(warningsOf(body(inliningMax / 1_000), true), [])
  const over = made(body(inliningMax / 1_000 + 1), true)
  assert.ok(typeof over !== 'string' && over.raw.includes('p{}p{}'))
  assert.match(over.warnings.join(), /styles were not inlined: 4001 selectors and declarations for 1000 elements/)
})

test('the text part of a very long body has its beginning only', () => {
  const body = (n: number) => 'x'.repeat(n)
  assert.deepEqual(warningsOf(body(textSourceCharactersMax)), [])
  assert.equal(warningsOf(body(textSourceCharactersMax + 1)).length, 1)
})

const pairs = (n: number, piece: (i: number) => string) => Array.from({ length: n }, (_, i) => piece(i)).join('')

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
}

for (const [name, html] of Object.entries(hostile)) {
  test(`${name}: the composer ends soon`, { timeout: 30_000 }, () => {
    const mail = made(html, true)
    assert.ok(typeof mail === 'string' || mail.warnings.length > 0 || mail.raw.length < 3 * bodyCharactersMax)
  })
}
