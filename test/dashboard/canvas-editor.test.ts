import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
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

test('a canvas is begun from an example, which has no mistakes', async () => {
  await dashboard.visit('canvases')
  await page.getByRole('link', { name: 'New canvas' }).first().click()
  await page.getByRole('heading', { name: 'New canvas' }).waitFor()
  await dashboard.shot('canvas-new')
  await page.getByRole('button', { name: 'Begin with "Welcome series"' }).click()
  const picture = page.getByRole('region', { name: 'Picture' })
  const panel = page.getByRole('complementary')
  await picture.locator('[data-step="welcome"]').waitFor()
  await page.getByText('no mistakes').waitFor()
  await dashboard.shot('canvas-editor-starter')
  await picture.locator('[data-step="begun"]').click()
  await panel.getByLabel('Name of the path').waitFor()
  await dashboard.shot('canvas-editor-panel')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert.deepEqual(dashboard.complaints, [])
})
