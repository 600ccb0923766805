import Type, { type TObject, type TSchema } from 'typebox'
import type { Ability } from '../../base/http/abilities.ts'
import { componentName } from '../../base/http/openapi-components.ts'
import { workspace } from '../settings/query-schema.ts'
import { Id, WorkspaceHead } from '../settings/schema.ts'
import { DescribedSettings } from '../settings/setting-words.ts'
import type { ConfigSection } from './config-section.ts'

export const fileFormats = ['yaml', 'json'] as const

/** The shape of the complete workspace file, as JSON. */
export function fileShape(sections: readonly ConfigSection[]): TObject {
  const lists = sections.map((section) => [section.name, Type.Optional(Type.Array(entryShape(section)))])
  return Type.Object(
    {
      workspace: Type.Optional(WorkspaceHead),
      settings: Type.Optional(DescribedSettings),
      ...Object.fromEntries(lists),
    },
    { additionalProperties: false },
  )
}

/** The JSON Schema of the workspace file, for editors. An empty section and a setting that is reset are null. */
export function fileJsonSchema(sections: readonly ConfigSection[]): object {
  const { workspace, settings, ...lists } = fileShape(sections).properties
  const nullable = (schema: TSchema) => ({ anyOf: [schema, { type: 'null' }] })
  const own = (settings as TObject).properties
  return withDefinitions({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Easel workspace file',
    type: 'object',
    additionalProperties: false,
    properties: {
      workspace: nullable(workspace!),
      settings: nullable({ ...settings, properties: mapSchemas(own, nullable) } as TSchema),
      ...mapSchemas(lists, nullable),
    },
  })
}

const componentStart = '#/components/schemas/'

/** Writes each titled schema once, under `$defs`, where schemas that contain themselves refer to. */
function withDefinitions(root: object): object {
  const definitions: Record<string, unknown> = {}
  const known = new Map<string, string>()
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const { title, $ref } = value as { title?: unknown; $ref?: unknown }
    if (typeof $ref === 'string') return { $ref: $ref.replace(componentStart, '#/$defs/') }
    const inner = () => Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each)]))
    if (typeof title !== 'string' || value === root) return inner()
    const text = JSON.stringify(value)
    const name = known.get(text) ?? freeName(componentName(title), definitions)
    if (!known.has(text)) {
      known.set(text, name)
      definitions[name] = undefined
      definitions[name] = inner()
    }
    return { $ref: `#/$defs/${name}` }
  }
  const replaced = replace(root) as object
  return { ...replaced, $defs: definitions }
}

function freeName(name: string, taken: object): string {
  let found = name
  for (let number = 2; Object.hasOwn(taken, found); number += 1) found = `${name}${number}`
  return found
}

function mapSchemas(schemas: Record<string, TSchema>, change: (schema: TSchema) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}

const Named = Type.Object({ id: Id, name: Type.String() })

export const ApplyReply = Type.Object({
  workspace: Named,
  changes: Type.Array(
    Type.Object({
      member: Type.String(),
      id: Type.String(),
      name: Type.String(),
      action: Type.Enum(['create', 'update']),
      before: Type.Unknown(),
      after: Type.Unknown(),
      notes: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only in a plan: notes on the effects of the change, such as how many people are in a canvas.',
        }),
      ),
    }),
  ),
  secrets: Type.Array(Type.Object({ member: Type.String(), id: Id, name: Type.String(), key: Type.String() }), {
    description: 'Keys that were generated. This is the only time that they are shown.',
  }),
})

export const WorkspaceReply = Type.Object({ workspace: Named })
export const WorkspacesReply = Type.Object({
  workspaces: Type.Array(Named, { description: 'Oldest first; the first is the default workspace.' }),
})

export const SettingsReply = Type.Object({
  settings: Type.Object({}, { description: 'All settings in effect, defaults included.' }),
  set: Type.Object({}, { description: 'The settings that were set.' }),
})

/** Returns the ability that a route of the section needs. Throws when it is not listed, so that the service does not start. */
export function sectionAbility({ name }: ConfigSection, verb: 'read' | 'edit' | 'end' | 'launch'): Ability {
  return `${name}.${verb}` as Ability
}

export const FileQuery = Type.Object({
  workspace,
  format: Type.Optional(
    Type.Enum([...fileFormats], { description: 'yaml, when absent: `file` is a text; json: it is an object.' }),
  ),
  sections: Type.Optional(
    Type.String({
      description: 'Only these sections, with commas between, such as `settings,segments`; all when absent.',
    }),
  ),
})

export const FileReply = Type.Object({
  file: Type.Union([Type.String(), Type.Object({})], {
    description: 'A workspace file without secrets. The same workspace always has the same text.',
  }),
  omitted: Type.Array(
    Type.Object({
      path: Type.String({ description: 'The path of the entry in the file' }),
      member: Type.String(),
      note: Type.String({ description: 'What that means for another installation' }),
    }),
    { description: 'Secrets that are not in the file.' },
  ),
})

/** The shape of an entry in requests. */
export function entryShape({ described, shape }: ConfigSection): TObject {
  return described ?? shape
}

/** The shape of an entry in answers: it always has an id. */
function entryReply(section: ConfigSection): TSchema {
  const stored = section.stored?.properties ?? {}
  return Type.Object({ ...entryShape(section).properties, ...stored, id: Id })
}

export function entryListReply(section: ConfigSection): TSchema {
  return Type.Object({ [section.path]: Type.Array(entryReply(section)) })
}

export function singleEntryReply(section: ConfigSection): TSchema {
  return Type.Object({ [section.one]: entryReply(section) })
}

/** The shape of a change: every property is optional. */
export function partialEntryShape(section: ConfigSection): TSchema {
  return section.describedChange ?? Type.Partial(entryShape(section))
}
