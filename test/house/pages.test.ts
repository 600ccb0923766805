import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { drawEvery } from '../sizes.ts'
import { easel } from '../support/command-line.ts'
import { blocksOf, followPage, notRun, pages, whyNotFollowed } from '../support/pages.ts'

const root = join(import.meta.dirname, '../..')

const [readme, ...others] = Object.entries(pages).filter(([, { isSlow }]) => !isSlow)
for (const [path, page] of [readme!, ...drawEvery(3, others)]) {
  test(`a reader of ${path} gets what it prints`, { skip: whyNotFollowed(page) }, async () => {
    assert.equal(await followPage(path, page), page.outputs)
  })
}

const paths = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', 'data', '.git'] })
const read = paths
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, blocks: blocksOf(readFileSync(join(root, path), 'utf8')) }))

test('every page with commands is followed, and its commands are marked as such', () => {
  const withCommands = read.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'sh')).map(({ path }) => path)
  assert.deepEqual(withCommands.sort(), Object.keys(pages).sort())
  const unmarked = read.flatMap(({ path, blocks }) =>
    blocks
      .filter(
        ({ kind, text }) =>
          kind !== 'sh' && /^(?:\w+=\S+ )*(?:npm|npx|curl|node|export|docker|helm|systemctl|kubectl) /m.test(text),
      )
      .map(({ text }) => `${path}: ${text}`),
  )
  assert.deepEqual(unmarked, [])
  const otherKinds = read.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ kind }) => (/^(?:bash|shell|console|zsh|terminal)$/.test(kind) ? [`${path}: ${kind}`] : [])),
  )
  assert.deepEqual(otherKinds, [], 'commands are in sh blocks')
})

test('a block that is not run is there once, with a reason', () => {
  for (const [page, reasons] of Object.entries(notRun)) {
    const blocks = read.find(({ path }) => path === page)!.blocks.filter(({ kind }) => kind === 'sh')
    for (const [beginning, reason] of Object.entries(reasons)) {
      assert.ok(reason.length > 10, beginning)
      assert.equal(blocks.filter(({ text }) => text.startsWith(beginning)).length, 1, `${page}: ${beginning}`)
    }
  }
})

test('every script of npm and every command of Easel that a page names exists', async () => {
  const { out: help } = await easel(['--help'], {})
  const verbs = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb]) => verb!)
  assert.ok(verbs.includes('doctor'))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const unknown = read.flatMap(({ path }) => {
    const text = readFileSync(join(root, path), 'utf8')
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)(?: -- ([a-z]+))?/g)]
    return named.flatMap(([whole, script, verb]) => {
      const isKnown = script! in scripts && (script !== 'easel' || verb === undefined || verbs.includes(verb))
      return isKnown ? [] : [`${path}: ${whole}`]
    })
  })
  assert.deepEqual(unknown, [])
})
