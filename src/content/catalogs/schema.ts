import Type from 'typebox'
import type { Json } from '../../people/values/values.ts'

/** Characters (code points) of a catalog's, field's, selection's or item's name, and of a description. */
export const nameCharactersMax = 250
export const catalogsMax = 500
export const fieldsMax = 500
/** Fields added by one request, and items changed by one. */
export const newFieldsMax = 50
export const itemsPerRequestMax = 50
export const pageItemsMax = 50
/** Items of a catalog. */
export const itemsMax = 1_000_000
/** Characters of an item's values together: those of texts, and of the JSON of everything else. */
export const itemCharactersMax = 5_000
/** Characters of a text in a field that a selection filters or sorts by. */
export const filteredCharactersMax = 1_000
/** Containers inside one another in a value, the value itself counted. */
export const nestingMax = 50
export const arrayItemsMax = 100
export const selectionsMax = 30
export const filtersMax = 10
export const resultsMax = 50

/** Names that may be said in a path and in a template. */
export const namePattern = /^[A-Za-z0-9_-]+$/

export const fieldTypes = ['string', 'number', 'boolean', 'time', 'object', 'array', 'geo'] as const
export type FieldType = (typeof fieldTypes)[number]

/** `token` stands for the field in what is kept of items; that of `id` is never used there. */
export type Field = { readonly name: string; readonly type: FieldType; readonly token: string }

export const idField: Field = { name: 'id', type: 'string', token: '-1' }

/** An item as everybody sees it: `id`, then every field of its catalog in order, null where it has no value. */
export type Item = { readonly [field: string]: Json }

/** An item's values as they are kept: by token, nothing where it has no value. */
export type ItemFields = { readonly [token: string]: Json }

export type Filter = { readonly field: string; readonly operator: string; readonly value: Json }

/** A stored question to a catalog: which items, in which order (by `id` when none is said), how many. */
export type Selection = {
  readonly name: string
  readonly description: string
  readonly filters: readonly Filter[]
  readonly results_limit: number
  readonly sort_field: string | null
  readonly sort_order: 'asc' | 'desc' | null
}

// Shapes for `/openapi.json`. They describe; the verbs judge what arrives.

const name = (what: string) =>
  Type.String({ pattern: namePattern.source, maxLength: nameCharactersMax, description: what })

export const FieldShape = Type.Object({
  name: name('letters, digits, hyphens and underscores'),
  type: Type.Enum([...fieldTypes]),
})

export const CatalogPath = Type.Object({ catalog_name: name('Name of a catalog') })
export const ItemPath = Type.Object({ catalog_name: name('Name of a catalog'), item_id: name('Id of an item') })
export const FieldPath = Type.Object({ catalog_name: name('Name of a catalog'), field_name: name('Name of a field') })
export const SelectionPath = Type.Object({
  catalog_name: name('Name of a catalog'),
  selection_name: name('Name of a selection'),
})

/** Body of `POST /catalogs` (contract 4.9.3). */
export const CatalogsBody = Type.Object({
  catalogs: Type.Array(
    Type.Object({
      name: name('Name of the catalog'),
      description: Type.Optional(Type.String({ maxLength: nameCharactersMax })),
      fields: Type.Array(FieldShape, { minItems: 1, maxItems: fieldsMax, description: 'The first is id, a string' }),
    }),
    { minItems: 1, maxItems: 1 },
  ),
})

export const FieldsBody = Type.Object({ fields: Type.Array(FieldShape, { minItems: 1, maxItems: newFieldsMax }) })

const SelectionShape = Type.Object({
  name: name('Name of the selection'),
  description: Type.Optional(Type.String({ maxLength: nameCharactersMax })),
  filters: Type.Array(Type.Object({ field: Type.String(), operator: Type.String(), value: Type.Unknown() }), {
    maxItems: filtersMax,
    description: 'All of them hold for an item that is selected',
  }),
  results_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: resultsMax, default: resultsMax })),
  sort_field: Type.Optional(Type.String()),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'])),
})

export const SelectionBody = Type.Object({ selection: SelectionShape })

/** Whether the id stands in the path or in the item. */
export const ItemBody = Type.Object({ items: Type.Array(Type.Object({}), { minItems: 1, maxItems: 1 }) })
export const ItemsBody = Type.Object({
  items: Type.Array(Type.Object({ id: Type.String() }), { minItems: 1, maxItems: itemsPerRequestMax }),
})

export const Done = Type.Object({ message: Type.Literal('success') })

export const CatalogsReply = Type.Object({
  catalogs: Type.Array(
    Type.Object({
      description: Type.String(),
      fields: Type.Array(Type.Object({ name: Type.String(), token: Type.String(), type: Type.Enum([...fieldTypes]) })),
      name: Type.String(),
      source: Type.String(),
      num_items: Type.Integer(),
      storage_size: Type.Integer({ description: 'Bytes that the items take as JSON' }),
      selections_size: Type.Integer({ description: 'Bytes that the selections take as JSON' }),
      updated_at: Type.String(),
      selections: Type.Array(SelectionShape),
    }),
  ),
  message: Type.Literal('success'),
})

export const ItemsQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'As a `Link` header of a page has it; the first page when absent' }),
  ),
})

export const ItemsReply = Type.Object({
  items: Type.Array(Type.Object({ id: Type.String() })),
  message: Type.Literal('success'),
})
