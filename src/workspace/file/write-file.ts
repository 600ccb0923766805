import { type ScalarTag, stringify } from 'yaml'
import { ExactNumber } from '../../base/exact-number.ts'
import { SettingsShape } from '../settings/settings.ts'
import type { ConfigSection } from './config-section.ts'

type JsonObject = Record<string, unknown>

/** What a workspace has, in the form of answers. */
export type WorkspaceContent = {
  readonly workspace: { readonly id: string; readonly name: string }
  /** The settings that were set. */
  readonly settings: Readonly<JsonObject>
  /** The entries of each section by its name. */
  readonly entries: ReadonlyMap<string, readonly JsonObject[]>
}

const lineWidth = 120

/**
 * Returns a workspace as a file without secrets: settings that were set, and all entries. The order of sections, entries and members
 * follows from the content alone, so two workspaces that are the same have the same file. Pure.
 */
export function toFile(sections: readonly ConfigSection[], content: WorkspaceContent): JsonObject {
  const { id, name } = content.workspace
  const file: JsonObject = { workspace: { id, name } }
  const settings = pickMembers(Object.keys(SettingsShape.properties), content.settings)
  if (Object.keys(settings).length > 0) file.settings = settings
  for (const section of sections) {
    const all = content.entries.get(section.name) ?? []
    const entries = all.filter((entry) => section.isWritten?.(entry) ?? true)
    const members = Object.keys(section.shape.properties)
    if (entries.length > 0) file[section.name] = entries.toSorted(byName).map((entry) => pickMembers(members, entry))
  }
  return file
}

/** Returns the members that a file has. Answers have more, such as times, and null for what is absent. */
function pickMembers(names: readonly string[], given: Readonly<JsonObject>): JsonObject {
  const present = names.filter((name) => given[name] !== undefined && given[name] !== null)
  return Object.fromEntries(present.map((name) => [name, given[name]]))
}

function byName(a: JsonObject, b: JsonObject): number {
  return compare(String(a.name), String(b.name)) || compare(String(a.id), String(b.id))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Writes a number with all its digits. */
const exactNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  stringify: ({ value }) => String(value),
  resolve: (text) => text,
}

/**
 * Yields the text of a file as YAML, in pieces, so that the caller can do other work between them. A comment stands where a secret is
 * left out.
 */
export function* yamlPieces(sections: readonly ConfigSection[], file: JsonObject): Generator<string> {
  const { workspace, settings } = file
  yield toYaml({ workspace })
  if (settings !== undefined) yield toYaml({ settings })
  for (const section of sections) {
    const entries = file[section.name] as readonly JsonObject[] | undefined
    if (entries === undefined) continue
    yield `${section.name}:\n`
    for (const entry of entries) yield indented(toYaml([entry]) + secretComment(section, entry))
  }
}

/** Returns the whole text at once. */
export function fileToYaml(sections: readonly ConfigSection[], file: JsonObject): string {
  return [...yamlPieces(sections, file)].join('')
}

function secretComment({ secret }: ConfigSection, entry: JsonObject): string {
  return secret === undefined || entry[secret.member] !== undefined ? '' : `  # ${secret.member}: ${secret.note}\n`
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

function toYaml(value: unknown): string {
  return stringify(value, { lineWidth, aliasDuplicateObjects: false, customTags: (tags) => [exactNumberTag, ...tags] })
}
