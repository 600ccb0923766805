import Type from 'typebox'
import type { Json } from '../../people/values/values.ts'

/** Characters (code points) of the name of a catalog, field, selection or item, and of a description. */
export const nameCharactersMax = 250
export const catalogsMax = 500
export const fieldsMax = 500
/** Fields added by one request, and items changed by one. */
export const newFieldsMax = 50
export const itemsPerRequestMax = 50
export const pageItemsMax = 50
/** Items of a catalog. */
export const itemsMax = 1_000_000
/** Characters of all values of an item: those of texts, and those of the JSON of other values. */
export const itemCharactersMax = 5_000
/** Characters of a text in a field by which a selection filters or sorts. */
export const filteredCharactersMax = 1_000
/** Levels of nesting in a value, the value itself included. */
export const nestingMax = 50
export const arrayItemsMax = 100
export const selectionsMax = 30
export const filtersMax = 10
export const resultsMax = 50

/** Names that can be written in a path and in a template. */
export const namePattern = /^[A-Za-z0-9_-]+$/

export const fieldTypes = ['string', 'number', 'boolean', 'time', 'object', 'array', 'geo'] as const
export type FieldType = (typeof fieldTypes)[number]

/** `token` is the key of the values of the field in stored items. The token of `id` is not used in items. */
export type Field = { readonly name: string; readonly type: FieldType; readonly token: string }

export const idField: Field = { name: 'id', type: 'string', token: '-1' }

/** An item in answers and templates: `id`, then all fields of its catalog in order; null for a field without a value. */
export type Item = { readonly [field: string]: Json }

/** The stored values of an item by token; missing where it has no value. */
export type ItemFields = { readonly [token: string]: Json }

export type Filter = { readonly field: string; readonly operator: string; readonly value: Json }

/** A stored query on a catalog. It decides which items are selected, in which order (by `id` without `sort_field`), and how many. */
export type Selection = {
  readonly name: string
  readonly description: string
  readonly filters: readonly Filter[]
  readonly results_limit: number
  readonly sort_field: string | null
  readonly sort_order: 'asc' | 'desc' | null
}

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

const name = (what: string) =>
  Type.String({ pattern: namePattern.source, maxLength: nameCharactersMax, description: what })

export const FieldShape = Type.Object(
  {
    name: name('letters, digits, hyphens and underscores'),
    type: Type.Enum([...fieldTypes]),
  },
  { title: 'new_catalog_field' },
)

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
      fields: Type.Array(FieldShape, {
        minItems: 1,
        maxItems: fieldsMax,
        description: 'The first field is id, of type string',
      }),
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
    description: 'A selected item matches all of them',
  }),
  results_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: resultsMax, default: resultsMax })),
  sort_field: Type.Optional(Type.String()),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'])),
})

export const ShownSelection = Type.Object({
  ...SelectionShape.properties,
  sort_field: Type.Union([Type.String(), Type.Null()]),
  sort_order: Type.Union([Type.Enum(['asc', 'desc']), Type.Null()]),
})

export const SelectionBody = Type.Object({ selection: SelectionShape })

// One item with its id in the path, or several with their ids.
export const ItemBody = Type.Object({ items: Type.Array(Type.Object({}), { minItems: 1, maxItems: 1 }) })
const WholeItem = Type.Object(
  { id: Type.String() },
  { title: 'catalog_item', additionalProperties: true, description: 'The other members are fields of the catalog' },
)
export const ItemsBody = Type.Object({
  items: Type.Array(WholeItem, { minItems: 1, maxItems: itemsPerRequestMax }),
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
      storage_size: Type.Integer({ description: 'Bytes of the items as JSON' }),
      selections_size: Type.Integer({ description: 'Bytes of the selections as JSON' }),
      updated_at: Type.String(),
      selections: Type.Array(ShownSelection),
    }),
  ),
  message: Type.Literal('success'),
})

export const ItemsQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'From the header `Link` of another page; the first page when absent' }),
  ),
})

export const ItemsReply = Type.Object({
  items: Type.Array(WholeItem),
  message: Type.Literal('success'),
})
