import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Service, startService } from '../support/harness.ts'
import { type LentBrowser, openBrowser, watch, wide } from './browser.ts'

const narrow = { width: 360, height: 640 }

let service: Service
let browser: LentBrowser
let page: Page

before(async () => {
  // No dashboard is built there.
  service = await startService({ database: 'pglite', dashboardFolder: import.meta.dirname })
  browser = await openBrowser()
  page = await browser.newPage({ viewport: wide })
})

after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

for (const viewport of [narrow, wide]) {
  test(`the first page shows what runs and fits ${viewport.width} pixels`, async () => {
    await page.setViewportSize(viewport)
    const complaints = watch(page, service.url)
    await page.goto(`${service.url}/`)
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Easel')
    assert.equal(await page.getByText('embedded').count(), 1)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(overflow, 0, 'nothing is wider than the screen')
    assert.deepEqual(complaints, [])
  })
}

test('every link of the first page works', async () => {
  await page.goto(`${service.url}/`)
  const targets = await page.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
  assert.ok(targets.length >= 4)
  for (const target of targets) assert.equal((await fetch(new URL(target, page.url()))).status, 200, target)
})

test('the reference page loads nothing from elsewhere', async () => {
  const complaints = watch(page, service.url)
  await page.goto(`${service.url}/docs`)
  await page.getByText('/users/track/bulk').first().waitFor()
  assert.deepEqual(complaints, [])
})
