import type { TSchema } from 'typebox'
import { joinPath, type Locate, type Mistake, mistakesToFailure } from '../settings/mistake.ts'
import { WorkspaceHead } from '../settings/schema.ts'
import { type SettingsGiven, SettingsShape } from '../settings/settings.ts'
import { mistakesOf } from './check-shape.ts'
import type { ConfigSection, GivenEntry } from './config-section.ts'

const entriesMax = 10_000

/** A workspace file whose shape was checked. `plan` compares it with the workspace and adds its own mistakes to those of the shape. */
export type WorkspaceFile = {
  /** The name of the file in mistakes; empty for the body of a request. */
  source: string
  locate: Locate
  /** The mistakes in the shape. A head, setting or entry with a mistake is left out below. */
  mistakes: readonly Mistake[]
  /** The value as it was given. */
  given: Readonly<Record<string, unknown>>
  head?: WorkspaceHead
  settings: SettingsGiven
  /** Names of the settings that are reset to their default. */
  unset: string[]
  entries: ReadonlyMap<string, readonly ListedEntry[]>
  /** For a body that is a single entry: the path of this entry, which paths of mistakes omit. */
  entry?: string
}

/** An entry with its position. `entry` is absent when its shape has a mistake; `claimed` has its id and name if they are texts. */
export type ListedEntry = {
  readonly index: number
  readonly entry?: GivenEntry
  readonly claimed: { readonly id?: string; readonly name?: string }
}

/** Checks the shape of a parsed value, from a file or a request body. Throws 400 when it is not an object. */
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
  const known = ['workspace', 'settings', ...sections.map((section) => section.name)]
  const headMistakes = given.workspace === undefined ? [] : mistakesOf(WorkspaceHead, given.workspace, 'workspace')
  const settingMistakes = settings === undefined ? [] : mistakesOf(SettingsShape, settings, 'settings')
  const unknownUnset = unknownNames(
    Object.fromEntries(unset.map((name) => [name, null])),
    Object.keys(SettingsShape.properties),
    'settings',
  )
  const lists = sections.map((section) => ({ section, ...readList(section, given[section.name]) }))
  const head = headMistakes.length === 0 ? (given.workspace as WorkspaceHead | undefined) : undefined
  return {
    source,
    locate,
    mistakes: [
      ...unknownNames(value, known, ''),
      ...headMistakes,
      ...settingMistakes,
      ...unknownUnset,
      ...lists.flatMap(({ mistakes }) => mistakes),
    ],
    given: value,
    ...(head && { head }),
    settings: withoutMistakes(settings, settingMistakes),
    unset: unset.filter((name) => name in SettingsShape.properties),
    entries: new Map(lists.map(({ section, entries }) => [section.name, entries])),
    ...(entry !== undefined && { entry }),
  }
}

/** Returns the settings whose shape is right. */
function withoutMistakes(settings: unknown, mistakes: readonly Mistake[]): SettingsGiven {
  if (!isObject(settings)) return {}
  const isWrong = (name: string) => {
    const path = joinPath('settings', name)
    return mistakes.some(({ path: at }) => at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`))
  }
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isWrong(name)))
}

function unknownNames(value: object, known: readonly string[], path: string): Mistake[] {
  const unknown = Object.keys(value).filter((name) => !known.includes(name))
  return unknown.map((name) => ({
    path: joinPath(path, name),
    message: `is not known here; known are ${known.join(', ')}`,
  }))
}

function readList(
  section: ConfigSection,
  given: unknown,
): { readonly mistakes: readonly Mistake[]; readonly entries: readonly ListedEntry[] } {
  if (given === undefined) return { mistakes: [], entries: [] }
  const path = section.name
  if (!Array.isArray(given)) return { mistakes: [{ path, message: 'must be a list' }], entries: [] }
  if (given.length > entriesMax)
    return { mistakes: [{ path, message: `must have at most ${entriesMax} entries` }], entries: [] }
  const shape: TSchema = section.shape
  const mistakes: Mistake[] = []
  const entries = given.map((value, index): ListedEntry => {
    const own = mistakesOf(shape, value, `${path}[${index}]`)
    mistakes.push(...own)
    const claimed = claimsOf(value)
    return own.length > 0 ? { index, claimed } : { index, claimed, entry: value as GivenEntry }
  })
  return { mistakes, entries }
}

function claimsOf(value: unknown): ListedEntry['claimed'] {
  const { id, name } = isObject(value) ? value : {}
  return { ...(typeof id === 'string' && { id }), ...(typeof name === 'string' && { name }) }
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
