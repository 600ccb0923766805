import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
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

test('the first track call appears in the log by itself, and is read with both bodies', async () => {
  await dashboard.visit('api')
  await page.getByRole('heading', { name: 'There are no requests yet' }).waitFor()
  await dashboard.shot('api-log-empty')
  const { headers } = await at.service.post('/users/track', {
    attributes: [{ external_id: 'ada', plan: 'gold', note: '<b>עדה</b>' }],
  })
  const row = page.getByRole('row', { name: /POST \/users\/track/ })
  await row.waitFor()
  assert.match(await row.innerText(), /201/)
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  const panel = page.getByRole('complementary')
  await panel.getByRole('region', { name: 'Body of the request' }).first().waitFor()
  assert.match(await panel.innerText(), /"plan": "gold"/)
  assert.match(await panel.innerText(), /<b>/)
  assert.match(await panel.innerText(), /authorization\s+\*\*\*/i)
  assert.match(await panel.innerText(), /"attributes_processed": 1/)
  await dashboard.shot('api-log-panel')
  await panel.getByRole('button', { name: 'Copy as curl' }).click()
  const command = /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/users\/track' \\\n {2}-H "Authorization: Bearer \$KEY"/
  await eventually('the command is copied', async () =>
    command.test(String(await page.evaluate('navigator.clipboard.readText()'))),
  )
  await panel.getByRole('link', { name: 'Open as page' }).click()
  await page.getByRole('link', { name: 'API log' }).first().waitFor()
  await page.getByText(String(headers['x-request-id'])).first().waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the log stands still while it is paused, and its filters are in the address', async () => {
  await dashboard.visit('api')
  await dashboard.rows.first().waitFor()
  const before = await dashboard.rows.count()
  await page.getByRole('button', { name: 'Pause' }).click()
  assert.equal((await at.service.post('/users/track', {})).status, 400)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('row', { name: /400/ }).waitFor()
  assert.equal(await dashboard.rows.count(), before + 1)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('2xx')
  await page.getByRole('row', { name: /400/ }).waitFor({ state: 'detached' })
  assert.match(dashboard.path, /\?status=2xx$/)
  await page.getByRole('textbox', { name: 'Path' }).fill('/nothing')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No kept request matches these filters' }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('row', { name: /400/ }).waitFor()
})

test('work without an effect is tried again when the people are there', async () => {
  const merge_updates = [
    { identifier_to_merge: { external_id: 'twin-1' }, identifier_to_keep: { external_id: 'twin-2' } },
  ]
  assert.equal((await at.service.post('/users/merge', { merge_updates })).status, 202)
  await at.until(async () => {
    return (await at.service.admin('GET', '/admin/work')).body.work[0]?.outcome === 'nobody_matched'
  })
  await dashboard.visit('work')
  const row = page.getByRole('row', { name: /Nobody has one of the identifiers/ })
  await row.waitFor()
  await dashboard.shot('work')
  const attributes = [{ external_id: 'twin-1' }, { external_id: 'twin-2' }]
  assert.equal((await at.service.post('/users/track', { attributes })).status, 201)
  await row.getByRole('button', { name: 'Try again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('cannot be taken back').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /The two people are one now/ }).waitFor()
  assert.deepEqual(dashboard.complaints.splice(0), [])
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const [{ id }] = (await at.service.admin('GET', '/admin/requests')).body.requests
  await dashboard.checkAccess([
    ['api-log', 'api', '/users/track'],
    ['api-request', `api/${id}`, 'Headers of the answer'],
    ['api-panel', `api?panel=request:${id}`, 'Headers of the answer'],
    ['work', 'work', 'The two people are one now'],
  ])
})

test('a failing service and a missing permission are said where it happens', async () => {
  await dashboard.tryAgain('**/admin/requests?*', { status: 500, message: 'Internal error' }, () =>
    dashboard.visit('api'),
  )
  await dashboard.rows.first().waitFor()
  await dashboard.visit('api/00000000-0000-4000-8000-000000000000')
  await page.getByText('This process has no request with this id').waitFor()
  const workspaces = [{ id: 'default', permissions: ['dev_console'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('api')
  await page.getByRole('heading', { name: 'You may not see API log' }).waitFor()
})
