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
    plan: i < 4 ? 'gold' : 'free',
    ...(i === 3 && { email_subscribe: 'unsubscribed' }),
  }))
  await dashboard.at.service.post('/users/track', { attributes })
})
after(() => dashboard.close())

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })

test('a campaign is sent to a segment at a time, after it is shown whom it reaches and why not others', async () => {
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
  await dialog.getByLabel('To whom').selectOption('segment')
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
