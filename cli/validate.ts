import { readFile } from 'node:fs/promises'
import { newUuid } from '../src/base/ids.ts'
import { configSections } from '../src/config-sections.ts'
import { parseFile } from '../src/workspace/file/parse.ts'
import { plan } from '../src/workspace/file/plan.ts'
import { mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import type { Verb } from './command.ts'

export const validateVerb: Verb = {
  description: `Check a workspace file without a server and without a database, as if it were applied to a new workspace: what it refers
to must be in it.`,
  notes: `Editors check the same shapes while you write, with this first line in the file:
# yaml-language-server: $schema=PATH/workspace-file.schema.json`,
  define: (command) => {
    command.argument('<file>', 'a workspace file, YAML or JSON')
  },
  async run([path]) {
    const file = parseFile(await readFile(path!, 'utf8'), path!, configSections)
    const { mistakes } = plan(configSections, { settings: {}, entries: new Map() }, file, newUuid)
    if (mistakes.length > 0) throw mistakesToFailure(file.source, mistakes, file.locate)
    const entries = Object.fromEntries([...file.entries].map(([name, list]) => [name, list.length]))
    return { result: { valid: true, entries }, text: `${path} is a valid workspace file.` }
  },
}
