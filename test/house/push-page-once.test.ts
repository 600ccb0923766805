import assert from 'node:assert/strict'
import test from 'node:test'
import { followPage } from '../support/pages.ts'
test('docs/push.md', async () => {
  assert.equal(await followPage('docs/push.md', undefined), 2)
})
