// Writes a picture of each page of the dashboard to docs/images/dashboard: with the demo workspace in light, dark and narrow, and in an
// empty workspace. With names, such as `canvas run`, only pictures whose names begin so. Needs Chromium. Look at each picture before you
// commit it.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CDPSession } from 'playwright-core'
import { wide } from '../test/dashboard/browser.ts'
import { Dashboard, narrow } from '../test/dashboard/dashboard.ts'

const folder = join(import.meta.dirname, '../docs/images/dashboard')
const quality = 60
/** The limit of all pictures together: they are part of every clone. */
const bytesMax = 5_000_000
const demo = 'demo'
const wanted = process.argv.slice(2)
const dashboard = new Dashboard()

type Found = { readonly [list: string]: readonly { readonly [name: string]: unknown }[] }

/** Reads a list of the demo workspace. */
async function list(path: string): Promise<Found> {
  const { status, body, text } = await dashboard.at.service.admin(
    'GET',
    `${path}${path.includes('?') ? '&' : '?'}workspace=${demo}`,
  )
  if (status !== 200) throw new Error(`${path}: ${text}`)
  return body
}

const first = async (path: string, name: string, member = 'id') => String((await list(path))[name]![0]![member])
/** A person who was sent something. */
const person = async () => {
  const { messages } = await list('/admin/messages?state=accepted')
  return `people/${(messages![0]!.person as { readonly id: string }).id}`
}

/** Pages of things, of which an empty workspace has none: their paths below the workspace. */
const things: Readonly<Record<string, () => Promise<string>>> = {
  'overview-week': async () => 'overview?hours=168',
  person,
  'person-profile': async () => `${await person()}?tab=profile`,
  'person-flows': async () => `${await person()}?tab=flows`,
  'person-messages': async () => `${await person()}?tab=messages`,
  'person-json': async () => `${await person()}?tab=json`,
  'person-why': async () => `${await person()}?panel=why`,
  segment: async () => 'segments/demo-quiet',
  'segment-edit': async () => 'segments/demo-quiet/edit',
  group: async () => `groups/${await first('/admin/subscription_groups', 'subscription_groups')}`,
  canvas: async () => 'canvases/demo-welcome',
  'canvas-step': async () => 'canvases/demo-welcome?step=likes_yarn',
  'canvas-outline': async () => 'canvases/demo-welcome?tab=outline',
  'canvas-people': async () => 'canvases/demo-welcome?tab=people',
  'canvas-conversions': async () => 'canvases/demo-abandoned-cart?tab=conversions',
  'canvas-edit': async () => 'canvases/demo-welcome/edit',
  'canvas-new': async () => 'canvases/new',
  run: async () =>
    `canvases/demo-welcome/runs/${await first('/admin/canvases/demo-welcome/entries', 'entries', 'entry_id')}`,
  campaign: async () => 'campaigns/demo-newsletter',
  'campaign-edit': async () => 'campaigns/demo-newsletter/edit',
  template: async () => 'templates/demo-letter',
  block: async () => `blocks/${await first('/admin/content_blocks', 'content_blocks')}`,
  catalog: async () => `catalogs/${await first('/admin/catalogs', 'catalogs')}`,
  send: async () => {
    const { dispatches } = await list('/admin/dispatches')
    const largest = dispatches!.toSorted((one, other) => Number(other.found) - Number(one.found))[0]!
    return `sends/${largest.dispatch_id}`
  },
  message: async () => `messages/${await first('/admin/messages?state=accepted', 'messages', 'message_id')}`,
  mail: async () => `inbox/${await first('/admin/inbox', 'messages')}`,
  request: async () => `api/${await first('/admin/requests', 'requests')}`,
  'audit-entry': async () => `audit/${await first('/admin/audit', 'audit')}`,
}

/** Pages that every workspace has. */
const lists = [
  'overview',
  'people',
  'segments',
  'groups',
  'canvases',
  'campaigns',
  'templates',
  'blocks',
  'catalogs',
  'sends',
  'messages',
  'inbox',
  'suppressions',
  'api',
  'work',
  'keys',
  'webhooks',
  'access',
  'settings',
  'audit',
] as const

/** Pages of the whole installation: their paths below the dashboard. */
const companyPages = ['accounts', 'sessions', 'scim'] as const

await using opened = new AsyncDisposableStack()
await dashboard.open()
opened.defer(() => dashboard.close())
await dashboard.signIn()
const session = await dashboard.page.context().newCDPSession(dashboard.page)
if (wanted.length === 0) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

for (const page of ['welcome', ...lists]) await picture(session, `w/default/${page}`, `${page}-empty`)
const loaded = await dashboard.at.service.admin('POST', '/admin/demo')
if (loaded.status >= 300) throw new Error(loaded.text)
await callFromShop()
await dashboard.page.reload()
for (const [kind, colorScheme, viewport] of [
  ['full', 'light', wide],
  ['dark', 'dark', wide],
  ['narrow', 'light', narrow],
] as const) {
  await dashboard.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await dashboard.page.setViewportSize(viewport)
  for (const page of lists) await picture(session, `w/${demo}/${page}`, `${page}-${kind}`)
  for (const page of companyPages) await picture(session, `company/${page}`, `${page}-${kind}`)
  for (const [name, path] of Object.entries(things)) {
    await picture(session, `w/${demo}/${await path()}`, `${name}-${kind}`)
  }
}
// The first picture of the README: a whole canvas with its counts.
await dashboard.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
await dashboard.page.setViewportSize({ width: wide.width, height: 1_080 })
await picture(session, `w/${demo}/canvases/demo-welcome`, 'canvas-whole', 'Show all')

const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
process.stdout.write(
  `${readdirSync(folder).length} pictures, ${(bytes / 1e6).toFixed(2)} MB of ${bytesMax / 1e6}: ${folder}\n`,
)
if (bytes > bytesMax) process.exitCode = 1

/** Makes requests of a system of the shop, so that the API log has some. */
async function callFromShop(): Promise<void> {
  const { service } = dashboard.at
  const { body } = await service.admin('POST', `/admin/keys?workspace=${demo}`, {
    name: 'Checkout',
    permissions: ['users.track', 'users.merge'],
  })
  const { key } = body.key
  const external_id = String((await list('/admin/people/search')).people![0]!.external_id)
  for (const [path, sent] of [
    ['/users/track', { events: [{ external_id, name: 'product_viewed', time: new Date().toISOString() }] }],
    ['/users/track', { attributes: [{ external_id, visits: 12, email: 'not an address' }] }],
    ['/users/export/ids', { external_ids: [external_id] }],
    [
      '/users/merge',
      { merge_updates: [{ identifier_to_merge: { external_id: 'unknown' }, identifier_to_keep: { external_id } }] },
    ],
  ] as const) {
    await service.post(path, sent, { key })
  }
}

/** Takes a picture of a page when everything that it asked for has been answered, and a button is pressed. */
async function picture(browser: CDPSession, path: string, name: string, button?: string): Promise<void> {
  if (wanted.length > 0 && !wanted.some((beginning) => name.startsWith(beginning))) return
  await dashboard.page.goto(`${dashboard.url}/dashboard/${path}`)
  await dashboard.page.getByRole('heading', { level: 1 }).waitFor()
  await dashboard.page.waitForLoadState('networkidle')
  if (button !== undefined) {
    await dashboard.page.getByRole('button', { name: button }).click()
    await dashboard.page.mouse.move(0, 0)
    // The picture moves within a frame.
    await dashboard.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality })
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}
