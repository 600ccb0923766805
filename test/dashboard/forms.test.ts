import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

before(async () => {
  const subscription_groups = [
    { id: 'trips', name: 'Trips', channel: 'email' },
    { id: 'alerts', name: 'Alerts', channel: 'sms' },
  ]
  await dashboard.open({ workspace: { subscription_groups } })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const card = (name: string) => page.getByRole('region', { name })
const stored = async (path: string) => (await dashboard.at.service.admin('GET', `/admin/${path}`)).body

test('double opt-in is turned on in a group, and its page counts who confirms', async () => {
  await dashboard.visit('groups/trips')
  await card('Double opt-in').getByText('Off.').waitFor()
  await card('Double opt-in').getByRole('button', { name: 'Turn on double opt-in' }).click()
  const dialog = page.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Save' })
  assert.equal(await save.getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Sender').fill('nobody')
  await save.click()
  await dialog.getByRole('alert').getByText('double_opt_in.from').waitFor()
  // The browser complains about the refusal.
  assert.equal(dashboard.complaints.splice(0).length, 1)
  await dialog.getByLabel('Sender').fill('Trips <trips@example.com>')
  await dialog.getByLabel('Hours for which the link works').fill('24')
  await save.click()
  await dialog.waitFor({ state: 'hidden' })
  await card('Double opt-in').getByText('24 hours').waitFor()
  assert.match(await card('Double opt-in').innerText(), /Wait for a confirmation\s+0/)
  const { subscription_group } = await stored('subscription_groups/trips')
  assert.deepEqual(subscription_group.double_opt_in, {
    ...{ enabled: true, from: 'Trips <trips@example.com>', valid_hours: 24, sends_max: 3, through_api: false },
  })
  await dashboard.shot('group-double-opt-in')
})

test('double opt-in is turned on in a group for texts, and a person who was asked is shown', async () => {
  await dashboard.visit('groups/alerts')
  await card('Double opt-in').getByText('replied with a word').waitFor()
  await card('Double opt-in').getByRole('button', { name: 'Turn on double opt-in' }).click()
  const dialog = page.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByLabel('Word to reply').fill('stop')
  await dialog.getByLabel('Answer to the reply').fill('Welcome to {group}')
  await dialog.getByLabel('Programs may ask, too').check()
  await dashboard.shot('group-double-opt-in-text-dialog')
  await save.click()
  await dialog.getByRole('alert').getByText('double_opt_in.keyword').waitFor()
  assert.equal(dashboard.complaints.splice(0).length, 1)
  await dialog.getByLabel('Word to reply').fill('Ja')
  await save.click()
  await dialog.waitFor({ state: 'hidden' })
  await card('Double opt-in').getByText('48 hours').waitFor()
  assert.match(await card('Double opt-in').innerText(), /Word to reply\s+Ja/)
  const { subscription_group } = await stored('subscription_groups/alerts')
  assert.deepEqual(subscription_group.double_opt_in, {
    ...{ enabled: true, keyword: 'Ja', confirmed_reply: 'Welcome to {group}' },
    ...{ valid_hours: 48, sends_max: 3, through_api: true },
  })
  const { service } = dashboard.at
  await service.post('/users/track', { attributes: [{ external_id: 'ada', phone: '+4915112345678' }] })
  const asked = { subscription_group_id: 'alerts', subscription_state: 'subscribed', external_id: 'ada' }
  const answer = await service.post('/subscription/status/set', { ...asked, use_double_opt_in_logic: true })
  assert.equal(answer.status, 201, answer.text)
  await dashboard.visit('groups/alerts')
  await card('Double opt-in').getByText('Wait for a confirmation').waitFor()
  await dashboard.shot('group-double-opt-in-text')
  const { people } = await stored('people/search?q=ada')
  await dashboard.visit(`people/${people[0].id}?tab=profile`)
  await card('Confirmations').getByText('the reply JA counts until').waitFor()
  await dashboard.shot('person-asked-by-text')
  await card('Confirmations').getByRole('button', { name: 'Send the text message again' }).click()
  await card('Confirmations').getByText('2 texts were ordered').waitFor()
  await card('Confirmations').getByRole('button', { name: 'Withdraw' }).click()
  await card('Confirmations').waitFor({ state: 'hidden' })
  assert.deepEqual(dashboard.complaints, [])
})

test('the page of a form for texts asks for a phone number', async () => {
  const form = { name: 'Texts', subscription_group_id: 'alerts' }
  const { body } = await dashboard.at.service.admin('POST', '/admin/sign_up_forms', form)
  await page.goto(`${dashboard.at.service.url}/forms/default/${body.sign_up_form.id}`)
  await page.getByLabel('Phone number').waitFor()
  await dashboard.shot('form-for-texts')
  await dashboard.at.service.admin('DELETE', `/admin/sign_up_forms/${body.sign_up_form.id}`)
  assert.deepEqual(dashboard.complaints, [])
})

test('a form is made, shows its link and its HTML, is edited, paused and deleted', async () => {
  await dashboard.visit('forms')
  await page.getByText('There are no sign-up forms').waitFor()
  await page.getByRole('button', { name: 'New form' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Footer')
  await dialog.getByRole('button', { name: 'Make the form' }).click()
  await page.getByRole('heading', { level: 1, name: 'Footer' }).waitFor()
  const [form] = (await stored('sign_up_forms')).sign_up_forms
  await card('Put it on your site').getByText(`/forms/default/${form.id}`).first().waitFor()
  await card('Put it on your site').getByText('No site may show the page in a frame').waitFor()
  await dashboard.shot('form')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Heading', { exact: true }).fill('Come along')
  await dialog.getByLabel('Sites that may show the page in a frame').fill('https://www.example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await card('Put it on your site').getByRole('button', { name: 'Copy the frame' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await card('What it is').getByText('paused').waitFor()
  const { sign_up_form } = await stored(`sign_up_forms/${form.id}`)
  assert.deepEqual(
    [sign_up_form.state, sign_up_form.texts, sign_up_form.embed_origins],
    ['paused', { title: 'Come along' }, ['https://www.example.com']],
  )
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no sign-up forms').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})
