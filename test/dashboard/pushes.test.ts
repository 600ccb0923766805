import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { channelsWorkspace } from '../support/channel-transports.ts'
import { eventually } from '../support/eventually.ts'
import { wide } from './browser.ts'
import { Dashboard, fits, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const phone = { id: 'phone-of-the-walk', name: 'Phone', platform: 'ios' }
const canvas = {
  ...{ id: 'hello', name: 'Hello', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
  steps: [
    {
      ...{ id: 'say', name: 'Say', type: 'message', channel: 'apple_push' },
      message: { title: 'Studio Loom', alert: 'Hi {{${first_name}}}', custom_uri: 'loom://orders', badge: 2 },
    },
  ],
}
const campaign = {
  ...{ id: 'offer', name: 'Offer', state: 'active' },
  messages: [{ id: 'one', android_push: { alert: 'Hi {{${first_name}}}, everything must go' } }],
}
/** Two pushes with a mistake each: no text, and an address that runs a program. */
const wrong = {
  ...{ id: 'wrong', name: 'Wrong', entry: { event: 'came' } },
  messages: [
    { id: 'a', name: 'No text', percent: 50, web_push: { title: 'Only a title' } },
    { id: 'b', name: 'No address', percent: 50, android_push: { alert: 'Hi', custom_uri: 'javascript:alert(1)' } },
  ],
}

before(async () => {
  const workspace = {
    ...channelsWorkspace,
    apps: [...channelsWorkspace.apps, phone],
    canvases: [canvas],
    campaigns: [campaign],
  }
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace })
  page = dashboard.page
  await dashboard.signIn()
  const { service } = dashboard.at
  const push_tokens = [{ app_id: phone.id, token: 'token-of-bo', device_id: 'phone-of-bo' }]
  // The newest person comes first in the editors.
  assert.equal(
    (await service.post('/users/track', { attributes: [{ external_id: 'cy', first_name: 'Cy' }] })).status,
    201,
  )
  await service.advance('PT1S')
  const attributes = [{ external_id: 'bo', first_name: 'Bo', push_tokens }]
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const put = await service.admin('PUT', '/admin/campaigns/wrong/draft', { definition: wrong, base_version: null })
  assert.equal(put.status, 200, put.text)
  const asked = { canvas_id: 'hello', recipients: [{ external_user_id: 'bo' }] }
  const sent = await service.post('/canvas/trigger/send', asked)
  assert.equal(sent.status, 201, sent.text)
  await service.advance('PT1S')
})
after(() => dashboard.close())

const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
const region = (name: string): Locator => page.getByRole('region', { name, exact: true })

/** Replaces a text of the editor of code, as a person would who pastes it. */
async function write(label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click()
  await page.keyboard.press('Control+a')
  if (text === '') await page.keyboard.press('Delete')
  else await page.keyboard.insertText(text)
}

test('a campaign sends a push, which is shown as on a phone while it is written', async () => {
  await dashboard.visit('campaigns')
  await button('New campaign').first().click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await region('What it is').getByLabel('Name', { exact: true }).fill('Sale')
  await page.getByLabel('Sent as').selectOption('web_push')
  const push = region('Push to browsers of variant 1')
  const shown = push.getByRole('region', { name: 'The push in a browser' })
  await shown.getByText('No text yet').waitFor()
  assert.equal(await button('Send a test').getAttribute('aria-disabled'), 'true')
  await write('Title', 'Sale')
  await write('Text', 'Everything must go')
  await push.getByLabel('A click opens').fill('https://shop.example.com/sale')
  await push.getByLabel('Only the device that was used last').check()
  await shown.getByText('Everything must go').waitFor()
  await shown.getByText('A click opens https://shop.example.com/sale').waitFor()
  await page.getByText('no mistakes', { exact: true }).waitFor()
  await region('Push to browsers of variant 1').getByLabel('Sent as').scrollIntoViewIfNeeded()
  await dashboard.shot('push-form')
  assert.deepEqual(dashboard.complaints, [])
})

test('it is rendered for the person, with its size and with what is wrong', async () => {
  const push = region('Push to browsers of variant 1')
  const shown = push.getByRole('region', { name: 'The push in a browser' })
  const warnings = push.getByRole('list', { name: 'Warnings' })
  // The newest person has a phone and no browser.
  await warnings.getByText('Bo gets no push to browsers: a push needs the push token of a browser.').waitFor()
  await push.getByText(/Rendered for Bo\. [\d,]+ of 3,993 bytes\./).waitFor()
  await write('Text', 'Hi {{${first_name}}}, everything must go')
  await shown.getByText('Hi Bo, everything must go').waitFor()
  await write('Title', '')
  await warnings.getByText('It has no title, so browsers show the text in place of it.').waitFor()
  await write('Title', '{{ a | b }}')
  await push.getByRole('list', { name: 'Mistakes in Title' }).getByText('undefined filter: b').waitFor()
  await push.getByText(/Above is the last good preview/).waitFor()
  await dashboard.shot('push-form-mistake')
  await write('Title', 'Sale')
  await write('Text', 'a'.repeat(4_000))
  await push.getByText(/it takes \d+ bytes, of at most 3993$/).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a test of it goes to the devices of a person, and one that cannot be sent says why', async () => {
  await page.getByLabel('Sent as').selectOption('apple_push')
  const push = region('Push to Apple devices of variant 1')
  await write('Title', 'Studio Loom')
  await write('Text', 'Hi {{${first_name}}}')
  await push.getByRole('region', { name: 'The push on a phone' }).getByText('Hi Bo').waitFor()
  await dashboard.shot('push-form-phone')
  await button('Send a test').click()
  const dialog = page.getByRole('dialog', { name: 'Send a test' })
  await dialog.getByText('It goes to the devices of Bo.').waitFor()
  await dialog.getByLabel('Find a person by address or id').fill('cy')
  await dialog.getByRole('button', { name: 'Cy' }).click()
  await dialog.getByText('It goes to the devices of Cy.').waitFor()
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText(/Nothing was sent: Cy gets no push to Apple devices/).waitFor()
  assert.match(dashboard.complaints.splice(0).join(), /status of 400 .*preview\/send/)
  await dashboard.shot('push-test-refused')
  await dialog.getByLabel('Find a person by address or id').fill('bo')
  await dialog.getByRole('button', { name: 'Bo' }).click()
  const sent = dashboard.said(
    /^The test to Bo is in the inbox: pushes to Apple devices of this workspace go to nobody\.$/,
  )
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await sent
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: '[Test] Studio Loom' }).click()
  await region('The push on a phone').getByText('Hi Bo').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the panel of the step says what followed its pushes, and what is not known', async () => {
  await eventually('the push is counted', async () => {
    const { body } = await dashboard.at.service.admin('GET', '/admin/canvases/hello/standing')
    return body.steps.say.rates.sent === 1 && body.steps.say.sent === 1
  })
  await dashboard.visit('canvases/hello?step=say')
  const followed = region('What followed, in all versions')
  await followed.getByText('Refused, or no device was left').waitFor()
  await followed.getByText('0, 0.0%').waitFor()
  await followed.getByText('Opens and clicks of pushes are not known: no push service reports them.').waitFor()
  await dashboard.shot('push-rates')
  await dashboard.visit('overview?hours=24')
  await region('Messages by channel')
    .getByRole('row', { name: /pushes to Apple devices 1 0 100\.0%/i })
    .waitFor()
  await dashboard.shot('overview-channels')
  assert.deepEqual(dashboard.complaints, [])
})

test('a push of a step is in the inbox as a phone shows it', async () => {
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: 'Studio Loom', exact: true }).click()
  await page.getByRole('heading', { name: 'Push to Apple devices', exact: true }).waitFor()
  const shown = region('The push on a phone')
  await shown.getByText('Hi Bo').waitFor()
  await shown.getByText('A click opens loom://orders').waitFor()
  await shown.getByText('Number on the icon: 2').waitFor()
  await page.getByText('phone-of-bo@ios').waitFor()
  await dashboard.shot('push-in-the-inbox')
  assert.deepEqual(dashboard.complaints, [])
})

test('a push of a step becomes one of another kind, which begins empty', async () => {
  await dashboard.visit('canvases/hello/edit')
  await region('Picture').locator('[data-step="say"]').click()
  await region('The push on a phone').getByText('Studio Loom').waitFor()
  await page.getByLabel('Number on the icon').waitFor()
  await page.getByLabel('Sent as').selectOption('web_push')
  await region('The push in a browser').getByText('No text yet').waitFor()
  await page.getByLabel('Large picture').waitFor()
  assert.equal(await page.getByLabel('Number on the icon').count(), 0)
  assert.deepEqual(dashboard.complaints, [])
})

test('the preview fits a narrow screen, also in the dark', async () => {
  await page.setViewportSize(narrow)
  await page.emulateMedia({ colorScheme: 'dark' })
  await dashboard.visit('campaigns/offer/edit')
  await region('The push on a phone').getByText('Hi Bo, everything must go').waitFor()
  await page.getByRole('list', { name: 'Warnings' }).scrollIntoViewIfNeeded()
  await page.waitForFunction(fits)
  await dashboard.shot('push-preview-360-dark')
  await dashboard.visit('canvases/hello?step=say')
  await region('What followed, in all versions').scrollIntoViewIfNeeded()
  await page.waitForFunction(fits)
  await dashboard.shot('push-followed-360-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
})

test('pages with pushes are accessible, light and dark, wide and narrow', async () => {
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/messages')).body
  await dashboard.checkAccess([
    ['push-form-wrong', 'campaigns/wrong/edit', 'No text yet'],
    ['push-form-rendered', 'campaigns/offer/edit', 'of 4,096 bytes'],
    ['push-campaign', 'campaigns/offer', 'Opens and clicks of pushes are not known'],
    ['push-rates', 'canvases/hello?step=say', 'Opens and clicks of pushes are not known'],
    ['push-message', `messages/${messages[0].message_id}`, 'Studio Loom'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})
