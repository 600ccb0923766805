import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { long } from '../sizes.ts'
import { compose, styled } from '../support/composed-mails.ts'
import { type LentBrowser, openBrowser } from './browser.ts'

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const both = { opens: true, clicks: true }

/** The changes that composing makes to a body. None of them may be visible. */
const ways = {
  unchanged: [{}, {}],
  inlined: [{ inlineCss: true }, {}],
  'tracked, with a preheader': [{ preheader: 'Look inside' }, { tracking: both, isMarketing: true }],
  'with everything': [
    { inlineCss: true, preheader: 'Look inside' },
    { tracking: both, isMarketing: true },
  ],
} as const

/** One source is tested with each change. The others are tested with all changes together, and in the long run also with each. */
function waysOf(name: string) {
  return Object.entries(ways).filter(([how]) => long || name === 'newsletter' || how === 'with everything')
}

let browser: LentBrowser
let page: Page

before(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
  await page.route('**/*', (route) => route.fulfill({ contentType: 'image/gif', body: gif }))
})

after(() => browser.close())

/** Taller than each source, because a page that has to grow for its picture is painted differently. */
const height = 700

/** Under load the same page is sometimes painted with other round edges. A mail that really differs does so every time. */
const looksMax = 6

/** Returns a page as a picture, the height of its content, and the widths of its tracking pixels. */
async function look(html: string, width: number) {
  await page.setViewportSize({ width, height })
  await page.setContent(html, { waitUntil: 'load' })
  const images = page.locator('body img[src^="https://mail.example.com/o/"]')
  return {
    height: await page.evaluate('document.documentElement.scrollHeight + document.body.scrollHeight / 10000'),
    pixels: await images.evaluateAll((all) => all.map((one) => 'naturalWidth' in one && one.naturalWidth)),
    picture: await page.screenshot(),
  }
}

/** Compares a mail with the pictures of its source. Each further attempt adds another picture of the source. */
async function compare(html: string, width: number, source: string, pictures: Buffer[]) {
  for (let looks = 1; ; looks++) {
    const seen = await look(html, width)
    const isLike = pictures.some((one) => one.equals(seen.picture))
    if (isLike || looks === looksMax) return { ...seen, isLike }
    pictures.push((await look(source, width)).picture)
  }
}

for (const [name, source] of Object.entries(styled)) {
  test(`${name}: the mail looks like its source, pixel by pixel`, async () => {
    for (const width of source.includes('@media') ? [640, 400] : [640]) {
      const wanted = await look(source, width)
      const pictures = [wanted.picture]
      for (const [how, [letter, way]] of waysOf(name)) {
        const { html } = await PostalMime.parse((await compose({ ...letter, html: source }, way)).raw)
        const seen = await compare(html!, width, source, pictures)
        assert.ok(seen.isLike, `${how}, ${width} pixels wide: ${html}`)
        assert.equal(seen.height, wanted.height, how)
        assert.deepEqual(seen.pixels, 'tracking' in way ? [1] : [], how)
      }
    }
  })
}

test('the test source looks different without its styles', async () => {
  const { newsletter } = styled
  const bare = newsletter!.replace(/<style>[\s\S]*?<\/style>/, '')
  const { isLike } = await compare(bare, 640, newsletter!, [(await look(newsletter!, 640)).picture])
  assert.ok(!isLike)
})
