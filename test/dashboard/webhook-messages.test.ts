import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const url = 'https://hooks.example.com/in'
let page: Page

const workspace = {
  ...sendingWorkspace,
  settings: { ...sendingWorkspace.settings, time_zone: 'UTC', mail_delivery: 'inbox' },
  credentials: [
    { name: 'crm', user_name: 'easel', password: 'hunter7', origins: [new URL(url).origin] },
    { name: 'elsewhere', user_name: 'easel', password: 'hunter8', origins: ['https://elsewhere.example.com'] },
  ],
  campaigns: [
    {
      ...{ id: 'call', name: 'Call the shop', state: 'active' },
      messages: [{ id: 'one', webhook: { url, headers: { 'X-Plan': 'gold' }, body: { name: '{{${first_name}}}' } } }],
    },
  ],
}

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

test('a campaign that begins with an e-mail becomes a webhook, and a mistake in it leads to its field', async () => {
  await dashboard.visit('campaigns')
  await page.getByRole('button', { name: 'New campaign' }).first().click()
  await page.getByRole('region', { name: 'What it is' }).getByLabel('Name', { exact: true }).fill('Tell the shop')
  await page.getByLabel('Sent as').selectOption('Webhook')
  const form = page.getByRole('region', { name: 'Webhook of variant 1' })
  await form.getByLabel('URL').fill('no address')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  const mistakes = page.getByRole('region', { name: 'Mistakes' })
  await mistakes.getByRole('button', { name: /Variant 1.*url/i }).click()
  const field = form.getByLabel('URL')
  await field.and(page.locator(':focus')).waitFor()
  await field.fill(url)
  await form.getByLabel('Method').selectOption('PUT')
  await form.getByRole('button', { name: 'Add a header' }).click()
  await form.getByLabel('Value').fill('gold')
  await form.getByLabel('Body').fill('{"name": "{{${first_name}}}"}')
  await page.getByRole('region', { name: 'Variant 1', exact: true }).getByText(url).waitFor()
  await page.getByText('no mistakes', { exact: true }).waitFor()
  const preview = form.getByRole('region', { name: 'Preview' })
  await preview.getByRole('region', { name: 'Request' }).getByText(`PUT ${url}`).waitFor()
  await preview.getByRole('region', { name: 'Body' }).getByText('{"name":"Ada"}').waitFor()
  await dashboard.shot('campaign-editor-webhook')
  // A URL that is being typed is refused by the preview too.
  assert.deepEqual(
    dashboard.complaints.filter((each) => !/status of 400 .*admin\/preview/.test(each)),
    [],
  )
  dashboard.complaints.length = 0
})

test('a test of it is one call after a question, and here it is in the inbox', async () => {
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send a test' })
  await dialog.getByText(`PUT ${url}`).waitFor()
  await dashboard.shot('webhook-test')
  const sent = dashboard.said(/is in the inbox: webhooks of this workspace go to nobody\.$/)
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await sent
  await dashboard.visit('inbox')
  await page.getByRole('row', { name: /\[Test\] PUT https:\/\/hooks\.example\.com\/in/ }).click()
  await page.getByRole('complementary').getByText('Easel-Test: true').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the editor with a webhook is accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([['webhook-form', 'campaigns/call/edit', 'X-Plan: gold']])
  assert.deepEqual(dashboard.complaints, [])
})

test('a header of a webhook gets the secret of a credential of the workspace, by its name', async () => {
  await dashboard.visit('campaigns/call/edit')
  const form = page.getByRole('region', { name: 'Webhook of variant 1' })
  await form.getByRole('button', { name: 'Add a header' }).click()
  await form.getByLabel('Name').last().fill('Authorization')
  const credential = form.getByLabel('Secret of').last()
  await credential.selectOption('credential elsewhere')
  await form.getByText('Its password is sent only to https://elsewhere.example.com.').waitFor()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await form.getByText('It must be a credential for the origin of the URL').waitFor()
  await credential.selectOption('credential crm')
  await page.getByText('no mistakes', { exact: true }).waitFor()
  assert.equal(await form.getByLabel('Value').last().inputValue(), 'basic')
  await form.getByLabel('Value').last().selectOption('bearer')
  await credential.scrollIntoViewIfNeeded()
  await dashboard.shot('webhook-credential')
  await page.keyboard.press('Control+s')
  await page.getByText(/^Draft saved by/).waitFor()
  const { body } = await dashboard.at.service.admin('GET', '/admin/campaigns/call/draft')
  const { headers } = body.draft.definition.messages[0].webhook
  assert.deepEqual(headers, { 'X-Plan': 'gold', Authorization: { scheme: 'bearer', credential: 'crm' } })
  await credential.selectOption('no credential')
  assert.equal(await form.getByLabel('Value').last().inputValue(), '')
  assert.deepEqual(dashboard.complaints, [])
})

test('the inbox and the message show the request as it would have been sent', async () => {
  const { service } = dashboard.at
  await service.post('/users/track', { attributes: [{ external_id: 'ann', first_name: 'Ann' }] })
  const recipients = [{ external_user_id: 'ann' }]
  const sent = await service.post('/campaigns/trigger/send', { campaign_id: 'call', recipients })
  assert.equal(sent.status, 201, sent.text)
  await service.advance('PT1S')
  await dashboard.visit('inbox')
  await page.getByRole('row', { name: /POST https:\/\/hooks\.example\.com\/in/ }).click()
  const panel = page.getByRole('complementary')
  await panel.getByRole('region', { name: 'Request' }).getByText('X-Plan: gold').waitFor()
  await panel.getByRole('region', { name: 'Body' }).getByText('{"name":"Ann"}').waitFor()
  await panel.getByText('Nobody was called, so there is no answer').waitFor()
  await dashboard.shot('inbox-webhook')
  await panel.getByRole('link', { name: 'What became of it' }).click()
  await page.getByText('of the campaign "Call the shop" was called').first().waitFor()
  await page.getByRole('region', { name: 'Request' }).getByText(`POST ${url}`).waitFor()
  await dashboard.shot('message-webhook')
  assert.deepEqual(dashboard.complaints, [])
})

test('the headers of a webhook are accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([['webhook-headers', 'campaigns/call/edit', 'Secret of']])
  assert.deepEqual(dashboard.complaints, [])
})
