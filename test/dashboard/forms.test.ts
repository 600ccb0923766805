import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

before(async () => {
  await dashboard.open({ workspace: { subscription_groups: [{ id: 'trips', name: 'Trips', channel: 'email' }] } })
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
