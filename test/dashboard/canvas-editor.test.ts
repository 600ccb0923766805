import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { wide } from './browser.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const picture = () => page.getByRole('region', { name: 'Picture' })
const outline = () => page.getByRole('group', { name: 'Outline' })
const stepIn = (place: Locator, id: string) => place.locator(`[data-step="${id}"]`)
const panel = () => page.getByRole('complementary')
const button = (name: string | RegExp) => page.getByRole('button', { name })
const focusIsOn = (step: string) => page.locator(`[data-step="${step}"]:focus`).waitFor()
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Waits until one step is drawn above another. The picture follows an edit a moment later, and keys lead through what is drawn. */
const isAbove = (upper: string, lower: string) =>
  page.waitForFunction(`(() => {
    const topOf = (id) => document.querySelector('[data-step="' + id + '"]')?.getBoundingClientRect().top
    return topOf('${upper}') < topOf('${lower}')
  })()`)

type Step = { readonly id: string; readonly next?: string }
type Definition = { readonly first?: string; readonly steps: readonly Step[] }

/** Saves what was edited, and returns the draft on the server. */
async function draftNow(): Promise<Definition> {
  await press('Control+s')
  await page.getByText(/^Draft saved by/).waitFor()
  const id = /canvases\/([^/]+)\/edit/.exec(dashboard.path)![1]
  const { body } = await dashboard.at.service.admin('GET', `/admin/canvases/${id}/draft`)
  return body.draft.definition
}

test('a canvas is begun from an example, which has no mistakes', async () => {
  await dashboard.visit('canvases')
  await page.getByRole('link', { name: 'New canvas' }).first().click()
  await page.getByRole('heading', { name: 'New canvas' }).waitFor()
  await dashboard.shot('canvas-new')
  await button('Begin with "Welcome series"').click()
  await stepIn(picture(), 'welcome').waitFor()
  await page.getByText('no mistakes').waitFor()
  await dashboard.shot('canvas-editor-starter')
  await stepIn(picture(), 'begun').click()
  await panel().getByLabel('Name of the path').waitFor()
  await dashboard.shot('canvas-editor-panel')
  await press('Escape')
  await panel().waitFor({ state: 'detached' })
  assert.deepEqual(dashboard.complaints, [])
})

test('the rules of entry open by their button, and the list shows the draft until it is published', async () => {
  await button('Canvas and entry').click()
  // The conversion below it has a name too.
  await panel().getByLabel('Name', { exact: true }).first().fill('My welcome')
  await draftNow()
  await page.getByRole('link', { name: 'Canvases', exact: true }).first().click()
  const row = page.getByRole('row', { name: /^My welcome draft by ada\S+ not published/ })
  await row.waitFor()
  await dashboard.shot('canvases-with-draft')
  await row.getByRole('link', { name: 'My welcome' }).click()
  await stepIn(picture(), 'welcome').waitFor()
  await button('Publish').click()
  await page.getByRole('dialog').getByRole('radio', { name: 'Nobody enters yet: it stays a draft.' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  await dashboard.visit('canvases')
  await page.getByRole('row', { name: /^My welcome draft People enter/ }).waitFor()
  assert.equal(await page.getByText('not published').count(), 0)
  assert.deepEqual(dashboard.complaints, [])
})

test('steps are added, moved and deleted in the picture by keys, and every edit can be undone', async () => {
  await dashboard.visit('canvases/new')
  await button('Begin without steps').click()
  await stepIn(picture(), '').focus()
  await press('a')
  await page.getByRole('dialog').waitFor()
  await dashboard.shot('canvas-editor-add')
  await press('2')
  await panel().getByText('For', { exact: true }).waitFor()
  await press('Escape')
  await focusIsOn('delay')
  await press('a', '1')
  await panel().getByLabel('Subject').waitFor()
  await press('Escape')
  await focusIsOn('message')
  let now = await draftNow()
  assert.equal(now.first, 'delay')
  const links = now.steps.map(({ id, next }) => [id, next])
  assert.deepEqual(links, [
    ['delay', 'message'],
    ['message', undefined],
  ])
  await press('Alt+ArrowUp')
  await isAbove('message', 'delay')
  await focusIsOn('message')
  now = await draftNow()
  assert.equal(now.first, 'message')
  await press('ArrowDown')
  await focusIsOn('delay')
  await press('Delete')
  await focusIsOn('message')
  now = await draftNow()
  const ids = now.steps.map(({ id }) => id)
  assert.deepEqual(ids, ['message'])
  await press('Control+z', 'Control+z')
  now = await draftNow()
  assert.deepEqual([now.first, now.steps.length], ['delay', 2])
  await press('Control+Shift+z')
  now = await draftNow()
  assert.equal(now.first, 'message')
  assert.deepEqual(dashboard.complaints, [])
})

test('the picture fits a screen of 800 pixels, and a narrow one has the outline', async () => {
  await page.setViewportSize({ width: 800, height: 900 })
  await dashboard.shot('canvas-editor-800')
  await stepIn(picture(), 'delay').click()
  await panel().waitFor()
  await dashboard.shot('canvas-editor-800-panel')
  await press('Escape')
  await page.setViewportSize(narrow)
  await stepIn(outline(), 'delay').waitFor()
  await dashboard.shot('canvas-editor-360')
  await stepIn(outline(), 'message').click()
  await panel().getByLabel('Subject').waitFor()
  await dashboard.shot('canvas-editor-360-panel')
  await press('Escape')
  await page.setViewportSize(wide)
})
