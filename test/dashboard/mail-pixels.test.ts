import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { compose, styled } from '../letters.ts'
import { long } from '../sizes.ts'
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

before(async () => {
  browser = await openBrowser()
})

after(() => browser.close())

/** Taller than each of the sources: a page that has to grow for its picture is painted in another way. */
const height = 700

/** The whole page as a picture, and how tall its content is. A picture that is as `wanted` is not taken again. */
async function look(page: Page, html: string, wanted?: Buffer): Promise<{ picture: Buffer; height: unknown }> {
  // Painted over something else, round edges come out a little different.
  await page.setContent('')
  await page.setContent(html, { waitUntil: 'load' })
  const tall = await page.evaluate('document.documentElement.scrollHeight + document.body.scrollHeight / 10000')
  // What is painted first is not always what stays.
  let picture: Buffer = await page.screenshot()
  for (let before = wanted ?? Buffer.alloc(0); !picture.equals(before); picture = await page.screenshot())
    before = picture
  return { picture, height: tall }
}

for (const [name, source] of Object.entries(styled)) {
  test(`${name}: the mail looks as its source does, in every pixel`, async () => {
    for (const width of source.includes('@media') ? [640, 400] : [640]) {
      await using page = await browser.newPage({ viewport: { width, height } })
      await page.route('**/*', (route) => route.fulfill({ contentType: 'image/gif', body: gif }))
      const wanted = await look(page, source)
      for (const [how, [letter, way]] of waysOf(name)) {
        const { html } = await PostalMime.parse((await compose({ ...letter, html: source }, way)).raw)
        const seen = await look(page, html!, long ? undefined : wanted.picture)
        assert.ok(seen.picture.equals(wanted.picture), `${how}, ${width} pixels wide: ${html}`)
        assert.equal(seen.height, wanted.height, how)
        const pixels = page.locator('body img[src^="https://mail.example.com/o/"]')
        const loaded = await pixels.evaluateAll((images) =>
          images.map((one) => 'naturalWidth' in one && one.naturalWidth),
        )
        assert.deepEqual(loaded, 'tracking' in way ? [1] : [], how)
      }
    }
  })
}

test('a source that would look different without its styles is what these tests are made of', async () => {
  await using page = await browser.newPage({ viewport: { width: 640, height } })
  const { newsletter } = styled
  const bare = await look(page, newsletter!.replace(/<style>[\s\S]*?<\/style>/, ''))
  assert.ok(!bare.picture.equals((await look(page, newsletter!)).picture))
})
