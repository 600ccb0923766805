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
  await at.service.admin('DELETE', '/admin/inbox')
})
after(() => dashboard.close())

test('a mail is read beside the inbox and on its page, and the inbox is emptied', async () => {
  await dashboard.visit('inbox')
  await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor()
  await page
    .getByText(/^Mails, .* are kept here and go to nobody/)
    .first()
    .waitFor()
  const user_name = at.newAddress()
  await at.account({ user_name })
  assert.equal((await at.ask(user_name)).status, 200)
  const row = page.getByRole('row', { name: new RegExp(user_name) })
  await row.waitFor()
  await dashboard.shot('inbox')
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  const panel = page.getByRole('complementary')
  await panel.getByRole('tab', { name: 'Text' }).click()
  await panel.getByRole('region', { name: 'Text of the mail' }).waitFor()
  assert.match(await panel.innerText(), /\/sign-in\/link\//)
  await panel.getByRole('tab', { name: 'Headers' }).click()
  assert.match(await panel.innerText(), /message-id/i)
  await panel.getByRole('tab', { name: 'Source' }).click()
  await panel.getByRole('region', { name: 'Source of the mail' }).getByText('Message-ID:').waitFor()
  await dashboard.shot('inbox-panel')
  await panel.getByRole('link', { name: 'Open as page' }).click()
  await page.waitForURL(/\/inbox\/\d+$/)
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('main').getByRole('link', { name: 'Inbox' }).waitFor()
  await page.getByRole('tab', { name: 'Source' }).waitFor()
  await dashboard.visit('inbox')
  await page.getByRole('button', { name: 'Empty' }).click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.getByRole('button', { name: 'Empty it' }).getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Type "inbox" to confirm').fill('inbox')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('an address is suppressed, found, taken back, and brought back by undo', async () => {
  await dashboard.visit('suppressions')
  await page.getByRole('heading', { name: 'No address is suppressed' }).waitFor()
  await page.getByRole('button', { name: 'Add addresses' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Addresses').fill('not an address')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Addresses').fill('bo@example.com\neve@example.com')
  await dialog.getByLabel('Why').fill('Asked by letter')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const bo = page.getByRole('row', { name: /bo@example\.com/ })
  await bo.waitFor()
  await page.getByRole('row', { name: /eve@example\.com.*Asked by letter/ }).waitFor()
  await dashboard.shot('suppressions')
  const [undone, back] = [dashboard.undoes(), dashboard.said(/^Taken back\.$/)]
  await bo.getByRole('button', { name: /Take back/ }).click()
  await undone
  await back
  await page.getByRole('row', { name: /bo@example\.com.*Asked by letter/ }).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill('EVE@example.com')
  await page.keyboard.press('Enter')
  await bo.waitFor({ state: 'detached' })
  assert.equal(await dashboard.rows.count(), 1)
  assert.deepEqual(
    dashboard.complaints.splice(0).filter((text) => !text.includes('400')),
    [],
  )
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const user_name = at.newAddress()
  await at.account({ user_name })
  await at.link(user_name)
  const { id } = (await at.mails(user_name))[0]!
  await dashboard.checkAccess([
    ['inbox', 'inbox', user_name],
    ['mail', `inbox/${id}`, 'Headers'],
    ['suppressions', 'suppressions', 'eve@example.com'],
  ])
})

test('a failing service and a missing permission are said where it happens', async () => {
  await dashboard.answerWith('**/admin/suppressions?*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('suppressions')
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await dashboard.rows.first().waitFor()
  await page.unroute('**/admin/suppressions?*')
  const workspaces = [{ id: 'default', permissions: ['view_user_profile', 'view_pii'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('suppressions')
  const button = page.getByRole('button', { name: /^Take back/ }).first()
  await button.waitFor()
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
  await dashboard.visit('inbox')
  await page.getByRole('heading', { name: 'You may not see Inbox' }).waitFor()
})
