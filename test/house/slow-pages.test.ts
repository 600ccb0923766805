import assert from 'node:assert/strict'
import test from 'node:test'
import { drawEvery } from '../sizes.ts'
import { followPage, pages, whyNotFollowed } from '../support/pages.ts'

const slow = Object.entries(pages).filter(([, { isSlow }]) => isSlow)
const drawn = drawEvery(3, slow)
for (const [path, page] of slow) {
  const skip = drawn.some(([each]) => each === path) ? whyNotFollowed(page) : 'the seed has not drawn it'
  test(`a reader of ${path} gets what it prints`, { skip }, async () => {
    assert.equal(await followPage(path, page), page.outputs)
  })
}
