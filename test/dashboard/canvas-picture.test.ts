import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newEmail } from '../support/people.ts'
import { wide } from './browser.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

/** A split, a join, a way back, and a step of each kind that has a picture of its own. */
const steps: Item[] = [
  message('hello', 'choose', 'Hello'),
  { id: 'choose', name: 'Gold?', type: 'decision', audience: isPlan('gold'), yes: 'thanks', no: 'tag' },
  message('thanks', 'rest', 'Thank you'),
  { id: 'tag', name: 'Mark as new', type: 'update_user', attributes: { plan: 'none' }, next: 'nudge' },
  message('nudge', 'rest', 'Have a look'),
  { id: 'rest', name: 'A break', type: 'delay', for: 'P3D', next: 'active' },
  {
    ...{ id: 'active', name: 'Ordered?', type: 'action_paths', within: 'P2D', otherwise: 'rest' },
    paths: [{ name: 'Ordered', event: 'order_placed', next: 'bye' }],
  },
  message('bye', undefined, 'Good bye'),
]

/** Returns a canvas of blocks: a split into two messages that join at a delay, from which every fifth one goes back. */
function blocks(id: string, count: number): Item {
  const all = many(count / 4, (i): Item[] => {
    const next = i + 1 < count / 4 ? `ask${i + 1}` : undefined
    const back = i % 5 === 4 ? `ask${i - 3}` : next
    return [
      {
        id: `ask${i}`,
        name: `Question ${i}`,
        type: 'decision',
        audience: isPlan('gold'),
        yes: `yes${i}`,
        no: `no${i}`,
      },
      message(`yes${i}`, `wait${i}`),
      message(`no${i}`, `wait${i}`),
      {
        ...{ id: `wait${i}`, type: 'action_paths', within: 'P1D', ...(next && { otherwise: next }) },
        paths: [{ name: 'Back', event: 'order_placed', ...(back && { next: back }) }],
      },
    ]
  })
  return canvas(id, all.flat())
}

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  const { service } = dashboard.at
  const put = async (section: string, entry: object) => {
    const { status, text } = await service.admin('POST', `/admin/${section}`, entry)
    assert.equal(status, 201, text)
  }
  await put('canvases', canvas('Trial', steps))
  await put('canvases', blocks('forty', 40))
  await put('canvases', blocks('large', 200))
  await put('campaigns', {
    ...{ id: 'spring', name: 'Spring', state: 'active', entry: { by: ['api'] } },
    messages: ['One', 'Two'].map((name) => ({ id: name, name, percent: 50, email: mail({ subject: `${name} sale` }) })),
  })
  const attributes = ['gold', 'none', 'none'].map((plan, i) => ({ external_id: `p${i}`, email: newEmail(), plan }))
  const answer = await service.post('/users/track', { attributes })
  assert.equal(answer.status, 201, answer.text)
})
after(() => dashboard.close())

const picture = () => page.getByRole('region', { name: 'Picture' })
const stepAt = (id: string): Locator => picture().locator(`[data-step="${id}"]`)
/** Makes the picture as small as it must be to have every step in view. Only then all of them are in the page. */
const showAll = async () => {
  await stepAt('hello').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await stepAt('bye').waitFor()
}
const panel = () => page.getByRole('complementary')
const focused = () => page.evaluate<string>('document.activeElement?.dataset.step')

/** Waits until a step says this. */
const says = (step: Locator, text: string): Promise<void> => step.filter({ hasText: text }).waitFor()

test('a canvas is drawn with its splits, joins and ways back, and its counts move with the clock', async () => {
  await dashboard.visit('canvases/Trial')
  await showAll()
  assert.equal(await picture().locator('[data-step]').count(), steps.length)
  // From the entry to the first step, eight ways down, one back.
  assert.equal(await picture().locator('g > path').count(), 10)
  assert.equal(await picture().locator('g > path[class]').count(), 1)
  await picture()
    .getByRole('button', {
      name: 'Decision: Gold? Yes, when the person fits this: `plan` is `gold`; otherwise no. 0 went on',
    })
    .waitFor()
  const recipients = ['p0', 'p1', 'p2'].map((external_user_id) => ({ external_user_id }))
  await dashboard.at.service.post('/canvas/trigger/send', { canvas_id: 'Trial', recipients })
  await dashboard.at.service.advance('PT1M')
  await says(stepAt('rest'), '3 here now')
  await says(stepAt('hello'), '3 sent')
  await says(stepAt('nudge'), '2 sent')
  await picture().getByText('yes 1').waitFor()
  await picture().getByText('no 2').waitFor()
  await dashboard.shot('canvas-8')
  await dashboard.at.service.advance('P3D')
  await says(stepAt('active'), '3 here now')
  await dashboard.at.service.advance('P2D')
  await picture().getByText('otherwise 3').waitFor()
  await says(stepAt('rest'), '3 here now')
  assert.deepEqual(dashboard.complaints, [])
})

test('keys lead through the picture, and a step opens beside it', async () => {
  await dashboard.visit('canvases/Trial')
  await says(stepAt('hello'), '3 sent')
  await stepAt('hello').focus()
  const walk = async (key: string, step: string) => {
    await page.keyboard.press(key)
    await page.waitForFunction(`document.activeElement?.dataset.step === '${step}'`)
  }
  await walk('ArrowDown', 'choose')
  await walk('2', 'tag')
  await walk('ArrowLeft', 'thanks')
  await walk('ArrowRight', 'tag')
  await walk('ArrowUp', 'choose')
  await walk('1', 'thanks')
  await walk('ArrowDown', 'rest')
  await walk('ArrowDown', 'active')
  await walk('2', 'rest')
  await page.keyboard.press('Enter')
  await panel().getByRole('heading', { name: 'A break' }).waitFor()
  assert.match(dashboard.path, /step=rest/)
  assert.match(await panel().innerText(), /Waits 3 days\./)
  await panel().getByRole('button', { name: 'Ordered?' }).click()
  await panel().getByRole('heading', { name: 'Ordered?' }).waitFor()
  const rows = panel().getByRole('table', { name: 'Where people go' })
  assert.match(await rows.innerText(), /Ordered: when they do "order_placed"\s+bye\s+0/)
  assert.match(await rows.innerText(), /otherwise: after 2 days without any of that\s+A break\s+3/)
  await dashboard.shot('canvas-panel')
  await page.keyboard.press('Escape')
  await panel().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show all' }).click()
  await stepAt('nudge').click()
  await panel().getByText('the mail server took it').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the outline has the same figures, and is walked by keys', async () => {
  await dashboard.visit('canvases/Trial')
  await showAll()
  await says(stepAt('rest'), '3 went on')
  const drawn = await picture()
    .locator('[data-step]')
    .evaluateAll((all) => all.map((each) => [each.getAttribute('data-step'), each.textContent]))
  await page.getByRole('tab', { name: 'Outline' }).click()
  const outline = page.getByRole('group', { name: 'Outline' })
  await outline.getByText('otherwise', { exact: true }).waitFor()
  const listed = await outline
    .locator('[data-step]')
    .evaluateAll((all) => all.map((each) => [each.getAttribute('data-step'), each.textContent]))
  const figures = (text: string | null) => text!.match(/\d+ (?:here now|went on|sent|failed)/g)
  for (const [id, text] of drawn) {
    assert.deepEqual(figures(listed.find((each) => each[0] === id)![1]!), figures(text!), id!)
  }
  assert.equal(listed.length, steps.length)
  assert.match(await outline.innerText(), /yes\s+when it is true\s+1 went this way/)
  await outline.locator('[data-step]').first().focus()
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), 'choose')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await panel().waitFor()
  await dashboard.shot('canvas-outline')
  assert.deepEqual(dashboard.complaints, [])
})

test('counts are of a version and of a time', async () => {
  const { service } = dashboard.at
  await service.admin('PATCH', '/admin/canvases/Trial', { steps: steps.with(7, message('bye', undefined, 'Farewell')) })
  await dashboard.visit('canvases/Trial')
  await showAll()
  await says(stepAt('rest'), '0 here now')
  await page.getByLabel('Version').selectOption('1')
  await says(stepAt('rest'), '3 here now')
  await page.getByLabel('Counts of').selectOption('24')
  await page.waitForURL(/hours=24/)
  await says(stepAt('hello'), '0 sent')
  assert.match(dashboard.path, /version=1/)
  assert.deepEqual(dashboard.complaints, [])
})

test('a narrow screen has the outline in place of the picture', async () => {
  await page.setViewportSize(narrow)
  await dashboard.visit('canvases/Trial')
  await page.getByRole('group', { name: 'Outline' }).waitFor()
  assert.equal(await picture().count(), 0)
  await page.setViewportSize(wide)
  await picture().waitFor()
})

test('the messages of a campaign are side by side', async () => {
  await dashboard.visit('campaigns/spring')
  const variant = page.getByRole('region', { name: 'Two' })
  await variant.getByText('Sends the e-mail "Two sale".').waitFor()
  assert.match(await variant.innerText(), /50%/)
  await variant.getByRole('button', { name: 'More about it' }).click()
  await panel().getByText('Nobody is at this step now.').waitFor()
  await dashboard.shot('campaign-variants')
  assert.deepEqual(dashboard.complaints, [])
})

test('counts that cannot be read leave the picture, and can be tried again', async () => {
  const refusal = { status: 500, message: 'Internal error' }
  await dashboard.tryAgain('**/canvases/Trial/standing*', refusal, () => dashboard.visit('canvases/Trial'))
  await stepAt('hello').waitFor()
  await dashboard.answerWith('**/canvases/Trial/versions/*', [refusal])
  await dashboard.visit('canvases/Trial')
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await stepAt('hello').waitFor()
  await page.waitForLoadState('networkidle')
  dashboard.complaints.length = 0
})

test('two hundred steps are drawn as far as they are in view, and move with the hand', async (t) => {
  await dashboard.visit('canvases/forty')
  await picture().locator('[data-step]').first().waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await dashboard.shot('canvas-40')
  await dashboard.visit('canvases/large')
  await stepAt('ask0').waitFor()
  await dashboard.shot('canvas-200')
  const shown = await picture().locator('[data-step]').count()
  assert.ok(shown < 100, `${shown} steps are in the page`)
  t.diagnostic(`panning 200 steps: ${await framesWhilePanning()} frames a second`)
  await stepAt('ask0').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show all' }).click()
  await dashboard.shot('canvas-200-all')
  t.diagnostic(`panning 200 steps, most of them in view: ${await framesWhilePanning()} frames a second`)
  await dashboard.visit('canvases/large?tab=outline')
  await page.locator('[data-step="wait49"]').waitFor()
  await dashboard.shot('canvas-200-outline')
  assert.deepEqual(dashboard.complaints, [])
})

test('a step among two hundred is edited, and the picture shows each key', async (t) => {
  await dashboard.visit('canvases/large/edit?step=ask0')
  const name = panel().getByLabel('Name', { exact: true })
  await name.waitFor()
  await stepAt('ask0').waitFor()
  await page.evaluate(`{
    globalThis.answersMs = []
    addEventListener('keydown', () => {
      const pressedMs = performance.now()
      // The task after the next frame begins when that frame was drawn.
      requestAnimationFrame(() => setTimeout(() => answersMs.push(performance.now() - pressedMs)))
    }, true)
  }`)
  await name.click()
  await page.keyboard.press('End')
  await page.keyboard.type(' more or less')
  await says(stepAt('ask0'), 'Question 0 more or less')
  const spentMs = (await page.evaluate<number[]>('answersMs')).toSorted((one, other) => one - other)
  const [median, highest] = [spentMs[spentMs.length >> 1]!, spentMs.at(-1)!].map(Math.round)
  t.diagnostic(`a key in the editor of 200 steps is drawn after ${median} ms, at most ${highest} ms`)
  assert.deepEqual(dashboard.complaints, [])
})

/** Moves the picture by the wheel, and returns how many frames a second the browser made meanwhile. */
async function framesWhilePanning(): Promise<number> {
  const { x, y, width, height } = (await picture().boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.evaluate(`{
    globalThis.frames = { count: 0, sinceMs: performance.now() }
    const next = () => {
      globalThis.frames.count++
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  }`)
  for (let i = 0; i < 60; i++) await page.mouse.wheel(0, 60)
  return page.evaluate('Math.round((frames.count / (performance.now() - frames.sinceMs)) * 1_000)')
}

test('the pages are accessible', async () => {
  await dashboard.checkAccess([
    ['canvas-picture', 'canvases/Trial', 'Gold?'],
    ['canvas-outline', 'canvases/Trial?tab=outline', 'Gold?'],
    ['canvas-step', 'canvases/Trial?step=active', 'Where people go'],
    ['campaign', 'campaigns/spring', 'Two sale'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('without the permission for canvases the page says so', async () => {
  await page.context().clearCookies()
  await dashboard.signIn({ company: [], workspaces: [] })
  await dashboard.visit('canvases/Trial')
  await page.getByText(/You may not see/).waitFor()
  dashboard.complaints.length = 0
})
