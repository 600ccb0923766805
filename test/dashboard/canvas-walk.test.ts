import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sizes } from '../sizes.ts'
import { canvas, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { Dashboard, narrow } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const crowd = sizes.peopleInWalk
/** People of one request. */
const partSize = 1_000
/** People without an address, so that some mails fail. */
const silent = Math.round(crowd / 100)
const ordered = { event: 'order_placed' }
const steps = [
  message('hello', 'rest', 'Welcome'),
  { id: 'rest', name: 'Three days', type: 'delay', for: 'P3D', next: 'asks' },
  {
    ...{ id: 'asks', name: 'Has ordered', type: 'action_paths', within: 'P7D', otherwise: 'help' },
    paths: [{ name: 'Ordered', ...ordered, next: 'thanks' }],
  },
  message('thanks', undefined, 'Thank you'),
  message('help', undefined, 'Can we help?'),
]
const conversions = [{ name: 'Orders', on: ordered, within: 'P7D' }]

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  await put('canvases', canvas('trial', steps, { name: 'Trial', class: 'marketing', conversions }))
  await put('canvases', canvas('plain', [message('hi')], { name: 'Plain' }))
})
after(() => dashboard.close())

const admin = (method: string, path: string, body?: unknown) => dashboard.at.service.admin(method, path, body)
const rowOf = (name: string | RegExp): Locator => page.getByRole('row', { name })
const tab = (name: string) => page.getByRole('tab', { name, exact: true })
const panel = (name: string) => page.getByRole('complementary', { name })

async function put(section: string, entry: object): Promise<void> {
  const { status, text } = await admin('POST', `/admin/${section}`, entry)
  assert.equal(status, 201, text)
}

async function post(path: string, body: object): Promise<void> {
  const { status, text } = await dashboard.at.service.post(path, body)
  assert.ok(status < 300, text)
}

/** Waits until the outline says so of a step: how many people are there now, and how many went on. */
async function stands(name: string, here: number, passed: number): Promise<void> {
  const [left, right] = [here, passed].map((count) => count.toLocaleString('en'))
  await page
    .getByRole('group', { name: 'Outline' })
    .getByRole('button', { name: new RegExp(`${name}.* ${left} here now ${right} went on`) })
    .waitFor()
}

test('a canvas that nobody has entered says so on every tab', async () => {
  await dashboard.visit('canvases/plain')
  await tab('People').click()
  await page.getByRole('heading', { name: 'Nobody has entered this canvas' }).waitFor()
  await tab('Conversions').click()
  await page.getByRole('heading', { name: 'This canvas has no conversion event' }).waitFor()
  await dashboard.shot('canvas-conversions-empty')
  await tab('Versions').click()
  await rowOf(/1, the current one/).waitFor()
  await page.getByRole('link', { name: '1, the current one' }).click()
  await panel('Version 1').getByText('This is the first version').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test(`${crowd} people enter, are listed fifty a page, and found by step and state`, async () => {
  for (let from = 0; from < crowd; from += partSize) {
    const attributes = many(Math.min(partSize, crowd - from), (i) => {
      const external_id = `p${from + i}`
      const email = from + i < silent ? {} : { email: `${external_id}@example.com` }
      return { external_id, first_name: `Ada ${from + i}`, ...email }
    })
    await post('/users/track/bulk', { attributes })
  }
  await post('/canvas/trigger/send', { canvas_id: 'trial', broadcast: true })
  await dashboard.at.service.advance('PT1M')
  await dashboard.visit('canvases/trial?tab=outline')
  await stands('Three days', crowd, 0)
  await page.getByRole('button', { name: /^Delay: Three days/ }).click()
  const beside = panel('Three days')
  const there = beside.getByRole('region', { name: 'Here now' }).locator('[data-row]')
  await there.nth(49).waitFor()
  assert.match(await there.first().innerText(), /Ada \d+[\s\S]*the end of its delay/)
  await dashboard.shot('canvas-people-at-step')
  await beside.getByRole('link', { name: 'Show them in the list' }).click()
  await page.waitForURL(/tab=people&step=rest&state=open/)
  await dashboard.visit('canvases/trial?tab=outline')
  await stands('Three days', crowd, 0)
  await dashboard.shot('canvas-walk-entered')
  await tab('People').click()
  await dashboard.rows.nth(49).waitFor()
  assert.equal(await dashboard.rows.count(), 50)
  const first = await dashboard.rows.first().innerText()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByRole('button', { name: 'Newest' }).waitFor()
  await eventually('other people', async () => (await dashboard.rows.first().innerText()) !== first)
  await page.getByLabel('Step').selectOption({ label: 'Has ordered' })
  await page.getByRole('heading', { name: 'Nobody matches these filters' }).waitFor()
  assert.match(dashboard.path, /tab=people&step=asks$/)
  await page.getByLabel('Step').selectOption({ label: 'Three days' })
  // A filter is added to those with which the page is drawn.
  await dashboard.rows.nth(49).waitFor()
  await page.getByLabel('State').selectOption({ label: 'in it now' })
  await page.waitForURL(/step=rest&state=open/)
  await dashboard.rows.nth(49).waitFor()
  assert.match(await dashboard.rows.first().innerText(), /Ada \d+[\s\S]*Three days[\s\S]*the end of its delay/)
  await dashboard.shot('canvas-people')
  assert.deepEqual(dashboard.complaints, [])
})

let run: string

test('one of them is followed beside the list and on a page of its own', async () => {
  const id = await personId(`p${crowd - 1}`)
  const { entries } = (await admin('GET', `/admin/canvases/trial/entries?person=${id}`)).body
  run = `canvases/trial/runs/${entries[0].entry_id}`
  await dashboard.visit(`canvases/trial?tab=people&panel=${encodeURIComponent(`run:${entries[0].entry_id}`)}`)
  const beside = panel(`Ada ${crowd - 1}`)
  await beside.getByText('The person is in the canvas "Trial" at the step "Three days"').waitFor()
  await beside.getByRole('row', { name: /hello.*sent/ }).waitFor()
  await dashboard.shot('canvas-run-panel')
  await beside.getByRole('link', { name: 'Open as page' }).click()
  await page.getByRole('heading', { level: 1, name: `Ada ${crowd - 1}` }).waitFor()
  assert.match(dashboard.path, new RegExp(`${run}$`))
  const way = page.getByRole('table', { name: 'The way, step by step' })
  await way.getByRole('row', { name: /hello.*Sends the e-mail.*sent/ }).waitFor()
  await way.getByRole('row', { name: /Three days.*waits for the end of its delay/ }).waitFor()
  await dashboard.shot('canvas-run')
  await way.getByRole('link', { name: 'sent' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Why?' }).click()
  await panel('Why not ...?').getByText('Trial').first().waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a person whose mail was not sent shows why', async () => {
  const { entries } = (await admin('GET', `/admin/canvases/trial/entries?person=${await personId('p0')}`)).body
  await dashboard.visit(`canvases/trial/runs/${entries[0].entry_id}`)
  await rowOf(/hello.*no address/).waitFor()
  await dashboard.shot('canvas-run-failed')
})

test('a week later the counts have moved, and the run shows each step with its time', async () => {
  await dashboard.visit('canvases/trial?tab=outline')
  await stands('Three days', crowd, 0)
  await dashboard.at.service.advance('P3DT1M')
  await stands('Three days', 0, crowd)
  await stands('Has ordered', crowd, 0)
  const { now } = (await admin('GET', '/admin/clock')).body
  const buyers = many(3, (i) => ({ external_id: `p${crowd - 1 - i}`, name: 'order_placed', time: now }))
  await post('/users/track', { events: buyers })
  await dashboard.at.service.advance('P4D')
  await stands('Has ordered', crowd - 3, 3)
  await dashboard.shot('canvas-walk-a-week-later')
  await dashboard.visit(run)
  await rowOf(/Has ordered.*took the path "Ordered"/).waitFor()
  await rowOf(/thanks.*by the path "Ordered".*sent/).waitFor()
  await page.getByText('The person reached the end of the canvas "Trial".').waitFor()
  // Times in which nothing happened are drawn short.
  await page
    .getByText(/^\.\. 3 d/)
    .first()
    .waitFor()
  await dashboard.shot('canvas-run-ended')
  await page.setViewportSize(narrow)
  await rowOf(/Has ordered.*took the path "Ordered"/).waitFor()
  await page
    .getByText(/^\.\. 3 d/)
    .first()
    .waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1280, height: 800 })
  assert.deepEqual(dashboard.complaints, [])
})

test('conversions have their event, their rate and its interval', async () => {
  await dashboard.visit('canvases/trial?tab=conversions')
  await page
    .getByText('People convert when they do "order_placed" within 1 week after a message of the canvas.')
    .waitFor()
  const all = rowOf(/All together/)
  const rate = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1 }).format(3 / crowd)
  assert.match(
    await all.innerText(),
    new RegExp(`${crowd.toLocaleString('en')}\\s+3\\s+${rate}\\s+0\\.\\d% to \\d\\.\\d%`),
  )
  await dashboard.shot('canvas-conversions')
})

test('versions say who wrote them and what differs, and lead to their counts', async () => {
  const [hello, rest, ...more] = steps
  for (const days of ['P4D', 'P5D']) {
    await admin('PATCH', '/admin/canvases/trial', { steps: [hello, { ...rest, for: days }, ...more] })
  }
  await dashboard.visit('canvases/trial?tab=versions')
  await page.getByRole('link', { name: '3, the current one' }).click()
  const version = panel('Version 3')
  await version.getByText('Delay of "rest" changed from "P4D" to "P5D"').waitFor()
  await version.getByLabel('Compared with version').selectOption('1')
  await version.getByText('Delay of "rest" changed from "P3D" to "P5D"').waitFor()
  await dashboard.shot('canvas-versions')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Show its counts: version 1' }).click()
  await page.getByRole('region', { name: 'Picture' }).waitFor()
  await tab('Outline').click()
  await stands('Has ordered', crowd - 3, 3)
  await page.getByLabel('Version', { exact: true }).selectOption('3')
  await stands('Has ordered', 0, 0)
  assert.deepEqual(dashboard.complaints, [])
})

test('pausing, resuming and stopping say first who is in it, and stopping takes the name', async () => {
  const inIt = `In it now: ${(crowd - 3).toLocaleString('en')}.`
  const confirm = async (button: string) => {
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog', { name: `${button} "Trial"?` })
    await dialog.getByText(inIt).waitFor()
    await dialog.getByText(`${(crowd - 3).toLocaleString('en')} at "Has ordered"`).waitFor()
    await dashboard.shot(`canvas-${button.toLowerCase()}`)
    return { dialog, submit: dialog.getByRole('button', { name: `${button} the canvas` }) }
  }
  await dashboard.visit('canvases/trial')
  await (await confirm('Pause')).submit.click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  await dashboard.visit('canvases/trial?tab=people&state=open')
  await dashboard.rows.first().getByText('the canvas to be resumed').waitFor()
  await (await confirm('Resume')).submit.click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const { dialog, submit } = await confirm('Stop')
  assert.equal(await submit.getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Type "Trial" to confirm').fill('Trial')
  await dashboard.answerWith('**/stop*', [{ status: 409, message: 'The canvas was changed meanwhile' }])
  await submit.click()
  await dialog.getByText('The canvas was changed meanwhile').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await admin('GET', '/admin/canvases/trial')).body.canvas.state, 'active')
  dashboard.complaints.length = 0
})

test('a campaign shows its people and runs as well', async () => {
  await put('campaigns', {
    ...{ id: 'spring', name: 'Spring', state: 'active', entry: { by: ['api'] } },
    messages: [{ id: 'm1', name: 'One', percent: 100, email: (steps[0] as { message: object }).message }],
  })
  const recipients = [{ external_user_id: `p${crowd - 1}` }]
  await post('/campaigns/trigger/send', { campaign_id: 'spring', recipients })
  await dashboard.at.service.advance('PT1M')
  await dashboard.visit('campaigns/spring?tab=people')
  await dashboard.rows
    .first()
    .getByRole('link', { name: `Ada ${crowd - 1}`, exact: true })
    .click()
  await rowOf(/One.*sent/).waitFor()
  assert.match(dashboard.path, /campaigns\/spring\/runs\//)
})

test('failing requests can be tried again, and an unknown run says so', async () => {
  await dashboard.tryAgain('**/entries?*', { status: 500, message: 'Internal error' }, () =>
    dashboard.visit('canvases/trial?tab=people'),
  )
  await dashboard.rows.first().waitFor()
  await dashboard.visit('canvases/trial/runs/00000000-0000-4000-8000-000000000000')
  await page.getByRole('heading', { name: 'There is no such run' }).waitFor()
  // The page asks again and again, and each refusal is a complaint.
  await page.goto('about:blank')
  dashboard.complaints.length = 0
})

test('the pages are accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([
    ['canvas-people', 'canvases/trial?tab=people', 'event "order_placed"'],
    ['canvas-run', run, 'took the path'],
    ['canvas-versions', `canvases/trial?tab=versions&panel=${encodeURIComponent('version:3')}`, 'Delay of'],
    ['canvas-conversions', 'canvases/trial?tab=conversions', 'All together'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('without people.read an account sees where people are, not who they are', async () => {
  const workspaces = [{ id: 'default', permissions: ['view_canvases'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('canvases/trial?tab=people&state=open')
  await dashboard.rows.first().getByText('not shown to you').waitFor()
  assert.equal(await dashboard.rows.first().getByRole('link').count(), 0)
  await dashboard.visit(run)
  await page.getByRole('heading', { name: 'You may not see who is in it' }).waitFor()
  await dashboard.visit('canvases/trial')
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.waitFor()
  assert.equal(await pause.getAttribute('aria-disabled'), 'true')
  dashboard.complaints.length = 0
})

async function personId(external_id: string): Promise<string> {
  return (await admin('GET', `/admin/people/search?q=${external_id}&limit=1`)).body.people[0].id
}
