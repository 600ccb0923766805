import Type from 'typebox'
import { isUnsafeKey } from '../../people/values/values.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import { Id } from '../../workspace/settings/schema.ts'
import { withTokens } from './read-fields.ts'
import { catalogsMax, fieldsMax, fieldTypes, nameCharactersMax, namePattern } from './schema.ts'
import { type CatalogDefinition, deleteCatalog, insertCatalogs, listCatalogs, updateCatalogs } from './store.ts'

const exact = { additionalProperties: false }
const Word = Type.String({
  pattern: namePattern.source,
  maxLength: nameCharactersMax,
  description: `1 to ${nameCharactersMax} letters, digits, hyphens or underscores`,
})

const CatalogShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Word,
    description: Type.Optional(
      Type.String({ maxLength: nameCharactersMax, description: `text of at most ${nameCharactersMax} characters` }),
    ),
    fields: Type.Array(
      Type.Object(
        { name: Word, type: Type.Enum([...fieldTypes], { description: `one of ${fieldTypes.join(', ')}` }) },
        { ...exact, title: 'catalog_field', description: 'an object with name and type' },
      ),
      { minItems: 1, maxItems: fieldsMax, description: `a list of 1 to ${fieldsMax} fields with name and type` },
    ),
  },
  { ...exact, description: 'an object with name and fields' },
)

type GivenField = { readonly name: string; readonly type: (typeof fieldTypes)[number] }

/**
 * The section `catalogs`. Templates and selections use the names of a catalog and its fields, so names and types cannot change. A file adds
 * fields; fields that it omits stay.
 */
export const catalogsSection: ConfigSection<CatalogDefinition> = {
  name: 'catalogs',
  path: 'catalogs',
  one: 'catalog',
  shape: CatalogShape,
  countMax: catalogsMax,
  counts: () => true,
  async list(tx, workspace_id) {
    const catalogs = await listCatalogs(tx, workspace_id)
    return catalogs.map(({ id, name, description, fields, next_token }) => {
      return { id, name, description, fields, next_token }
    })
  },
  resolve({ id, name, description, fields }, before) {
    const given = fields as readonly GivenField[]
    const mistake = fieldMistake(given, before) ?? nameMistake(name, before)
    if (mistake) return { mistake }
    const known = new Set(before?.fields.map((field) => field.name))
    const more = given.filter((field) => !known.has(field.name))
    const first = before?.next_token ?? 0
    return {
      entry: {
        id,
        name,
        description: (description as string | undefined) ?? before?.description ?? '',
        fields: [...(before?.fields ?? []), ...withTokens(more, first)],
        next_token: first + more.filter((field) => field.name !== 'id').length,
      },
    }
  },
  toReply: ({ id, name, description, fields }) => ({
    id,
    name,
    description,
    fields: fields.map((field) => ({ name: field.name, type: field.type })),
  }),
  async insert(tx, workspace_id, catalogs, at) {
    await insertCatalogs(tx, workspace_id, catalogs, at.getTime())
    return []
  },
  update: (tx, workspace_id, catalogs, at) => updateCatalogs(tx, workspace_id, catalogs, at.getTime()),
  endSummary: 'Delete a catalog and its items.',
  end: deleteCatalog,
}

function nameMistake(name: string, before: CatalogDefinition | undefined) {
  if (before === undefined || before.name === name) return undefined
  return { path: 'name', message: `cannot be changed from ${before.name}: templates use it; create a new catalog` }
}

function fieldMistake(given: readonly GivenField[], before: CatalogDefinition | undefined) {
  const [first] = given
  if (first?.name !== 'id' || first.type !== 'string') {
    return { path: 'fields[0]', message: 'must be the field id of type string' }
  }
  const types = new Map(before?.fields.map((field) => [field.name, field.type]))
  const seen = new Set<string>()
  for (const [i, { name, type }] of given.entries()) {
    const path = `fields[${i}]`
    if (isUnsafeKey(name)) return { path: `${path}.name`, message: `must be another name than ${name}` }
    if (seen.has(name)) return { path: `${path}.name`, message: 'is the name of another field of this catalog' }
    seen.add(name)
    const known = types.get(name)
    if (known !== undefined && known !== type) {
      return {
        path: `${path}.type`,
        message: `cannot be changed from ${known}: items have values of this type; create a new field`,
      }
    }
  }
  if (types.size + [...seen].filter((name) => !types.has(name)).length <= fieldsMax) return undefined
  return { path: 'fields', message: `would be more than ${fieldsMax}, with the fields that the catalog has` }
}
