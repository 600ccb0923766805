import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { separators } from './csv-records.ts'
import { FieldShape, itemsPerRequestMax, nameCharactersMax, newFieldsMax, ShownSelection } from './schema.ts'

export const adminItemsDefault = 50
export const adminItemsMax = 100
/** Bytes of a part of a CSV file, and lines with items in it: one transaction writes them. */
export const importBytesMax = 1_000_000
export const importLinesMax = 5_000

const Fields = Type.Object({}, { additionalProperties: true, description: 'Values by the name of the field' })

const AdminItem = Type.Object({
  id: Type.String(),
  tag: Type.String({ description: 'Changes with the values. A change of the item must give it back' }),
  updated_at: Type.String(),
  fields: Fields,
})
export type AdminItem = Static<typeof AdminItem>

export const AdminItemsQuery = Type.Object({
  workspace,
  prefix: Type.Optional(Type.String({ description: 'Only items whose ids begin with this text' })),
  ...paging(adminItemsDefault, adminItemsMax),
})

export const AdminItemsReply = Type.Object({
  items: Type.Array(AdminItem, { description: 'In the order of their ids' }),
  num_items: Type.Integer({ description: 'All items of the catalog' }),
  cursor: Type.Optional(Type.String({ description: 'Of the next page; absent on the last one' })),
})

export const EditItemsBody = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ maxLength: nameCharactersMax }),
      action: Type.Enum(['create', 'update', 'delete']),
      tag: Type.Optional(Type.String({ description: 'As it was read. To update and to delete, it must be given' })),
      fields: Type.Optional(Fields),
    }),
    { minItems: 1, maxItems: itemsPerRequestMax },
  ),
})

export const EditItemsReply = Type.Object({
  items: Type.Array(AdminItem, { description: 'Those that were created and updated, as they are now' }),
})

const IdLine = Type.Object({ id: Type.String(), line: Type.Integer({ minimum: 1 }) })
const Separator = Type.Enum([...separators])

export const ImportBody = Type.Object({
  csv: Type.String({
    description: `Whole lines, at most ${importBytesMax} bytes and ${importLinesMax} items. The first part begins with the header`,
  }),
  header: Type.Optional(
    Type.Array(Type.String(), { description: 'Only with later parts: `header` of the answer to the first one' }),
  ),
  separator: Type.Optional(Separator),
  first_line: Type.Optional(
    Type.Integer({ minimum: 1, default: 1, description: 'The line of the file on which `csv` begins' }),
  ),
  new_fields: Type.Optional(
    Type.Array(FieldShape, { maxItems: newFieldsMax, description: 'Fields that the import makes for columns' }),
  ),
  earlier: Type.Optional(
    Type.Object(
      { made: Type.Optional(Type.Integer({ minimum: 0 })), ids: Type.Optional(Type.Array(IdLine)) },
      { description: 'Of the parts before: how many items they make, and their `ids`, as far as `csv` has them again' },
    ),
  ),
})

export const ImportReply = Type.Object({
  separator: Separator,
  header: Type.Array(Type.String()),
  unknown_columns: Type.Array(FieldShape, {
    description: 'Columns for which the catalog has no field, with a type that their values fit',
  }),
  kept_fields: Type.Array(Type.String(), {
    description: 'Fields without a column. Items that exist keep their values of these fields',
  }),
  made: Type.Integer({ description: 'Items that did not exist' }),
  replaced: Type.Integer({ description: 'Items that existed, with the values of their lines' }),
  refused: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() })),
  ids: Type.Array(IdLine, { description: 'The ids of the part, for `earlier` of parts after it' }),
  next_line: Type.Integer({ description: '`first_line` of the next part' }),
})
export type ImportReply = Static<typeof ImportReply>

export const SelectionsReply = Type.Object({ selections: Type.Array(ShownSelection) })
