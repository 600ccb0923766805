import { writeFile } from 'node:fs/promises'
import { readConfig } from '../src/base/config.ts'
import { notFound } from '../src/base/errors.ts'
import { configSections } from '../src/config-sections.ts'
import { fileToYaml, toFile } from '../src/workspace/file/write-file.ts'
import type { AdminAccess, JsonObject } from './admin-access.ts'
import { note, type Outcome, UsageError, type Verb } from './command.ts'
import { adminAccessNotes, urlOption, workspaceOption } from './options.ts'
import { withAdminAccess } from './with-admin-access.ts'

type Options = { readonly workspace?: string; readonly url?: string }

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
    const text = path.endsWith('.json') ? JSON.stringify(result, null, 2) : fileToYaml(configSections, result)
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
  const entries = new Map<string, JsonObject[]>()
  for (const { name, path } of configSections) entries.set(name, await access.list(path, workspace.id))
  return toFile(configSections, { workspace, settings, entries })
}
