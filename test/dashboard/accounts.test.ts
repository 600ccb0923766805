import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { triggeredWorkspace } from '../support/triggers.ts'
import { watch, wide } from './browser.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
const { at } = dashboard
const address = 'Ada.Lovelace@example.com'
let page: Page
/** The invited person, in a browser of their own. */
let ada: Page
let complaintsOfAda: string[]

before(async () => {
  await dashboard.open({ workspace: triggeredWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  await at.service.admin('POST', '/admin/apply', {
    roles: [{ id: 'writer', name: 'Writer', permissions: ['edit_canvases', 'view_canvases'] }],
    teams: [{ id: 'crm', name: 'CRM' }],
  })
  const context = await dashboard.browser.newContext({ viewport: wide, colorScheme: 'light' })
  ada = await context.newPage()
  complaintsOfAda = watch(ada, dashboard.url)
})
after(async () => {
  await ada?.waitForLoadState('networkidle')
  await dashboard.close()
})

const company = (path: string) => page.goto(`${dashboard.url}/dashboard/company/${path}`)
const dialog = () => page.getByRole('dialog')
const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true })
// A page that leaves for the sign-in page at once may never have loaded.
const toAda = (path: string) => ada.goto(`${dashboard.url}/dashboard/w/default/${path}`, { waitUntil: 'commit' })
const adaSignsIn = () => ada.waitForURL(/\/sign-in\?next=/, { waitUntil: 'commit' })
const accountOf = async (q: string) => (await at.service.admin('GET', `/admin/accounts?q=${q}`)).body.accounts[0]

/** Presses Tab until something with this text or label has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const isThere = await page.evaluate(`(() => {
      const { activeElement: it } = document
      const label = it?.labels?.[0]?.textContent ?? it?.getAttribute('aria-label') ?? it?.textContent ?? ''
      return it !== document.body && label.startsWith(${JSON.stringify(name)})
    })()`)
    if (isThere) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${name} is reached with Tab`)
}

test('a person is invited with a role, with the keyboard alone, and the mail is in the inbox', async () => {
  await company('accounts')
  await dashboard.rows.first().waitFor()
  await tabTo('Invite')
  await page.keyboard.press('Enter')
  await dialog().getByText('What may it do in').waitFor()
  await dialog().getByText('edit_canvases, view_canvases').waitFor()
  await tabTo('E-mail address')
  await page.keyboard.type(address)
  await tabTo('First name')
  await page.keyboard.type('Ada')
  await tabTo('Last name')
  await page.keyboard.type('Lovelace')
  await tabTo('Writer')
  await page.keyboard.press(' ')
  await dashboard.shot('account-invite')
  await tabTo('Invite')
  await page.keyboard.press('Enter')
  await dialog().getByText('Ada Lovelace has an account').waitFor()
  await dialog().getByText(`A link was mailed to ${address}`).waitFor()
  await dashboard.shot('account-invited')
  await button('Look into the inbox').click()
  await page.getByRole('link', { name: 'You are invited to Easel' }).click()
  const mail = page.getByRole('tabpanel')
  await mail.getByText('Hello Ada,').waitFor()
  const text = await mail.innerText()
  const link = /http\S+(\/sign-in\/link\/\S+)/.exec(text)![1]
  await ada.goto(dashboard.url + link)
  await Promise.all([ada.waitForEvent('load'), button('Sign in', ada).click()])
  await toAda('canvases/welcome')
  await ada.getByRole('heading', { level: 1, name: 'Canvas welcome' }).waitFor()
})

test('who lacks a permission sees what it is about, and the names of those who can give it', async () => {
  const pause = button('Pause', ada)
  await pause.waitFor()
  assert.equal(await pause.getAttribute('aria-disabled'), 'true')
  // The names of those who can give a permission are asked for one by one.
  const reason = 'It takes the permission canvases.launch. Grace Lovelace can give it to you'
  await pause.and(ada.locator(`[title^="${reason}"]`)).waitFor()
  await toAda('people')
  await ada.getByRole('heading', { name: 'You may not see People' }).waitFor()
  await ada.getByText('which allows to see people').waitFor()
  await ada.getByText('Grace Lovelace can give it to you').waitFor()
  await ada.getByText('view_user_profile').waitFor()
  await ada.goto(`${dashboard.url}/dashboard/company/accounts`)
  await ada.getByRole('heading', { name: 'You may not see Accounts' }).waitFor()
  assert.equal(await ada.getByRole('navigation', { name: 'Screens' }).getByText('Accounts').count(), 0)
  assert.ok(!(await ada.content()).includes('@'.concat('example.com')) || (await ada.content()).includes(address))
  assert.deepEqual(complaintsOfAda, [])
})

test('an account shows what it may do and why, and is given more', async () => {
  await company('accounts')
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  const may = page.getByRole('region', { name: 'What it may do' })
  await may.getByText('See and edit canvases.').waitFor()
  await may.getByRole('link', { name: 'Writer' }).waitFor()
  await page.getByRole('region', { name: 'Where it is signed in' }).getByText('Chrome').waitFor()
  await page.getByRole('region', { name: 'What was done to it' }).getByText('account.create').waitFor()
  await dashboard.shot('account')
  await page.getByRole('link', { name: 'Change what it may do' }).click()
  await page.getByRole('button', { name: /Give something in/ }).click()
  await page.getByText('Single permissions (0)').click()
  await page
    .getByRole('searchbox', { name: 'Find a permission' })
    .or(page.getByLabel('Find a permission'))
    .first()
    .fill('launch')
  await page.getByRole('checkbox', { name: /^launch_canvases/ }).check()
  await page.getByRole('checkbox', { name: 'CRM' }).check()
  await page.getByText('Pause, resume and cancel sends.').first().waitFor()
  await dashboard.shot('account-access')
  await button('Save').click()
  await may.getByText('See, edit and launch canvases.').waitFor()
  await may.getByText('Teams, which allow nothing in Easel: CRM (basic_access)').waitFor()
  await toAda('canvases/welcome')
  await ada.locator('button:not([aria-disabled])', { hasText: 'Pause' }).waitFor()
})

test('two administrators change one account: the second is told, and overwrites nothing by mistake', async () => {
  const { id } = await accountOf('ada.lovelace')
  await company(`accounts/${id}/access`)
  await page.getByRole('checkbox', { name: /^view_segments/ }).check()
  await at.service.admin('PATCH', `/admin/accounts/${id}`, { family_name: 'King' })
  await button('Save').click()
  await page.getByRole('alert').getByText('has changed since you read it').waitFor()
  await button('Take what is stored').click()
  await page.getByRole('heading', { level: 1, name: 'What Ada King may do' }).waitFor()
  assert.equal(await page.getByRole('checkbox', { name: /^view_segments/ }).isChecked(), false)
  dashboard.complaints.splice(0)
})

test('another address signs the person out, and the account is disabled at once while they look', async () => {
  const { id } = await accountOf('king')
  await company(`accounts/${id}`)
  await button('Edit').click()
  await dialog().getByLabel('E-mail address').fill('ada.king@example.com')
  await button('Save').click()
  await page.getByText('ada.king@example.com').first().waitFor()
  await toAda('canvases')
  await adaSignsIn()
  const mailed = dashboard.said(/^A link to sign in was mailed to ada\.king@example\.com\.$/)
  await button('Send a link').click()
  await mailed
  const [mail] = await at.mails('ada.king@example.com')
  await ada.goto(`${dashboard.url}${await at.linkIn(mail!.id)}`)
  await Promise.all([ada.waitForEvent('load'), button('Sign in', ada).click()])
  await toAda('canvases')
  await ada.getByRole('link', { name: 'Canvas welcome' }).waitFor()
  await button('Disable').click()
  await dashboard.shot('account-disable')
  const disabled = dashboard.said(/^Ada King is disabled and signed out\./)
  await dialog().getByRole('button', { name: 'Disable' }).click()
  await disabled
  await ada.getByRole('link', { name: 'Canvas welcome' }).click()
  await adaSignsIn()
  await button('Enable').click()
  await button('Disable').click()
  const [undone, back] = [dashboard.undoes(), dashboard.said(/^Taken back\.$/)]
  await dialog().getByRole('button', { name: 'Disable' }).click()
  await undone
  await back
  assert.equal((await accountOf('king')).state, 'active')
})

test('one takes nothing from oneself by mistake', async () => {
  const own = (await at.service.admin('GET', '/admin/accounts?q=grace')).body.accounts[0]
  await company(`accounts/${own.id}`)
  await page.getByText('What you may do').waitFor()
  await button('Disable').click()
  await dialog().getByRole('button', { name: 'Disable' }).click()
  await dialog().getByText('This is your own account').waitFor()
  const again = dialog().getByRole('button', { name: 'Disable all the same' })
  assert.equal(await again.getAttribute('aria-disabled'), 'true')
  await dialog().getByLabel('I mean my own account.').check()
  await again.click()
  await dialog().getByText('last active administrator').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  dashboard.complaints.splice(0)
})

test('an account is deleted after its address is typed, and the list says when nothing matches', async () => {
  const { id } = await accountOf('king')
  await company(`accounts/${id}`)
  await button('Delete').click()
  await dialog().getByLabel('Type "ada.king@example.com" to confirm').fill('ada.king@example.com')
  const deleted = dashboard.said(/^The account of Ada King is deleted\.$/)
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await deleted
  await company('accounts?q=nobody')
  await page.getByRole('heading', { name: 'No account matches' }).waitFor()
  await dashboard.answerWith('**/admin/accounts?*', ['away'])
  await company('accounts?q=grace')
  await page.getByRole('heading', { name: 'Easel does not answer' }).waitFor()
  dashboard.complaints.splice(0)
})

test('pages of accounts are accessible, light and dark, wide and narrow', async () => {
  const { id } = await accountOf('grace')
  await dashboard.checkAccess([
    ['accounts', '../../company/accounts', 'by their addresses'],
    ['account', `../../company/accounts/${id}`, 'Everything, in every workspace.'],
    ['account-access', `../../company/accounts/${id}/access`, 'For the company'],
  ])
})
