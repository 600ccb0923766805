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

const hasFocus = (name: string) =>
  page.evaluate(`document.activeElement?.matches('a, button')
    && document.activeElement.textContent.includes(${JSON.stringify(name)})`)

/** Presses Tab until something with this text has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await hasFocus(name)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${name} is reached with Tab`)
}

test('a key is made and deleted with the keyboard alone, and its text is shown once', async () => {
  await dashboard.visit('keys')
  await dashboard.rows.first().waitFor()
  await tabTo('New key')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(/Record events and purchases/)
    .first()
    .waitFor()
  await dashboard.shot('key-new')
  assert.equal(await page.evaluate('document.activeElement?.maxLength'), 255)
  await page.keyboard.type('Web shop')
  await page.keyboard.press('Tab')
  const focusedLabel = () => page.evaluate('document.activeElement?.closest("label")?.textContent ?? ""')
  for (let i = 0; !String(await focusedLabel()).startsWith('users.trackRecord events'); i++) {
    assert.ok(i < 200, 'the permission is reached with Tab')
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press(' ')
  await dialog.getByRole('textbox', { name: 'Addresses' }).focus()
  await page.keyboard.type('nonsense')
  await tabTo('Make the key')
  await page.keyboard.press('Enter')
  await dialog
    .getByRole('alert')
    .getByText(/IP address/)
    .waitFor()
  await dialog.getByRole('textbox', { name: 'Addresses' }).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('127.0.0.1')
  await tabTo('Make the key')
  await page.keyboard.press('Enter')
  await dialog.getByText('The key "Web shop" is made').waitFor()
  const key = await dialog.locator('[data-secret]').innerText()
  await dashboard.shot('key-made')
  assert.match(key, /^easel_key_/)
  const answer = await at.service.post('/users/track', { attributes: [{ external_id: 'ada' }] }, { key })
  assert.equal(answer.status, 201)
  await tabTo('Done')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row', { name: /Web shop/ })
  await row.waitFor()
  assert.ok(!(await page.content()).includes(key))
  await row.getByRole('button', { name: 'Delete the key Web shop' }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Type "Web shop" to confirm').fill('Web')
  await page.keyboard.press('Enter')
  assert.equal(await dialog.count(), 1)
  await dialog.getByLabel('Type "Web shop" to confirm').fill('Web shop')
  await page.keyboard.press('Enter')
  await row.waitFor({ state: 'detached' })
  assert.equal((await at.service.post('/users/track', {}, { key })).status, 401)
  assert.deepEqual(
    dashboard.complaints.splice(0).filter((text) => !text.includes('400')),
    [],
  )
})

test('the audit shows who made and deleted the key, and a change with its values before and after', async () => {
  for (const time_zone of ['Asia/Tokyo', 'Europe/Paris']) {
    await at.service.admin('PATCH', '/admin/settings', { time_zone })
  }
  await dashboard.visit('audit')
  await page.getByRole('link', { name: 'key.delete' }).waitFor()
  await page.getByRole('link', { name: 'key.create' }).first().waitFor()
  await dashboard.shot('audit')
  await page.getByRole('link', { name: 'setting.update' }).first().focus()
  await page.keyboard.press(' ')
  const panel = page.getByRole('complementary')
  await panel.getByText('Europe/Paris').waitFor()
  assert.match(await panel.innerText(), /before\s+Asia\/Tokyo\s+after\s+Europe\/Paris/)
  await dashboard.shot('audit-panel')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'What' }).selectOption('access')
  await page.getByRole('link', { name: 'key.create' }).first().waitFor({ state: 'detached' })
  assert.match(dashboard.path, /\?kind=access$/)
  assert.deepEqual(dashboard.complaints, [])
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const [{ id }] = (await at.service.admin('GET', '/admin/audit')).body.audit
  await dashboard.checkAccess([
    ['keys', 'keys', 'Systems of your company'],
    ['audit', 'audit', 'key.create'],
    ['audit-entry', `audit/${id}`, 'Request id'],
  ])
})

test('who may only read keys sees disabled buttons that say why', async () => {
  const workspaces = [{ id: 'default', permissions: ['view_api_keys'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('keys')
  await dashboard.rows.first().waitFor()
  const button = page.getByRole('button', { name: 'New key' })
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
  assert.match(String(await button.getAttribute('title')), /api_keys\.edit/)
  await dashboard.visit('audit')
  await page.getByRole('heading', { name: 'You may not see Audit' }).waitFor()
  await dashboard.answerWith('**/admin/keys?*', ['away'])
  await dashboard.visit('keys')
  await page.getByRole('heading', { name: 'Easel does not answer' }).waitFor()
})
