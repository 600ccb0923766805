import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { filesOfPart, partCount, partOf, readDurations, writeDurations } from '../../scripts/parts.ts'
import { type FileResult, listTestFiles, mayShareProcess, runTestFiles } from '../../scripts/suites.ts'

const root = join(import.meta.dirname, '../..')
/** The runner's code is compiled once for all folders of files. */
const compiled: Record<string, string> = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' }
const beginning = "import assert from 'node:assert/strict'\nimport test, { before, describe } from 'node:test'\n"

/** Runs test files with these texts in one process, as the runner does. */
async function runAll(
  t: TestContext,
  texts: readonly string[],
  deadlineMs = 300_000,
  env: Record<string, string> = {},
): Promise<FileResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'easel-runner-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const paths = texts.map((_, i) => `${String.fromCharCode(97 + i)}.test.mjs`)
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, paths[i]!), beginning + text)
  const results: FileResult[] = []
  const options = { env: { ...compiled, ...env }, deadlineMs, signal: t.signal }
  await runTestFiles(folder, [...paths], options, (result) => results.push(result))
  assert.deepEqual(
    results.map(({ path }) => path),
    paths,
  )
  return results
}

async function run(t: TestContext, text: string, ...more: [number?, Record<string, string>?]): Promise<FileResult> {
  return (await runAll(t, [text], ...more))[0]!
}

const countsOf = ({ passed, failed, skipped }: FileResult) => [passed, failed, skipped.length]

const cases: readonly [title: string, text: string, counts: readonly number[], report: RegExp][] = [
  [
    'the runner counts passing tests and not groups',
    "describe('g', () => { test('a', () => {}); test('b', () => {}) })",
    [2, 0, 0],
    /^$/,
  ],
  [
    'the runner counts a failing test and reports its output',
    "test('a', () => assert.equal(1, 2)); test('b', () => {})",
    [1, 1, 0],
    /a \(line 3\)[\s\S]*1 !== 2/,
  ],
  [
    'a failing subtest counts once, without its parent',
    "test('a', async (t) => { await t.test('b', () => assert.fail('no')) })",
    [0, 1, 0],
    /b \(line/,
  ],
  [
    'a skipped test counts as skipped only, and keeps its reason',
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
    /gone[\s\S]*so far/,
  ],
  [
    'a file that exits early is a failure',
    "test('a', () => {}); setTimeout(() => process.exit(3), 50); test('b', () => new Promise((r) => setTimeout(r, 500)))",
    [1, 1, 0],
    /status 3/,
  ],
  ['a file that is killed is a failure', "test('a', () => process.kill(process.pid, 'SIGKILL'))", [0, 1, 0], /SIGKILL/],
  ['a file without tests is a failure', '', [0, 1, 0], /has no test/],
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

test('the runner stops a file that does not end, and counts the tests that passed until then', async (t) => {
  const result = await run(t, "test('a', () => {}); test('b', () => new Promise((r) => setTimeout(r, 60_000)))", 20_000)
  assert.deepEqual(countsOf(result), [1, 1, 0])
  assert.match(result.report, /did not end within 20 s/)
})

test('the runner ends a process that a test leaves running', async (t) => {
  const result = await run(
    t,
    "import { spawn } from 'node:child_process'\ntest('a', () => { spawn('sleep', ['3600'], { stdio: 'inherit' }).unref() })",
  )
  assert.deepEqual(countsOf(result), [1, 0, 0])
  assert.ok(result.seconds < 3_600, `${result.seconds} s`)
})

const fine = "test('a', () => {}); test('b', () => {})"
const endless = "test('a', () => {}); test('b', () => new Promise((r) => setTimeout(r, 600_000)))"
const spoilers: readonly [title: string, text: string, counts: readonly number[], report: RegExp][] = [
  ['fails', "test('a', () => assert.equal(1, 2)); console.log('own words')", [0, 1, 0], /1 !== 2[\s\S]*own words/],
  ['crashes while loading', "test('a', () => {}); throw new Error('gone')", [0, 2, 0], /gone/],
  ['is killed', "test('a', () => process.kill(process.pid, 'SIGKILL'))", [0, 1, 0], /SIGKILL/],
  ['exits early', "test('a', () => process.exit(0))", [0, 1, 0], /exited before its end/],
  ['does not end', endless, [1, 1, 0], /did not end within 20 s/],
  ['has no test', '', [0, 1, 0], /has no test/],
]
/** All of them run one after another in one process, each between files that pass. */
let spoiltRun: Promise<FileResult[]> | undefined
for (const [i, [what, , counts, report]] of spoilers.entries()) {
  test(`a file that ${what} fails alone, and the other files of its process pass`, async (t) => {
    const texts = [fine, ...spoilers.flatMap(([, text]) => [text, fine]), fine]
    spoiltRun ??= runAll(t, texts, 20_000)
    const results = await spoiltRun
    const [before, spoilt, ...after] = results.slice(2 * i)
    assert.deepEqual(countsOf(spoilt!), counts, spoilt!.report)
    assert.match(spoilt!.report, report)
    const others = [before!, ...after.filter((_, at) => at % 2 === 0), results.at(-1)!]
    for (const each of others) assert.deepEqual(countsOf(each), [2, 0, 0], each.report)
  })
}

test('a test may wait for a timer that does not keep the process running', async (t) => {
  const text = "test('a', () => new Promise((r) => setTimeout(r, 100).unref()))"
  for (const result of await runAll(t, [text, fine])) assert.equal(result.failed, 0, result.report)
})

test('each file of a process has the full deadline and its own hooks', async (t) => {
  const slow =
    "before(() => { globalThis.made = 1 + (globalThis.made ?? 0) }); test('a', (t) => new Promise((r) => setTimeout(r, 7_000)))"
  const last = "test('a', () => assert.equal(globalThis.made, 3))"
  for (const result of await runAll(t, [slow, slow, slow, last], 20_000)) {
    assert.deepEqual(countsOf(result), [1, 0, 0], result.report)
  }
})

test('several processes share a queue of files, and each file runs once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-runner-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const paths = Array.from({ length: 6 }, (_, i) => `${i}.test.mjs`)
  for (const path of paths) writeFileSync(join(folder, path), `${beginning}test('a', () => {})`)
  const queue = [...paths]
  const seen: string[] = []
  const options = { env: compiled, deadlineMs: 300_000, signal: t.signal }
  const take = () => runTestFiles(folder, queue, options, ({ path, passed }) => seen.push(`${path} ${passed}`))
  await Promise.all([take(), take()])
  assert.deepEqual(
    seen.sort(),
    paths.map((path) => `${path} 1`),
  )
})

test('files that run alone share no process, and come first', () => {
  const files = listTestFiles(root, true)
  const isOwn = (path: string) => !mayShareProcess(path, 'test/structure.test.ts')
  const own = files.filter(isOwn)
  assert.ok(own.length > 0 && own.length < files.length)
  assert.deepEqual(files.slice(0, own.length), own)
  for (const path of files.filter((path) => path.includes('.alone.'))) assert.ok(isOwn(path), path)
})

test('tests do not see the settings of a running service, and see those of the runner', async (t) => {
  process.env.EASEL_API_KEY = 'mine'
  t.after(() => delete process.env.EASEL_API_KEY)
  const seen = '[process.env.EASEL_API_KEY, process.env.EASEL_TEST_SEED, process.env.NODE_ENV]'
  const text = `test('a', () => assert.deepEqual(${seen}, [undefined, '5', 'test']))`
  assert.deepEqual(countsOf(await run(t, text, 300_000, { EASEL_TEST_SEED: '5' })), [1, 0, 0])
})

test('long files run in the long run only', () => {
  const [short, long] = [listTestFiles(root, false), listTestFiles(root, true)]
  assert.ok(short.includes('test/structure.test.ts') && short.every((path) => !path.includes('.long.')))
  assert.deepEqual(
    long.filter((path) => !path.includes('.long.')),
    short,
  )
})

test('each file that takes long is in one part, quick and new files are in all, and parts take about equally long', () => {
  const files = listTestFiles(root, false)
  const durations = readDurations(root)
  const parts = Array.from({ length: partCount }, (_, i) => filesOfPart(files, durations, i))
  const isMeasured = (path: string) => path in durations
  const slow = files.filter(isMeasured)
  assert.ok(slow.length > 200)
  for (const part of parts) {
    assert.deepEqual(
      part.filter((path) => !isMeasured(path)),
      files.filter((path) => !isMeasured(path)),
    )
  }
  assert.deepEqual(parts.flatMap((part) => part.filter(isMeasured)).sort(), slow.toSorted())
  const seconds = parts.map((part) => part.filter(isMeasured).reduce((sum, path) => sum + durations[path]!, 0))
  assert.ok(Math.max(...seconds) < Math.min(...seconds) * 1.1, seconds.join(', '))
})

test('following seeds draw all parts, and what else a seed draws does not depend on the part', () => {
  const seeds = Array.from({ length: partCount }, (_, i) => 1_000 * partCount + i)
  assert.deepEqual(
    seeds.map(partOf),
    seeds.map((_, i) => i),
  )
  const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
  const listed = /part: \[([\d, ]+)\]/.exec(workflow)![1]!.split(', ').map(Number)
  assert.deepEqual(listed, seeds.map(partOf), 'the workflow runs every part')
  assert.ok(workflow.includes(`* ${partCount} +`))
})

test('the durations of a run are stored without quick files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-durations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'test'))
  writeDurations(folder, new Map(Object.entries({ 'test/b': 20.26, 'test/a': 3, 'test/quick': 0.2 })))
  assert.deepEqual(Object.entries(readDurations(folder)), Object.entries({ 'test/a': 3, 'test/b': 20.3 }))
})

test('the last line of the runner has the counts, and its status says whether all tests passed', () => {
  const runner = (...files: string[]) => {
    const env = { ...process.env, EASEL_TEST_POSTGRES: 'postgres://unused', EASEL_TEST_TEMPLATE: 'unused', CI: '' }
    const { stdout, status } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    return { status, last: stdout.trimEnd().split('\n').at(-1)! }
  }
  const good = runner('test/rules/progress.test.ts')
  assert.match(good.last, /^\d+ passed, 0 failed$/)
  assert.equal(good.status, 0)
  assert.deepEqual(runner('test/rules/progress.test.ts', 'test/no-such.test.ts').status, 1)
  assert.match(runner('test/no-such.test.ts').last, /^0 passed, \d+ failed$/)
})
