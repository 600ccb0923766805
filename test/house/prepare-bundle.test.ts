import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { bundlePath } from '../../scripts/bundle-path.mjs'
import { prepareBundle } from '../../scripts/prepare-bundle.mjs'

const here = join(import.meta.dirname, '../..')

/** Creates a checkout whose program prints a word, and where it is. */
function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'easel-checkout-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['src', 'cli', 'client/src', 'node_modules']) mkdirSync(join(root, folder), { recursive: true })
  cpSync(join(here, 'scripts'), join(root, 'scripts'), { recursive: true })
  for (const name of ['rolldown', '@rolldown', '@oxc-project'])
    if (existsSync(join(here, 'node_modules', name)))
      symlinkSync(join(here, 'node_modules', name), join(root, 'node_modules', name), 'junction')
  const write = (name: string, text: string) => writeFileSync(join(root, name), text)
  write('package.json', '{"type": "module"}')
  write('package-lock.json', '{}')
  write('cli/main.ts', `import { word } from '../src/word.ts'\nconsole.log(word, new URL('x', import.meta.url).href)\n`)
  const say = (word: string, more = '') => write('src/word.ts', `export const word: string = '${word}'\n${more}\n`)
  const lines: string[] = []
  return {
    ...{ root, say, lines },
    prepare: (): Promise<boolean> => prepareBundle(root, process.execPath, (line: string) => lines.push(line)),
    run: () => spawnSync(process.execPath, ['scripts/run.mjs'], { cwd: root, encoding: 'utf8' }).stdout.trim(),
  }
}

test('the bundle does what the modules do, from their own places, and is built again after a change', async (t) => {
  const { root, say, prepare, run } = checkout(t)
  say('one')
  const place = run().split(' ')[1]
  assert.equal(run(), `one ${place}`)
  assert.equal(await prepare(), true)
  assert.ok(existsSync(join(root, bundlePath)))
  assert.equal(run(), `one ${place}`)
  say('two')
  assert.equal(run(), `one ${place}`, 'the bundle runs, not the modules')
  assert.equal(await prepare(), true)
  assert.equal(run(), `two ${place}`)
})

test('a bundle that cannot be built leaves no old one: the modules run', async (t) => {
  const { root, say, prepare, run, lines } = checkout(t)
  say('one')
  assert.equal(await prepare(), true)
  say('two', 'export const folder = import.meta.dirname')
  assert.equal(await prepare(), false)
  assert.match(
    lines.join('\n'),
    /word\.ts: only import\.meta\.url can be joined[\s\S]*starts without that, more slowly/,
  )
  assert.ok(!existsSync(join(root, bundlePath)))
  assert.match(run(), /^two /)
})
