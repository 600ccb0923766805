import type { TSchema } from 'typebox'
import { joinPath, type Locate, type Mistake, mistakesToFailure } from '../settings/mistake.ts'
import { WorkspaceHead } from '../settings/schema.ts'
import { type SettingsGiven, SettingsShape } from '../settings/settings.ts'
import { mistakesOf } from './check-shape.ts'
import type { ConfigSection, GivenEntry } from './config-section.ts'

const entriesMax = 10_000

/** A workspace file of the right shape. `plan` compares it with the workspace. */
export type WorkspaceFile = {
  /** The name of the file in mistakes; empty for the body of a request. */
  source: string
  locate: Locate
  head?: WorkspaceHead
  settings: SettingsGiven
  /** Names of the settings that are reset to their default. */
  unset: string[]
  entries: ReadonlyMap<string, readonly GivenEntry[]>
  /** For a body that is a single entry: the path of this entry, which paths of mistakes omit. */
  entry?: string
}

/** Checks the shape of a parsed value, from a file or a request body. Throws 400 with every mistake. */
export function checkFile(
  value: unknown,
  source: string,
  locate: Locate,
  sections: readonly ConfigSection[],
  entry?: string,
): WorkspaceFile {
  if (!isObject(value)) {
    throw mistakesToFailure(
      source,
      [{ path: '', message: 'must be an object of members such as settings or apps' }],
      locate,
    )
  }
  // YAML reads an empty section (`apps:` with nothing below it) as null.
  const given = withoutNulls(value)
  const settings = isObject(given.settings) ? withoutNulls(given.settings) : given.settings
  const unset = isObject(given.settings) ? nulls(given.settings) : []
  const mistakes: Mistake[] = [
    ...unknownNames(value, ['workspace', 'settings', ...sections.map((section) => section.name)], ''),
    ...(given.workspace === undefined ? [] : mistakesOf(WorkspaceHead, given.workspace, 'workspace')),
    ...(settings === undefined ? [] : mistakesOf(SettingsShape, settings, 'settings')),
    ...unknownNames(
      Object.fromEntries(unset.map((name) => [name, null])),
      Object.keys(SettingsShape.properties),
      'settings',
    ),
    ...sections.flatMap((section) => entryMistakes(section, given[section.name])),
  ]
  if (mistakes.length > 0) throw mistakesToFailure(source, mistakes, locate, entry)
  const entries = sections.map((section) => [section.name, (given[section.name] ?? []) as GivenEntry[]] as const)
  const head = given.workspace as WorkspaceHead | undefined
  return {
    source,
    locate,
    ...(head && { head }),
    settings: (settings ?? {}) as SettingsGiven,
    unset,
    entries: new Map(entries),
    ...(entry !== undefined && { entry }),
  }
}

function unknownNames(value: object, known: readonly string[], path: string): Mistake[] {
  const unknown = Object.keys(value).filter((name) => !known.includes(name))
  return unknown.map((name) => ({
    path: joinPath(path, name),
    message: `is not known here; known are ${known.join(', ')}`,
  }))
}

function entryMistakes(section: ConfigSection, given: unknown): Mistake[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) return [{ path: section.name, message: 'must be a list' }]
  if (given.length > entriesMax) return [{ path: section.name, message: `must have at most ${entriesMax} entries` }]
  const shape: TSchema = section.shape
  return given.flatMap((entry, i) => mistakesOf(shape, entry, `${section.name}[${i}]`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nulls(settings: Record<string, unknown>): string[] {
  return Object.keys(settings).filter((name) => settings[name] === null)
}

function withoutNulls(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}
