import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { many, newEmail } from '../support/people.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const isGold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }

before(async () => {
  await dashboard.open({
    workspace: {
      subscription_groups: [{ id: 'trips', name: 'Trips', channel: 'email' }],
      segments: [
        {
          id: 'travellers',
          name: 'Travellers',
          audience: {
            AND: [
              isGold,
              { subscription_group: { subscription_group_id: 'trips', comparison: 'is', value: 'subscribed' } },
            ],
          },
        },
      ],
    },
  })
  page = dashboard.page
  await dashboard.signIn()
  const states = ['subscribed', 'subscribed', 'subscribed', 'unsubscribed']
  const attributes = states.map((subscription_state, i) => ({
    ...{ external_id: `t${i}`, email: newEmail() },
    subscription_groups: [{ subscription_group_id: 'trips', subscription_state }],
  }))
  const { status, text } = await dashboard.at.service.post('/users/track', { attributes })
  assert.equal(status, 201, text)
})
after(() => dashboard.close())

const rowOf = (name: string): Locator => page.getByRole('row', { name: new RegExp(name) })
const stored = async (id: string) =>
  (await dashboard.at.service.admin('GET', `/admin/subscription_groups/${id}`)).body.subscription_group
const card = (name: string) => page.getByRole('region', { name })

test('the list counts the people of each group, and leads to its page', async () => {
  await dashboard.visit('groups')
  await rowOf('Trips email 3 1 active').waitFor()
  await dashboard.shot('groups')
  await page.getByRole('link', { name: 'Trips' }).click()
  await card('People').getByText('Counted').waitFor()
  assert.match(await card('People').innerText(), /Subscribed\s+3\s+Unsubscribed\s+1/)
  await card('What it is').getByText('segment Travellers').waitFor()
  await dashboard.at.service.post('/users/track', {
    attributes: [
      {
        external_id: 'late',
        subscription_groups: [{ subscription_group_id: 'trips', subscription_state: 'unsubscribed' }],
      },
    ],
  })
  await page.getByRole('button', { name: 'Count again' }).click()
  await eventually('the new count is shown', async () => /Unsubscribed\s+2/.test(await card('People').innerText()))
  assert.deepEqual(dashboard.complaints, [])
})

test('an estimate is marked', async () => {
  const counts = { subscribed: { count: 41_200, error: 900 }, unsubscribed: { count: 0, error: 12 } }
  const json = { ...counts, is_exact: false, at: '2030-01-01T10:00:00.000Z', message: 'success' }
  const path = '**/admin/subscription_groups/trips/counts*'
  await page.route(path, (route) => route.fulfill({ json }))
  await dashboard.visit('groups/trips')
  await card('People').getByText('~41,200').waitFor()
  await card('People').getByText('~0').waitFor()
  await card('People').getByText('Estimated').waitFor()
  await page.unroute(path)
})

test('a group is made, renamed, archived, brought back at once, and used again', async () => {
  await dashboard.visit('groups')
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog')
  const make = dialog.getByRole('button', { name: 'Make the group' })
  assert.equal(await make.getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Name').fill('Trips')
  await make.click()
  await dialog
    .getByRole('alert')
    .getByText(/already/)
    .waitFor()
  await dialog.getByLabel('Name').fill('Texts')
  await dialog.getByLabel('Channel').selectOption('sms')
  await dashboard.shot('group-new')
  await make.click()
  await page.waitForURL(/groups\/.+/)
  await page.getByRole('heading', { name: 'Texts' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)!
  assert.deepEqual(await stored(id), { id, name: 'Texts', channel: 'sms', archived: false })
  await page.getByRole('button', { name: 'Rename' }).click()
  assert.equal(await dialog.getByRole('button', { name: 'Rename' }).getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Name').fill('Short texts')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'Short texts' }).waitFor()
  const [undone, back] = [dashboard.undoes(), dashboard.said(/^Taken back\.$/)]
  await page.getByRole('button', { name: 'Archive' }).click()
  await undone
  await back
  await page.getByRole('button', { name: 'Archive' }).waitFor()
  assert.equal((await stored(id)).archived, false)
  await page.getByRole('button', { name: 'Archive' }).click()
  await card('What it is').getByText('archived').waitFor()
  await page.getByText('It is archived: it keeps the states of people').waitFor()
  assert.equal((await stored(id)).archived, true)
  await page.getByRole('button', { name: 'Use again' }).click()
  await card('What it is').getByText('active').waitFor()
  assert.equal((await stored(id)).archived, false)
  // The refusal of a taken name is an error of the network for the browser.
  dashboard.complaints.length = 0
})

test('a long list asks for the counts of the rows that are seen, a few at a time', async () => {
  for (const i of many(60, (n) => n)) {
    await dashboard.at.service.admin('POST', '/admin/subscription_groups', {
      ...{ id: `topic-${i}`, name: `Topic ${i}`, channel: 'email' },
    })
  }
  const path = '**/admin/subscription_groups/*/counts*'
  let [asked, open, most] = [0, 0, 0]
  await page.route(path, async (route) => {
    asked++
    most = Math.max(most, ++open)
    const response = await route.fetch()
    open--
    await route.fulfill({ response })
  })
  await page.setViewportSize(narrow)
  await dashboard.visit('groups')
  await rowOf('Trips').getByText('3').waitFor()
  await eventually('all counts are answered', async () => {
    await page.waitForLoadState('networkidle')
    return asked > 1 && open === 0
  })
  assert.ok(asked < 40, `${asked} of 62 groups were counted`)
  assert.ok(most <= 2, `${most} at a time`)
  const last = rowOf('Topic 59')
  await last.scrollIntoViewIfNeeded()
  await last.getByText('0').first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a failing count is told in its place, and can be tried again', async () => {
  await dashboard.answerWith('**/admin/subscription_groups/trips/counts*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('groups/trips')
  await card('People').getByText('Internal error').waitFor()
  await card('People').getByRole('button', { name: 'Try again' }).click()
  await card('People').getByText('Subscribed', { exact: true }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await dashboard.visit('groups/none')
  await page.getByRole('heading', { name: 'There is no such group' }).waitFor()
  dashboard.complaints.length = 0
})

test('the pages are accessible', async () => {
  await dashboard.checkAccess([
    ['groups', 'groups', 'Times:'],
    ['group', 'groups/trips', 'Counted'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('who may only read changes nothing, and who may not read sees why', async () => {
  const signIn = (...permissions: readonly string[]) =>
    dashboard.signIn({ company: [], roles: [], workspaces: [{ id: 'default', permissions, sets: [], teams: [] }] })
  await signIn('basic_access')
  await dashboard.visit('groups/trips')
  const rename = page.getByRole('button', { name: 'Rename' })
  assert.match(String(await rename.getAttribute('title')), /subscription_groups\.edit/)
  assert.equal(await page.getByRole('button', { name: 'Archive' }).getAttribute('aria-disabled'), 'true')
  await signIn('view_segments')
  await dashboard.visit('groups')
  await page.getByRole('heading', { name: 'You may not see Groups' }).waitFor()
})
