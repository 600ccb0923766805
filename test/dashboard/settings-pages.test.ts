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
    ['settings-credentials', 'settings?tab=credentials', 'easel'],
    ['settings-file', 'settings?tab=file', 'Abandoned cart'],
  ])
  const { page } = dashboard
  await page.setViewportSize({ width: 800, height: 700 })
  await dashboard.visit('settings?tab=sending')
  await page.getByText('Frequency caps').first().waitFor()
  await dashboard.shot('settings-sending-800')
  assert.deepEqual(dashboard.complaints, [])
})

test('settings that one may not change say so, and a file is applied by those who may', async () => {
  const { page } = dashboard
  await page.context().clearCookies()
  await dashboard.signIn({ workspace: [{ workspaceId: 'default', permissions: ['basic_access'] }] })
  await dashboard.visit('settings')
  await page.getByText(/settings\.read/).waitFor()
})
