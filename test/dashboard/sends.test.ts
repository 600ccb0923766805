import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendingWorkspace } from '../support/messages.ts'
import { apps, many } from '../support/people.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const crowd = 1_001
const strange = 'שלום <b onmouseover=alert(1)>🦊</b>'
const dayMs = 86_400_000

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const admin = (method: string, path: string, body?: unknown) => dashboard.at.service.admin(method, path, body)
const dialog = () => page.getByRole('dialog')
const inADay = async () => new Date(Date.parse((await admin('GET', '/admin/clock')).body.now) + dayMs).toISOString()

/** Asks for a mail in a day. Returns the id of the send. */
async function schedule(who: object, subject: string): Promise<string> {
  const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject, body: '<p>Hello</p>' }
  const body = { ...who, messages: { email }, schedule: { time: await inADay() } }
  const { status, text, body: answer } = await dashboard.at.service.post('/messages/schedule/create', body)
  assert.equal(status, 201, text)
  return answer.dispatch_id
}

test('an empty list says what a send is', async () => {
  await dashboard.visit('sends')
  await page.getByText('Nothing was sent yet').waitFor()
  await dashboard.shot('sends-empty-light')
})

test('a send is paused and resumed, and its states are seen while it goes on', async () => {
  const attributes = many(3, (i) => ({ external_id: `ann-${i}`, email: `ann-${i}@example.com` }))
  await dashboard.at.service.post('/users/track', { attributes })
  await schedule({ external_user_ids: ['ann-0', 'ann-1', 'nobody'] }, 'Spring sale')
  await dashboard.visit('sends')
  await page.getByRole('link', { name: 'Spring sale' }).click()
  await page.getByRole('heading', { level: 1, name: 'Spring sale' }).waitFor()
  await page.getByText('Waiting: its time has not come.').waitFor()
  await page.getByText('3 named recipients').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  const resume = page.getByRole('button', { name: 'Resume' })
  await resume.waitFor()
  await dashboard.at.service.advance('P1DT1M')
  await resume.click()
  await resume.waitFor({ state: 'detached' })
  await dashboard.at.service.advance('PT1M')
  // The page asks again by itself.
  await page.getByText('Done. 3 found, 2 sent and 1 failed.').waitFor()
  await page.getByText('nobody has the identifier').waitFor()
  await page.getByText('66.7%').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0)
  assert.deepEqual(dashboard.complaints, [])
})

test('an outcome leads to its messages, a message to its send, and nobody leads nowhere', async () => {
  assert.equal(await page.getByRole('link', { name: /nobody has the identifier/ }).count(), 0)
  await page.getByRole('link', { name: '2: show the messages, the mail server took it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  const { searchParams } = new URL(page.url())
  assert.equal(searchParams.get('reason'), 'sent')
  await page.getByRole('link', { name: 'Spring sale' }).first().click()
  const { dispatches } = (await admin('GET', '/admin/dispatches')).body
  assert.equal(searchParams.get('dispatch'), dispatches[0].dispatch_id)
  await page.getByRole('link', { name: dispatches[0].dispatch_id.slice(0, 6) }).click()
  await page.getByRole('heading', { level: 1, name: 'Spring sale' }).waitFor()
  await page.getByText('Done. 3 found, 2 sent and 1 failed.').waitFor()
})

test('a send to many is cancelled after its name was typed', async () => {
  const id = await schedule({ external_user_ids: ['ann-0'] }, strange)
  const path = `**/admin/dispatches/${id}*`
  // As the server answers in the middle of a send to a crowd.
  await page.route(path, async (route) => {
    const answer = await route.fetch()
    const { dispatch, ...rest } = await answer.json()
    const outcomes = [{ reason: null, words: 'it has not ended yet', family: 'waiting', count: crowd }]
    await route.fulfill({ response: answer, json: { ...rest, dispatch: { ...dispatch, outcomes, to_go: crowd } } })
  })
  await dashboard.visit(`sends/${id}`)
  await page.getByRole('heading', { level: 1, name: strange }).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog().getByText('1,001 of 1,001 have not ended yet').waitFor()
  const cancel = dialog().getByRole('button', { name: 'Cancel the send' })
  assert.equal(await cancel.getAttribute('aria-disabled'), 'true')
  await dialog().getByRole('textbox').fill(strange)
  await page.unroute(path)
  await cancel.click()
  await page.getByText(/^Cancelled\./).waitFor()
  assert.equal((await admin('GET', `/admin/dispatches/${id}`)).body.dispatch.state, 'cancelled')
  assert.deepEqual(dashboard.complaints, [])
})

test('a change that the server refuses is said where it was asked, and the page shows the state as it is', async () => {
  const id = await schedule({ external_user_ids: ['ann-0'] }, 'Changed meanwhile')
  await dashboard.visit(`sends/${id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  await dashboard.answerWith('**/pause*', [{ status: 409, message: 'The order was cancelled' }])
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Somebody changed this meanwhile').waitFor()
  await page.getByText('The order was cancelled').waitFor()
  await page.unroute('**/pause*')
  await admin('POST', `/admin/dispatches/${id}/cancel`)
  await page.getByText(/^Cancelled\./).waitFor()
  dashboard.complaints.splice(0)
})

test('pages are accessible, light and dark, wide and narrow', async () => {
  const { dispatches } = (await admin('GET', '/admin/dispatches')).body
  const ended = dispatches.find(({ state }: { state: string }) => state === 'done')
  await dashboard.checkAccess([
    ['sends', 'sends', 'Spring sale'],
    ['send', `sends/${ended.dispatch_id}`, 'Done. 3 found'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('a failing service, a missing permission and an unknown send are said where it happens', async () => {
  // The list asks again by itself, so that a single failure could be gone before it is seen.
  const path = '**/admin/dispatches*'
  await page.route(path, (route) => route.fulfill({ status: 500, json: { message: 'Internal error' } }))
  await dashboard.visit('sends')
  await page.getByText('Easel made a mistake').waitFor()
  await page.unroute(path)
  await dashboard.visit('sends/00000000000000000000000000000000')
  await page.getByText('There is no such send').waitFor()
  const workspaces = [{ id: 'default', permissions: ['view_user_profile', 'view_pii'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('sends')
  await page.getByRole('heading', { name: 'You may not see Sends' }).waitFor()
  dashboard.complaints.splice(0)
})
