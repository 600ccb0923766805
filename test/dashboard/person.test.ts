import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const canvas = 'Offer of the week'

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  await dashboard.signIn()
  page = dashboard.page
  const { service } = dashboard.at
  const steps = [{ id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail({ subject: 'Offer' }) }]
  const given = { name: canvas, state: 'active', segment: { segment_id: 'gold' }, entry: { by: ['api'] } }
  const { body } = await service.admin('POST', '/admin/canvases', { ...given, first: 'hello', steps })
  await track({
    attributes: [
      {
        external_id: 'ada',
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.com',
        plan: 'free',
        visits: 3,
      },
      { external_id: 'bo', first_name: 'Bo', email: 'bo@example.com', time_zone: 'Asia/Tokyo', plan: 'gold' },
      { external_id: 'twin', first_name: 'Bo', last_name: 'Diddley', email: 'twin@example.com', note: 'old' },
      { external_id: 'gone', first_name: 'Cy', email: 'cy@example.com' },
      { external_id: 'late', first_name: 'Dora' },
    ],
  })
  const time = (await service.admin('GET', '/admin/clock')).body.now as string
  await track({ events: [{ external_id: 'ada', name: 'signed_up', time, properties: { plan: 'trial' } }] })
  await service.advance('P8D')
  const recipients = ['ada', 'bo'].map((external_user_id) => ({ external_user_id }))
  await service.post('/canvas/trigger/send', { canvas_id: body.canvas.id, recipients })
  await service.advance('PT1M')
})
after(() => dashboard.close())

async function track(body: object): Promise<void> {
  const { status, text } = await dashboard.at.service.post('/users/track', body)
  assert.equal(status, 201, text)
}

async function idOf(q: string): Promise<string> {
  return (await dashboard.at.service.admin('GET', `/admin/people/search?q=${q}`)).body.people[0].id
}

/** Opens the page of a person with their whole timeline. On a slow machine one reading may not reach back to its begin. */
async function open(q: string): Promise<void> {
  await dashboard.visit(`people/${await idOf(q)}`)
  const whole = page.getByText('This is everything that is kept.')
  const part = page.getByText('was looked at.')
  await whole.or(part).waitFor()
  while (!(await whole.isVisible())) {
    await page.reload()
    await whole.or(part).waitFor()
  }
}

const dialog = (): Locator => page.getByRole('dialog')
const panel = (): Locator => page.getByRole('complementary')

test('three clicks from an address explain why a person did not get a mail of a canvas', async () => {
  await dashboard.visit('people?q=ada%40example.com')
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.getByRole('button', { name: 'Why not ...?' }).click()
  await panel().getByRole('button', { name: canvas }).click()
  await panel()
    .getByText(/The person has not entered the canvas "Offer of the week": not in segment/)
    .waitFor()
  assert.match(dashboard.path, /\?panel=why%3Acanvas%3A/)
  assert.match(await panel().innerText(), /free/)
  await dashboard.shot('why-light')
  await page.keyboard.press('Escape')
  await panel().waitFor({ state: 'detached' })
  assert.deepEqual(dashboard.complaints, [])
})

test('the timeline tells what happened, with gaps, and shows what is chosen', async () => {
  await open('ada')
  const text = await page.getByRole('tabpanel').innerText()
  assert.match(text, /did not enter the canvas "Offer of the week": the person is not in the segment/)
  assert.match(text, /8 days of nothing/)
  assert.match(text, /Did signed_up\.\s+{"plan":"trial"}/)
  const notSent = page.getByRole('checkbox', { name: 'Not sent' })
  // The box follows the address of the page, so it is not unchecked at once.
  await notSent.click()
  await page.getByText('did not enter the canvas').waitFor({ state: 'detached' })
  assert.match(dashboard.path, /kinds=event/)
  await page.reload()
  await page.getByText('Did signed_up.').waitFor()
  assert.equal(await notSent.isChecked(), false)
  assert.equal(await page.getByText('did not enter the canvas').count(), 0)
  await open('bo')
  await page.getByText(/Their time: \d\d:\d\d \(Asia\/Tokyo\)/).waitFor()
  const at = String(await page.getByRole('tabpanel').locator('time').first().getAttribute('datetime'))
  const inTokyo = new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo' })
  await page.getByLabel('Times').selectOption('theirs')
  await page.getByRole('tabpanel').locator(`time[title*="${inTokyo}"]`).first().waitFor()
  assert.match(dashboard.path, /times=theirs/)
  await page.getByRole('tab', { name: 'Flows' }).click()
  await page.getByText('The person reached the end of the canvas "Offer of the week".').waitFor()
  await page.getByRole('tab', { name: 'Messages' }).click()
  await page.getByText(/The mail "Offer" of the canvas .* was sent to bo@example.com/).waitFor()
  await dashboard.shot('person-messages-light')
  assert.deepEqual(dashboard.complaints, [])
})

test('a segment explains itself by its conditions, and a send by its decision', async () => {
  await open('ada')
  await page.getByRole('button', { name: 'Why not ...?' }).click()
  await panel().getByRole('button', { name: 'Segment' }).click()
  await panel().getByRole('button', { name: 'Gold' }).first().click()
  await panel()
    .getByText(/The person is not in the segment/)
    .waitFor()
  await panel().getByText('The person has: "free"').waitFor()
  await panel().getByRole('button', { name: 'Ask about something else' }).click()
  await panel().getByRole('button', { name: 'Send', exact: true }).click()
  await panel()
    .getByRole('button', { name: /^The canvas / })
    .click()
  await panel().getByText('The person did not enter the canvas "Offer of the week"').first().waitFor()
})

test('an edit sends what was changed, keeps what was typed beside an error, and the page is read anew', async () => {
  await open('ada')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog().getByLabel('First name').fill('Augusta')
  await dialog().getByLabel('E-mail address').fill('no address')
  await dialog().getByLabel('visits', { exact: true }).fill('4')
  const sent = page.waitForRequest((request) => request.url().includes('/track'))
  await dialog().getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await sent).postDataJSON(), {
    attributes: { first_name: 'Augusta', email: 'no address', visits: 4 },
  })
  const refused = dialog().getByText("The value provided for the 'email' field is not a valid email.")
  await refused.waitFor()
  assert.equal(await dialog().getByLabel('First name').inputValue(), 'Augusta')
  await dashboard.shot('person-edit-light')
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await dialog().getByLabel('First name').inputValue(), 'Augusta')
  await dialog().getByLabel('E-mail address').fill('augusta@example.com')
  await dialog().getByRole('button', { name: 'Add an attribute' }).click()
  await dialog().getByLabel('Name', { exact: true }).fill('likes')
  await dialog().getByLabel('Type of likes').selectOption('json')
  await dialog().getByLabel('Value').fill('["tea"')
  await dialog().getByText('This is not JSON.').waitFor()
  await dialog().getByLabel('Value').fill('["tea"]')
  await dialog().getByRole('button', { name: 'Remove plan' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Augusta Lovelace' }).waitFor()
  await page.getByText('Subscribed to mail to augusta@example.com.').waitFor()
  const { record } = (await dashboard.at.service.admin('GET', `/admin/people/${await idOf('ada')}`)).body
  assert.deepEqual(record.custom_attributes, { visits: 4, likes: ['tea'] })
  assert.deepEqual(
    dashboard.complaints.splice(0).filter((line) => !line.includes('/track')),
    [],
  )
})

test('an event is recorded, and an address is suppressed and taken back', async () => {
  await open('ada')
  await page.getByRole('button', { name: 'Record event' }).click()
  await dialog().getByLabel('Name of the event').fill('called_support')
  await dialog().getByLabel('Properties').fill('{"about": "invoice"}')
  await dialog().getByRole('button', { name: 'Record' }).click()
  await page.getByText('Did called_support.').waitFor()
  await page.getByRole('button', { name: 'Suppress' }).click()
  await dialog().getByLabel('Why').fill('asked by phone')
  await dialog().getByRole('button', { name: 'Suppress' }).click()
  await page.getByText(/^Nothing is sent to augusta@example.com, because it was blocked on request/).waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await dialog().getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Subscribed to mail to augusta@example.com.').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('two people are merged after a preview, and a person who is merged meanwhile leads to the kept one', async () => {
  const twin = await idOf('twin')
  await open('bo')
  await page.getByRole('button', { name: 'Merge' }).click()
  await dialog().getByLabel('Find the other person').fill('twin@example.com')
  await page.keyboard.press('Enter')
  await dialog()
    .getByRole('button', { name: /^Bo Diddley, twin@example.com/ })
    .click()
  await dialog().getByRole('row', { name: 'note old from the other one' }).waitFor()
  await dialog().getByRole('row', { name: 'first_name Bo stays' }).waitFor()
  await dialog().getByText('The external id "twin" is given up.').waitFor()
  await dashboard.shot('person-merge-light')
  const merge = dialog().getByRole('button', { name: 'Merge', exact: true })
  assert.equal(await merge.getAttribute('aria-disabled'), 'true')
  await dialog().getByLabel('Type "Bo Diddley" to confirm').fill('Bo Diddley')
  await merge.click()
  await page.getByText('Another person was merged into this one.').waitFor()
  await dashboard.visit(`people/${twin}`)
  await page.getByRole('note').getByText('was merged into this one.').waitFor()
  assert.equal(await dashboard.heading, 'Bo Diddley')
  assert.deepEqual(dashboard.complaints, [])
})

test('a deletion takes the name, and leads to the list; what was deleted meanwhile is said', async () => {
  await open('gone')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByLabel('Type "Cy" to confirm').fill('Cy')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/people$/)
  // The page of the person stays until the list is drawn, and has rows as well.
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  await dashboard.rows.first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Cy' }).count(), 0)
  await open('late')
  await dashboard.at.service.admin('DELETE', `/admin/people/${await idOf('late')}`)
  await page.getByRole('button', { name: 'Record event' }).click()
  await dialog().getByLabel('Name of the event').fill('x')
  await dialog().getByRole('button', { name: 'Record' }).click()
  await dialog().getByText('There is no person with this id. Deleted people have none').waitFor()
  assert.equal(await dialog().getByLabel('Name of the event').inputValue(), 'x')
  dashboard.complaints.length = 0
})

test('a timeline that fails or is refused says so in its place, and the rest of the page stays', async () => {
  await dashboard.answerWith('**/timeline*', [
    { status: 500, message: 'Internal error' },
    { status: 403, message: 'You do not have permission to do this: it takes people.read' },
  ])
  await dashboard.visit(`people/${await idOf('ada')}`)
  await page.getByText('Internal error').waitFor()
  assert.equal(await dashboard.heading, 'Augusta Lovelace')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('it takes people.read').waitFor()
  await page.unroute('**/timeline*')
  dashboard.complaints.length = 0
})

test('the page and its panel are accessible', async () => {
  const id = await idOf('ada')
  const { body } = await dashboard.at.service.admin('GET', '/admin/canvases')
  await dashboard.checkAccess([
    ['person-timeline', `people/${id}`, canvas],
    ['person-flows', `people/${id}?tab=flows`, 'The person has not entered any canvas or campaign'],
    ['person-why', `people/${id}?panel=why`, canvas],
    ['person-answer', `people/${id}?panel=why:canvas:${body.canvases[0].id}`, 'When the person could have entered'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('who may only read sees the actions, and what they take', async () => {
  await dashboard.at.db.execute(`update account set permissions = '${JSON.stringify(readerOnly)}'`)
  await open('ada')
  for (const [name, ability] of [
    ['Edit', 'people.edit'],
    ['Merge', 'people.merge'],
    ['Delete', 'people.end'],
  ] as const) {
    const button = page.getByRole('button', { name, exact: true })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    assert.match((await button.getAttribute('title')) ?? '', new RegExp(ability))
  }
})

const readerOnly = {
  company: [],
  roles: [],
  workspaces: [{ id: 'default', permissions: ['view_user_profile', 'view_pii', 'view_canvases'], sets: [], teams: [] }],
}
