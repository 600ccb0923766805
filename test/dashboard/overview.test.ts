import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { apps, many } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const strange = 'שלום <b onmouseover=alert(1)>🦊</b>'

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const { at } = dashboard
const figure = (name: string) => page.locator('dl > div', { hasText: name }).getByRole('definition')
const chart = (name: RegExp) => page.getByRole('figure', { name })

test('a workspace in which nothing happened is well, and says so', async () => {
  await dashboard.visit('overview')
  await page.getByText('All is well.').waitFor()
  await page.getByText('Nothing is going out now.').waitFor()
  assert.equal(await figure('Requests').innerText(), '0')
  await dashboard.shot('overview-empty')
})

test('requests are seen in figures and in a chart that keys and a table explain', async () => {
  const attributes = many(30, (i) => ({ external_id: `ann-${i}`, email: `ann-${i}@example.com` }))
  assert.equal((await at.service.post('/users/track', { attributes })).status, 201)
  assert.equal((await at.service.post('/users/track', { attributes: 'none' })).status, 400)
  const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }
  const external_user_ids = attributes.map(({ external_id }) => external_id)
  assert.equal((await at.service.post('/messages/send', { external_user_ids, messages: { email } })).status, 201)
  await at.service.advance('PT1M')
  // The page asks again by itself.
  await figure('Requests').getByText('3', { exact: true }).waitFor()
  await figure('Messages sent').getByText('30', { exact: true }).waitFor()
  await page.getByText('POST /users/track').waitFor()
  const requests = chart(/^Requests a minute/)
  await requests.getByText('refused (4xx) 1').waitFor()
  await requests.focus()
  await page.keyboard.press('Home')
  await requests.getByText('refused (4xx) 0').waitFor()
  await page.keyboard.press('t')
  const rows = requests.getByRole('row')
  assert.equal(await rows.count(), 61)
  await dashboard.shot('overview-table')
  await page.keyboard.press('t')
  await requests.getByRole('table').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: '7 d' }).click()
  await chart(/^Requests every 3 h/).waitFor()
  await chart(/^Messages every 6 h/).waitFor()
  assert.equal(dashboard.path, '/dashboard/w/default/overview?hours=168')
  await page.goBack()
  await chart(/^Messages every 5 min/).waitFor()
})

test('what needs somebody leads to the page where it is decided', async () => {
  const overview = (await at.service.admin('GET', '/admin/overview')).body
  const path = '**/admin/overview*'
  await page.route(path, (route) =>
    route.fulfill({
      json: {
        ...overview,
        sentence: 'Four things need you.',
        is_well: false,
        people: { count: 1_200_000, is_estimate: true },
        attention: [
          { kind: 'mail_server', sentence: 'smtp://mail.example was not reached: refused.', id: null },
          { kind: 'failed_requests', sentence: 'One request was answered with an error of the server.', id: null },
          { kind: 'uncertain', sentence: 'One message was perhaps sent. Decide whether to send again.', id: null },
          { kind: 'paused_canvas', sentence: `The canvas "${strange}" is paused.`, id: 'c' },
        ],
      },
    }),
  )
  await dashboard.visit('overview')
  await page.getByText(`The canvas "${strange}" is paused.`).waitFor()
  assert.equal(await figure('People').innerText(), '~1,200,000')
  await dashboard.shot('overview-attention')
  await page.getByRole('link', { name: 'Decide' }).click()
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  assert.equal(dashboard.path, '/dashboard/w/default/messages?state=uncertain')
  await page.goBack()
  await page.getByRole('link', { name: 'See the requests' }).click()
  await page.getByRole('heading', { level: 1, name: 'API log' }).waitFor()
  assert.equal(dashboard.path, '/dashboard/w/default/api?status=5xx')
  await page.unroute(path)
})

test('an overview that cannot be read says why, and is read on demand', async () => {
  await page.goto('about:blank')
  const message = 'Something failed here'
  await dashboard.tryAgain('**/admin/overview*', { status: 500, message }, async () => {
    await dashboard.visit('overview')
    await page.getByText(message).waitFor()
    await dashboard.shot('overview-failed')
  })
  await page.getByText('All is well.').waitFor()
})

test('it is the first page of those who may see it', async () => {
  await page.goto(`${dashboard.url}/dashboard`)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await dashboard.goByKeys('p', 'People')
  await dashboard.goByKeys('o', 'Overview')
  assert.deepEqual(
    dashboard.complaints.filter((each) => !each.includes('500')),
    [],
  )
})

test('the page is accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([['overview', 'overview?hours=24', 'Busiest endpoints']])
})

test('without the permission there is no such page', async () => {
  await page.goto('about:blank')
  await dashboard.signIn({
    company: [],
    workspaces: [{ id: 'default', permissions: ['view_user_profile', 'view_pii'], sets: [], teams: [] }],
  })
  await dashboard.visit('overview')
  await page.getByText('You may not see Overview').waitFor()
  assert.equal(await page.getByRole('navigation', { name: 'Screens' }).getByText('Overview').count(), 0)
})
