import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { workspaceScopes } from '../../src/emulator/state/workspace-scope.ts'

/** Tables of the whole installation: a reset of one workspace leaves them as they are. */
const ofInstallation: readonly string[] = [
  ...['account', 'counter', 'database_move', 'database_move_part', 'flush', 'installation', 'migration', 'scim_group'],
  ...[
    'scim_token',
    'session',
    'sign_in_attempt',
    'sign_in_identity',
    'sign_in_link',
    'sign_up_attempt',
    'signal_lane',
    'version',
  ],
  // Counts of several workspaces share its rows. They move to `tally` before a reset.
  'tally_change',
]

const schema = readFileSync(join(import.meta.dirname, '../../schema.sql'), 'utf8')
const tables = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)].map(([, name, text]) => {
  const columns = text!.split('\n').map((line) => line.trim().split(' ', 1)[0]!)
  return { name: name!, bytes: 0, columns }
})

test('every table belongs to workspaces or to the installation', () => {
  const scoped = new Set(workspaceScopes(tables, 1).keys())
  const others = tables.map(({ name }) => name).filter((name) => !scoped.has(name))
  assert.deepEqual(others.sort(), ofInstallation.toSorted())
})

test('rows that belong to a workspace by another row are deleted before that row', () => {
  const names = [...workspaceScopes(tables, 1).keys()]
  for (const [first, then] of [
    ['event', 'profile'],
    ['membership', 'profile'],
    ['catalog_item', 'catalog'],
    ['flow_version', 'flow'],
    ['tally', 'name'],
    ['deleted_messages', 'dispatch'],
  ] as const) {
    assert.ok(names.includes(first) && names.includes(then), `${first}, ${then}`)
    assert.ok(names.indexOf(first) < names.indexOf(then), `${first} before ${then}`)
  }
})
