import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page
const search = '**/admin/people/search*'

before(async () => {
  await dashboard.open()
  page = dashboard.page
  const attributes = [
    { external_id: 'ada', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
    { external_id: 'countess', first_name: 'Countess', email: 'countess@example.com' },
  ]
  await dashboard.at.service.post('/users/track', { attributes })
  await dashboard.signIn()
})
after(() => dashboard.close())

/** The id of a person as the interface has it. */
async function idOf(q: string): Promise<string> {
  return (await dashboard.at.service.admin('GET', `/admin/people/search?q=${q}`)).body.people[0].id
}

test('a busy service is asked again after the time it names, and the page then appears', async () => {
  const busy = { status: 429, message: 'Too many requests', headers: { 'retry-after': '1' } }
  const unavailable = { status: 503, message: 'The database does not answer', headers: { 'retry-after': '1' } }
  await dashboard.answerWith(search, [busy, unavailable])
  await dashboard.visit('people')
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await page.unroute(search)
})

test('a slow answer leaves the frame usable, with grey rows in place of the list', async () => {
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(search, async (route) => {
    await asked
    await route.continue()
  })
  await dashboard.visit('people')
  await page.getByRole('status', { name: 'Loading people' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do something' }).waitFor()
  await page.keyboard.press('Escape')
  answer()
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await page.unroute(search)
})

test('what a viewer may not see is not in the list of screens, and its page says what it takes', async () => {
  const { at } = dashboard
  const { body: made } = await at.service.admin('GET', '/admin/session')
  assert.ok(made.workspaces.length > 0)
  await page.route('**/admin/session*', async (route) => {
    const answer = await route.fetch()
    const session = await answer.json()
    const workspaces = session.workspaces.map((one: object) => ({ ...one, abilities: [] }))
    await route.fulfill({ json: { ...session, abilities: [], workspaces } })
  })
  await dashboard.visit('people')
  await page.getByRole('heading', { name: 'You may not see People' }).waitFor()
  assert.equal(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'People' }).count(), 0)
  await page.unroute('**/admin/session*')
  await dashboard.answerWith(search, [{ status: 403, message: 'Your account may not do this' }])
  await dashboard.visit('people')
  await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.unroute(search)
})

test('whatever ends a write, the form keeps what was typed, says why, and the same button tries again', async () => {
  await dashboard.visit(`people/${await idOf('ada')}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('First name').fill('Augusta')
  const tooOften = { status: 429, message: 'Too many requests', headers: { 'retry-after': '0' } }
  const changed = 'The person has changed since you read it'
  // Another sentence than that of the refusal before it, which may still be there when the next one is waited for.
  const differs = 'The person is another one than you read'
  for (const [answers, title, sentence] of [
    [['away'], 'Easel does not answer', ''],
    [[{ status: 400, message: 'No such field' }], 'Easel refused this', 'No such field'],
    [[{ status: 403, message: 'people.edit is missing' }], 'You may not do this', 'people.edit is missing'],
    [[{ status: 409, message: changed }], 'Somebody changed this meanwhile', changed],
    [[{ status: 412, message: differs }], 'Somebody changed this meanwhile', differs],
    [[tooOften, tooOften, tooOften, tooOften], 'Easel is busy', 'Too many requests'],
    [[{ status: 500, message: 'Internal error' }], 'Easel made a mistake', 'Internal error'],
  ] as const) {
    await dashboard.answerWith('**/track*', answers)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText(title).waitFor()
    await form.getByText(sentence).first().waitFor()
    assert.equal(await form.getByLabel('First name').inputValue(), 'Augusta')
    await page.unroute('**/track*')
  }
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Augusta Lovelace' }).waitFor()
  await dashboard.at.service.post('/users/track', { attributes: [{ external_id: 'ada', first_name: 'Ada' }] })
  dashboard.complaints.splice(0)
})

test('a person who was merged meanwhile leads to the person who was kept', async () => {
  const gone = await idOf('countess')
  await dashboard.visit(`people/${gone}`)
  await page.getByRole('heading', { name: 'Countess' }).waitFor()
  const merge_updates = [
    { identifier_to_merge: { external_id: 'countess' }, identifier_to_keep: { external_id: 'ada' } },
  ]
  const { service } = dashboard.at
  assert.equal((await service.post('/users/merge', { merge_updates })).status, 202)
  await dashboard.at.until(async () => (await service.admin('GET', `/admin/people/${gone}`)).body.merged_from === gone)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
  await page.getByRole('note').getByText('was merged into this one').waitFor()
})

test('a script or a style that is gone after an update is got by one reload of the page', async () => {
  let isUpdated = false
  let reloads = 0
  const shell = `**/dashboard/w/**`
  await page.route(shell, (route) => {
    if (isUpdated && route.request().isNavigationRequest()) reloads++
    return route.continue()
  })
  for (const file of ['person-page-*.js', 'person-page-*.css']) {
    const gone = `**/dashboard/assets/${file}`
    reloads = 0
    await page.route(gone, (route) => (reloads === 0 ? route.fulfill({ status: 404 }) : route.continue()))
    isUpdated = false
    await dashboard.visit('people')
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    isUpdated = true
    await page.getByRole('link', { name: 'Ada Lovelace' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
    assert.equal(reloads, 1, file)
    await page.unroute(gone)
  }
  await page.unroute(shell)
})

test('a session that ends in the middle leads to the sign-in page, which leads back', async () => {
  await dashboard.visit('people')
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('textbox', { name: 'Find a person' }).fill('ada@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sign-in\?next=%2Fdashboard%2Fw%2Fdefault%2Fpeople/)
  await dashboard.signIn()
  await page.reload()
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  assert.match(dashboard.path, /^\/dashboard\/w\/default\/people/)
})
