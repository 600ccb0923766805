import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { backendOf } from '../../src/base/db/backends.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
let page: Page
/** The demo takes seconds on a quiet machine. */
const loadMs = 300_000

before(async () => {
  await dashboard.open()
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const load = () => page.getByRole('button', { name: 'Load the demo' })

test('pages are accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([['welcome', 'welcome', 'What runs here']])
  assert.deepEqual(dashboard.complaints, [])
})

test('who may not make workspaces sees a disabled button that says why', async () => {
  // The permissions of every account change: an open page would be refused.
  await page.goto('about:blank')
  await dashboard.signIn({
    company: [],
    workspaces: [{ id: 'default', permissions: ['basic_access'], sets: [], teams: [] }],
  })
  await dashboard.visit('welcome')
  await load().waitFor()
  assert.equal(await load().getAttribute('aria-disabled'), 'true')
  assert.match((await load().getAttribute('title')) ?? '', /workspaces\.create/)
  await page.goto('about:blank')
  await dashboard.signIn({ company: ['admin'], workspaces: [] })
})

test('the first page of an empty workspace leads to the keys, and says when the first call has arrived', async () => {
  await page.goto(`${dashboard.url}/dashboard`)
  await page.getByRole('heading', { name: 'Welcome to Easel' }).waitFor()
  assert.equal(dashboard.path, '/dashboard/w/default/welcome')
  await page.getByText(backendOf(at.db).label).first().waitFor()
  const call = (await page.locator('pre').first().innerText()).replaceAll('\\\n', ' ')
  assert.ok(call.startsWith(`curl ${dashboard.url}/users/track`), call)
  const body = JSON.parse(/-d '(.*)'/s.exec(call)![1]!)
  await page.getByRole('link', { name: 'Go to the keys' }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Welcome to Easel' }).waitFor()
  assert.equal((await at.service.post('/users/track', body)).status, 201)
  await page.getByText('Your calls arrive: Ada is here.').waitFor()
  await dashboard.shot('welcome-arrived')
  await page.getByRole('link', { name: 'See the call in the API log' }).click()
  await page.getByText('/users/track').first().waitFor()
  await page.goto(`${dashboard.url}/dashboard/w/default`)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the demo is loaded after a failure, and leads to its workspace, whose pages are full', async () => {
  await dashboard.visit('welcome')
  await dashboard.answerWith('**/admin/demo', [{ status: 409, message: 'The demo is being loaded already.' }])
  await load().click()
  await page.getByText('The demo is being loaded already.').waitFor()
  await load().click()
  await page.getByRole('link', { name: 'Go to the demo' }).click({ timeout: loadMs })
  await page.waitForURL(/\/dashboard\/w\/demo/)
  await page.goto(`${dashboard.url}/dashboard/w/demo/people`)
  await dashboard.rows.nth(20).waitFor()
  await dashboard.shot('demo-people')
  await page.goto(`${dashboard.url}/dashboard/w/demo/people?q=customer-0008`)
  await dashboard.rows.first().getByRole('link').click()
  await page.getByText('Newsletter').first().waitFor()
  await dashboard.shot('demo-person')
  for (const [name, path, ready] of [
    ['work', 'work', ''],
    ['keys', 'keys', 'Web shop'],
    ['sends', 'sends', ''],
    ['inbox', 'inbox', 'We have not seen you for a while'],
    ['suppressions', 'suppressions', 'example'],
    ['audit', 'audit?action=workspace.demo', 'workspace.demo'],
  ] as const) {
    await page.goto(`${dashboard.url}/dashboard/w/demo/${path}`)
    await dashboard.rows.filter({ hasText: ready }).first().waitFor()
    await dashboard.shot(`demo-${name}`)
  }
})
