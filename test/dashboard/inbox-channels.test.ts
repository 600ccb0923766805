import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { phoneOf, robot, sixtyDays, texts } from '../support/sixty-days.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let receiver: WebhookReceiver
let page: Page

before(async () => {
  receiver = await startWebhookReceiver()
  const env = { EASEL_CLOCK: 'virtual', EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` }
  await dashboard.open({ env, workspace: sixtyDays(receiver) })
  page = dashboard.page
  await dashboard.signIn()
  const { service } = dashboard.at
  await service.admin('DELETE', '/admin/inbox')
  const tracked = await service.post('/users/track', {
    attributes: [
      {
        ...{ external_id: 'all-0', first_name: 'Ada', email: 'ada@example.com', phone: phoneOf('all-0'), plan: 'gold' },
        push_tokens: [{ app_id: robot.id, token: 'token-of-ada', device_id: 'phone-of-ada' }],
        subscription_groups: [{ subscription_group_id: texts.id, subscription_state: 'subscribed' }],
      },
    ],
  })
  assert.equal(tracked.status, 201, tracked.text)
  receiver.next.push({ status: 201, body: '{"id": 7}' })
  await service.advance('P14D')
})
after(async () => {
  await dashboard.close()
  await receiver?.close()
})

const main = (): Locator => page.getByRole('main')
const block = (name: string): Locator => main().getByRole('region', { name, exact: true })

/** Opens the oldest message of the inbox that is sent so. */
async function open(sentAs: string): Promise<void> {
  await dashboard.visit('inbox')
  await page.getByRole('row', { name: sentAs }).last().getByRole('link').click()
  await main().getByRole('heading', { name: sentAs, exact: true }).waitFor()
}

test('the inbox lists a message of each channel, and says where those of each channel go', async () => {
  await dashboard.visit('inbox')
  for (const sentAs of ['Mail', 'Text message', 'Webhook', 'Push to Android devices']) {
    await page.getByRole('cell', { name: sentAs, exact: true }).first().waitFor()
  }
  const sentence = main().getByText(/^Mails, text messages, pushes to browsers, .* are kept here and go to nobody/)
  await sentence.first().waitFor()
  await main()
    .getByText(/Webhooks go to the receivers in their URLs/)
    .first()
    .waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('each message is shown as its recipient gets it', async () => {
  await open('Mail')
  await page.frameLocator('iframe[title="The mail"]').getByText('Hello').waitFor()
  await open('Text message')
  await block('The text on a phone').getByText('Hi Ada').waitFor()
  await open('Push to Android devices')
  await block('The push on a phone').getByText('It is Thursday').waitFor()
  await open('Webhook')
  await block('Request').getByText(`POST ${receiver.url}/in/all-0`).waitFor()
  await block('Body').getByText('{"name":"Ada"}').waitFor()
  await block('Answer').getByText('201 {"id": 7}').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the page of a message has the words of its channel', async () => {
  await open('Webhook')
  await main().getByRole('link', { name: 'What became of it' }).click()
  await main().getByText('Answer of the receiver of webhooks').waitFor()
  await main().getByText('transactional, by webhook').waitFor()
  await block('Answer').getByText('201 {"id": 7}').waitFor()
  assert.equal(await main().getByText('Reported as spam').count(), 0)
  assert.equal(await main().getByText('Opens and clicks').count(), 0)
  await open('Mail')
  await main().getByRole('link', { name: 'What became of it' }).click()
  await main().getByText('Answer of the mail server').waitFor()
  await main().getByText('Opens and clicks').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('pages with messages of each channel are accessible, light and dark, wide and narrow', async () => {
  const { service } = dashboard.at
  const { messages } = (await service.admin('GET', '/admin/inbox')).body
  const idOf = (channel: string): string => messages.find((each: { channel: string }) => each.channel === channel).id
  const { messages: all } = (await service.admin('GET', '/admin/messages')).body
  const webhook = all.find(({ channel }: { channel: string }) => channel === 'webhook')
  await dashboard.checkAccess([
    ['inbox-channels', 'inbox', 'Push to Android devices'],
    ['inbox-webhook-answer', `inbox/${idOf('webhook')}`, '{"name":"Ada"}'],
    ['inbox-text', `inbox/${idOf('sms')}`, 'Hi Ada'],
    ['inbox-push', `inbox/${idOf('android_push')}`, 'It is Thursday'],
    ['message-webhook-answer', `messages/${webhook.message_id}`, '{"name":"Ada"}'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})
