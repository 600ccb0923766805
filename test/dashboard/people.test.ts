import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { wide } from './browser.ts'
import { Dashboard, fits, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
let page: Page

const long = 'x'.repeat(10_000)
const markup = '<img src=x onerror="document.title = 1"> & <b>bold</b>'

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' } })
  page = dashboard.page
  await track(Array.from({ length: 60 }, (_, i) => ({ external_id: `person-${i}`, email: `p${i}@example.com` })))
  await track([
    { external_id: 'markup', first_name: markup, plan: markup, notes: long, visits: 12_345 },
    {
      external_id: 'rtl',
      first_name: 'עדה',
      last_name: 'לאבלייס',
      email: 'rtl@example.com',
      email_subscribe: 'unsubscribed',
    },
    { external_id: 'ada', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', plan: 'gold' },
  ])
  const time = (await at.service.admin('GET', '/admin/clock')).body.now as string
  const events = Array.from({ length: 3 }, () => ({ external_id: 'ada', name: 'project_created', time }))
  await at.service.post('/users/track', { events })
})
after(() => dashboard.close())

async function track(attributes: readonly object[]): Promise<void> {
  for (let i = 0; i < attributes.length; i += 50) {
    const { status, text } = await at.service.post('/users/track', { attributes: attributes.slice(i, i + 50) })
    assert.equal(status, 201, text)
  }
}

test('a visitor without a session signs in and comes to the page that was wanted', async () => {
  const { user_name } = await at.account({ given_name: 'Grace' })
  await at.db.execute(`update account set permissions = permissions || '{"company": ["admin"]}'`)
  await page.goto(`${at.service.url}/dashboard/w/default/people?q=ada%40example.com`)
  await page.waitForURL(/\/sign-in\?next=/)
  dashboard.complaints.length = 0
  await page.getByLabel('E-mail address').fill(user_name)
  await page.keyboard.press('Enter')
  await page.getByText('a link is on its way').waitFor()
  const link = await mailedLink(user_name)
  await page.goto(at.service.url + link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/dashboard\//)
  assert.equal(dashboard.path, '/dashboard/w/default/people?q=ada%40example.com')
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  assert.equal(await dashboard.heading, 'People')
})

/** Waits until the list of people is drawn: until then the page before it stays, which may have rows as well. */
const isListed = () => page.getByRole('heading', { level: 1, name: 'People' }).waitFor()

async function mailedLink(user_name: string): Promise<string> {
  await at.until(async () => (await at.mails(user_name)).length > 0)
  return at.linkIn((await at.mails(user_name))[0]!.id)
}

test('a person is found by address and opened, with everything that is kept', async () => {
  await page.goto(`${at.service.url}/dashboard`)
  // The first page leads on by itself, perhaps after a click that came before.
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('link', { name: 'People' }).click()
  await page.waitForURL(/\/dashboard\/w\/default\/people$/)
  await isListed()
  await dashboard.rows.first().waitFor()
  assert.equal(await dashboard.rows.count(), 50)
  await dashboard.shot('people-light')
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  await page.getByRole('link', { name: 'person-0', exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Find a person' }).fill('ada@example.com')
  await page.keyboard.press('Enter')
  await page.getByText('One person has this address or id.').waitFor()
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.getByText('Subscribed to mail to ada@example.com.').waitFor()
  assert.equal(await dashboard.heading, 'Ada Lovelace')
  await page.getByText('Did project_created.').first().waitFor()
  await dashboard.shot('person-light')
  await page.getByRole('tab', { name: 'Timeline' }).press('ArrowRight')
  await page.getByRole('cell', { name: 'project_created' }).waitFor()
  await page.getByRole('tab', { name: 'Profile' }).press('ArrowLeft')
  // A key leads on from the tab that is drawn as the selected one.
  await page.getByRole('tab', { name: 'Timeline', selected: true }).press('ArrowLeft')
  await page.getByRole('tabpanel').getByText('"plan": "gold"').waitFor()
  assert.match(dashboard.path, /\?tab=json$/)
  assert.deepEqual(dashboard.complaints, [])
})

test('the keyboard alone finds a person, looks beside the list and copies the request', async () => {
  await dashboard.visit('people')
  await dashboard.rows.first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  const panel = page.getByRole('complementary')
  await panel.getByRole('heading', { level: 2 }).first().waitFor()
  assert.match(dashboard.path, /panel=person/)
  await panel.getByText('External id').waitFor()
  await dashboard.shot('panel-light')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  const copied = dashboard.said(/^Copied\. Put the admin token into ADMIN\.$/)
  await page.keyboard.press('.')
  await copied
  const command = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(
    command,
    /^curl 'http:\/\/127\.0\.0\.1:\d+\/admin\/people\/search\?workspace=default' \\\n {2}-H "Authoriz/,
  )
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do something' }).fill('p7@example.com')
  await page.getByRole('option', { name: /person-7/ }).waitFor()
  await dashboard.shot('palette-light')
  await page.keyboard.press('Enter')
  await page.getByText('Subscribed to mail to p7@example.com.').waitFor()
  await dashboard.goByKeys('p', 'People')
  await dashboard.rows.first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Nobody has this address or id' }).waitFor()
  await dashboard.shot('nobody-light')
  assert.deepEqual(dashboard.complaints, [])
})

test('markup, very long and right-to-left values stay text and do not break the frame', async () => {
  for (const viewport of [wide, narrow]) {
    await page.setViewportSize(viewport)
    for (const q of ['markup', 'rtl']) {
      await page.goto(`${at.service.url}/dashboard/w/default/people?q=${q}`)
      await page.locator('[data-row] a').first().click()
      await page.getByRole('tab', { name: 'Profile' }).click()
      await page.getByText('Custom attributes').waitFor()
      await dashboard.shot(`${q}-${viewport.width}`)
      assert.match(await page.title(), q === 'rtl' ? /עדה/ : /^<img/)
      await page.waitForFunction(fits)
    }
  }
  assert.deepEqual(dashboard.complaints, [])
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const { id } = (await at.service.admin('GET', '/admin/people/search?q=ada')).body.people[0]
  await dashboard.checkAccess([
    ['people', 'people', 'person-59'],
    ['person', `people/${id}`, 'project_created'],
    ['person-profile', `people/${id}?tab=profile`, 'Custom attributes'],
    ['nobody', 'people/nobody', 'There is no such person'],
  ])
})

test('the service away, busy and failing is said where it happens, and nothing else breaks', async () => {
  await dashboard.answerWith('**/admin/people/search*', ['away', { status: 500, message: 'Internal error' }])
  await dashboard.visit('people')
  await page.getByRole('heading', { name: 'Easel does not answer' }).waitFor()
  await dashboard.shot('away-light')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await dashboard.rows.first().waitFor()
  await page.unroute('**/admin/people/search*')
})

test('the clock bar moves the virtual clock, and a refusal keeps what was typed', async () => {
  await dashboard.visit('people')
  const bar = page.getByRole('note').filter({ hasText: 'The clock is virtual' })
  const before = (await at.service.admin('GET', '/admin/clock')).body.now as string
  const still = dashboard.said(/Nothing was due\.$/)
  await bar.getByRole('button', { name: '+ 1 hour' }).click()
  await still
  const moved = (await at.service.admin('GET', '/admin/clock')).body.now as string
  assert.equal(Date.parse(moved) - Date.parse(before), 3_600_000)
  await bar.getByRole('button', { name: 'To ...' }).click()
  const until = page.getByLabel('Until')
  await until.fill('yesterday')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await until.inputValue(), 'yesterday')
  await until.fill(new Date(Date.parse(moved) + 86_400_000).toISOString())
  await page.keyboard.press('Enter')
  await until.waitFor({ state: 'detached' })
  const last = (await at.service.admin('GET', '/admin/clock')).body.now as string
  assert.equal(Date.parse(last) - Date.parse(moved), 86_400_000)
})
