import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
let page: Page

before(async () => {
  await dashboard.open()
  page = dashboard.page
  await dashboard.signIn()
})
after(() => dashboard.close())

const company = (path: string) => page.goto(`${dashboard.url}/dashboard/company/${path}`)
const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('a role is made in words, given to an account, renamed, and cannot be deleted while it is held', async () => {
  await dashboard.visit('access')
  await page.getByRole('heading', { name: 'There are no roles' }).waitFor()
  await dashboard.shot('access-empty')
  await button('New role').first().click()
  await dialog().getByLabel('Name').fill('Care')
  await page.keyboard.press('Enter')
  await page.getByText('They allow nothing.').waitFor()
  await page.getByRole('checkbox', { name: /^view_user_profile/ }).check()
  await page.getByText('They allow nothing.').waitFor()
  await page.getByRole('checkbox', { name: /^view_pii/ }).check()
  await page.getByText('See people, suppressions, messages').first().waitFor()
  assert.equal(await page.getByText('Nothing: Easel has nothing').count(), 0)
  await page.getByLabel('Also those without effect').check()
  await page.getByText('Nothing: Easel has nothing').first().waitFor()
  await page.getByLabel('Also those without effect').uncheck()
  const saved = dashboard.said(/^The role is saved\. It holds from now on\.$/)
  await button('Save').click()
  await saved
  await dashboard.shot('role')
  const [role] = (await at.service.admin('GET', '/admin/roles')).body.roles
  assert.deepEqual(role.permissions, ['view_user_profile', 'view_pii'])
  await at.service.admin('POST', '/admin/accounts', {
    ...{ user_name: 'bo@example.com', given_name: 'Bo', send_link: false },
    permissions: { roles: [{ roleId: role.id }] },
  })
  await page.reload()
  await page.getByRole('link', { name: '1 account' }).click()
  await page.getByRole('link', { name: 'Bo' }).waitFor()
  await page.getByText('1 account that have it').waitFor()
  await dashboard.visit(`access/roles/${role.id}`)
  await page.getByLabel('Name').fill('Support')
  await at.service.admin('PATCH', `/admin/roles/${role.id}`, { name: 'Somebody else' })
  await button('Save').click()
  await page.getByRole('alert').getByText('has changed since you read it').waitFor()
  await button('Save mine over it').click()
  await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor()
  await button('Delete').click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByText('An account has this role: take it from them first').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  dashboard.complaints.splice(0)
})

test('teams are made, renamed and deleted, and say that they allow nothing', async () => {
  await dashboard.visit('access?tab=teams')
  await page.getByText('allow nothing in Easel').waitFor()
  await button('New team').first().click()
  await dialog().getByLabel('Name').fill('CRM')
  await page.keyboard.press('Enter')
  await button('Rename CRM').click()
  await dialog().getByLabel('Name').fill('Growth')
  await page.keyboard.press('Enter')
  await button('Delete Growth').click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'There are no teams' }).waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('a SCIM token is shown once, and its requests are listed with the reason of a refusal', async () => {
  await company('scim')
  await button('New token').click()
  await dialog().getByLabel('Name').fill('Okta')
  await page.keyboard.press('Enter')
  const shown = dialog().locator('[data-secret]')
  await shown.waitFor()
  const token = await shown.innerText()
  await button('Done').click()
  assert.ok(!(await page.content()).includes(token))
  const come = (key: string, path: string) => at.service.get(path, { key })
  assert.equal((await come(token, '/scim/v2/Users?count=1')).status, 200)
  assert.equal((await come(token, '/scim/v2/Users/unknown')).status, 404)
  assert.equal((await come('easel_scim_wrong', '/scim/v2/Users')).status, 401)
  await page.reload()
  await page.getByText('2, 1 refused').waitFor()
  await page.getByText('404 User not found').waitFor()
  await page.getByText('401 Invalid SCIM token').waitFor()
  await dashboard.shot('scim')
  await page.getByRole('combobox', { name: 'With' }).selectOption('Okta')
  await page.getByText('401 Invalid SCIM token').waitFor({ state: 'detached' })
  await button('Rotate Okta').click()
  await dialog().getByRole('button', { name: 'Rotate' }).click()
  const next = await shown.innerText()
  assert.notEqual(next, token)
  await button('Done').click()
  assert.equal((await come(token, '/scim/v2/Users')).status, 401)
  assert.equal((await come(next, '/scim/v2/Users')).status, 200)
  await button('Delete Okta').click()
  await dialog().getByLabel('Type "Okta" to confirm').fill('Okta')
  await page.keyboard.press('Enter')
  await button('Delete Okta').waitFor({ state: 'detached' })
  assert.equal((await come(next, '/scim/v2/Users')).status, 401)
  assert.deepEqual(dashboard.complaints, [])
})

test('pages of access are accessible, light and dark, wide and narrow', async () => {
  const [{ id }] = (await at.service.admin('GET', '/admin/roles')).body.roles
  await dashboard.checkAccess([
    ['access', 'access', 'A role is a name for permissions'],
    ['role', `access/roles/${id}`, 'launch_canvases'],
    ['sessions', '../../company/sessions', 'Who is signed in'],
    ['scim', '../../company/scim', 'Latest requests'],
  ])
})

test('who may only see teams sees those alone, and grey buttons that say who can help', async () => {
  const workspaces = [{ id: 'default', permissions: ['view_teams'], sets: [], teams: [] }]
  await dashboard.signIn({ company: [], roles: [], workspaces })
  await dashboard.visit('access')
  // No account is an administrator of the company now, so that none can be named.
  const reason = 'button[title*="An administrator of your company can give it to you"]'
  await page.locator(reason, { hasText: 'New team' }).first().waitFor()
  await page.getByRole('tab', { name: 'Roles' }).click()
  await page.getByRole('heading', { name: 'You may not see Roles' }).waitFor()
  // Two keys before anything is drawn.
  await page.evaluate(`
    document.querySelector('[role=tab][data-tab=roles]').focus()
    for (let presses = 0; presses < 2; presses++)
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))`)
  await page.getByRole('tab', { name: 'Teams', selected: true }).waitFor()
  await company('sessions')
  await page.getByRole('heading', { name: 'You may not see Sessions' }).waitFor()
})

test('a session is ended, and those of everybody after the words are typed', async () => {
  await dashboard.signIn()
  const cookie = await at.enter('bo@example.com')
  await company('sessions')
  const ended = dashboard.said(/^A session of bo@example\.com has ended\.$/)
  await button('End the session of bo@example.com from 127.0.0.1').click()
  await ended
  assert.equal(await at.whoIs(cookie), undefined)
  await button('End all sessions').click()
  await dialog().getByLabel('Type "all sessions" to confirm').fill('all sessions')
  await dialog().getByRole('button', { name: 'End all sessions' }).click()
  await page.waitForURL(/\/sign-in\?next=/)
  assert.deepEqual((await at.service.admin('GET', '/admin/sessions')).body.sessions, [])
})
