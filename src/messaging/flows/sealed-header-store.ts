import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { isObject } from '../../people/values/values.ts'
import { getSealingKey } from '../../workspace/settings/installation-store.ts'
import { looksSecret } from '../channels/webhook/secret-header.ts'
import type { FlowDefinition } from './flow.ts'
import { type HeaderPlace, withHeaders } from './secret-headers.ts'

/** Versions that are encrypted with another key in one statement. */
const resealedRows = 100

/** A flow or a version of it, as its definition is stored. `id` is the id of the flow. */
type Owned = { readonly workspace_id: number; readonly id: string; readonly definition: FlowDefinition }

type Version = Owned & { readonly flow_id: number; readonly version: number }

/** Returns the flows with their secret headers encrypted: `{"sealed": "<base64>"}`. */
export async function sealHeaders<Row extends Owned>(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  if (!rows.some((row) => hasHeader(row, isSecretText))) return [...rows]
  const key = await getSealingKey(tx)
  return rows.map((row) => sealed(row, key))
}

/** Returns the flows with readable headers. The key is read only when there is one: most flows have none. */
export async function openHeaders<Row extends Owned>(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  if (!rows.some((row) => hasHeader(row, isSealed))) return [...rows]
  const key = await getSealingKey(tx)
  return rows.map((row) => opened(row, key))
}

/** Encrypts the secret headers of all versions with another key, also those that were stored as texts. */
export async function resealHeaders(tx: Tx, from: Buffer, to: Buffer): Promise<void> {
  for (let last: Pick<Version, 'flow_id' | 'version'> | undefined = { flow_id: 0, version: 0 }; last; ) {
    const rows: Version[] = await tx.query<Version>(sql`
      select flow.workspace_id, flow.id, v.flow_id, v.version, v.definition
      from flow_version v join flow on flow.flow_id = v.flow_id
      where (v.flow_id, v.version) > (${last.flow_id}::int, ${last.version}::int) and v.definition::text like '%"headers"%'
      order by v.flow_id, v.version limit ${resealedRows}`)
    const written = rows.map((row) => sealed(opened(row, from), to))
    await tx.query(sql`
      update flow_version as v set definition = given.definition
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as given (flow_id int, version int, definition jsonb)
      where v.flow_id = given.flow_id and v.version = given.version`)
    last = rows.length < resealedRows ? undefined : rows.at(-1)
  }
}

function sealed<Row extends Owned>(row: Row, key: Buffer): Row {
  const definition = withHeaders(row.definition, (value, place) => {
    if (!isSecretText(value, place)) return value
    return { sealed: encrypt(value as string, contextOf(row, place), key).toString('base64') }
  })
  return { ...row, definition }
}

function opened<Row extends Owned>(row: Row, key: Buffer): Row {
  const definition = withHeaders(row.definition, (value, place) => {
    if (!isSealed(value)) return value
    return decrypt(Buffer.from((value as { sealed: string }).sealed, 'base64'), contextOf(row, place), key)
  })
  return { ...row, definition }
}

function contextOf({ workspace_id, id }: Owned, { step, name }: HeaderPlace): string {
  return `flow_header ${workspace_id} ${id} ${step} ${name.toLowerCase()}`
}

function isSecretText(value: unknown, { name }: HeaderPlace): boolean {
  return typeof value === 'string' && looksSecret(name, value)
}

function isSealed(value: unknown): boolean {
  return isObject(value) && typeof value.sealed === 'string'
}

function hasHeader({ definition }: Owned, concerns: (value: unknown, place: HeaderPlace) => boolean): boolean {
  let isFound = false
  withHeaders(definition, (value, place) => {
    isFound ||= concerns(value, place)
    return value
  })
  return isFound
}
