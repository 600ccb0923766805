import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
let page: Page

const put = async (section: string, entry: object) => {
  const { status, text } = await dashboard.at.service.admin('POST', `/admin/${section}`, entry)
  assert.equal(status, 201, text)
}

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  page = dashboard.page
  await dashboard.signIn()
  await dashboard.at.service.post('/users/track', {
    attributes: [
      { external_id: 'ada', email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', plan: 'gold' },
      { external_id: 'bo', email: 'bo@example.com', first_name: 'Bo', plan: 'free' },
    ],
  })
  await put('content_blocks', { id: 'footer', name: 'footer', content: '<p>Best wishes, {{${first_name}}}</p>' })
})
after(() => dashboard.close())

const editor = (label: string): Locator => page.getByRole('textbox', { name: label, exact: true })
const preview = (): Locator => page.getByRole('region', { name: 'Preview' })
const outcome = (kind: string): Locator => preview().locator(`[data-outcome="${kind}"]`)
const mail = () => page.frameLocator('iframe[title="The preview"]')

/** Replaces a text of the editor, as a person would who pastes it. */
async function write(label: string, text: string): Promise<void> {
  await editor(label).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

test('a template is written with a mistake, which is shown at its place, mended, saved and sent to oneself', async () => {
  await dashboard.visit('templates')
  await page.getByRole('button', { name: 'New template' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Welcome')
  await page.getByRole('button', { name: 'Make the template' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  await outcome('rendered').waitFor()
  await write('Subject', 'Welcome, {{${first_name}}}')
  await write('HTML', '<h1>Welcome</h1>\n<p>Your plan: {{ custom_attribute.${plan} | shout }}</p>')
  await outcome('failed').getByText('A text has a mistake.').waitFor()
  await page.locator('.cm-lintRange-error').first().waitFor()
  const mistakes = page.getByRole('list', { name: 'Mistakes in HTML' })
  assert.match(await mistakes.innerText(), /2:15\s+undefined filter: shout/)
  assert.equal(await page.locator('.cm-lintRange-error').first().innerText(), '{{ custom_attribute.${plan} | shout }}')
  await outcome('failed').getByText('the last good preview').waitFor()
  await dashboard.shot('template-mistake')
  await page.getByRole('button', { name: '2:15' }).click()
  await write('HTML', '<h1>Welcome</h1>\n<p>Your plan: {{custom_attribute.${plan}}}</p>{{content_blocks.${footer}}}')
  await outcome('rendered').waitFor()
  await choose('ada@example.com', 'Ada Lovelace')
  await mail().getByText('Your plan: gold').waitFor()
  await mail().getByText('Best wishes, Ada').waitFor()
  await dashboard.shot('template')
  const saved = dashboard.said(/^Saved\.$/)
  await page.keyboard.press('Control+s')
  await saved
  const { body } = await dashboard.at.service.admin('GET', '/admin/heads/email_templates')
  assert.equal(body.email_templates[0].subject, 'Welcome, {{${first_name}}}')
  const sent = dashboard.said(/^The test to .* is in the inbox/)
  await page.getByRole('button', { name: 'Send me a test' }).click()
  await sent
  await dashboard.visit('inbox')
  await page.getByRole('link', { name: '[Test] Welcome, Ada' }).click()
  await page.frameLocator('iframe').getByText('Your plan: gold').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

async function choose(text: string, name: string): Promise<void> {
  await page.getByRole('button', { name: /^as / }).click()
  await page.getByLabel('Find a person by address or id').fill(text)
  await page
    .getByRole('button', { name: new RegExp(name) })
    .last()
    .click()
  await page.getByRole('button', { name: `as ${name}` }).waitFor()
}

test('names are inserted from lists', async () => {
  await openTemplate('names', '<p></p>')
  await write('HTML', '<p>')
  await page.getByText('Block', { exact: true }).click()
  await page.getByRole('button', { name: 'footer' }).click()
  assert.match(await editor('HTML').innerText(), /<p>\{\{content_blocks\.\$\{footer\}\}\}/)
  await page.getByRole('button', { name: 'Discard changes' }).click()
  assert.deepEqual(dashboard.complaints, [])
})

test('names are offered while one types, and Enter inserts them with their braces', async () => {
  const { service } = dashboard.at
  await put('catalogs', { name: 'goods', fields: [{ name: 'id', type: 'string' }] })
  const made = await service.post('/catalogs/goods/items', { items: [{ id: 'yarn' }, { id: 'wool' }] })
  assert.ok(made.status < 300, made.text)
  await openTemplate('typed', '<p></p>')
  const list = page.locator('.cm-tooltip-autocomplete')
  for (const [typed, offered, inserted] of [
    ['{{${first', 'first_name', '{{${first_name}}}'],
    ['{{custom_attribute.${pla', 'plan', '{{custom_attribute.${plan}}}'],
    ['{{ content_blocks.${', 'footer', '{{ content_blocks.${footer}}}'],
    ['{{${first_name} | upc', 'upcase', '{{${first_name} | upcase}}'],
    ['{% catalog_items goo', 'goods', '{% catalog_items goods%}'],
    ['{% catalog_items goods wo', 'wool', '{% catalog_items goods wool%}'],
  ] as const) {
    await write('HTML', '')
    await page.keyboard.type(typed)
    const first = list.getByRole('option').first()
    await first.filter({ hasText: offered }).waitFor()
    await dashboard.shot('template-completion')
    await pressEnter(list)
    await list.waitFor({ state: 'detached' })
    assert.equal((await editor('HTML').innerText()).trim(), inserted)
  }
  // A root is inserted with its braces, and its names are offered at once.
  await write('HTML', '')
  await page.keyboard.type('{{custom_attr')
  await list.getByRole('option', { name: 'custom_attribute' }).waitFor()
  await pressEnter(list)
  await list.getByRole('option', { name: 'plan' }).first().waitFor()
  await page.keyboard.type('pla')
  await list.getByRole('option').first().filter({ hasText: 'plan' }).waitFor()
  await pressEnter(list)
  assert.equal((await editor('HTML').innerText()).trim(), '{{custom_attribute.${plan}}}')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  assert.deepEqual(dashboard.complaints, [])
})

/**
 * The list takes keys when it has been open for a moment, so that a fast Enter is still a line break. It takes none while it waits for
 * other choices.
 */
const listOpenMs = 100

async function pressEnter(list: Locator): Promise<void> {
  const ready = list.and(page.locator(':not(.cm-tooltip-autocomplete-disabled)'))
  await ready.locator('[aria-selected="true"]').waitFor()
  const seenMs = performance.now()
  await eventually('the list takes keys', async () => {
    return performance.now() - seenMs > listOpenMs && (await ready.isVisible())
  })
  await page.keyboard.press('Enter')
}

async function openTemplate(id: string, body: string): Promise<void> {
  await put('email_templates', { id, name: id, subject: 'Hello', body, plaintext_body: 'Plain' })
  await dashboard.visit(`templates/${id}`)
  await outcome('rendered').waitFor()
}

test('the preview is narrow, dark or a text, for the person who is chosen', async () => {
  await openTemplate(
    'forms',
    '<style>@media (prefers-color-scheme: dark) { p { color: rgb(1, 2, 3) } }</style><p>Hi</p>',
  )
  await page.getByRole('button', { name: 'Dark' }).click()
  await page.locator('iframe[src*="dark=true"][title="The preview"]').waitFor()
  // biome-ignore lint/suspicious/noExplicitAny: types of the browser are not known here.
  const colourOf = (element: any) => element.ownerDocument.defaultView.getComputedStyle(element).color
  const seen = await mail().locator('p').evaluate(colourOf)
  assert.equal(seen, 'rgb(1, 2, 3)')
  await page.getByRole('button', { name: '360 px' }).click()
  await page.locator('iframe[title="The preview"]:not([src*="dark=true"])').waitFor()
  const { width } = (await page.locator('iframe[title="The preview"]').boundingBox())!
  assert.ok(width <= 362, String(width))
  await preview().getByRole('button', { name: 'Text' }).click()
  await preview().getByText('Plain').waitFor()
  await page.getByRole('button', { name: /^as / }).click()
  await page.getByRole('button', { name: 'An invented person' }).click()
  await outcome('rendered').getByText('Rendered for an invented person.').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})

test('the page asks before it is left unsaved, and says when another has saved', async () => {
  await openTemplate('draft', '<p>Stored</p>')
  await write('Subject', 'Mine')
  await page.getByText('Not saved yet.').waitFor()
  await page.getByRole('link', { name: 'Inbox' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await editor('Subject').innerText()).trim(), 'Mine')
  const changed = await dashboard.at.service.admin('PATCH', '/admin/email_templates/draft', { preheader: 'Theirs' })
  assert.equal(changed.status, 200)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The email_template has changed since you read it').waitFor()
  dashboard.complaints.length = 0
  await page.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' })
  const { body } = await dashboard.at.service.admin('GET', '/admin/email_templates/draft')
  assert.deepEqual([body.email_template.subject, body.email_template.preheader], ['Mine', 'Theirs'])
  assert.deepEqual(dashboard.complaints, [])
})

test('a block is made as a draft, shown alone, activated, and deleted while nothing uses it', async () => {
  await dashboard.visit('blocks')
  await page.getByRole('button', { name: 'New block' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('greeting')
  await page.getByRole('button', { name: 'Make the block' }).click()
  await page.getByRole('heading', { level: 1, name: 'greeting' }).waitFor()
  await write('Text', '<b>Hello {{${first_name}}}</b>')
  await choose('bo', 'Bo')
  await mail().getByText('Hello Bo').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('button', { name: 'Activate' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the block' }).click()
  await page.waitForURL(/\/blocks$/)
  await page.getByRole('link', { name: 'footer' }).click()
  await outcome('rendered').waitFor()
  const remove = page.getByRole('button', { name: 'Delete' })
  assert.match((await remove.getAttribute('title')) ?? '', /^It is used 1 times: Welcome\./)
  assert.deepEqual(dashboard.complaints, [])
})

test('a failing preview can be tried again', async () => {
  const path = '**/admin/preview?*'
  await page.route(path, (route) => route.fulfill({ status: 500, json: { message: 'Internal error' } }))
  await dashboard.visit('templates/draft')
  await page.getByText('Internal error').waitFor()
  await page.unroute(path)
  await eventually('the preview is shown', async () => {
    // Another request of the page may be answered before the button is pressed, and removes it.
    const again = preview().getByRole('button', { name: 'Try again' })
    if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined)
    return outcome('rendered').isVisible()
  })
  dashboard.complaints.length = 0
})

test('the pages are accessible', async () => {
  await dashboard.checkAccess([
    ['template-editor', 'templates/draft', 'Rendered for'],
    ['block-editor', 'blocks/footer', 'Rendered for'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('somebody who may only read sees the texts, and why nothing can be changed', async () => {
  const appGroupPermissions = ['view_email_templates', 'basic_access']
  await dashboard.signIn({
    company: [],
    workspaces: [{ id: 'default', permissions: appGroupPermissions, sets: [], teams: [] }],
  })
  await dashboard.visit('templates/draft')
  await preview().getByText('It takes the permission messages.test.').waitFor()
  assert.match((await page.getByRole('button', { name: 'Save' }).getAttribute('title')) ?? '', /email_templates\.edit/)
  await editor('HTML').click()
  await page.keyboard.type('x')
  assert.doesNotMatch(await editor('HTML').innerText(), /x/)
  await page.getByText('as an invented person').waitFor()
  assert.deepEqual(dashboard.complaints, [])
})
