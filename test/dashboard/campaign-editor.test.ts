import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const region = (name: string): Locator => page.getByRole('region', { name, exact: true })

test('a campaign is made with two variants and a control group', async () => {
  await dashboard.visit('campaigns')
  await button('New campaign').first().click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await page.locator('[data-outcome="rendered"]').waitFor()
  await dashboard.shot('campaign-editor-new')
  await region('What it is').getByLabel('Name', { exact: true }).fill('Spring')
  await button('Add a variant').click()
  await region('Control group').getByLabel('Control group, in percent').fill('10')
  await dashboard.shot('campaign-editor')
  await page.setViewportSize({ width: 360, height: 3000 })
  await dashboard.shot('campaign-editor-360')
  await page.setViewportSize({ width: 800, height: 3000 })
  await dashboard.shot('campaign-editor-800')
  await page.setViewportSize({ width: 1280, height: 3000 })
  await page.getByLabel('When they do something').check()
  await page.getByLabel('At set times').check()
  await button('Add a conversion').click()
  await button('Add a comparison of a property').first().click()
  await button('Add an event that ends it').click()
  await region('Who gets it').getByLabel('Who gets it').selectOption('tree')
  assert.deepEqual(dashboard.complaints, [])
})
