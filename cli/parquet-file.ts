import { rename, rm } from 'node:fs/promises'
import { zstdCompressSync } from 'node:zlib'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Tx } from '../src/base/db/db.ts'
import { asTexts, quoteName, type TextRow } from '../src/base/db/sql.ts'
import type { ViewColumn } from './store.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** How a column of a view is read and stored. `select` is SQL for its quoted name. */
type ParquetType = {
  readonly element: Omit<SchemaElement, 'name'>
  select(column: string): string
  value(text: string): unknown
}

/** Rows of a group, which is encoded in memory. It ends earlier when its texts have too many characters. */
export const groupRowsMax = 50_000
const groupCharactersMax = 32 * 1_048_576
const fetchedRows = 2_000

const asText: ParquetType = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  select: (column) => `${column}::text`,
  value: (text) => text,
}

/** JSON is stored as its text, so that no number loses a digit. */
const types: Readonly<Record<string, ParquetType>> = {
  text: asText,
  jsonb: asText,
  boolean: { element: { type: 'BOOLEAN' }, select: (column) => column, value: (text) => text === 't' },
  integer: { element: { type: 'INT32' }, select: (column) => column, value: Number },
  bigint: { element: { type: 'INT64' }, select: (column) => column, value: BigInt },
  'double precision': { element: { type: 'DOUBLE' }, select: (column) => column, value: Number },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    select: (column) => `${column} - date '1970-01-01'`,
    value: Number,
  },
  'timestamp with time zone': {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    select: (column) => `(extract(epoch from ${column}) * 1000000)::int8`,
    value: BigInt,
  },
}

export type ParquetSource = {
  readonly view: string
  readonly columns: readonly ViewColumn[]
  /** Called with the rows that were read since the last call. */
  onRows(count: number): void
}

/**
 * Writes a view to a Parquet file, group by group, so that memory does not grow with the view. The file gets its name when it is complete.
 * Returns the number of rows.
 */
export async function writeParquet(tx: Tx, file: string, source: ParquetSource): Promise<number> {
  const part = `${file}.part`
  try {
    const rows = await writeGroups(tx, part, source)
    await rename(part, file)
    return rows
  } finally {
    await rm(part, { force: true })
  }
}

async function writeGroups(tx: Tx, file: string, { view, columns, onRows }: ParquetSource): Promise<number> {
  const parquet = columns.map((column) => ({ name: column.name, type: typeOf(column) }))
  const fields = parquet.map(({ name, type }) => ({ ...type.element, name, repetition_type: 'OPTIONAL' }) as const)
  const schema: SchemaElement[] = [{ name: 'root', num_children: fields.length }, ...fields]
  const compressors = { ZSTD: (input: Uint8Array) => zstdCompressSync(input) }
  const writer = new ParquetWriter({ writer: fileWriter(file), schema, codec: 'ZSTD', compressors, createdBy: 'easel' })
  const selected = parquet.map(({ name, type }) => type.select(quoteName(name))).join(', ')
  await tx.query(asTexts(`declare easel_rows no scroll cursor for select ${selected} from ${quoteName(view)}`))
  let total = 0
  let group = parquet.map((): unknown[] => [])
  let characters = 0
  const flush = async () => {
    if (group[0]!.length === 0) return
    const rowGroupSize = group[0]!.length
    await writer.write({ columnData: parquet.map(({ name }, i) => ({ name, data: group[i]! })), rowGroupSize })
    group = parquet.map(() => [])
    characters = 0
  }
  for (;;) {
    const [, , ...rows] = await tx.query<TextRow>(asTexts(`fetch ${fetchedRows} from easel_rows`))
    for (const row of rows) {
      for (const [i, { type }] of parquet.entries()) {
        const text = row[i]!
        group[i]!.push(text === null ? null : type.value(text))
        characters += text?.length ?? 0
      }
      if (group[0]!.length === groupRowsMax || characters >= groupCharactersMax) await flush()
    }
    total += rows.length
    onRows(rows.length)
    if (rows.length < fetchedRows) break
  }
  await flush()
  await tx.query(asTexts('close easel_rows'))
  await writer.finish()
  return total
}

function typeOf({ name, type }: ViewColumn): ParquetType {
  const found = types[type]
  if (!found) throw new Error(`a file has no type for ${type} of the column ${name}`)
  return found
}
