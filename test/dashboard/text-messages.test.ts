import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { channelsWorkspace, channelTransports } from '../support/channel-transports.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { reachable, content } = channelTransports.find(({ name }) => name === 'sms')!
const group = String(content.subscription_group_id)
let page: Page

const long = 'A long text for everybody. '.repeat(8)
const canvas = {
  ...{ id: 'hello', name: 'Hello', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
  steps: [{ id: 'say', name: 'Say', type: 'message', channel: 'sms', message: { ...content, body: long } }],
}
/** Two messages with a mistake each: no text, and no such sender. */
const wrong = {
  ...{ id: 'wrong', name: 'Wrong', entry: { event: 'came' } },
  messages: [
    { id: 'a', name: 'No text', percent: 50, sms: { body: '', subscription_group_id: group } },
    { id: 'b', name: 'No sender', percent: 50, sms: { ...content, from: 'A name that is far too long' } },
  ],
}

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: { ...channelsWorkspace, canvases: [canvas] } })
  page = dashboard.page
  await dashboard.signIn()
  const { service } = dashboard.at
  const attributes = [{ external_id: 'bo', first_name: 'Bo', plan: 'gold', ...reachable().attributes }]
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const draft = { definition: wrong, base_version: null }
  const put = await service.admin('PUT', '/admin/campaigns/wrong/draft', draft)
  assert.equal(put.status, 200, put.text)
  const sent = await service.post('/canvas/trigger/send', {
    canvas_id: 'hello',
    recipients: [{ external_user_id: 'bo' }],
  })
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
  await page.keyboard.insertText(text)
}

test('a campaign sends a text, whose segments are counted while it is written', async () => {
  await dashboard.visit('campaigns')
  await button('New campaign').first().click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await region('What it is').getByLabel('Name', { exact: true }).fill('Sale')
  await page.getByLabel('Sent as').selectOption('sms')
  const text = region('Text message of variant 1')
  const phone = text.getByRole('region', { name: 'The text on a phone' })
  await phone.getByText('No text yet').waitFor()
  await dashboard.shot('text-form-empty')
  assert.equal(await button('Send a test').getAttribute('aria-disabled'), 'true')
  await write('Text', 'a'.repeat(161))
  await phone.getByText('2 segments: 161 characters, room for 145 more in the last one.').waitFor()
  await write('Text', 'Hi {{${first_name}}} 😀')
  await phone.getByText('Hi Bo 😀').waitFor()
  await phone.getByText('1 segment: 8 characters, room for 62 more. It has a character').waitFor()
  await text.getByLabel('Group').selectOption({ label: 'Texts' })
  await page.getByText('no mistakes', { exact: true }).waitFor()
  await dashboard.shot('text-form-full')
  assert.deepEqual(dashboard.complaints, [])
})

test('a test of it goes to the number that is typed, and is shown in the inbox as on a phone', async () => {
  await button('Send a test').click()
  const dialog = page.getByRole('dialog', { name: 'Send a test' })
  await dialog.getByLabel('Phone number').fill('12')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText(/must be a phone number with its country code/).waitFor()
  assert.match(dashboard.complaints.splice(0).join(), /status of 400 .*preview\/send/)
  await dialog.getByLabel('Phone number').fill('+49 1511 2345678')
  const sent = dashboard.said(
    /^The test to \+4915112345678 is in the inbox: text messages of this workspace go to nobody\.$/,
  )
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await sent
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: '[Test] Hi Bo 😀' }).click()
  const phone = region('The text on a phone')
  await phone.getByText('[Test] Hi Bo 😀').waitFor()
  await phone.getByText('+15550001111').waitFor()
  await dashboard.shot('text-in-the-inbox')
  assert.deepEqual(dashboard.complaints, [])
})

test('a step of a canvas becomes a text, and a text an e-mail again', async () => {
  await dashboard.visit('canvases/hello/edit')
  await region('Picture').locator('[data-step="say"]').click()
  await page.getByLabel('Sent as').selectOption('email')
  await page.getByRole('textbox', { name: 'Subject', exact: true }).waitFor()
  await page.getByLabel('Sent as').selectOption('sms')
  await region('The text on a phone').getByText('No text yet').waitFor()
  await write('Text', 'Again')
  await region('The text on a phone').getByText('Again').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a message that was a text shows it, and says what the provider would', async () => {
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/messages')).body
  await dashboard.visit(`messages/${messages[0].message_id}`)
  await page.getByRole('heading', { name: 'Text message' }).waitFor()
  await region('The text on a phone').getByText('2 segments: 215 characters').waitFor()
  await page.getByText('Answer of the provider').waitFor()
})

test('pages with texts are accessible, light and dark, wide and narrow', async () => {
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/messages')).body
  await dashboard.checkAccess([
    ['text-form-wrong', 'campaigns/wrong/edit', 'No text yet'],
    ['text-message', `messages/${messages[0].message_id}`, '2 segments: 215 characters'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})
