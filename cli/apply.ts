import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { configSections } from '../src/config-sections.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import { parseFile } from '../src/workspace/file/parse.ts'
import type { ConfigChange } from '../src/workspace/file/plan.ts'
import { atDesk } from './at-desk.ts'
import { type Shell, say, UsageError, type Verb } from './verb.ts'

/** Characters of a value that are printed. */
const shownMax = 200

export const applyVerb: Verb = {
  usage: `Usage: npm run easel -- apply FILE [--plan] [--workspace ID] [--url URL]

Applies a workspace file (YAML or JSON, docs/workspace-file.md): what it names is created or changed, what it does not
name stays. Applying it again changes nothing.

  --plan           only print what would change
  --workspace ID   for a file without "workspace" at its head: which one it is about (the default one otherwise)
  --url URL        ask the server there instead of opening the database

Without --url the database of the environment is opened. When a running server holds it, that server is asked at
HOST and PORT, with EASEL_ADMIN_TOKEN.`,
  run,
}

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { plan: { type: 'boolean', default: false }, workspace: { type: 'string' }, url: { type: 'string' } },
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('apply takes one file.')
  const file = parseFile(await readFile(path, 'utf8'), path, configSections)
  const config = readConfig(shell.env)
  const applied = await atDesk(shell, config, values.url, (desk) => desk.apply(file, values.plan, values.workspace))
  say(shell, reportOf(applied, values.plan))
  return 0
}

function reportOf({ workspace, changes, secrets }: ApplyResult, plan: boolean): string {
  const title = `Workspace ${workspace.id} (${workspace.name})`
  if (changes.length === 0) return `${title}: nothing to change.`
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} ${plan ? 'to make' : 'made'}`
  return [
    `${title}: ${count}.`,
    ...changes.flatMap((change) => [lineOf(change), ...(change.notes ?? []).map((note) => `      ${note}`)]),
    ...secrets.map((secret) => `Key "${secret.name}", shown this once: ${secret.key}`),
  ].join('\n')
}

/** `+ apps Web` for what is new, `~ apps Web: platform "web" -> "ios"` for what changes. */
function lineOf({ member, name, action, before, after }: ConfigChange): string {
  if (member === 'settings')
    return `  ${action === 'create' ? '+' : '~'} settings ${name}: ${shown(before)} -> ${shown(after)}`
  if (action === 'create') return `  + ${member} ${name}`
  const told = differences(before as object, after as object)
  // What is never shown has changed, such as a password.
  return `  ~ ${member} ${name}: ${told.length > 0 ? told.join(', ') : 'its secret'}`
}

function differences(before: object, after: object): string[] {
  const [was, is] = [before, after] as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !isDeepStrictEqual(was[key] ?? null, is[key] ?? null))
    .map((key) => `${key} ${difference(was[key], is[key])}`)
}

/** Of long lists, such as the steps of a canvas, what became of each item. */
function difference(before: unknown, after: unknown): string {
  const [was, is] = [shown(before), shown(after)]
  const isLong = was.length > shownMax || is.length > shownMax
  if (isLong && Array.isArray(before) && Array.isArray(after)) return itemsTold(before, after)
  return `${cut(was)} -> ${cut(is)}`
}

function itemsTold(before: readonly unknown[], after: readonly unknown[]): string {
  const [was, is] = [byName(before), byName(after)]
  const told = [
    ...[...is].flatMap(([name, item]) => {
      if (!was.has(name)) return [`${name} added`]
      return isDeepStrictEqual(item, was.get(name)) ? [] : [`${name} changed`]
    }),
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => `${name} removed`),
  ]
  return `(${told.length > 0 ? told.join(', ') : 'in another order'})`
}

/** The items of a list by their `id`, else by their `name`, else by their place. */
function byName(items: readonly unknown[]): Map<string, unknown> {
  return new Map(
    items.map((item, i) => {
      const { id, name } = Object(item) as { id?: unknown; name?: unknown }
      return [`${id ?? name ?? i + 1}`, item]
    }),
  )
}

function cut(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}...` : text
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '(default)' : JSON.stringify(value)
}
