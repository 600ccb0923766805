import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { writeDist } from '../../scripts/pack.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'easel-package-'))
const app = join(folder, 'app')
const installed = join(app, 'node_modules', 'easel')
const unpackedBytesMax = 25 * 1_048_576
const commandMs = 600_000

before(async () => {
  // npm packs what is in the folder, so this is a copy: other tests read the repository meanwhile.
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  for (const path of ['package.json', 'bin', 'scripts/compiled.mjs', 'docs/emulator.md', 'README.md', 'LICENSE'])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  await writeDist(root, join(copy, 'dist'))
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(npm, ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: copy,
    env: { ...process.env, npm_config_cache: join(folder, 'npm') },
    shell: process.platform === 'win32',
  })
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, packed), '--strip-components=1', '-C', installed])
  // The network is not needed: the packages of the repository are those that npm would install.
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages).filter((each) => !each.startsWith('.')))
    symlinkSync(join(packages, name), join(app, 'node_modules', name), 'junction')
  // The template of new databases takes seconds to make.
  const cache = 'node_modules/.cache/easel'
  if (existsSync(join(root, cache))) cpSync(join(root, cache), join(installed, 'dist', cache), { recursive: true })
  writeFileSync(join(app, 'package.json'), '{"type": "module"}')
})
after(() => rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[], input = '') {
  const { PATH, HOME } = process.env
  return spawnSync(process.execPath, args, {
    cwd: app,
    env: { PATH, HOME },
    encoding: 'utf8',
    input,
    timeout: commandMs,
  })
}

test('the packed package has no TypeScript but types, and is small', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('.cache'),
  )
  const sources = files.filter(({ name }) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  assert.deepEqual(
    sources.map(({ name }) => name),
    [],
  )
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  assert.ok(bytes < unpackedBytesMax, `${bytes} bytes`)
  for (const { types, default: file } of Object.values(exportsOf()).filter((each) => typeof each === 'object'))
    for (const path of [types, file]) assert.ok(existsSync(join(installed, path)), path)
})

function exportsOf(): Record<string, { types: string; default: string }> {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).exports
}

test('npx easel runs in an empty folder, and so does the emulator', () => {
  const program = join(installed, 'bin', 'easel.mjs')
  assert.match(run([program, '--version']).stdout, /^\d+\.\d+\.\d+\n$/)
  // Standard input ends at once, so the emulator stops after it has started.
  const { stdout, stderr, status } = run([program, 'emulator', '--until-stdin-ends'])
  assert.equal(status, 0, stderr)
  assert.match(JSON.parse(stdout).url, /^http:\/\/127\.0\.0\.1:\d+$/)
})

test('a test of another program uses the kit of the package', () => {
  writeFileSync(
    join(app, 'shop.mjs'),
    `import { startEasel } from 'easel/testing'
await using easel = await startEasel({ startMs: ${commandMs} })
await easel.person('ada').set({ first_name: 'Ada' })
await easel.fault({ kind: 'rate_limit', path: '/users/track' })
await easel.client.postUsersTrack({ attributes: [{ external_id: 'ada', plan: 'gold' }] })
const [refused, accepted] = await easel.expectRequest({ path: '/users/track', body: { attributes: [{ plan: 'gold' }] } }, { count: 2 })
console.log(refused.status, accepted.status, (await easel.person('ada').profile()).custom_attributes.plan)
`,
  )
  const { stdout, stderr } = run(['shop.mjs'])
  assert.equal(stdout, '429 201 gold\n', stderr)
})
