import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wholeWorkspace } from '../support/whole-workspace.ts'
import { wide } from './browser.ts'
import { Dashboard, fits } from './dashboard.ts'

const dashboard = new Dashboard()

const empty = { id: 'empty', name: 'Empty', entry: { by: ['api'] }, steps: [] }
/** No address, no event, and a step that is missing. */
const wrong = {
  ...{ id: 'wrong', name: 'Wrong', entry: { event: '' }, first: 'hello' },
  steps: [
    {
      ...{ id: 'hello', name: 'Hello', type: 'message', next: 'nowhere' },
      message: { app_id: 'web', from: 'nobody', subject: 'Hi {{', body: '<p>Hi</p>' },
    },
  ],
}

before(async () => {
  await dashboard.open({ workspace: wholeWorkspace })
  for (const definition of [empty, wrong]) {
    const path = `/admin/canvases/${definition.id}/draft`
    await dashboard.at.service.admin('PUT', path, { definition, base_version: null })
  }
  await dashboard.signIn()
})
after(() => dashboard.close())

test('the editor of canvases is accessible, empty, with mistakes and full', async () => {
  await dashboard.checkAccess([
    ['canvas-editor-empty', 'canvases/empty/edit', '2 mistakes'],
    ['canvas-editor-wrong', 'canvases/wrong/edit?step=hello', 'It must be a valid address'],
    ['canvas-editor-full', 'canvases/cart/edit?step=.entry', 'What counts as success'],
  ])
  assert.deepEqual(dashboard.complaints, [])
})

test('it fits a screen of 800 pixels in the dark', async () => {
  const { page } = dashboard
  await page.setViewportSize({ width: 800, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await dashboard.visit('canvases/wrong/edit?step=hello')
  await page.getByText('It must be a valid address').first().waitFor()
  await dashboard.shot('canvas-editor-wrong-dark-800')
  await page.waitForFunction(fits)
  await page.setViewportSize(wide)
})
