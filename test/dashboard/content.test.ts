import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const put = async (section: string, entry: object) => {
  const { status, text } = await dashboard.at.service.admin('POST', `/admin/${section}`, entry)
  assert.equal(status, 201, text)
}

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const rowOf = (name: string): Locator => page.getByRole('row', { name: new RegExp(name) })
const lists = ['segments', 'groups', 'canvases', 'campaigns', 'templates', 'blocks', 'catalogs'] as const

test('empty lists say what would be in them', async () => {
  await dashboard.at.service.admin('POST', '/admin/workspace', { id: 'empty', name: 'Empty' })
  for (const [path, title] of [
    ['segments', 'There are no segments'],
    ['groups', 'There are no subscription groups'],
    ['canvases', 'There are no canvases'],
    ['campaigns', 'There are no campaigns'],
    ['templates', 'There are no templates'],
    ['blocks', 'There are no blocks'],
    ['catalogs', 'There are no catalogs'],
  ] as const) {
    await dashboard.visit(path, 'empty')
    await page.getByRole('heading', { name: title }).waitFor()
  }
  assert.deepEqual(dashboard.complaints, [])
})

test('lists say what uses their things, and lead on', async () => {
  await put('segments', { id: 'payers', name: 'Payers', description: 'Who pays', audience: isPlan('gold') })
  await put('subscription_groups', { id: 'trips', name: 'Trips', channel: 'email' })
  await put('catalogs', { id: 'shoes', name: 'shoes', fields: [{ name: 'id', type: 'string' }] })
  await put('content_blocks', { id: 'footer', name: 'footer', content: 'Best wishes,\nthe shop' })
  const body = '<p>Hello</p>{{content_blocks.${footer}}}{% catalog_items shoes 1 %}'
  await put('email_templates', { id: 'welcome', name: 'Welcome', subject: 'Hello', body, plaintext_body: 'Hello' })
  const wait = { id: 'wait', name: 'Wait a week', type: 'delay', for: 'P7D', next: 'plan' }
  const plan = { id: 'plan', type: 'decision', audience: isPlan('gold'), yes: 'thanks' }
  const thanks = { ...message('thanks'), message: { ...mail({ subject: 'Thanks' }), email_template_id: 'welcome' } }
  await put('canvases', canvas('Trial', [wait, plan, thanks], { segment: { segment_id: 'payers' } }))
  await put('campaigns', {
    ...{ id: 'spring', name: 'Spring', state: 'active' },
    messages: [{ id: 'm1', name: 'One', percent: 100, email: mail({ subject: 'Spring sale' }) }],
  })
  await dashboard.visit('segments')
  await rowOf('Payers').waitFor()
  assert.match(await rowOf('Payers').innerText(), /Who pays[\s\S]*`plan` is `gold`[\s\S]*canvas Trial/)
  await dashboard.shot('segments')
  await dashboard.visit('blocks')
  await rowOf('footer').getByRole('link', { name: 'Welcome' }).click()
  await page.getByRole('region', { name: 'Preview' }).waitFor()
  assert.equal(await dashboard.heading, 'Welcome')
  assert.match(await page.getByRole('region', { name: 'What it is' }).innerText(), /canvas Trial/)
  await dashboard.visit('catalogs')
  await page.getByRole('link', { name: 'shoes' }).click()
  await page.getByRole('table', { name: 'Fields' }).getByText('string').waitFor()
  await dashboard.visit('groups')
  await rowOf('Trips').getByText('active').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a list is searched by a part of a name', async () => {
  await dashboard.visit('templates')
  const name = page.getByLabel('Name')
  await name.fill('WEL')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=WEL/)
  // The field takes over what was searched for when the page is drawn with it.
  await page.getByRole('button', { name: 'Show all', exact: true }).waitFor()
  await rowOf('Welcome').waitFor()
  await name.fill('nothing')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No templates have "nothing" in their name' }).waitFor()
  await page.getByRole('button', { name: 'Show all templates' }).click()
  await rowOf('Welcome').waitFor()
  await eventually('the field is empty', async () => (await name.inputValue()) === '')
})

test('a segment says who is in it, counts when asked, and shows some people', async () => {
  const people = many(12, (i) => ({ external_id: `g${i}`, first_name: `Person ${i}`, email: newEmail(), plan: 'gold' }))
  await dashboard.at.service.post('/users/track', { attributes: people })
  await dashboard.visit('segments/payers')
  await page.getByText('People are in this segment when: `plan` is `gold`.').waitFor()
  await page.getByRole('button', { name: 'Count now' }).click()
  await page.getByText(/12, counted at/).waitFor()
  const shown = page.getByRole('table', { name: 'Some of the people in it' }).locator('[data-row]')
  await shown.nth(9).waitFor()
  assert.equal(await shown.count(), 10)
  await page.getByRole('button', { name: 'Show others' }).click()
  await shown.nth(9).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a canvas shows its steps and who is in it, is paused and resumed, and stopped after its name was typed', async () => {
  const recipients = ['g1', 'g2'].map((external_user_id) => ({ external_user_id }))
  await dashboard.at.service.post('/canvas/trigger/send', { canvas_id: 'Trial', recipients })
  await dashboard.at.service.advance('PT1M')
  await dashboard.visit('canvases')
  assert.match(
    await rowOf('Trial').innerText(),
    /active[\s\S]*People of its audience enter when the API says so[\s\S]*2/,
  )
  await page.getByRole('link', { name: 'Trial' }).click()
  await page.getByRole('tab', { name: 'Outline' }).click()
  const step = (name: string) => page.getByRole('group', { name: 'Outline' }).getByRole('button', { name })
  await step('Delay: Wait a week Waits 1 week. 2 here now 0 went on').waitFor()
  await dashboard.shot('canvas')
  await dashboard.at.service.advance('P7D')
  await step('Message: thanks Sends the e-mail "Thanks". 2 went on 2 sent').waitFor()
  await dashboard.shot('canvas-counts')
  await dashboard.at.service.post('/canvas/trigger/send', { canvas_id: 'Trial', recipients })
  await dashboard.at.service.advance('PT1M')
  await page.reload()
  for (const [button, next] of [
    ['Pause', 'Resume'],
    ['Resume', 'Pause'],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').getByText('In it now: 2.').waitFor()
    await page.getByRole('button', { name: `${button} the canvas` }).click()
    await page.getByRole('button', { name: next, exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Stop' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('In it now: 2.').waitFor()
  const stop = dialog.getByRole('button', { name: 'Stop the canvas' })
  assert.equal(await stop.getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Type "Trial" to confirm').fill('Trial')
  await stop.click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByText('archived').first().waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('an unknown thing says so, and a failing list can be tried again', async () => {
  await dashboard.visit('segments/none')
  await page.getByRole('heading', { name: 'There is no such segment' }).waitFor()
  await dashboard.answerWith('**/admin/heads/content_blocks*', [{ status: 500, message: 'Internal error' }])
  await dashboard.visit('blocks')
  await page.getByText('Internal error').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await rowOf('footer').waitFor()
  dashboard.complaints.length = 0
})

test('the pages are accessible', async () => {
  await dashboard.checkAccess([
    ...lists.map((path) => [`list-${path}`, path, 'Times:'] as const),
    ['segment', 'segments/payers', 'Some of the people in it'],
    ['flow', 'canvases/Trial?tab=overview', 'As it is written'],
    ['campaign', 'campaigns/spring', 'Spring sale'],
    ['template', 'templates/welcome', 'Rendered for'],
    ['block', 'blocks/footer', 'Rendered for'],
    ['catalog', 'catalogs/shoes', 'string'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})
