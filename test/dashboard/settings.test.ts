import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startDns, type Zone } from '../support/dns-server.ts'
import { mail } from '../support/messages.ts'
import { newEmail } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const zone: Zone = new Map()
let dns: Awaited<ReturnType<typeof startDns>>
let page: Page

before(async () => {
  dns = await startDns(zone)
  const env = { EASEL_CLOCK: 'virtual', EASEL_DNS_SERVERS: dns.address }
  await dashboard.open({ env })
  page = dashboard.page
  await dashboard.signIn()
})
after(async () => {
  await dashboard.close()
  await dns.close()
})

const settingsOf = async () => (await dashboard.at.service.admin('GET', '/admin/settings')).body.set
const field = (name: string) => page.locator(`[data-setting="${name}"]`)
const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()

test('settings are changed together, mistakes stand at their field, and a default comes back', async () => {
  await dashboard.visit('settings?tab=sending')
  await field('reply_to').getByRole('textbox', { name: 'Reply address' }).fill('nobody')
  await field('track_opens').getByRole('checkbox').uncheck()
  await field('quiet_hours').getByLabel('From').fill('22:00')
  await field('quiet_hours').getByLabel('Until').fill('08:00')
  await field('email_rates').getByLabel('Mails a second').fill('0.5')
  await field('email_rates').getByLabel('By domain of recipients').fill('gmail.com 20')
  await field('frequency_cap').getByRole('button', { name: 'Add' }).click()
  await field('frequency_cap').getByLabel('Messages at most').fill('1')
  await field('frequency_cap').getByLabel('In a period of').fill('P1D')
  await page.getByText('5 settings are changed.').waitFor()
  await save()
  await field('reply_to').getByText('It must be an e-mail address').waitFor()
  assert.deepEqual(await settingsOf(), {})
  await field('reply_to').getByRole('textbox', { name: 'Reply address' }).fill('hello@shop.example')
  await dashboard.shot('settings-changed')
  await save()
  await page.getByText('Nothing is changed.').waitFor()
  assert.deepEqual(await settingsOf(), {
    reply_to: 'hello@shop.example',
    track_opens: false,
    quiet_hours: { start: '22:00', end: '08:00' },
    email_rates: { per_second: 0.5, domains: { 'gmail.com': 20 } },
    frequency_cap: [{ count: 1, per: 'P1D' }],
  })
  await field('reply_to')
    .getByText(/^Changed by ada/)
    .waitFor()
  await field('reply_to').getByRole('button', { name: 'Back to the default of Reply address' }).click()
  await save()
  await page.getByText('Nothing is changed.').waitFor()
  assert.equal((await settingsOf()).reply_to, undefined)
})

test('a change of somebody else is shown, and neither is lost', async () => {
  await dashboard.visit('settings')
  await field('time_zone').getByLabel('Time zone').fill('Asia/Tokyo')
  await dashboard.at.service.admin('PATCH', '/admin/settings', { time_zone: 'Europe/Paris', strict: true })
  await save()
  await page.getByText('Somebody changed the settings since you read them.').waitFor()
  await field('time_zone')
    .getByText(/meanwhile to: Europe\/Paris/)
    .waitFor()
  await field('strict').getByRole('checkbox', { checked: true }).waitFor()
  await dashboard.shot('settings-conflict')
  await save()
  await page.getByText('Nothing is changed.').waitFor()
  const { time_zone, strict } = await settingsOf()
  assert.deepEqual([time_zone, strict], ['Asia/Tokyo', true])
})

test('a domain is added, and DNS is checked until it has its records', async () => {
  await dashboard.visit('settings?tab=domains')
  await page.getByRole('button', { name: 'New domain' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Domain').fill('shop.example')
  await dialog.getByRole('button', { name: 'Add the domain' }).click()
  const records = page.getByRole('list', { name: 'Records of shop.example' })
  await records.getByText('not checked').first().waitFor()
  const check = page.getByRole('button', { name: 'Check DNS of shop.example' })
  const missing = dashboard.said(/^DNS has 0 of \d records\.$/)
  await check.click()
  await missing
  await records.getByText('There is no DKIM record yet: publish it.').waitFor()
  await dashboard.shot('settings-dns-missing')
  const [key] = (await dashboard.at.service.admin('GET', '/admin/dkim_keys')).body.dkim_keys
  zone.set('easel1._domainkey.shop.example', { TXT: [key.dns.value] })
  zone.set('shop.example', { TXT: ['v=spf1 mx ~all'] })
  zone.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=none'] })
  const found = dashboard.said(/^DNS has 3 of \d records\.$/)
  await check.click()
  await found
  await records.getByText('The key is published.').waitFor()
  await dashboard.shot('settings-dns-found')
})

test('credentials and apps are made, changed and deleted', async () => {
  await dashboard.visit('settings?tab=credentials')
  await page.getByRole('button', { name: 'New credential' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('files')
  await dialog.getByLabel('User name').fill('easel')
  await dialog.getByLabel('Origins').fill('https://files.shop.example')
  await dialog.getByRole('button', { name: 'Make the credential' }).click()
  await dialog.getByText(/password is missing/).waitFor()
  await dialog.getByLabel('Password').fill('a-password')
  await dialog.getByRole('button', { name: 'Make the credential' }).click()
  await page.getByRole('row', { name: /files easel https:\/\/files.shop.example/ }).waitFor()

  await dashboard.visit('settings?tab=apps')
  await page.getByRole('button', { name: 'New app' }).first().click()
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByRole('button', { name: 'Make the app' }).click()
  await page.getByRole('button', { name: 'Change Shop' }).click()
  await dialog.getByLabel('Platform').selectOption('ios')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Shop ios/ }).waitFor()
  await page.getByRole('button', { name: 'Delete Shop' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no apps').waitFor()
})

test('the clock bar names the next due thing, goes there, and says what was done', async () => {
  const { service } = dashboard.at
  await service.admin('PATCH', '/admin/settings', { quiet_hours: null, frequency_cap: null })
  await service.admin('POST', '/admin/apps', { id: 'web', name: 'Web', platform: 'web' })
  await service.post('/users/track', { attributes: [{ external_id: 'ada', email: newEmail() }] })
  const now = Date.parse((await service.admin('GET', '/admin/clock')).body.now)
  await service.admin('POST', '/admin/campaigns', {
    id: 'hi',
    name: 'Hello there',
    state: 'active',
    messages: [{ id: 'a', email: mail({ app_id: 'web' }) }],
  })
  const schedule = { time: new Date(now + 7_200_000).toISOString() }
  await service.post('/campaigns/trigger/schedule/create', {
    campaign_id: 'hi',
    recipients: [{ external_user_id: 'ada' }],
    schedule,
  })
  await dashboard.visit('settings')
  const bar = page.getByRole('note').filter({ hasText: 'The clock is virtual' })
  await bar.getByText(/the campaign "Hello there" is sent/).waitFor()
  await dashboard.shot('clock-next')
  const sent = dashboard.said(/On the way: 1 message was sent/)
  await bar.getByRole('button', { name: 'To the next due thing' }).click()
  await sent
  assert.equal(Date.parse((await service.admin('GET', '/admin/clock')).body.now), now + 7_200_000)
})
