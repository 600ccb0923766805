import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { TokenTarget } from '../../src/people/addresses/message-token.ts'
import { long } from '../sizes.ts'
import { Mailed } from '../support/mailed-people.ts'
import { groups, newEmail, newId } from '../support/people.ts'
import { join, setStates, statesOf } from '../support/subscriptions.ts'
import { type LentBrowser, openBrowser, type Visitor, visitors, wide } from './browser.ts'

const narrow = { width: 320, height: 640 }
const contrastMin = 4.5

const people = new Mailed()
let browser: LentBrowser
let opened: (url: string) => Promise<Visitor>
/** A page with JavaScript, which the accessibility check needs. The pages themselves have none. */
let checked: Page

before(async () => {
  await people.start({})
  await people.service.admin('POST', '/admin/apply', { workspace: { id: 'default', name: 'Sage & Kettle' } })
  browser = await openBrowser()
  opened = visitors(browser, people.service.url)
  checked = await browser.newPage({ viewport: wide })
})

after(async () => {
  await browser.close()
  await people.stop()
})

const mailed = async () => {
  const external_id = newId()
  await people.set({ external_id, email: newEmail() })
  const named = await people.write(external_id)
  const { url } = people.service
  return {
    external_id,
    u: `${url}/u/${people.token(named, 'unsubscribe')}`,
    preferences: `${url}/preferences/${people.token(named, 'preferences')}`,
    named,
  }
}
const stateOf = async (external_id: string) => (await people.person(external_id, ['email_subscribe'])).email_subscribe
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const press = (page: Page, name: string) =>
  Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).click()])

test('without JavaScript a person unsubscribes, subscribes again and opens the preferences', async () => {
  const { external_id, u } = await mailed()
  await using view = await opened(u)
  const { page } = view
  assert.equal(await heading(page), 'Unsubscribe')
  assert.equal(await page.title(), 'Unsubscribe · Sage & Kettle')
  assert.equal(await stateOf(external_id), 'subscribed')
  await press(page, 'Unsubscribe')
  assert.equal(await heading(page), 'You are unsubscribed')
  assert.equal(await stateOf(external_id), 'unsubscribed')
  await press(page, 'Subscribe again')
  assert.equal(await heading(page), 'You are subscribed again')
  assert.equal(await stateOf(external_id), 'subscribed')
  await page.getByRole('link', { name: 'Your e-mail preferences' }).click()
  assert.equal(await heading(page), 'Your e-mail preferences')
  assert.deepEqual(view.complaints, [])
})

test('without JavaScript a person chooses groups by keyboard and saves', async () => {
  const { external_id, preferences } = await mailed()
  await setStates(people, join(groups.offers, { external_id }))
  await using view = await opened(preferences)
  const { page } = view
  const boxes = () =>
    page.getByRole('checkbox').evaluateAll((all) => all.map((box) => (box as unknown as { checked: boolean }).checked))
  assert.deepEqual(await boxes(), [true, false, true])
  for (const key of ['Tab', 'Tab', 'Space', 'Tab', 'Space', 'Tab', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('status').waitFor()
  assert.equal(await page.getByRole('status').innerText(), 'Your preferences are saved.')
  assert.deepEqual(await boxes(), [true, true, false])
  assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed', 'Offers: Unsubscribed'])
  await page.getByLabel('Send me e-mails').uncheck()
  await press(page, 'Save')
  assert.equal(await stateOf(external_id), 'unsubscribed')
  assert.deepEqual(view.complaints, [])
})

/** Returns the faults that an accessibility check could find on these pages. Runs in the page. */
const faultsOf = `(() => {
  const faults = []
  if (document.documentElement.lang !== 'en') faults.push('no language')
  if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) faults.push('landmarks')
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) faults.push('wider than the screen')
  for (const input of document.querySelectorAll('input:not([type=hidden])')) {
    if (!input.labels?.[0]?.innerText.trim()) faults.push('a box without a label')
    if (!input.closest('fieldset')?.querySelector('legend')) faults.push('a box outside of a group')
  }
  for (const each of document.querySelectorAll('button, .act a, label.choice')) {
    const { width, height } = each.getBoundingClientRect()
    if (Math.min(width, height) < 44) faults.push('small: ' + each.innerText)
  }
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
  const ground = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor)
      if (colour[3] !== 0) return colour
    }
    return [255, 255, 255]
  }
  for (const each of document.querySelectorAll('main *')) {
    if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue
    const [one, other] = [light(rgb(getComputedStyle(each).color)), light(ground(each))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < ${contrastMin}) faults.push('contrast ' + contrast.toFixed(2) + ': ' + each.innerText)
  }
  return faults
})()`

const pages: Readonly<
  Record<string, (page: Page, of: { u: string; preferences: string; named: TokenTarget }) => Promise<unknown>>
> = {
  ask: (page, { u }) => page.goto(u),
  unsubscribed: async (page, { u }) => {
    await page.goto(u)
    await press(page, 'Unsubscribe')
  },
  'subscribed again': async (page, { u }) => {
    await page.goto(u)
    await press(page, 'Unsubscribe')
    await press(page, 'Subscribe again')
  },
  preferences: (page, { preferences }) => page.goto(preferences),
  saved: async (page, { preferences }) => {
    await page.goto(preferences)
    await press(page, 'Save')
  },
  unclear: async (page, { preferences }) => {
    await page.goto(preferences)
    await page.locator('input[name=shown]').evaluate((input) => input.remove())
    await press(page, 'Save')
  },
  gone: (page) => page.goto(`${people.service.url}/u/gone`),
}

const opposites = [
  ['light', wide],
  ['dark', narrow],
] as const
const sights = long ? [...opposites, ['light', narrow] as const, ['dark', wide] as const] : opposites
/** A folder for screenshots of all pages. */
const pictures = process.env.EASEL_TEST_PICTURES
const focus =
  'getComputedStyle(document.activeElement).outlineStyle + (document.activeElement === document.body ? " on nothing" : "")'

for (const [name, visit] of Object.entries(pages)) {
  test(`the page "${name}" is accessible, on a small screen and in dark mode too`, async () => {
    const page = checked
    await visit(page, await mailed())
    const controls = await page.locator('main a, main button, main input:not([type=hidden])').count()
    for (const [colorScheme, viewport] of sights) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      assert.deepEqual(await page.evaluate(faultsOf), [], `${colorScheme} ${viewport.width}`)
      const path = `${pictures}/${name.replace(' ', '-')}-${colorScheme}-${viewport.width}.png`
      if (pictures) await page.screenshot({ path, fullPage: true })
    }
    for (let i = 0; i < controls; i++) {
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate(focus), 'solid')
    }
  })
}

test('the page of a preference center saves its form without scripts and without an origin', async () => {
  const { external_id } = await mailed()
  const created = await people.service.post('/preference_center/v1', {
    name: newId('center'),
    preference_center_title: 'Your mail',
    preference_center_page_html: `<style>h1 { color: rgb(1, 2, 3) }</style><h1>Your mail</h1><script>document.title = 'x'</script>
      <form method="post" action="{{submit_url}}"><label><input type="checkbox" value="subscribed"
      name="{{form_field_name.$\{${groups.news.id}}}}">News</label><button>Save</button></form>`,
    confirmation_page_html: '<h1>Saved</h1>',
  })
  const { preference_center_api_id: id } = created.body
  const { body } = await people.service.get(`/preference_center/v1/${id}/url/${external_id}`)
  await checked.goto(people.service.url + new URL(body.preference_center_url).pathname)
  assert.equal(await checked.title(), 'Your mail')
  assert.equal(await checked.evaluate("getComputedStyle(document.querySelector('h1')).color"), 'rgb(1, 2, 3)')
  await checked.getByRole('checkbox').check()
  await press(checked, 'Save')
  assert.equal(await heading(checked), 'Saved')
  assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
})
