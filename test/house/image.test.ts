import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { bundlePath } from '../../scripts/bundle-path.mjs'
import { variables } from '../../src/base/config.ts'
import {
  contextFiles,
  type Instruction,
  lastImage,
  openImageFolder,
  readDockerfile,
  removedPackages,
} from '../support/dockerfile.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const image = lastImage()
const lastOf = (name: string) => image.findLast((each) => each.name === name)!.text
const all = readDockerfile()
const instructions = all.stages.flatMap((stage) => stage.instructions)
const ofName = (name: string) => instructions.filter((each) => each.name === name)
const isRoot = process.getuid?.() === 0

test('every image that the Dockerfile starts from is an argument, so that a build can name it by digest', () => {
  const stages = new Set<string>()
  for (const { from, name } of all.stages) {
    const [, argument] = /^\$\{(\w+)\}$/.exec(from) ?? []
    assert.ok(stages.has(from) || all.presets.has(argument ?? ''), from)
    stages.add(name)
  }
  for (const preset of all.presets.values()) assert.match(preset, /^[a-z/]+:[\w.-]+(@sha256:[0-9a-f]{64})?$/)
})

test('every path that the Dockerfile copies, removes or runs exists', () => {
  const context = contextFiles()
  const built = [...['/easel/node_modules', '/easel/dashboard/dist'], `/easel/${bundlePath.replace(/\/[^/]*$/, '')}`]
  for (const { text } of ofName('COPY')) {
    const words = text.split(/\s+/)
    const stage = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
    if (stage !== undefined)
      assert.ok(
        all.stages.some(({ name }) => name === stage),
        text,
      )
    for (const path of words.filter((word) => !word.startsWith('--')).slice(0, -1)) {
      const isThere = stage === undefined ? path === '.' || context.includes(path) : built.includes(path)
      assert.ok(isThere, `COPY ${text}: there is no ${path}`)
    }
  }
  const removed = removedPackages()
  assert.ok(removed.length > 5)
  for (const each of removed) {
    // What a start has removed from a package of a checkout is not there.
    const [name] = each.split('/include')
    assert.ok(globSync(name!, { cwd: join(root, 'node_modules') }).length > 0, each)
  }
  const started = instructions.flatMap(
    ({ text }) => text.match(/(?<!\w)(?:scripts|src|cli)\/[\w/-]+\.(?:ts|mjs)/g) ?? [],
  )
  assert.ok(started.length >= 6)
  for (const path of started) assert.ok(context.includes(path), path)
})

test('what an image must not have is not sent to its build', () => {
  const context = contextFiles()
  assert.deepEqual(
    context.filter((path) => /^(\.git|\.env|compose\.env|data|test|node_modules)(\/|$)/.test(path)),
    [],
  )
})

test('the image runs as a user that is not root, stops by SIGTERM, and has the settings of a container', () => {
  assert.match(lastOf('USER'), /^[1-9]\d*$/)
  assert.match(image.find(({ text }) => text.includes('useradd'))!.text, new RegExp(`--uid ${lastOf('USER')}\\b`))
  assert.equal(lastOf('STOPSIGNAL'), 'SIGTERM')
  const env = environmentOf(image)
  assert.equal(env.EASEL_DATA, lastOf('VOLUME'))
  assert.equal(env.PORT, lastOf('EXPOSE'))
  const known: readonly string[] = Object.values(variables).map(({ name }) => name)
  assert.deepEqual(
    Object.keys(env).filter((name) => name !== 'PATH' && !known.includes(name)),
    [],
  )
})

test('the command of the image is that of npm start', () => {
  assert.equal(`exec ${commandOf('CMD').join(' ')}`, scripts.start)
})

const onLinux = process.platform === 'linux' ? false : 'the image is one of Linux'
test('the command of the image starts as that user, is healthy, and ends with 0 after SIGTERM', {
  skip: onLinux,
}, async () => {
  using folder = openImageFolder()
  using data = openVolume()
  const port = await freePort()
  const asUser = isRoot ? { uid: Number(lastOf('USER')), gid: Number(lastOf('USER')) } : {}
  const env = {
    ...environmentOf(image),
    ...{ HOST: '127.0.0.1', PORT: String(port), EASEL_DATA: data.path, NODE_PRESERVE_SYMLINKS: '1' },
    PATH: [join(folder.path, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  }
  const [file, ...args] = commandOf('CMD')
  const child = spawn(file!, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'], ...asUser })
  const ended = once(child, 'close')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  try {
    await eventually(
      () => `the service is healthy\n${printed}`,
      async () => {
        assert.equal(child.exitCode, null, printed)
        const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
        return answer?.ok === true
      },
    )
    const [healthy, ...healthArgs] = commandOf('HEALTHCHECK')
    assert.equal(spawnSync(healthy!, healthArgs, { cwd: folder.path, env }).status, 0)
    const doctor = spawnSync('node', ['cli/main.ts', 'doctor'], { cwd: folder.path, env, ...asUser, encoding: 'utf8' })
    assert.match(doctor.stdout, /^ok +Node/m, doctor.stderr)
    assert.ok(existsSync(join(data.path, 'database')))
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null], printed)
    const away = spawnSync(healthy!, healthArgs, { cwd: folder.path, env })
    assert.equal(away.status, 1)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})

function openVolume(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'easel-image-data-'))
  const inner = join(path, 'data')
  mkdirSync(inner)
  chmodSync(path, 0o755)
  if (isRoot) chownSync(inner, Number(lastOf('USER')), Number(lastOf('USER')))
  return { path: inner, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

function environmentOf(list: readonly Instruction[]): Record<string, string> {
  const pairs = list
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/))
    .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string])
  return Object.fromEntries(pairs)
}

/** Returns the words of the last instruction of a name that has a command in JSON. */
function commandOf(name: string): string[] {
  const text = lastOf(name)
  return JSON.parse(text.slice(text.indexOf('[')))
}
