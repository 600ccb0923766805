import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { type FileResult, listTestFiles, runTestFile } from '../../scripts/suites.ts'

const root = join(import.meta.dirname, '../..')
const beginning = "import assert from 'node:assert/strict'\nimport test, { before, describe } from 'node:test'\n"

/** Runs a file of tests with this text as the runner does. */
async function run(
  t: TestContext,
  text: string,
  deadlineMs = 20_000,
  env: Record<string, string> = {},
): Promise<FileResult> {
  const folder = mkdtempSync(join(tmpdir(), 'easel-runner-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'a.test.mjs'), beginning + text)
  return runTestFile(folder, 'a.test.mjs', { env, deadlineMs, signal: t.signal })
}

const countsOf = ({ passed, failed, skipped }: FileResult) => [passed, failed, skipped.length]

const cases: readonly [title: string, text: string, counts: readonly number[], report: RegExp][] = [
  [
    'passing tests are counted, groups are not',
    "describe('g', () => { test('a', () => {}); test('b', () => {}) })",
    [2, 0, 0],
    /^$/,
  ],
  [
    'a failing test is counted with its words',
    "test('a', () => assert.equal(1, 2)); test('b', () => {})",
    [1, 1, 0],
    /a \(line 3\)[\s\S]*1 !== 2/,
  ],
  [
    'a parent fails through its child, once',
    "test('a', async (t) => { await t.test('b', () => assert.fail('no')) })",
    [0, 1, 0],
    /b \(line/,
  ],
  [
    'a skipped test is neither, and keeps its reason',
    "test('a', { skip: 'no browser' }, () => {}); test('b', () => {})",
    [1, 0, 1],
    /^$/,
  ],
  [
    'a failing hook is a failure',
    "describe('g', () => { before(() => assert.fail('no')); test('a', () => {}) })",
    [0, 2, 0],
    /no/,
  ],
  [
    'a file that crashes while loading is a failure',
    "console.log('so far'); throw new Error('gone')",
    [0, 1, 0],
    /status 1[\s\S]*so far[\s\S]*gone/,
  ],
  [
    'a file that leaves early is a failure',
    "test('a', () => {}); setTimeout(() => process.exit(3), 50); test('b', () => new Promise((r) => setTimeout(r, 500)))",
    [1, 1, 0],
    /status 3/,
  ],
  ['a file that is killed is a failure', "test('a', () => process.kill(process.pid, 'SIGKILL'))", [0, 1, 0], /SIGKILL/],
  ['a file without tests is a failure', '', [0, 1, 0], /holds no test/],
  [
    'an error after the last test is a failure',
    "test('a', () => {}); setTimeout(() => { throw new Error('late') }, 50)",
    [1, 1, 0],
    /late/,
  ],
]
for (const [title, text, counts, report] of cases) {
  test(title, async (t) => {
    const result = await run(t, text)
    assert.deepEqual(countsOf(result), counts, result.report)
    assert.match(result.report, report)
  })
}

test('a file that does not end is stopped, and what passed until then is counted', async (t) => {
  const result = await run(t, "test('a', () => {}); test('b', () => new Promise((r) => setTimeout(r, 60_000)))", 1_000)
  assert.deepEqual(countsOf(result), [1, 1, 0])
  assert.match(result.report, /did not end within 1 s/)
})

test('a process that a test leaves running is ended with it', async (t) => {
  const result = await run(
    t,
    "import { spawn } from 'node:child_process'\ntest('a', () => { spawn('sleep', ['60'], { stdio: 'inherit' }).unref() })",
  )
  assert.deepEqual(countsOf(result), [1, 0, 0])
  assert.ok(result.seconds < 8, `${result.seconds} s`)
})

test('settings of a service that somebody runs do not reach tests, those of the runner do', async (t) => {
  process.env.EASEL_API_KEY = 'mine'
  t.after(() => delete process.env.EASEL_API_KEY)
  const seen = '[process.env.EASEL_API_KEY, process.env.EASEL_TEST_SEED, process.env.NODE_ENV]'
  const text = `test('a', () => assert.deepEqual(${seen}, [undefined, '5', 'test']))`
  assert.deepEqual(countsOf(await run(t, text, 20_000, { EASEL_TEST_SEED: '5' })), [1, 0, 0])
})

test('long files are run in the long run only', () => {
  const [short, long] = [listTestFiles(root, false), listTestFiles(root, true)]
  assert.ok(short.includes('test/structure.test.ts') && short.every((path) => !path.includes('.long.')))
  assert.deepEqual(
    long.filter((path) => !path.includes('.long.')),
    short,
  )
})

test('the last line of the runner counts, and its status says whether all passed', () => {
  const runner = (...files: string[]) => {
    const env = { ...process.env, EASEL_TEST_POSTGRES: 'postgres://unused', CI: '' }
    const { stdout, status } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    return { status, last: stdout.trimEnd().split('\n').at(-1)! }
  }
  const good = runner('test/house/config.test.ts')
  assert.match(good.last, /^\d+ passed, 0 failed$/)
  assert.equal(good.status, 0)
  assert.deepEqual(runner('test/house/config.test.ts', 'test/no-such.test.ts').status, 1)
  assert.match(runner('test/no-such.test.ts').last, /^0 passed, \d+ failed$/)
})
