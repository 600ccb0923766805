import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'
import { Signing } from '../support/sign-in.ts'
import { openBrowser, watch, wide } from './browser.ts'

const root = join(import.meta.dirname, '../..')
// The policy of the page forbids foreign scripts, but not those of the browser's own tools.
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const narrow = { width: 360, height: 640 }
const pictures = process.env.EASEL_TEST_PICTURES

const at = new Signing()
let browser: Browser
let page: Page
let complaints: string[]

const long = 'x'.repeat(10_000)
const markup = '<img src=x onerror="document.title = 1"> & <b>bold</b>'

before(async () => {
  const lines: string[] = []
  assert.ok(await prepareDashboard(root, process.execPath, (line: string) => lines.push(line)), lines.join('\n'))
  await at.start({ database: 'pglite', env: { EASEL_CLOCK: 'virtual' } })
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
  browser = await openBrowser()
  const context = await browser.newContext({ viewport: wide, colorScheme: 'light' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: at.service.url })
  page = await context.newPage()
  page.setDefaultTimeout(60_000)
  complaints = watch(page, at.service.url)
})
after(async () => {
  await browser.close()
  await at.stop()
})

async function track(attributes: readonly object[]): Promise<void> {
  for (let i = 0; i < attributes.length; i += 50) {
    const { status, text } = await at.service.post('/users/track', { attributes: attributes.slice(i, i + 50) })
    assert.equal(status, 201, text)
  }
}

const heading = () => page.getByRole('heading', { level: 1 }).innerText()
const rows = () => page.locator('[data-row]')
const path = () => new URL(page.url()).pathname + new URL(page.url()).search

async function shot(name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${pictures}/dashboard-${name}.png` })
}

/** Fails on what the accessibility check finds serious, and on a page that is wider than the screen. */
async function checkAccess(name: string): Promise<void> {
  await page.evaluate(axe)
  const faults = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => [
    ...violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ' ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')),
    ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['wider than the screen'] : []),
  ])`)
  assert.deepEqual(faults, [], name)
}

test('a visitor without a session signs in and comes to the page that was wanted', async () => {
  const { user_name } = await at.account({ given_name: 'Grace' })
  await at.db.execute(`update account set permissions = permissions || '{"company": ["admin"]}'`)
  await page.goto(`${at.service.url}/dashboard/w/default/people?q=ada%40example.com`)
  await page.waitForURL(/\/sign-in\?next=/)
  complaints.length = 0
  await page.getByLabel('E-mail address').fill(user_name)
  await page.keyboard.press('Enter')
  await page.getByText('a link is on its way').waitFor()
  const link = await mailedLink(user_name)
  await page.goto(at.service.url + link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/dashboard\//)
  assert.equal(path(), '/dashboard/w/default/people?q=ada%40example.com')
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  assert.equal(await heading(), 'People')
})

async function mailedLink(user_name: string): Promise<string> {
  await at.until(async () => (await at.mails(user_name)).length > 0)
  return at.linkIn((await at.mails(user_name))[0]!.id)
}

test('a person is found by address and opened, with everything that is kept', async () => {
  await page.goto(`${at.service.url}/dashboard`)
  await page.waitForURL(/\/dashboard\/w\/default\/people$/)
  await rows().first().waitFor()
  assert.equal(await rows().count(), 50)
  await shot('people-light')
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  await page.getByRole('link', { name: 'person-0', exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Find a person' }).fill('ada@example.com')
  await page.keyboard.press('Enter')
  await page.getByText('One person has this address or id.').waitFor()
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.getByText('Subscribed to mail to ada@example.com.').waitFor()
  assert.equal(await heading(), 'Ada Lovelace')
  await page.getByRole('cell', { name: 'project_created' }).waitFor()
  await shot('person-light')
  await page.getByRole('tab', { name: 'Profile' }).press('ArrowRight')
  assert.match(await page.getByRole('tabpanel').innerText(), /"plan": "gold"/)
  assert.match(path(), /\?tab=json$/)
  assert.deepEqual(complaints, [])
})

test('the keyboard alone finds a person, looks beside the list and copies the request', async () => {
  await page.goto(`${at.service.url}/dashboard/w/default/people`)
  await rows().first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  const panel = page.getByRole('complementary')
  await panel.getByRole('heading', { level: 2 }).first().waitFor()
  assert.match(path(), /panel=person/)
  await panel.getByText('External id').waitFor()
  await shot('panel-light')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.keyboard.press('.')
  await page.getByText('Copied. Put the admin token into ADMIN.').waitFor()
  const command = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(
    command,
    /^curl 'http:\/\/127\.0\.0\.1:\d+\/admin\/people\/search\?workspace=default' \\\n {2}-H "Authoriz/,
  )
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do something' }).fill('p7@example.com')
  await page.getByRole('option', { name: /person-7/ }).waitFor()
  await shot('palette-light')
  await page.keyboard.press('Enter')
  await page.getByText('Subscribed to mail to p7@example.com.').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await rows().first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Nobody has this address or id' }).waitFor()
  await shot('nobody-light')
  assert.deepEqual(complaints, [])
})

test('markup, very long and right-to-left values stay text and do not break the frame', async () => {
  for (const viewport of [wide, narrow]) {
    await page.setViewportSize(viewport)
    for (const q of ['markup', 'rtl']) {
      await page.goto(`${at.service.url}/dashboard/w/default/people?q=${q}`)
      await page.locator('[data-row] a').first().click()
      await page.getByText('Custom attributes').waitFor()
      await shot(`${q}-${viewport.width}`)
      assert.match(await page.title(), q === 'rtl' ? /עדה/ : /^<img/)
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.equal(await page.evaluate(overflow), 0, `${q} ${viewport.width}`)
    }
  }
  assert.deepEqual(complaints, [])
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const { id } = (await at.service.admin('GET', '/admin/people/search?q=ada')).body.people[0]
  for (const [colorScheme, viewport] of [
    ['light', wide],
    ['dark', wide],
    ['dark', narrow],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    for (const [name, to, ready] of [
      ['people', 'people', 'person-59'],
      ['person', `people/${id}`, 'project_created'],
      ['nobody', 'people/nobody', 'There is no such person'],
    ] as const) {
      await page.goto(`${at.service.url}/dashboard/w/default/${to}`)
      await page.getByText(ready).first().waitFor()
      await shot(`${name}-${colorScheme}-${viewport.width}`)
      await checkAccess(`${name} ${colorScheme} ${viewport.width}`)
    }
  }
})

test('the service away, busy and failing is said where it happens, and nothing else breaks', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  const answers = ['away', 'failing', 'fine']
  await page.route('**/admin/people/search*', async (route) => {
    const next = answers.shift()
    if (next === 'away') await route.abort()
    else if (next === 'failing') await route.fulfill({ status: 500, json: { message: 'Internal error' } })
    else await route.continue()
  })
  await page.goto(`${at.service.url}/dashboard/w/default/people`)
  await page.getByRole('heading', { name: 'Easel does not answer' }).waitFor()
  await shot('away-light')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await rows().first().waitFor()
  await page.unroute('**/admin/people/search*')
})
