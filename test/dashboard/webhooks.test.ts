import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
let page: Page

before(async () => {
  await dashboard.open()
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

test('a webhook is made, tested, paused, gets another secret and is deleted', async () => {
  await dashboard.visit('webhooks')
  await page.getByText('There are no webhooks').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('CRM')
  await dialog.getByRole('textbox', { name: 'Address' }).fill('ftp://crm.example.com')
  await dialog.getByRole('button', { name: 'Make the webhook' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/http or https/)
    .waitFor()
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://127.0.0.1/easel')
  await dialog.getByRole('checkbox', { name: /All events/ }).uncheck()
  assert.ok(await dialog.getByRole('button', { name: 'Make the webhook' }).getAttribute('aria-disabled'))
  await dialog.getByRole('checkbox', { name: /A person was deleted/ }).check()
  await dashboard.shot('webhook-new')
  await dialog.getByRole('button', { name: 'Make the webhook' }).click()
  const secret = await dialog.locator('[data-secret]').innerText()
  assert.match(secret, /^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /CRM/ })
  await row.getByText('A person was deleted').waitFor()
  assert.ok(!(await page.content()).includes(secret))
  await row.getByRole('button', { name: 'Requests CRM' }).click()
  await page.getByText('Nothing was sent yet').waitFor()
  await row.getByRole('button', { name: 'Test CRM' }).click()
  const attempts = page.getByRole('region', { name: 'Latest requests' })
  await attempts.getByText(/must not be reached/).waitFor()
  await dashboard.shot('webhooks')
  await row.getByRole('button', { name: 'Pause CRM' }).click()
  await row.getByText('Paused').waitFor()
  await row.getByRole('button', { name: 'New secret CRM' }).click()
  await dialog.getByRole('button', { name: 'Make a new secret' }).click()
  assert.notEqual(await dialog.locator('[data-secret]').innerText(), secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await row.getByRole('button', { name: 'Delete CRM' }).click()
  await dialog.getByLabel('Type "CRM" to confirm').fill('CRM')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no webhooks').waitFor()
  const { webhooks } = (await at.service.admin('GET', '/admin/webhooks')).body
  assert.deepEqual(webhooks, [])
})
