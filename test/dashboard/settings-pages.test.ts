import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wholeWorkspace } from '../support/whole-workspace.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' } })
  await dashboard.at.service.admin('POST', '/admin/apply', wholeWorkspace)
  await dashboard.signIn()
})
after(() => dashboard.close())

test('the settings are accessible, light and dark, wide and narrow', async () => {
  await dashboard.checkAccess([
    ['settings-general', 'settings', 'Default: UTC'],
    ['settings-sending', 'settings?tab=sending', 'Frequency caps'],
    ['settings-domains', 'settings?tab=domains', 'not checked'],
    ['settings-credentials', 'settings?tab=credentials', 'https://files.shop.example'],
    ['settings-file', 'settings?tab=file', 'Abandoned cart'],
  ])
  const { page } = dashboard
  await page.setViewportSize({ width: 800, height: 700 })
  await dashboard.visit('settings?tab=sending')
  await page.getByText('Frequency caps').first().waitFor()
  await dashboard.shot('settings-sending-800')
  assert.deepEqual(dashboard.complaints, [])
})

test('an account without settings.read is told so, and one without settings.edit and file.apply reads and changes nothing', async () => {
  const { page } = dashboard
  const signIn = (permission: string) => {
    const workspaces = [{ id: 'default', permissions: [permission], sets: [], teams: [] }]
    return dashboard.signIn({ company: [], roles: [], workspaces })
  }
  await signIn('view_canvases')
  await dashboard.visit('settings')
  await page.getByRole('heading', { name: 'You may not see Settings' }).waitFor()
  await page.getByText(/settings\.read/).waitFor()
  await dashboard.shot('settings-refused')
  await signIn('basic_access')
  await dashboard.visit('settings')
  await page
    .getByRole('note')
    .filter({ hasText: /^You may read these settings, and not change them\. .*settings\.edit/ })
    .waitFor()
  assert.equal(await page.locator('[data-setting="time_zone"]').getByRole('textbox').isDisabled(), true)
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).getAttribute('aria-disabled'), 'true')
  await dashboard.shot('settings-read-only')
  await dashboard.visit('settings?tab=file')
  await page.getByText(/^It takes the permission file\.apply\./).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Show the plan' }).count(), 0)
  dashboard.complaints.length = 0
})
