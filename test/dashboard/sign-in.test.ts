import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { clientId, clientSecret, type IdentityProvider, openIdentityProvider } from '../servers/identity.ts'
import { Signing } from '../support/sign-in.ts'
import { type LentBrowser, openBrowser, type Visitor, visitors, wide } from './browser.ts'

const narrow = { width: 320, height: 640 }
const pictures = process.env.EASEL_TEST_PICTURES

const at = new Signing()
let provider: IdentityProvider
let browser: LentBrowser
let visit: (url: string) => Promise<Visitor>
/** A page with JavaScript, which the accessibility check needs. The pages themselves have none. */
let checked: Page

/** The provider redirects to PUBLIC_URL, so its port is chosen before the service listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

before(async () => {
  provider = await openIdentityProvider()
  await at.start({
    env: {
      PORT: String(await freePort()),
      EASEL_OIDC_ISSUER: provider.issuer,
      EASEL_OIDC_CLIENT_ID: clientId,
      EASEL_OIDC_CLIENT_SECRET: clientSecret,
    },
  })
  browser = await openBrowser()
  visit = visitors(browser, at.service.url)
  checked = await browser.newPage({ viewport: wide })
})
beforeEach(() => at.forgetTries())
after(async () => {
  await browser.close()
  await at.stop()
  await provider[Symbol.asyncDispose]()
})

const url = (path: string) => at.service.url + path
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const press = (page: Page, name: string) =>
  Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()])

/** Opens a page for a new visitor without JavaScript. */
const opened = (path: string) => visit(url(path))

test('the link of the console creates the first account', async () => {
  await using view = await opened(at.firstLink!)
  const { page } = view
  assert.equal(await heading(page), 'The first account')
  await shot(page, 'first')
  await page.getByLabel('E-mail address').fill('first@example.com')
  await page.getByLabel('First name').fill('Grace')
  await page.getByLabel('Last name').fill('Hopper')
  await press(page, 'Create it and sign in')
  await page.goto(url('/sign-in'))
  assert.equal(await heading(page), 'You are signed in')
  assert.equal(await page.getByText('first@example.com').count(), 1)
  assert.deepEqual(view.complaints, [])
})

test('without JavaScript a person requests a link, uses it once, and signs out', async () => {
  const { user_name } = await at.account()
  await using view = await opened('/sign-in')
  const { page, context } = view
  await page.getByLabel('E-mail address').fill(user_name)
  await page.keyboard.press('Enter')
  await page.getByText('a link is on its way').waitFor()
  assert.equal(await heading(page), 'Check your e-mail')
  const link = await at.link(user_name)
  await page.goto(url(link))
  assert.equal(await heading(page), 'Sign in')
  await page.reload()
  await press(page, 'Sign in')
  await page.waitForURL(url('/dashboard'))
  const [cookie] = await context.cookies()
  assert.equal(cookie?.httpOnly, true)
  assert.equal(cookie?.sameSite, 'Lax')
  assert.deepEqual(view.complaints, [])
  await page.goto(url(link))
  assert.equal(await heading(page), 'This link does not work')
  await page.goto(url('/sign-in'))
  assert.equal(await heading(page), 'You are signed in', 'a used link signs nobody out')
  await press(page, 'Sign out')
  assert.equal(await heading(page), 'You are signed out')
  await page.goto(url('/sign-in'))
  assert.equal(await heading(page), 'Sign in')
})

test('an expired link leads to a page that says so', async () => {
  const { user_name } = await at.account()
  const link = await at.link(user_name)
  await using view = await opened(link)
  await at.db.execute(`update sign_in_link set expires_at = expires_at - interval '15 minutes'`)
  await press(view.page, 'Sign in')
  assert.equal(await heading(view.page), 'This link does not work')
})

test('a disabled account is signed out at its next request', async () => {
  const account = await at.account()
  await using view = await opened(await at.link(account.user_name))
  await press(view.page, 'Sign in')
  assert.equal((await view.page.request.get(url('/admin/session'))).status(), 200)
  await at.disable(account)
  assert.equal((await view.page.request.get(url('/admin/session'))).status(), 401)
  await view.page.goto(url('/sign-in'))
  assert.equal(await heading(view.page), 'Sign in')
})

/** Signs in at the provider with this name. */
async function throughProvider(page: Page, name: string): Promise<void> {
  await page.goto(url('/sign-in'))
  await page.getByRole('link', { name: 'Sign in with your company account' }).click()
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  // Presses a key, because a click waits until the button stops moving, and the buttons of the provider are animated.
  await page.getByRole('button', { name: 'Sign-in' }).press('Enter')
  await page.getByRole('button', { name: 'Continue' }).press('Enter')
  await page.waitForURL(`${at.service.url}/**`)
}

test('a person signs in through their provider, with PKCE, state and nonce', async () => {
  const { user_name } = await at.account()
  provider.accounts.set('ada', { email: user_name.toUpperCase(), email_verified: true })
  await using view = await opened('/sign-in')
  await throughProvider(view.page, 'ada')
  await view.page.goto(url('/sign-in'))
  assert.equal(await heading(view.page), 'You are signed in')
  assert.equal(await view.page.getByText(user_name).count(), 1)
  assert.deepEqual(
    (await view.context.cookies(at.service.url)).map(({ name }) => name).filter((name) => name.startsWith('easel')),
    ['easel_session'],
  )
  const question = provider.asked.find(({ pathname }) => pathname === '/auth')!.searchParams
  assert.equal(question.get('code_challenge_method'), 'S256')
  for (const name of ['code_challenge', 'state', 'nonce']) assert.ok(question.get(name)!.length >= 43, name)
})

const refused: Readonly<Record<string, readonly [claims: object, heading: string]>> = {
  stranger: [{ email: 'stranger@example.com', email_verified: true }, 'You have no account here'],
  unconfirmed: [{ email: 'first@example.com', email_verified: false }, 'This did not work'],
  nameless: [{}, 'This did not work'],
}

for (const [name, [claims, expected]] of Object.entries(refused)) {
  test(`a provider account that is "${name}" cannot sign in`, async () => {
    provider.accounts.set(name, claims)
    await using view = await opened('/sign-in')
    await throughProvider(view.page, name)
    assert.equal(await heading(view.page), expected)
    await shot(view.page, `provider-${name}`)
    const cookies = await view.context.cookies(at.service.url)
    assert.ok(!cookies.some((cookie) => cookie.name === 'easel_session'))
  })
}

test('a return without an attempt of this browser, or a second return, signs nobody in', async () => {
  const { user_name } = await at.account()
  provider.accounts.set('twice', { email: user_name, email_verified: true })
  await using view = await opened('/sign-in')
  let back = ''
  view.page.on('request', (request) => {
    if (request.url().includes('/callback?')) back = request.url()
  })
  await throughProvider(view.page, 'twice')
  await view.page.goto(url('/sign-in'))
  assert.equal(await heading(view.page), 'You are signed in')
  await using other = await opened('/sign-in')
  await other.page.goto(back)
  assert.equal(await heading(other.page), 'This did not work')
  await other.page.goto(url('/sign-in/oidc'))
  await other.page.goto(back)
  assert.equal(await heading(other.page), 'This did not work', 'the state belongs to another attempt')
  await other.page.goto(url('/sign-in/oidc/callback?error=access_denied&state=x'))
  assert.equal(await heading(other.page), 'This did not work')
})

/** Returns the faults that an accessibility check finds. Runs in the page. */
const faultsOf = `(() => {
  const faults = []
  if (document.documentElement.lang !== 'en') faults.push('no language')
  if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) faults.push('landmarks')
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) faults.push('wider than the screen')
  for (const input of document.querySelectorAll('input')) {
    if (!input.labels?.[0]?.innerText.trim()) faults.push('a field without a label')
    if (!input.autocomplete) faults.push('a field that cannot be filled in')
    const by = input.getAttribute('aria-describedby')
    if (by && !document.getElementById(by)) faults.push('described by nothing')
  }
  for (const each of document.querySelectorAll('button, .act a, input')) {
    const { width, height } = each.getBoundingClientRect()
    if (Math.min(width, height) < 44) faults.push('small: ' + each.innerText)
  }
  return faults
})()`

async function shot(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
}

const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  form: (page) => page.goto(url('/sign-in')),
  'form with an error': async (page) => {
    await page.goto(url('/sign-in'))
    await page.getByLabel('E-mail address').evaluate((input) => input.removeAttribute('type'))
    await page.getByLabel('E-mail address').fill('ada')
    await press(page, 'Send me a link')
  },
  'check your mail': async (page) => {
    await page.goto(url('/sign-in'))
    await page.getByLabel('E-mail address').fill(`${'somebody.with.a.long.name.'.repeat(4)}@example.com`)
    await press(page, 'Send me a link')
  },
  link: async (page) => page.goto(url(await at.link((await at.account()).user_name))),
  'link that does not work': (page) => page.goto(url('/sign-in/link/gone')),
  'signed in': async (page) => {
    await page.goto(url(await at.link((await at.account()).user_name)))
    await press(page, 'Sign in')
    await page.getByRole('main').waitFor()
  },
  'signed out': async (page) => page.goto(url('/sign-out')),
  wait: async (page) => {
    for (let i = 0; i < 6; i++) await at.ask('often@example.com')
    await page.goto(url('/sign-in'))
    await page.getByLabel('E-mail address').fill('often@example.com')
    await press(page, 'Send me a link')
  },
}

for (const [name, goThere] of Object.entries(pages)) {
  test(`the page "${name}" is accessible, on a small screen and in dark mode too`, async () => {
    const page = checked
    await page.context().clearCookies()
    await goThere(page)
    for (const [colorScheme, viewport] of [
      ['light', wide],
      ['dark', narrow],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      assert.deepEqual(await page.evaluate(faultsOf), [], `${colorScheme} ${viewport.width}`)
      await shot(page, `${name.replaceAll(' ', '-')}-${colorScheme}-${viewport.width}`)
    }
  })
}
