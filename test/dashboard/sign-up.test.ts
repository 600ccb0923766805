import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { newEmail } from '../support/people.ts'
import { SignUps, signUpWorkspace } from '../support/sign-ups.ts'
import { type LentBrowser, openBrowser, type Visitor, visitors } from './browser.ts'

const people = new SignUps()
let browser: LentBrowser
/** Opens pages without JavaScript. */
let opened: (url: string) => Promise<Visitor>

before(async () => {
  await people.start({
    workspace: signUpWorkspace,
    env: { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1' },
  })
  browser = await openBrowser()
  opened = visitors(browser, people.service.url)
})
after(async () => {
  await browser.close()
  await people.stop()
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const press = (page: Page, name: string) =>
  Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).click()])

test('without JavaScript a person signs up, opens the link of the mail and confirms', async () => {
  const group = await people.group()
  const path = await people.formOf(group, { texts: { consent: 'I am 16 or older' } })
  const email = newEmail()
  await using view = await opened(people.service.url + path)
  const { page } = view
  assert.equal(await heading(page), `Subscribe to ${group.name}`)
  assert.equal(await page.getByLabel('Leave this field empty').isVisible(), true, 'it is outside of the screen')
  assert.ok((await page.getByLabel('Leave this field empty').boundingBox())!.x < -1_000)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('I am 16 or older').check()
  await press(page, 'Subscribe')
  assert.equal(await heading(page), 'Please check your e-mail')
  await page.goto(people.service.url + (await people.linkTo(email)))
  assert.equal(await heading(page), 'Confirm your subscription')
  assert.deepEqual(await people.groupsOf(email), [])
  await press(page, 'Confirm')
  assert.equal(await heading(page), 'You are subscribed')
  assert.deepEqual(await people.groupsOf(email), [`${group.name}: Subscribed`])
})

test('a person who comes from a snippet sees the address again, and presses once more', async () => {
  const group = await people.group()
  const path = await people.formOf(group)
  const { body } = await people.service.admin('GET', `/admin/sign_up_forms/${path.split('/').at(-1)}/embed`)
  const email = newEmail()
  await using view = await opened(`${people.service.url}/health`)
  const { page } = view
  const action = new URL(body.url).pathname
  await page.setContent(body.snippet.replace(body.url, people.service.url + action))
  await page.getByLabel('E-mail address').fill(email)
  await press(page, 'Subscribe')
  assert.equal(await page.getByLabel('E-mail address').inputValue(), email)
  assert.deepEqual(await people.profilesOf(email), [])
  await press(page, 'Subscribe')
  assert.equal(await heading(page), 'Please check your e-mail')
  assert.match(await people.linkTo(email), /^\/confirm\//)
})
