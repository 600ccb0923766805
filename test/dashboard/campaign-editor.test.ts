import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { campaign } from '../support/triggers.ts'
import { wide } from './browser.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  const attributes = many(6, (i) => ({
    external_id: `p${i}`,
    email: `p${i}@example.com`,
    plan: i < gold ? 'gold' : 'free',
    ...(i === 3 && { email_subscribe: 'unsubscribed' }),
  }))
  await dashboard.at.service.post('/users/track', { attributes })
})
after(() => dashboard.close())

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const region = (name: string): Locator => page.getByRole('region', { name, exact: true })
const email = (n: number): Locator => region(`Mail of variant ${n}`)
const gold = 4

/** Replaces a text of the editor of code, as a person would who pastes it. */
async function write(label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

test('a campaign with two variants is begun, and each mistake leads to its field', async () => {
  await dashboard.visit('campaigns')
  await page.getByText('There are no campaigns').waitFor()
  await button('New campaign').first().click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await region('What it is').getByLabel('Name', { exact: true }).fill('Summer')
  await email(1).getByLabel('From').fill('Shop <shop@example.com>')
  await write('Subject', 'Summer for all')
  await button('Add a variant').click()
  await email(2).getByLabel('From').fill('nobody')
  await write('Subject', 'Summer for you')
  await region('Variant 2').getByLabel('Percent').fill('60')
  await button('Check').click()
  const mistakes = region('Mistakes')
  await mistakes.getByText('must have percents that add to 100, not 110').waitFor()
  await dashboard.shot('campaign-editor-mistakes')
  await button('Open its mail').click()
  await mistakes.getByRole('button', { name: /Variant 2.*from/ }).click()
  const from = email(2).getByLabel('From')
  await from.and(page.locator(':focus')).waitFor()
  assert.equal(await from.getAttribute('aria-invalid'), 'true')
  await from.fill('Shop <shop@example.com>')
  await mistakes.getByRole('button', { name: /percents/ }).click()
  await button('Share equally').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('no mistakes', { exact: true }).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('it gets a control group and a conversion, is tried, and published', async () => {
  await region('Control group').getByLabel('Control group, in percent').fill('30')
  await button('Add a conversion').click()
  const conversion = page.getByRole('group', { name: 'Conversion 1' })
  await conversion.getByLabel('Name of the event').fill('order_placed')
  await page.getByText('no mistakes', { exact: true }).waitFor()
  await dashboard.shot('campaign-editor-full')
  await button('Dry run').click()
  const tried = page.getByRole('dialog', { name: 'Dry run of Summer' })
  await tried.getByText(/^Those who would enter, by variant: Variant 1 \d, Variant 2 \d\.$/).waitFor()
  await dashboard.shot('campaign-dry-run')
  await tried.getByRole('button', { name: 'Close' }).click()
  const tested = dashboard.said(/^The test to .* is in the inbox/)
  await button('Send me a test').click()
  await tested
  await button('Publish').click()
  const publish = page.getByRole('dialog', { name: 'Publish "Summer"?' })
  await dashboard.shot('campaign-publish')
  const published = dashboard.said(/^"Summer" is published, and people can enter\.$/)
  await publish.getByRole('button', { name: 'Publish and start' }).click()
  await published
  assert.deepEqual(dashboard.complaints, [])
})

test('it is sent to a segment, the clock is moved, its mails are read, and its conversions are counted', async () => {
  const campaign = /campaigns\/([^/?]+)/.exec(dashboard.path)![1]
  await button('Send').click()
  const dialog = page.getByRole('dialog', { name: 'Send "Summer"' })
  await dialog.getByLabel('Recipients').selectOption('segment')
  await dialog.getByLabel('Segment').selectOption({ label: 'Gold members' })
  await dialog.getByText(/2 not in segment/).waitFor()
  await dialog.getByLabel('When').selectOption('at')
  const submit = dialog.getByRole('button', { name: /^Plan the send to/ })
  const reached = Number(/\d+/.exec(await submit.innerText())![0])
  await submit.click()
  await page.waitForURL(/\/sends\/[0-9a-f]{32}$/)
  const moved = dashboard.said(/^The clock stands at/)
  await button('+ 1 day').click()
  await moved
  await dashboard.shot('campaign-sent')
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/inbox?limit=100')).body
  const sent = messages.filter(({ subject }: { subject: string }) => /^Summer for (all|you)$/.test(subject))
  assert.equal(sent.length, reached)
  const { now } = (await dashboard.at.service.admin('GET', '/admin/clock')).body
  // Those in the control group order too, and are not counted.
  const events = many(gold, (i) => ({ external_id: `p${i}`, name: 'order_placed', time: now }))
  await dashboard.at.service.post('/users/track', { events })
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: '[Test] Summer for you' }).click()
  await page.frameLocator('iframe').getByText('Write here what it is about.').waitFor()
  await dashboard.visit(`campaigns/${campaign}?tab=conversions`)
  const all = page.getByRole('row', { name: /^All together/ })
  await all.waitFor()
  // Who has unsubscribed enters, and gets no message after which a conversion counts.
  assert.match(await all.innerText(), new RegExp(`^All together\\s+\\d+\\s+${reached}\\s`))
  await dashboard.shot('campaign-conversions')
  assert.deepEqual(dashboard.complaints, [])
})

test('a campaign is sent to a segment at a time, after the page shows how many people get it and why not the others', async () => {
  const { status, text } = await dashboard.at.service.admin(
    'POST',
    '/admin/campaigns',
    campaign('spring', { name: 'Spring' }),
  )
  assert.equal(status, 201, text)
  await dashboard.visit('campaigns/spring')
  await button('Send').click()
  const dialog = page.getByRole('dialog', { name: 'Send "Spring"' })
  await dialog.getByText('5 people get it').waitFor()
  await dashboard.shot('send-everybody')
  await dialog.getByLabel('Recipients').selectOption('segment')
  await dialog.getByLabel('Segment').selectOption({ label: 'Gold members' })
  await dialog.getByText('3 people get it').waitFor()
  await dialog.getByText(/unsubscribed/).waitFor()
  await dialog.getByLabel('When').selectOption('at')
  await dashboard.shot('send-segment')
  await page.setViewportSize(narrow)
  await dashboard.shot('send-segment-narrow')
  await page.setViewportSize(wide)
  await dialog.getByRole('button', { name: 'Plan the send to 3 people' }).click()
  await page.waitForURL(/\/sends\/[0-9a-f]{32}$/)
  await page.getByText('Everybody in the segment "Gold members"').waitFor()
  await dashboard.shot('send-planned')
  assert.deepEqual(dashboard.complaints, [])
})
