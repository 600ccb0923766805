import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { many, newEmail } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const golds = 8
const people = many(golds + 1, (i) => ({ external_id: `p${i}`, email: newEmail(), plan: i < golds ? 'gold' : 'none' }))

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
const button = (name: string) => page.getByRole('button', { name, exact: true })
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

/** Returns the addresses that got a mail with a subject. */
async function receivers(wanted: string): Promise<string[]> {
  const { messages } = (await dashboard.at.service.admin('GET', '/admin/inbox?limit=100')).body
  return (messages as { to: string | string[]; subject: string }[])
    .filter(({ subject }) => subject === wanted)
    .map(({ to }) => [to].flat()[0]!)
    .sort()
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
  // Both paths lead to the end on one line. The dialog begins with the first one.
  await button('Add a step after "Gold?", on yes, no').click()
  assert.equal(await dialog().getByLabel('On the path').locator('option:checked').innerText(), 'yes')
  await dialog()
    .getByRole('button', { name: /^Message/ })
    .click()
  await panel().getByLabel('Name', { exact: true }).fill('Thanks')
  await write('Subject', 'Thank you for gold')
  await panel().getByLabel('From').fill('nobody')
  // What is out of view is not drawn: the picture has followed the last step, once that was drawn.
  await picture().getByText('Thanks').waitFor()
  await button('Show all').click()
  await stepIn(picture(), '').click()
  await panel().getByLabel('Name', { exact: true }).fill('First walk')
  await panel().getByLabel('Control group, in percent').fill('25')
  await button('Add a conversion').click()
  const conversion = panel().getByRole('group', { name: 'Conversion 1' })
  await conversion.getByLabel('Name of the event').fill('order_placed')
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

/** Holds back the answer to a publication until the page has asked for the draft once more. By then there is none. */
async function answerAfterLookingForOthers(): Promise<void> {
  await page.route(/\/admin\/canvases\?/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const response = await route.fetch()
    await page.waitForResponse(/\/admin\/canvases\/[^/]+\/draft\?/)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))')
    await route.fulfill({ response })
  })
}

test('a canvas with a branch and a control group is built, checked, tried and published', async () => {
  await build()
  await mend()
  await button('Dry run').click()
  await dialog().getByRole('row').filter({ hasText: 'would enter' }).waitFor()
  // A canvas that is not divided has no variants to speak of.
  assert.equal(await dialog().getByText('by variant').count(), 0)
  await dashboard.shot('canvas-editor-dry-run')
  await dialog().getByRole('button', { name: 'Close' }).click()
  await button('Publish').click()
  await dialog().getByText('It is new').waitFor()
  await dashboard.shot('canvas-editor-publish-new')
  await answerAfterLookingForOthers()
  const published = dashboard.said(/^"First walk" is published, and people can enter\.$/)
  await dialog().getByRole('button', { name: 'Publish and start' }).click()
  await published
  const { body } = await dashboard.at.service.admin('GET', `/admin/canvases/${idNow()}/draft`)
  assert.equal(body.draft, null)
  assert.deepEqual(dashboard.complaints, [])
})

test('it is sent to a segment, the clock is moved, its mails are read, and its conversions are seen', async () => {
  const canvas = idNow()
  await button('Send').click()
  await dialog().getByLabel('Recipients').selectOption('segment')
  await dialog().getByLabel('Segment').selectOption({ label: 'Gold members' })
  await dialog()
    .getByText(/1 not in segment/)
    .waitFor()
  await dashboard.shot('canvas-send')
  const submit = dialog().getByRole('button', { name: /^Send now to/ })
  const reached = Number(/\d+/.exec(await submit.innerText())![0])
  await submit.click()
  await page.waitForURL(/\/sends\/[0-9a-f]{32}$/)
  const moved = dashboard.said(/^The clock stands at/)
  await button('+ 1 hour').click()
  await moved
  const mailed = await receivers('Hello there')
  assert.equal(mailed.length, reached)
  assert.deepEqual(await receivers('Thank you for gold'), mailed)

  // Those in the control group order too, and are not counted.
  const { now } = (await dashboard.at.service.admin('GET', '/admin/clock')).body
  const events = people.slice(0, golds).map(({ external_id }) => ({ external_id, name: 'order_placed', time: now }))
  await dashboard.at.service.post('/users/track', { events })
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: 'Thank you for gold' }).first().click()
  await page.frameLocator('iframe').getByText('Write here what it is about.').waitFor()
  await dashboard.visit(`canvases/${canvas}?tab=conversions`)
  const all = page.getByRole('row', { name: /^All together/ })
  await all.waitFor()
  assert.match(await all.innerText(), new RegExp(`^All together\\s+${reached}\\s+${reached}\\s`))
  await dashboard.shot('canvas-editor-conversions')
  assert.deepEqual(dashboard.complaints, [])
})
