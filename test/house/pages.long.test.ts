import assert from 'node:assert/strict'
import test from 'node:test'
import { followPage, pages } from '../support/pages.ts'

for (const [path, { outputs, given, isSlow }] of Object.entries(pages)) {
  if (!isSlow) continue
  test(`a reader of ${path} gets what it prints`, async () => {
    assert.equal(await followPage(path, given), outputs)
  })
}
