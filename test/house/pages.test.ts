import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { drawEvery } from '../sizes.ts'
import { blocksOf, followPage, pages } from '../support/pages.ts'

const root = join(import.meta.dirname, '../..')

const [readme, ...others] = Object.entries(pages).filter(([, { isSlow }]) => !isSlow)
for (const [path, { outputs, given }] of [readme!, ...drawEvery(3, others)]) {
  test(`a reader of ${path} gets what it prints`, async () => {
    assert.equal(await followPage(path, given), outputs)
  })
}

test('every page with commands is followed, and its commands are marked as such', () => {
  const paths = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  const read = paths.map((path) => ({ path, blocks: blocksOf(readFileSync(join(root, path), 'utf8')) }))
  const withCommands = read.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'sh')).map(({ path }) => path)
  assert.deepEqual(withCommands.sort(), Object.keys(pages).sort())
  const unmarked = read.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ kind, text }) => kind !== 'sh' && /^(?:\w+=\S+ )*(?:npm|npx|curl|node|export) /m.test(text))
      .map(({ text }) => `${path}: ${text}`),
  )
  assert.deepEqual(unmarked, [])
})
