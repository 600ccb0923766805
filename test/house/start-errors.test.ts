import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, test } from 'node:test'
import { drawEvery } from '../sizes.ts'
import { type FailingStart, failingStarts, stranger } from '../support/failing-starts.ts'
import { ownEnvironment } from '../support/harness.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
const shownFolder = '/srv/easel'
const isRoot = process.getuid?.() === 0
const deadlineMs = 120_000

/** Runs the command of npm start. Returns what it printed last, and its exit code. */
async function start({ env, asStranger }: FailingStart) {
  const folder = mkdtempSync(join(tmpdir(), 'easel-start-'))
  chmodSync(folder, 0o755)
  const shows: [string, string][] = [[folder, shownFolder]]
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rmSync(folder, { recursive: true, force: true }))
  const given = await env({ folder, undo, show: (text, shown) => void shows.push([text, shown]) })
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: root,
    env: { ...ownEnvironment, PATH: path, HOST: '127.0.0.1', PORT: '0', EASEL_DATA: join(folder, 'data'), ...given },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(asStranger && isRoot ? stranger : {}),
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  const shown = shows.reduce((so, [from, to]) => so.replaceAll(from, to), text)
  // Secrets that were generated before the failure are shown above it, indented.
  const lines = shown.split('\n').filter((line) => line !== '' && !/^ {2}\S/.test(line))
  return { lines, code, text }
}

function rowOf({ done, exit }: FailingStart, line: string): string {
  return `| ${done} | \`${line}\` | ${exit} |`
}

function missingFor({ asStranger, missing }: FailingStart): string | false {
  if (asStranger && process.platform === 'win32') return 'Windows has other users'
  if (
    asStranger &&
    isRoot &&
    spawnSync('test', ['-r', scripts.start && join(root, 'src/main.ts')], stranger).status !== 0
  ) {
    return 'another user may not read this checkout'
  }
  return missing?.() ?? false
}

describe('a start that fails says why in one line, and the page has that line', { concurrency: 2 }, () => {
  for (const failing of drawEvery(5, failingStarts)) {
    test(failing.done.replaceAll('`', ''), { skip: missingFor(failing) }, async () => {
      const { lines, code, text } = await start(failing)
      assert.equal(lines.length, 1, text)
      assert.doesNotMatch(text, /^\s+at /m)
      assert.equal(code, failing.exit, text)
      const row = rowOf(failing, lines[0]!)
      assert.ok(page.split('\n').includes(row), `docs/troubleshooting.md needs the row\n${row}`)
    })
  }
})

test('the page has no start that is not tested', () => {
  const rows = page.split('\n').filter((line) => /^\| .* \| `.*` \| [12] \|$/.test(line))
  const known = failingStarts.map(({ done }) => `| ${done} | `)
  assert.deepEqual(
    rows.filter((row) => !known.some((beginning) => row.startsWith(beginning))),
    [],
  )
  assert.equal(rows.length, failingStarts.length)
})
