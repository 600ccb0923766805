import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wholeWorkspace } from '../support/whole-workspace.ts'
import { wide } from './browser.ts'
import { Dashboard, fits } from './dashboard.ts'

const dashboard = new Dashboard()

/** No name, percents that do not add to 100, and no address. */
const wrong = {
  ...{ id: 'wrong', name: '', entry: { event: '' } },
  messages: ['a', 'b'].map((id) => {
    return { id, name: id, percent: 60, email: { app_id: 'web', from: 'nobody', subject: 'Hi {{', body: '<p>Hi</p>' } }
  }),
}

before(async () => {
  await dashboard.open({ workspace: wholeWorkspace })
  const draft = { definition: wrong, base_version: null }
  await dashboard.at.service.admin('PUT', '/admin/campaigns/wrong/draft', draft)
  await dashboard.signIn()
})
after(() => dashboard.close())

test('the editor of campaigns is accessible, empty, with mistakes and full', async () => {
  await dashboard.checkAccess([
    ['campaign-editor-empty', 'campaigns/fresh/edit', 'No subject yet'],
    ['campaign-editor-wrong', 'campaigns/wrong/edit', 'It must be a valid address'],
    ['campaign-editor-full', 'campaigns/spring/edit', 'Mail of Short'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('it fits a screen of 800 pixels in the dark', async () => {
  const { page } = dashboard
  await page.setViewportSize({ width: 800, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await dashboard.visit('campaigns/wrong/edit')
  await page.getByText('It must be a valid address').first().waitFor()
  await dashboard.shot('campaign-editor-wrong-dark-800')
  await page.waitForFunction(fits)
  await page.setViewportSize(wide)
})
