import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { long } from '../sizes.ts'
import { compose, styled } from '../support/composed-mails.ts'
import { openBrowser } from './browser.ts'

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const both = { opens: true, clicks: true }

/** What composing may do to a body, each of which must not be seen. */
const ways = {
  'as it is': [{}, {}],
  inlined: [{ inlineCss: true }, {}],
  'tracked, with a preheader': [{ preheader: 'Look inside' }, { tracking: both, isMarketing: true }],
  'with everything': [
    { inlineCss: true, preheader: 'Look inside' },
    { tracking: both, isMarketing: true },
  ],
} as const

/** One source goes every way; of the others the long run alone shows what a part of everything does. */
function waysOf(name: string) {
  return Object.entries(ways).filter(([how]) => long || name === 'newsletter' || how === 'with everything')
}

let browser: Browser
let page: Page

before(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.route('**/*', (route) => route.fulfill({ contentType: 'image/gif', body: gif }))
})

after(() => browser.close())

/** Taller than each of the sources: a page that has to grow for its picture is painted in another way. */
const height = 700

/** Under load the same page is now and then painted with other round edges; a mail that differs does so each time. */
const looksMax = 6

/** A page as a picture, how tall its content is, and the widths of its tracking pixels. */
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

/** Whether a mail comes out as one of the pictures of its source, of which there are more the longer it is looked for. */
async function compare(html: string, width: number, source: string, pictures: Buffer[]) {
  for (let looks = 1; ; looks++) {
    const seen = await look(html, width)
    const isLike = pictures.some((one) => one.equals(seen.picture))
    if (isLike || looks === looksMax) return { ...seen, isLike }
    pictures.push((await look(source, width)).picture)
  }
}

for (const [name, source] of Object.entries(styled)) {
  test(`${name}: the mail looks as its source does, in every pixel`, async () => {
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

test('a source that would look different without its styles is what these tests are made of', async () => {
  const { newsletter } = styled
  const bare = newsletter!.replace(/<style>[\s\S]*?<\/style>/, '')
  const { isLike } = await compare(bare, 640, newsletter!, [(await look(newsletter!, 640)).picture])
  assert.ok(!isLike)
})
