import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
/** A page has fewer places where Tab stops. */
const stopsMax = 150

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const panel = () => page.getByRole('complementary')
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const name = () => panel().getByLabel('Name', { exact: true })
const subject = () => panel().getByRole('textbox', { name: 'Subject', exact: true })
const focusIsOn = (step: string) => page.locator(`[data-step="${step}"]:focus`).waitFor()
const hasFocus = (target: Locator) => target.and(page.locator(':focus')).waitFor()
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Presses Tab until a field or a button has the focus that can be used. `back` goes the other way. */
async function tabTo(target: Locator, way: 'on' | 'back' = 'on'): Promise<void> {
  await target.and(page.locator(':not([aria-disabled])')).waitFor()
  for (let stop = 0; stop < stopsMax; stop++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await press(way === 'on' ? 'Tab' : 'Shift+Tab')
  }
  assert.fail(`Tab does not reach ${target}`)
}

async function type(target: Locator, text: string): Promise<void> {
  await tabTo(target)
  await press('Control+a')
  await page.keyboard.insertText(text)
}

async function addMessage(called: string, about: string, id: string): Promise<void> {
  await press('a', '1')
  await subject().waitFor()
  await type(name(), called)
  await type(subject(), about)
  await press('Escape')
  await focusIsOn(id)
}

/** Opens an empty canvas in the outline. */
async function begin(): Promise<void> {
  await dashboard.visit('canvases/new')
  await tabTo(button('Begin without steps'))
  await press('Enter')
  await tabTo(page.getByRole('tab', { name: 'Picture' }))
  await press('ArrowRight')
  // Until then Tab would go into the picture.
  await page.getByRole('group', { name: 'Outline' }).waitFor()
  await press('Tab')
  await focusIsOn('')
}

test('a canvas with a branch is built, mended and published in the outline by keys alone', async () => {
  await begin()
  await addMessage('Hello', 'Hello there', 'message')
  await press('a', '3')
  const kind = panel().getByLabel('Yes, when the person')
  await type(name(), 'Gold?')
  await tabTo(kind)
  await press('ArrowUp')
  assert.equal(await kind.inputValue(), 'stored')
  await press('Escape')
  await focusIsOn('decision')
  await addMessage('Thanks', 'Thank you for gold', 'message_2')

  await tabTo(button('Check'), 'back')
  await press('Enter')
  const mistakes = page.getByRole('region', { name: 'Mistakes' })
  await mistakes.getByRole('heading', { name: '1 mistake' }).waitFor()
  await tabTo(mistakes.getByRole('button', { name: /Gold\?/ }))
  await press('Enter')
  const segment = panel().getByLabel('Segment', { exact: true })
  await hasFocus(segment)
  // The field has the focus before the segments are read.
  await segment.locator('option[value="gold"]').waitFor({ state: 'attached' })
  await press('ArrowDown')
  await mistakes.getByRole('heading', { name: 'No mistakes' }).waitFor()
  await press('Escape')
  await focusIsOn('decision')
  await dashboard.shot('canvas-editor-outline')

  await tabTo(button('Canvas and entry'), 'back')
  await press('Enter')
  await hasFocus(name())
  await press('Control+a')
  await page.keyboard.insertText('By keys')
  await press('Escape')
  await focusIsOn('')
  await tabTo(button('Publish'), 'back')
  await press('Enter')
  await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Publish and start' }))
  await press('Enter')
  await button('Pause').waitFor()

  const id = /canvases\/([^/?]+)/.exec(dashboard.path)![1]
  const { canvas } = (await dashboard.at.service.admin('GET', `/admin/canvases/${id}`)).body
  assert.deepEqual([canvas.name, canvas.state, canvas.first], ['By keys', 'active', 'message'])
  type Step = { readonly id: string; readonly next?: string; readonly yes?: string }
  assert.deepEqual(
    canvas.steps.map((step: Step) => [step.id, step.next ?? step.yes]),
    [
      ['message', 'decision'],
      ['decision', 'message_2'],
      ['message_2', undefined],
    ],
  )
  assert.deepEqual(canvas.steps[1].audience, { segment_id: 'gold' })
  assert.deepEqual(dashboard.complaints, [])
})
