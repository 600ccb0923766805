import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { many, newEmail } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const isGold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
const people = many(4, (i) => ({ external_id: `p${i}`, email: newEmail(), plan: i < 3 ? 'gold' : 'none' }))

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  const { status, text } = await dashboard.at.service.post('/users/track', { attributes: people })
  assert.equal(status, 201, text)
})
after(() => dashboard.close())

const picture = () => page.getByRole('region', { name: 'Picture' })
const stepIn = (place: Locator, id: string) => place.locator(`[data-step="${id}"]`)
const panel = () => page.getByRole('complementary')
const dialog = () => page.getByRole('dialog')
const button = (name: string | RegExp) => page.getByRole('button', { name })
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const idNow = () => /canvases\/([^/?]+)/.exec(dashboard.path)![1]!

async function beginEmpty(): Promise<void> {
  await dashboard.visit('canvases/new')
  await button('Begin without steps').click()
  await stepIn(picture(), '').waitFor()
}

/** Writes into a field for code, which has no value. */
async function write(label: string, text: string): Promise<void> {
  const field = panel().getByRole('textbox', { name: label, exact: true })
  await field.click()
  await press('Control+a')
  await page.keyboard.insertText(text)
}

const subjects = async () => {
  const { body } = await dashboard.at.service.admin('GET', '/admin/inbox')
  return (body.messages as { to: string | string[]; subject: string }[]).map(({ subject }) => subject).sort()
}

/** Builds three steps with a branch, a control group and a conversion, and two mistakes. */
async function build(): Promise<void> {
  await beginEmpty()
  await button('Add a step after the entry').click()
  await dialog()
    .getByRole('button', { name: /^Message/ })
    .click()
  await panel().getByLabel('Name', { exact: true }).fill('Hello')
  await write('Subject', 'Hello there')
  await button('Add a step after "Hello"').click()
  await dialog()
    .getByRole('button', { name: /^Decision/ })
    .click()
  await panel().getByLabel('Name', { exact: true }).fill('Gold?')
  await panel().getByLabel('Yes, when the person').selectOption('stored')
  await button('Add a step after "Gold?", on yes').click()
  await dialog()
    .getByRole('button', { name: /^Message/ })
    .click()
  await panel().getByLabel('Name', { exact: true }).fill('Thanks')
  await write('Subject', 'Thank you for gold')
  await panel().getByLabel('From').fill('nobody')
  await stepIn(picture(), '').click()
  await panel().getByLabel('Name', { exact: true }).fill('First walk')
  await panel().getByLabel('Control group, in percent').fill('0')
  await button('Add a conversion').click()
  await panel()
    .getByRole('group', { name: 'Conversion 1' })
    .getByRole('textbox', { name: 'Event' })
    .fill('order_placed')
}

/** Finds the two mistakes by their list, each at its field, and mends them. */
async function mend(): Promise<void> {
  await button('Check').click()
  await page.getByRole('heading', { name: '2 mistakes' }).waitFor()
  await dashboard.shot('canvas-editor-mistakes')
  const mistakes = page.getByRole('region', { name: 'Mistakes' })
  await mistakes.getByRole('button', { name: /Thanks/ }).click()
  await page.locator('[data-path$=".from"] [aria-invalid]:focus').waitFor()
  await dashboard.shot('canvas-editor-mistake-field')
  await panel().getByLabel('From').fill('Shop <shop@example.com>')
  await page.getByRole('heading', { name: '1 mistake' }).waitFor()
  await mistakes.getByRole('button', { name: /Gold\?/ }).click()
  await panel().getByLabel('Segment', { exact: true }).selectOption('gold')
  await page.getByRole('heading', { name: 'No mistakes' }).waitFor()
  await mistakes.getByRole('button', { name: 'Hide' }).click()
}

test('a canvas with a branch is built, checked, tried, published and sent, and its mails are read', async () => {
  await build()
  await mend()
  await button('Dry run').click()
  const row = dialog().getByRole('row').filter({ hasText: 'would enter' })
  await row.getByText('4', { exact: true }).waitFor()
  await dashboard.shot('canvas-editor-dry-run')
  await dialog().getByRole('button', { name: 'Close' }).click()

  await button('Publish').click()
  await dialog().getByText('It is new').waitFor()
  await dashboard.shot('canvas-editor-publish-new')
  await dialog().getByRole('button', { name: 'Publish and start' }).click()
  await page.getByRole('heading', { level: 1, name: 'First walk' }).waitFor()
  const id = idNow()
  const { body } = await dashboard.at.service.admin('GET', `/admin/canvases/${id}/draft`)
  assert.equal(body.draft, null)
  const gold = { audience: { AND: [isGold] }, broadcast: true }
  const order = await dashboard.at.service.post('/canvas/trigger/send', { canvas_id: id, ...gold })
  assert.equal(order.status, 201, order.text)
  await dashboard.at.service.advance('PT1M')
  assert.deepEqual(
    await subjects(),
    many(3, () => ['Hello there', 'Thank you for gold'])
      .flat()
      .sort(),
  )
  const { external_id } = people[0]!
  const { body: clock } = await dashboard.at.service.admin('GET', '/admin/clock')
  await dashboard.at.service.post('/users/track', { events: [{ external_id, name: 'order_placed', time: clock.now }] })
  await dashboard.at.service.advance('PT1M')
  await dashboard.visit('inbox')
  await page.getByText('Thank you for gold').first().waitFor()
  await dashboard.visit(`canvases/${id}?tab=conversions`)
  await page.getByText('order_placed').first().waitFor()
  await dashboard.shot('canvas-editor-conversions')
  assert.deepEqual(dashboard.complaints, [])
})
