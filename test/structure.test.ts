import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { checks } from './structure/checks.ts'
import { type Problem, readTree } from './structure/source.ts'

const root = join(import.meta.dirname, '..')
const tree = readTree(root, await ownedTables())

for (const [rule, check] of Object.entries(checks)) {
  test(rule, () => {
    const problems = check(tree)
    assert.ok(problems.length === 0, `${problems.length} places\n${problems.map(printed).join('\n')}`)
  })
}

async function ownedTables(): Promise<string[]> {
  const path = join(root, 'src/people/merge/owned-tables.ts')
  if (!existsSync(path)) return []
  const owned = (await import(path)) as { ownedTables: readonly { table: string }[] }
  return owned.ownedTables.map(({ table }) => table)
}

function printed({ path, line, message }: Problem): string {
  return `  ${path}${line === undefined ? '' : `:${line}`} ${message}`
}
