import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { variables } from '../../src/base/config.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'ops/easel.service'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const installed = '/opt/easel'
/** How open a service is to the system, from 0 to 10 (`systemd-analyze security`). */
const exposureMax = 2.5

/** The values of each directive, by section. */
function sectionsOf(unit: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {}
  let section: Record<string, string[]> = {}
  for (const line of unit.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? []
    if (heading !== undefined) {
      section = {}
      sections[heading] = section
      continue
    }
    const [, name, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    assert.ok(name !== undefined, `no directive: ${line}`)
    section[name] = [...(section[name] ?? []), value!]
  }
  return sections
}

const { Service: service, ...others } = sectionsOf(text)

test('the unit starts what npm start runs, from the folder of the checkout', () => {
  assert.deepEqual(Object.keys(others), ['Unit', 'Install'])
  assert.deepEqual(service!.WorkingDirectory, [installed])
  const [start] = service!.ExecStart!
  const node = `${installed}/node_modules/.bin/node`
  assert.equal(start!.replace(node, 'exec node'), scripts.start)
  const [documentation = ''] = others.Unit!.Documentation!
  assert.ok(existsSync(join(root, documentation.replace(`file://${installed}/`, ''))), documentation)
})

test('the variables of the unit are settings of Easel, and its data is in a folder that systemd makes', () => {
  const env = service!.Environment!.map((pair) => pair.split('=') as [string, string])
  const known: readonly string[] = ['NODE_COMPILE_CACHE', ...Object.values(variables).map(({ name }) => name)]
  for (const [name] of env) assert.ok(known.includes(name), name)
  const { EASEL_DATA, NODE_COMPILE_CACHE } = Object.fromEntries(env)
  assert.equal(EASEL_DATA, `/var/lib/${service!.StateDirectory}`)
  assert.equal(NODE_COMPILE_CACHE, `/var/cache/${service!.CacheDirectory}`)
  // With - in front it may be absent.
  assert.deepEqual(service!.EnvironmentFile, ['-/etc/easel/easel.env'])
})

/** Most of these are what a service that listens and writes to one folder can do without. */
const required: Readonly<Record<string, string>> = {
  ...{ KillSignal: 'SIGTERM', KillMode: 'mixed', Restart: 'on-failure', RestartPreventExitStatus: '2' },
  ...{ DynamicUser: 'yes', StateDirectoryMode: '0700', UMask: '0077', NoNewPrivileges: 'yes' },
  ...{ ProtectSystem: 'strict', ProtectHome: 'yes', PrivateTmp: 'yes', PrivateDevices: 'yes', PrivateUsers: 'yes' },
  ...{ CapabilityBoundingSet: '', SystemCallArchitectures: 'native', RestrictNamespaces: 'yes' },
  ...{ RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX AF_NETLINK' },
  // The engine of JavaScript ends at once with yes.
  MemoryDenyWriteExecute: 'no',
}

test('the unit stops by SIGTERM with time for what was accepted, restarts after a crash, and is hardened', () => {
  for (const [name, value] of Object.entries(required)) assert.deepEqual(service![name], [value], name)
  assert.ok(Number(service!.TimeoutStopSec) >= 60)
  // It would hide how much memory there is, of which the embedded database takes a part for its buffers.
  assert.equal(service!.ProcSubset, undefined)
})

const has = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0
const skip = has ? false : 'systemd-analyze is not installed: apt-get install systemd'
test('systemd accepts the unit, and its exposure is low', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const unit = join(folder, 'easel.service')
  // The check wants the program and the page to be there.
  writeFileSync(unit, text.replaceAll(installed, root))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  const about = verified.stderr.split('\n').filter((line) => line.includes('easel.service'))
  assert.deepEqual([verified.status, about], [0, []], verified.stderr)
  const args = ['security', '--offline=true', `--threshold=${exposureMax * 10}`, unit]
  const secure = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  assert.equal(secure.status, 0, secure.stdout + secure.stderr)
  // It does see mistakes.
  writeFileSync(unit, text.replaceAll(installed, root).replace('KillMode=mixed', 'KillMode=sometimes'))
  const wrong = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  assert.match(wrong.stderr, /easel\.service:\d+: .*kill mode/)
})
