import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { configSections } from '../src/config-sections.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import { parseFile } from '../src/workspace/file/parse.ts'
import type { ConfigChange } from '../src/workspace/file/plan.ts'
import { mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import type { AdminAccess } from './admin-access.ts'
import type { Outcome, Shell, Verb } from './command.ts'
import { adminAccessNotes, urlOption, workspaceOption } from './options.ts'
import { withAdminAccess } from './with-admin-access.ts'

/** The most characters that are printed of a value. */
const valueCharactersMax = 200

type Options = { readonly plan?: boolean; readonly workspace?: string; readonly url?: string }

export const applyVerb: Verb<Options> = {
  description: `Apply a workspace file (docs/workspace-file.md): create or change the entries in the file and keep all others. Applying it
again changes nothing.`,
  notes: `--workspace is for a file without "workspace" at its head.\n\n${adminAccessNotes}`,
  define: (command) => {
    command.argument('<file>', 'a workspace file, YAML or JSON').option('--plan', 'only print what would change')
    command.addOption(workspaceOption()).addOption(urlOption())
  },
  run: apply,
}

async function apply([path]: readonly (string | undefined)[], options: Options, shell: Shell): Promise<Outcome> {
  const { plan = false, workspace, url } = options
  const file = parseFile(await readFile(path!, 'utf8'), path!, configSections)
  const config = readConfig(shell.env)
  // A file with mistakes is only planned. The plan finds those that depend on the workspace too.
  const reads = plan || file.mistakes.length > 0
  const work = (access: AdminAccess) => access.apply(file, reads, workspace)
  try {
    const applied = await withAdminAccess(shell, config, url, work, reads ? 'plan' : 'write')
    return { result: applied, text: reportOf(applied, plan) }
  } catch (error) {
    const hasMistakes = error instanceof Failure && error.details.errors !== undefined
    if (file.mistakes.length === 0 || hasMistakes) throw error
    // The workspace cannot be read. Only the mistakes that do not depend on it are reported.
    throw mistakesToFailure(file.source, file.mistakes, file.locate)
  }
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

/** Returns `+ apps Web` for a new entry, `~ apps Web: platform "web" -> "ios"` for a changed one. */
function lineOf({ member, name, action, before, after }: ConfigChange): string {
  if (member === 'settings')
    return `  ${action === 'create' ? '+' : '~'} settings ${name}: ${formatValue(before)} -> ${formatValue(after)}`
  if (action === 'create') return `  + ${member} ${name}`
  const changes = describeChanges(before as object, after as object)
  // Without a visible change, a value that is never shown has changed, such as a password.
  return `  ~ ${member} ${name}: ${changes.length > 0 ? changes.join(', ') : 'its secret'}`
}

function describeChanges(before: object, after: object): string[] {
  const [was, is] = [before, after] as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !isDeepStrictEqual(was[key] ?? null, is[key] ?? null))
    .map((key) => `${key} ${describeChange(was[key], is[key])}`)
}

/** Describes a change of a value. For a long list, such as the steps of a canvas, describes the changes of its items. */
function describeChange(before: unknown, after: unknown): string {
  const [was, is] = [formatValue(before), formatValue(after)]
  const isLong = was.length > valueCharactersMax || is.length > valueCharactersMax
  if (isLong && Array.isArray(before) && Array.isArray(after)) return describeItemChanges(before, after)
  return `${cut(was)} -> ${cut(is)}`
}

function describeItemChanges(before: readonly unknown[], after: readonly unknown[]): string {
  const [was, is] = [byName(before), byName(after)]
  const changes = [
    ...[...is].flatMap(([name, item]) => {
      if (!was.has(name)) return [`${name} added`]
      return isDeepStrictEqual(item, was.get(name)) ? [] : [`${name} changed`]
    }),
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => `${name} removed`),
  ]
  return `(${changes.length > 0 ? changes.join(', ') : 'in another order'})`
}

/** Returns the items of a list by their `id`, else their `name`, else their position. */
function byName(items: readonly unknown[]): Map<string, unknown> {
  return new Map(
    items.map((item, i) => {
      const { id, name } = Object(item) as { id?: unknown; name?: unknown }
      return [`${id ?? name ?? i + 1}`, item]
    }),
  )
}

function cut(text: string): string {
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}...` : text
}

function formatValue(value: unknown): string {
  return value === null || value === undefined ? '(default)' : JSON.stringify(value)
}
