import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { channelsWorkspace } from '../support/channel-transports.ts'
import { Dashboard } from './dashboard.ts'

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
/** Two pushes with a mistake each: no text, and an address that runs a program. */
const wrong = {
  ...{ id: 'wrong', name: 'Wrong', entry: { event: 'came' } },
  messages: [
    { id: 'a', name: 'No text', percent: 50, web_push: { title: 'Only a title' } },
    { id: 'b', name: 'No address', percent: 50, android_push: { alert: 'Hi', custom_uri: 'javascript:alert(1)' } },
  ],
}

before(async () => {
  const workspace = { ...channelsWorkspace, apps: [...channelsWorkspace.apps, phone], canvases: [canvas] }
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace })
  page = dashboard.page
  await dashboard.signIn()
  const { service } = dashboard.at
  const push_tokens = [{ app_id: phone.id, token: 'token-of-bo', device_id: 'phone-of-bo' }]
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

test('a campaign sends a push, which is shown as on a phone while it is written', async () => {
  await dashboard.visit('campaigns')
  await button('New campaign').first().click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await region('What it is').getByLabel('Name', { exact: true }).fill('Sale')
  await page.getByLabel('Sent as').selectOption('web_push')
  const push = region('Push to browsers of variant 1')
  const shown = push.getByRole('region', { name: 'The push on a phone' })
  await shown.getByText('No text yet').waitFor()
  await push.getByLabel('Title').fill('Sale')
  await push.getByLabel('Text', { exact: true }).fill('Everything must go')
  await push.getByLabel('A click opens').fill('https://shop.example.com/sale')
  await push.getByLabel('Only the device that was used last').check()
  await shown.getByText('Everything must go').waitFor()
  await shown.getByText('A click opens https://shop.example.com/sale').waitFor()
  await page.getByText('no mistakes', { exact: true }).waitFor()
  await dashboard.shot('push-form')
  assert.deepEqual(dashboard.complaints, [])
})

test('a push of a step is in the inbox as a phone shows it', async () => {
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: 'Studio Loom' }).click()
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
  await region('The push on a phone').getByText('No text yet').waitFor()
  await page.getByLabel('Large picture').waitFor()
  assert.equal(await page.getByLabel('Number on the icon').count(), 0)
  assert.deepEqual(dashboard.complaints, [])
})

test('pages with pushes are accessible, light and dark, wide and narrow', async () => {
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/messages')).body
  await dashboard.checkAccess([
    ['push-form-wrong', 'campaigns/wrong/edit', 'No text yet'],
    ['push-message', `messages/${messages[0].message_id}`, 'Studio Loom'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})
