import { isDeepStrictEqual } from 'node:util'
import { joinPath, type Mistake } from '../settings/mistake.ts'
import { checkRelatedSettings, completeSettings, type Settings, type SettingsGiven } from '../settings/settings.ts'
import type { ListedEntry, WorkspaceFile } from './check-file.ts'
import type { ConfigEntry, ConfigSection, OtherSections } from './config-section.ts'

/** The current state of the workspace. `workspace` is absent when the file creates a new one. */
export type CurrentConfig = {
  workspace?: { readonly id: string; readonly name: string }
  settings: SettingsGiven
  entries: ReadonlyMap<string, readonly ConfigEntry[]>
}

/** One difference, without secrets. `before` is null for a new entry, `after` for a setting that is reset to its default. */
export type ConfigChange = {
  member: string
  id: string
  name: string
  action: 'create' | 'update'
  before: unknown
  after: unknown
  /** Notes for the author of the change, such as effects on people. */
  notes?: readonly string[]
}

/** The entries of one config section that are written. */
export type SectionPlan = { section: ConfigSection; create: ConfigEntry[]; update: ConfigEntry[] }

export type Plan = {
  changes: ConfigChange[]
  mistakes: Mistake[]
  head: { id: string; name: string }
  settings: SettingsGiven
  steps: SectionPlan[]
}

/**
 * Computes the difference between a workspace and a file. Entries and settings that are not in the file do not change. An entry of the file
 * is matched with a stored one by id, or by name when it has no id. Pure.
 */
export function plan(
  sections: readonly ConfigSection[],
  current: CurrentConfig,
  file: WorkspaceFile,
  newId: () => string,
): Plan {
  const head = resolveHead(current, file, newId)
  const settings = mergeSettings(current.settings, file)
  const changes = [...headChanges(current, head), ...settingChanges(head.id, current.settings, settings)]
  const lists = new Map<string, readonly ConfigEntry[]>()
  const others: OtherSections = (name) => lists.get(name) ?? []
  const context = { newId, settings: completeSettings(settings), others }
  const related = checkRelatedSettings(context.settings)
  const mistakes = [
    ...file.mistakes,
    ...related.map(({ path, message }) => ({ path: joinPath('settings', path), message })),
  ]
  const steps: SectionPlan[] = []
  for (const section of sections) {
    const listed = planSection(
      section,
      current.entries.get(section.name) ?? [],
      file.entries.get(section.name) ?? [],
      context,
    )
    lists.set(section.name, [...listed.final, ...listed.refused])
    changes.push(...listed.changes)
    mistakes.push(...listed.mistakes)
    steps.push({ section, create: listed.create, update: listed.update })
  }
  return { changes, mistakes, head, settings, steps }
}

function resolveHead(
  { workspace }: CurrentConfig,
  { head }: WorkspaceFile,
  newId: () => string,
): { id: string; name: string } {
  const id = workspace?.id ?? head?.id ?? newId()
  return { id, name: head?.name ?? workspace?.name ?? id }
}

function headChanges({ workspace }: CurrentConfig, head: { id: string; name: string }): ConfigChange[] {
  if (workspace?.name === head.name) return []
  const action = workspace === undefined ? 'create' : 'update'
  return [{ member: 'workspace', ...head, action, before: workspace ?? null, after: head }]
}

function mergeSettings(before: SettingsGiven, file: WorkspaceFile): SettingsGiven {
  const merged = Object.entries({ ...before, ...file.settings })
  return Object.fromEntries(merged.filter(([name]) => !file.unset.includes(name)))
}

function settingChanges(id: string, before: SettingsGiven, after: SettingsGiven): ConfigChange[] {
  const names = Object.keys({ ...before, ...after }) as (keyof SettingsGiven)[]
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => {
      const action = before[name] === undefined ? 'create' : 'update'
      return { member: 'settings', id, name, action, before: before[name] ?? null, after: after[name] ?? null }
    })
}

type SectionChanges = {
  changes: ConfigChange[]
  mistakes: Mistake[]
  create: ConfigEntry[]
  update: ConfigEntry[]
  final: ConfigEntry[]
  /** Id and name of entries with a mistake, so that an entry of a later section that names one has no mistake of its own. */
  refused: ConfigEntry[]
}

type PlanContext = { newId(): string; settings: Settings; others: OtherSections }

function planSection(
  section: ConfigSection,
  stored: readonly ConfigEntry[],
  given: readonly ListedEntry[],
  { newId, settings, others }: PlanContext,
): SectionChanges {
  const listed: SectionChanges = { changes: [], mistakes: [], create: [], update: [], final: [], refused: [] }
  const final = new Map(stored.map((entry) => [entry.id, entry]))
  const paths = new Map<string, string>()
  const claimedIds = new Set(given.flatMap(({ claimed }) => claimed.id ?? []))
  for (const { index, entry: one, claimed } of given) {
    const path = `${section.name}[${index}]`
    if (one === undefined) {
      listed.refused.push(claimedEntry(claimed))
      continue
    }
    const before = stored.find((entry) =>
      one.id === undefined ? entry.name === one.name && !claimedIds.has(entry.id) : entry.id === one.id,
    )
    const id = before?.id ?? one.id ?? newId()
    const twin = paths.get(id)
    if (twin !== undefined) {
      listed.mistakes.push({ path, message: `is the same as ${twin}` })
      continue
    }
    const resolution = section.resolve({ ...one, id }, before, settings, others)
    if ('mistake' in resolution) {
      const { mistake, more = [] } = resolution
      listed.mistakes.push(...[mistake, ...more].map((each) => atEntry(path, each)))
      listed.refused.push(claimedEntry(claimed))
      continue
    }
    paths.set(id, path)
    final.set(id, resolution.entry)
    recordChange(listed, section, before, resolution.entry)
  }
  listed.final.push(...final.values())
  const counted = [...final.values()].filter((entry) => section.counts(entry)).length
  if (counted > section.countMax && listed.changes.length > 0) {
    listed.mistakes.push({
      path: section.name,
      message: `would be ${counted} in this workspace; at most ${section.countMax} are allowed`,
    })
  }
  listed.mistakes.push(...duplicateNames([...final.values()], paths))
  if (listed.mistakes.length === 0 && listed.refused.length === 0 && listed.changes.length > 0) {
    listed.mistakes.push(...togetherMistakes(section, [...final.values()], paths))
  }
  return listed
}

function claimedEntry({ id, name }: ListedEntry['claimed']): ConfigEntry {
  return { id: id ?? name ?? '', name: name ?? id ?? '' }
}

/** Returns the mistakes of entries in the file. When there is none, returns the mistakes of other entries at the path of the list. */
function togetherMistakes(
  section: ConfigSection,
  entries: readonly ConfigEntry[],
  paths: ReadonlyMap<string, string>,
): Mistake[] {
  const found = section.checkTogether?.(entries) ?? []
  const here = found.flatMap(({ id, mistake: { path, message } }) => {
    const at = paths.get(id)
    return at === undefined ? [] : [atEntry(at, { path, message })]
  })
  if (here.length > 0) return here
  return found.map(({ id, mistake: { path, message } }) => {
    const name = entries.find((entry) => entry.id === id)?.name
    return { path: section.name, message: `would be inconsistent: ${path} of ${JSON.stringify(name)} ${message}` }
  })
}

/** Prefixes the path of a mistake with the path of its entry. */
function atEntry(path: string, mistake: Mistake): Mistake {
  return { path: `${path}.${mistake.path}`, message: mistake.message }
}

function recordChange(
  listed: SectionChanges,
  section: ConfigSection,
  before: ConfigEntry | undefined,
  after: ConfigEntry,
): void {
  const change = { member: section.name, id: after.id, name: after.name, after: section.toReply(after) }
  if (before === undefined) {
    listed.create.push(after)
    listed.changes.push({ ...change, action: 'create', before: null })
  } else if (!isDeepStrictEqual({ ...before }, { ...after })) {
    listed.update.push(after)
    listed.changes.push({ ...change, action: 'update', before: section.toReply(before) })
  }
}

function duplicateNames(entries: readonly ConfigEntry[], paths: ReadonlyMap<string, string>): Mistake[] {
  const byName = Map.groupBy(entries, (entry) => entry.name)
  return [...byName.values()].flatMap((twins) => {
    const at = twins.map((twin) => paths.get(twin.id)).findLast((path) => path !== undefined)
    if (twins.length === 1 || at === undefined) return []
    const others = twins
      .filter((twin) => paths.get(twin.id) !== at)
      .map((twin) => paths.get(twin.id) ?? `id ${twin.id}`)
    return [{ path: joinPath(at, 'name'), message: `is taken: ${others.join(', ')} has it` }]
  })
}
