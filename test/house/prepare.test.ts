import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')

// Replaces npm: records its arguments, takes some time, and leaves a Node and a file that shows that it has ended.
const fakeNpm = `#!/bin/sh
echo "$@ NODE_ENV=$NODE_ENV" >> calls
echo "$PATH" > path
[ "$1" = ci ] && rm -rf node_modules
mkdir -p node_modules/.bin
while [ -f held ]; do sleep 0.05; done
echo $$ > pid
[ -f hanging ] && exec sleep 60
[ -f broken ] && cat broken >&2 && exit 1
ln -sf "$(cat ../node)" node_modules/.bin/node
case "$*" in
  *--omit=dev*) [ -f run.json ] && cp run.json node_modules/.package-lock.json ;;
  *) [ -f all.json ] && cp all.json node_modules/.package-lock.json ;;
esac
echo done >> ends
`

type Ended = { status: number | null; words: string }

/** Creates a checkout with only the scripts, and a PATH with the npm above. */
function checkout(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'easel-prepare-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'project')
  for (const name of ['prepare.mjs', 'lock.mjs']) cpSync(join(root, 'scripts', name), join(project, 'scripts', name))
  writeFileSync(join(project, 'package-lock.json'), '{"one": 1}')
  writeFileSync(join(folder, 'node'), process.execPath)
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/npm'), fakeNpm)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const path = [join(project, 'node_modules/.bin'), join(folder, 'bin'), '/usr/bin', '/bin'].join(':')
  const start = (env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) => {
    const child = spawn(process.execPath, [join(project, 'scripts/prepare.mjs'), ...args], {
      env: { PATH: path, TMPDIR: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let words = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        words += chunk
      })
    }
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (status) => resolve({ status, words }))
    })
    return Object.assign(child, { ended, words: () => words })
  }
  const has = (name: string) => existsSync(join(project, name))
  const linesOf = (name: string) => (has(name) ? readFileSync(join(project, name), 'utf8').trim().split('\n') : [])
  const write = (name: string, text: string) => writeFileSync(join(project, name), text)
  return { project, folder, path, start, has, linesOf, write, remove: (name: string) => rmSync(join(project, name)) }
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    if (condition()) return
    await sleep(10)
  }
  assert.fail('the expected state within a minute')
}

test('a first start installs and prints two lines, and a second start does nothing', async (t) => {
  const { start, linesOf } = checkout(t)
  const first = await start().ended
  assert.equal(first.status, 0, first.words)
  assert.equal(first.words.trim().split('\n').length, 2)
  const second = await start().ended
  assert.deepEqual(second, { status: 0, words: '' })
  assert.equal(linesOf('calls').length, 1)
})

test('a start installs what runs Easel, without node_modules in the PATH', async (t) => {
  const { start, linesOf, project } = checkout(t)
  await start({ NODE_ENV: 'development' }).ended
  assert.match(linesOf('calls')[0]!, /^ci --omit=dev --include=optional .* NODE_ENV=development$/)
  assert.ok(
    !linesOf('path')[0]!.includes(join(project, 'node_modules')),
    'the Node that npm deletes is not on its PATH',
  )
})

/** Writes lockfiles of two packages, one of them for development, and what npm records after it has installed one or both. */
function lockPackages({ write }: { write(name: string, text: string): void }) {
  const run = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }
  const foreign = { 'node_modules/f': { version: '1.0.0', integrity: 'sha512-f', optional: true, os: ['none'] } }
  const all = { ...run, 'node_modules/d': { version: '2.0.0', integrity: 'sha512-d', dev: true } }
  write('package-lock.json', JSON.stringify({ packages: { '': { name: 'easel' }, ...all, ...foreign } }))
  write('run.json', JSON.stringify({ packages: run }))
  write('all.json', JSON.stringify({ packages: all }))
}

test('tests get the packages for development, which are added to those that run Easel', async (t) => {
  const place = checkout(t)
  lockPackages(place)
  await place.start().ended
  await place.start({ NODE_ENV: 'production' }, ['--dev']).ended
  assert.deepEqual(
    place.linesOf('calls').map((call) => call.split(' --no-audit')[0]),
    ['ci --omit=dev --include=optional', 'install --no-save --include=dev --include=optional'],
  )
  for (const args of [[], ['--dev'], []])
    assert.deepEqual(await place.start({}, args).ended, { status: 0, words: '' }, args.join())
  assert.equal(place.linesOf('calls').length, 2)
})

test('an npm ci that a person has run is recognised, with all packages or with those that run Easel', async (t) => {
  const place = checkout(t)
  lockPackages(place)
  const install = (recorded: string) => {
    rmSync(join(place.project, 'node_modules'), { recursive: true, force: true })
    mkdirSync(join(place.project, 'node_modules/.bin'), { recursive: true })
    cpSync(join(place.project, recorded), join(place.project, 'node_modules/.package-lock.json'))
  }
  install('all.json')
  for (const args of [[], ['--dev']]) assert.deepEqual(await place.start({}, args).ended, { status: 0, words: '' })
  install('run.json')
  assert.deepEqual(await place.start().ended, { status: 0, words: '' })
  assert.equal(place.has('calls'), false)

  const text = readFileSync(join(place.project, 'run.json'), 'utf8')
  place.write('run.json', text.replace('1.0.0', '0.9.0'))
  install('run.json')
  place.write('run.json', text)
  assert.equal((await place.start().ended).status, 0)
  assert.equal(place.linesOf('calls').length, 1, 'another version of a package is installed again')
})

test('a start after a change of the lockfile installs again', async (t) => {
  const { start, linesOf, write } = checkout(t)
  await start().ended
  write('package-lock.json', '{"two": 2}')
  await start().ended
  assert.equal(linesOf('calls').length, 2)
})

test('a failed installation says what to do and leaves no stamp, and the next start repairs it', async (t) => {
  const { start, linesOf, write, remove } = checkout(t)
  write('broken', 'npm error code ENOTFOUND\nnpm error network request to https://registry.example failed')
  const failed = await start().ended
  assert.equal(failed.status, 1)
  assert.match(failed.words, /npm error code ENOTFOUND/)
  assert.match(failed.words, /could not reach its registry/)
  remove('broken')
  assert.equal((await start().ended).status, 0)
  assert.equal(linesOf('calls').length, 2)
})

test('the next start repairs a killed installation, after npm has ended too', async (t) => {
  const { start, linesOf, has, write, remove } = checkout(t)
  write('held', '')
  const killed = start()
  await until(() => has('node_modules/.bin'))
  killed.kill('SIGKILL')
  await killed.ended
  const repairing = start()
  await until(() => /waiting/.test(repairing.words()))
  remove('held')
  const next = await repairing.ended
  assert.equal(next.status, 0, next.words)
  assert.deepEqual([linesOf('calls').length, linesOf('ends').length], [2, 2])
})

test('a lock does not block when all its holders were killed', async (t) => {
  const { start, has, write, remove } = checkout(t)
  write('hanging', '')
  const killed = start()
  await until(() => has('node_modules/.bin'))
  const npm = readFileSync(`/proc/${killed.pid}/task/${killed.pid}/children`, 'utf8').trim().split(' ').map(Number)
  killed.kill('SIGKILL')
  for (const pid of npm) process.kill(pid, 'SIGKILL')
  await killed.ended
  remove('hanging')
  const next = await Promise.race([start().ended, sleep(60_000, undefined, { ref: false })])
  assert.ok(next && next.status === 0, next?.words ?? 'it waits')
})

test('when the shell of npm start has ended, the installation is stopped, and the next start repairs it', async (t) => {
  const { project, path, folder, start, has, linesOf, write, remove } = checkout(t)
  write('hanging', '')
  const command = `"${process.execPath}" scripts/prepare.mjs; true`
  const shell = spawn('sh', ['-c', command], { cwd: project, env: { PATH: path, TMPDIR: folder }, stdio: 'ignore' })
  await until(() => linesOf('pid').length === 1)
  shell.kill('SIGTERM')
  await until(() => !isRunning(Number(linesOf('pid')[0])))
  assert.ok(!has('node_modules/.prepared'))
  remove('hanging')
  assert.equal((await start().ended).status, 0)
})

test('one of several starts at once installs, and the others print a line and wait', async (t) => {
  const { start, linesOf, write, remove } = checkout(t)
  write('held', '')
  const starts = Array.from({ length: 4 }, () => start())
  await until(() => starts.filter(({ words }) => /waiting/.test(words())).length === 3)
  remove('held')
  const all = await Promise.all(starts.map(({ ended }) => ended))
  assert.deepEqual(
    all.map(({ status }) => status),
    [0, 0, 0, 0],
  )
  assert.equal(linesOf('calls').length, 1)
})

test('several starts that find the socket of a killed start install once', async (t) => {
  const { start, linesOf, has, write, remove } = checkout(t)
  write('held', '')
  const killed = start()
  await until(() => has('node_modules/.bin'))
  killed.kill('SIGKILL')
  remove('held')
  await until(() => linesOf('ends').length === 1)
  const all = await Promise.all(Array.from({ length: 5 }, () => start().ended))
  assert.ok(
    all.every(({ status }) => status === 0),
    all.map(({ words }) => words).join('\n'),
  )
  assert.equal(linesOf('calls').length, 2)
})

test('the error text for a missing npm or a broken Node says what to do', async (t) => {
  const { start, folder, write } = checkout(t)
  const withoutNpm = await start({ PATH: '/nowhere' }).ended
  assert.equal(withoutNpm.status, 1)
  assert.match(withoutNpm.words, /npm was not found/)
  writeFileSync(join(folder, 'node'), '/nowhere/node')
  write('package-lock.json', '{}')
  const { status } = await start().ended
  assert.equal(status, 0, 'this Node is new enough to continue')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
}
