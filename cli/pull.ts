import { writeFile } from 'node:fs/promises'
import { type ScalarTag, stringify } from 'yaml'
import { readConfig } from '../src/base/config.ts'
import { notFound } from '../src/base/errors.ts'
import { ExactNumber } from '../src/base/exact-number.ts'
import { configSections } from '../src/config-sections.ts'
import type { ConfigSection } from '../src/workspace/file/config-section.ts'
import type { AdminAccess, JsonObject } from './admin-access.ts'
import { note, type Outcome, UsageError, type Verb } from './command.ts'
import { adminAccessNotes, urlOption, workspaceOption } from './options.ts'
import { withAdminAccess } from './with-admin-access.ts'

type Options = { readonly workspace?: string; readonly url?: string }

const lineWidth = 120

/** Writes a number with all its digits. */
const exactNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  stringify: ({ value }) => String(value),
  resolve: (text) => text,
}

export const pullVerb: Verb<Options> = {
  description: `Write the workspace file as it is now: settings that were set, and all entries with their ids. Applying it to the same
workspace changes nothing.`,
  notes: `Secrets are not in the file: texts of API keys, passwords and private keys stay as they are when it is applied again, and must
be added for another installation. Items of catalogs are not in the file.

${adminAccessNotes}`,
  define: (command) => {
    command
      .argument('[file]', 'the file, JSON when its name ends in .json, else YAML; - is standard output', '-')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run([path], { workspace, url }, shell): Promise<Outcome> {
    const read = (access: AdminAccess) => readFileOf(access, workspace)
    const result = await withAdminAccess(shell, readConfig(shell.env), url, read, 'read')
    if (path === undefined) throw new UsageError('pull takes one file.')
    const text = path.endsWith('.json') ? JSON.stringify(result, null, 2) : yamlOf(result)
    if (path === '-') return { result, text: text.trimEnd() }
    await writeFile(path, text)
    note(shell, `Workspace ${(result.workspace as { id: string }).id} was written to ${path}.`)
    return { result }
  },
}

async function readFileOf(access: AdminAccess, id: string | undefined): Promise<JsonObject> {
  const all = await access.listWorkspaces()
  const workspace = id === undefined ? all[0] : all.find((each) => each.id === id)
  if (workspace === undefined)
    throw notFound(`There is no workspace ${JSON.stringify(id)}; there are ${all.map((each) => each.id).join(', ')}`)
  const settings = await access.readSettings(workspace.id)
  const file: JsonObject = { workspace: { id: workspace.id, name: workspace.name } }
  if (Object.keys(settings).length > 0) file.settings = settings
  for (const section of configSections) {
    const entries = await access.list(section.path, workspace.id)
    if (entries.length > 0) file[section.name] = entries.map((entry) => writtenOf(section, entry))
  }
  return file
}

/** Returns an entry with the members that a file has. Answers have more, such as times, and null for what is absent. */
function writtenOf({ shape }: ConfigSection, entry: JsonObject): JsonObject {
  const members = Object.keys(shape.properties).filter((name) => entry[name] !== undefined && entry[name] !== null)
  return Object.fromEntries(members.map((name) => [name, entry[name]]))
}

function yamlOf(file: JsonObject): string {
  return stringify(file, { lineWidth, aliasDuplicateObjects: false, customTags: (tags) => [exactNumberTag, ...tags] })
}
