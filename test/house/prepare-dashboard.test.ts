import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { prepareDashboard } from '../../scripts/prepare-dashboard.mjs'

/** Creates a checkout with a dashboard of one file, and a build that notes when it runs. */
function checkout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'easel-checkout-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['dashboard/src', 'scripts']) mkdirSync(join(root, folder), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(root, name), text)
  write('package-lock.json', '{}')
  write('dashboard/src/main.tsx', 'one')
  const build = (text: string) =>
    write('scripts/build-dashboard.ts', `import { appendFileSync } from 'node:fs'\n${text}\n`)
  build(`appendFileSync('calls', process.env.NODE_ENV + '\\n')`)
  const lines: string[] = []
  return {
    ...{ write, build, lines },
    prepare: (): Promise<boolean> => prepareDashboard(root, process.execPath, (line: string) => lines.push(line)),
    calls: () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n'),
    failure: () => {
      const path = join(root, 'dashboard/dist/.failed')
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
  }
}

test('the dashboard is built once, and again after a change of its files or packages', async (t) => {
  const { prepare, calls, lines, write } = checkout(t)
  assert.deepEqual(await Promise.all([prepare(), prepare()]), [true, true])
  assert.deepEqual(calls(), ['production'], 'two starts at once make one build')
  assert.match(lines[0]!, /^Building the dashboard/)
  assert.equal(await prepare(), true)
  assert.equal(calls().length, 1)
  write('dashboard/src/main.tsx', 'two')
  assert.equal(await prepare(), true)
  write('package-lock.json', '{"lockfileVersion": 3}')
  assert.equal(await prepare(), true)
  assert.equal(calls().length, 3)
})

test('processes with different folders for temporary files make one build', async (t) => {
  const { prepare, calls } = checkout(t)
  const before = process.env.TMPDIR
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const starts = ['one', 'two'].map((name) => {
    process.env.TMPDIR = join(tmpdir(), name)
    return prepare()
  })
  assert.deepEqual(await Promise.all(starts), [true, true])
  assert.equal(calls().length, 1)
})

test('a build that fails stops nothing, leaves one line for the page, and is repeated at the next start', async (t) => {
  const { prepare, build, lines, failure } = checkout(t)
  build(`throw new Error('no such module')`)
  assert.equal(await prepare(), false)
  assert.match(lines.join('\n'), /no such module[\s\S]*The service starts without it\.$/)
  assert.match(failure()!, /^The dashboard could not be built \(status 1\)\. .*no such module/)
  assert.ok(!failure()!.includes(tmpdir()))
  build('')
  assert.equal(await prepare(), true)
  assert.equal(failure(), undefined)
})
