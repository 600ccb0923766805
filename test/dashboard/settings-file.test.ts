import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { wholeWorkspace } from '../support/whole-workspace.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()
/** A fresh installation. */
const other = new Dashboard()

before(async () => {
  await dashboard.open({ workspace: wholeWorkspace })
  await dashboard.signIn()
})
after(() => dashboard.close())

test('the file is applied to a fresh installation, after its plan, and shows the same there', async () => {
  const { page } = dashboard
  await dashboard.visit('settings?tab=file')
  const text = (await dashboard.at.service.admin('GET', '/admin/file')).body.file as string
  await page.getByText('Abandoned cart').first().waitFor()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  // The button says so for a moment only.
  await eventually('the file is copied', async () => (await page.evaluate('navigator.clipboard.readText()')) === text)
  await dashboard.shot('settings-file')

  await other.open()
  try {
    await other.signIn()
    await other.visit('settings?tab=file')
    await seeMistakes(text)
    await applyWhole(text)
    await seeChanges()
    // A browser writes each refusal to its console.
    const errors = other.complaints.filter((text) => !text.startsWith('Failed to load resource'))
    assert.deepEqual(errors, [])
  } finally {
    await other.close()
  }
})

const area = () => other.page.getByRole('textbox', { name: 'File', exact: true })
const planOf = () => other.page.getByRole('region', { name: 'Plan' })

async function plan(text: string): Promise<void> {
  await area().fill(text)
  await other.page.getByRole('button', { name: 'Show the plan' }).click()
}

/** A mistake stands with its line, in a text that is no YAML, and in one that the service refuses. */
async function seeMistakes(text: string): Promise<void> {
  const { page: fresh } = other
  await plan('settings:\n  time_zone: Mars/Olympus\napps:\n  - {name: Web, platform: [}\n')
  await fresh.getByRole('button', { name: 'Line 4' }).waitFor()
  await plan('apps: []\nsettings:\n  strict: true\n  time_zone: Mars/Olympus\n')
  await fresh.getByText(/settings\.time_zone must be a time zone/).waitFor()
  await fresh.getByRole('button', { name: 'Line 4' }).click()
  const selected =
    'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)'
  assert.equal(await fresh.evaluate(selected), '  time_zone: Mars/Olympus')
  await other.shot('settings-file-mistake')
  // What the file leaves out is missing at its place.
  await plan(text)
  await fresh.getByText(/credentials\[\d\]\.password is missing/).waitFor()
}

async function applyWhole(text: string): Promise<void> {
  const { page: fresh } = other
  const complete = text
    .replaceAll(/# password: .*$/gm, 'password: a-password')
    .replace(/Authorization:\s+sealed: true/, 'Authorization: Bearer a-token')
  await plan(complete)
  await planOf().getByText('new: canvases "Abandoned cart"').waitFor()
  assert.deepEqual((await other.at.service.admin('GET', '/admin/apps')).body.apps, [])
  await other.shot('settings-plan')
  await planOf().getByRole('button', { name: 'Apply' }).click()
  await fresh.getByText('This is the only time that they are shown.').waitFor()
  assert.equal((await other.at.service.admin('GET', '/admin/file')).body.file, text)
  for (const [path, found] of [
    ['canvases', 'Abandoned cart'],
    ['segments', 'Not gold'],
    ['templates', 'Welcome'],
  ] as const) {
    await other.visit(path)
    await fresh.getByRole('link', { name: found }).first().waitFor()
  }
}

/** A change shows what differs before it is applied, and nothing is applied that was not planned. */
async function seeChanges(): Promise<void> {
  await other.visit('settings?tab=file')
  const audience = '{custom_attribute: {custom_attribute_name: plan, comparison: equals, value: silver}}'
  await plan(`segments:\n  - {id: gold, name: Gold members, audience: ${audience}}\n`)
  await planOf().getByText('changed: segments "Gold members"').waitFor()
  await planOf().getByText('audience.custom_attribute.value').waitFor()
  await planOf().locator('del', { hasText: 'gold' }).first().waitFor()
  await planOf().locator('ins', { hasText: 'silver' }).waitFor()
  await other.shot('settings-plan-changes')
  await other.at.service.admin('PATCH', '/admin/segments/gold', { name: 'Golden' })
  await planOf().getByRole('button', { name: 'Apply' }).click()
  await other.page.getByText('The workspace has changed since the plan was made.').waitFor()
}
