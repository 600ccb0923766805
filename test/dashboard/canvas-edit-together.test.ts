import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { watch, wide } from './browser.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let ada: Page
let bo: Page
let complaintsOfBo: string[]
const crowd = 3

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  ada = dashboard.page
  const { user_name } = await dashboard.at.account({ given_name: 'Bo', user_name: 'bo@example.com' })
  await dashboard.signIn()
  bo = await dashboard.browser.newPage({ viewport: wide, colorScheme: 'light' })
  const [name, value] = (await dashboard.at.enter(user_name)).split('=')
  await bo.context().addCookies([{ name: name!, value: value!, url: dashboard.url }])
  complaintsOfBo = watch(bo, dashboard.url)
})
after(() => dashboard.close())

const { admin, post } = {
  admin: (...given: Parameters<typeof dashboard.at.service.admin>) => dashboard.at.service.admin(...given),
  post: (path: string, body: object) => dashboard.at.service.post(path, body),
}
const pictureOf = (page: Page) => page.getByRole('region', { name: 'Picture' })
const nameOn = (page: Page): Locator => page.getByRole('complementary').getByLabel('Name', { exact: true })
const edit = (page: Page, more: string) => page.goto(`${dashboard.url}/dashboard/w/default/canvases/${more}`)

const draft = {
  ...{ id: 'shared', name: 'Shared', entry: { by: ['api'] }, first: 'rest' },
  steps: [
    { id: 'rest', name: 'Rest', type: 'delay', for: 'P1D', next: 'more' },
    { id: 'more', name: 'More', type: 'delay', for: 'P2D' },
  ],
}

/** Opens the draft for both, each with the forms of another step. A page behind another one is not painted. */
async function openBoth(): Promise<void> {
  await admin('PUT', '/admin/canvases/shared/draft', { definition: draft, base_version: null })
  await edit(ada, 'shared/edit?step=rest')
  await nameOn(ada).waitFor()
  await bo.bringToFront()
  await edit(bo, 'shared/edit?step=more')
  await nameOn(bo).waitFor()
}

test('two people edit a canvas at once: the second is told who changed what, and nothing is lost', async () => {
  await openBoth()
  // What Ada writes is on its way while Bo saves.
  const saved = Promise.withResolvers<void>()
  await ada.route('**/canvases/shared/draft*', async (route) => {
    if (route.request().method() === 'PUT') await saved.promise
    await route.continue()
  })
  await ada.bringToFront()
  const sent = ada.waitForRequest((request) => request.method() === 'PUT' && request.url().includes('/shared/draft'))
  await nameOn(ada).fill('My rest')
  await sent
  await bo.bringToFront()
  await nameOn(bo).fill('Their more')
  await bo.keyboard.press('Control+s')
  await bo.getByText(/^Draft saved by bo@example\.com/).waitFor()
  saved.resolve()
  await ada.bringToFront()
  const told = ada.getByRole('alert', { name: 'Changed by another person' })
  await told.getByText(/^bo@example\.com changed this draft while you edited it/).waitFor()
  await told.getByText('The step "Their more" (delay) was changed: name.').waitFor()
  await told.getByText('The step "My rest" (delay) was changed: name.').waitFor()
  await dashboard.shot('canvas-editor-conflict')
  await told.getByRole('button', { name: 'Mine on top of theirs' }).click()
  await told.waitFor({ state: 'detached' })
  await ada.getByText(/^Draft saved by ada/).waitFor()
  const { definition } = (await admin('GET', '/admin/canvases/shared/draft')).body.draft
  const names = definition.steps.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['My rest', 'Their more'])
  // A browser writes each refusal to its console: this one told her.
  assert.match(dashboard.complaints.splice(0).join('\n'), /^[^\n]*412[^\n]*$/)
})

test('the other one sees the change without a reload, and is told whose it is', async () => {
  await bo.bringToFront()
  await pictureOf(bo).getByText('My rest').waitFor()
  await bo.getByText(/^Draft saved by ada/).waitFor()
  assert.equal(await nameOn(bo).inputValue(), 'Their more')
  assert.deepEqual(complaintsOfBo, [])
})

/** A canvas in which a crowd waits at a step. */
async function runTrial(): Promise<void> {
  await admin('POST', '/admin/canvases', {
    ...{ id: 'trial', name: 'Trial', state: 'active', entry: { by: ['api'] }, first: 'hello' },
    steps: [
      { id: 'hello', name: 'Hello', type: 'message', message: mail({ subject: 'Hello' }), next: 'rest' },
      { id: 'rest', name: 'Three days', type: 'delay', for: 'P3D', next: 'bye' },
      { id: 'bye', name: 'Bye', type: 'message', message: mail({ subject: 'Bye' }) },
    ],
  })
  const ids = many(crowd, (i) => `p${i}`)
  await post('/users/track', {
    attributes: ids.map((external_id) => ({ external_id, email: `${external_id}@example.com` })),
  })
  const recipients = ids.map((external_user_id) => ({ external_user_id }))
  await post('/canvas/trigger/send', { canvas_id: 'trial', recipients })
  await dashboard.at.service.advance('PT1M')
}

test('a canvas is edited while people stand in it, and the impact is read before it is published', async () => {
  await runTrial()
  await ada.bringToFront()
  await edit(ada, 'trial/edit?step=rest')
  await ada.getByRole('complementary').getByRole('button', { name: 'Delete the step' }).click()
  await pictureOf(ada).locator('[data-step="rest"]').waitFor({ state: 'detached' })
  await ada.getByRole('button', { name: 'Publish', exact: true }).click()
  const dialog = ada.getByRole('dialog', { name: 'Publish "Trial"?' })
  await dialog
    .getByText(
      'In it now: 3. They finish the version that they entered. People who enter from now on are on version 2.',
    )
    .waitFor()
  await dialog.getByText('3 on version 1 at "Three days", which is gone in the new version.').waitFor()
  await dialog.getByText('The step "Three days" (delay) was removed.').waitFor()
  await dashboard.shot('canvas-editor-impact')
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await ada.getByRole('button', { name: 'Pause' }).waitFor()
  const { canvases } = (await admin('GET', '/admin/heads/canvases')).body
  assert.equal(canvases.find(({ id }: { id: string }) => id === 'trial').version, 2)
  // Those who stood in it finish the version that they entered, with the step that is gone.
  await dashboard.at.service.advance('P3D')
  const { messages } = (await admin('GET', '/admin/inbox?limit=100')).body
  const byes = messages.filter(({ subject }: { subject: string }) => subject === 'Bye')
  assert.equal(byes.length, crowd)
  assert.deepEqual(dashboard.complaints, [])
})
