import type { Tx } from '../../base/db/db.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { isObject } from '../../people/values/values.ts'
import { getInstallation } from '../../workspace/settings/installation-store.ts'
import type { FlowDefinition } from './flow.ts'
import { type HeaderPlace, looksSecret, withHeaders } from './secret-headers.ts'

/** A flow or a version of it, as its definition is stored. `id` is the id of the flow. */
type Owned = { readonly workspace_id: number; readonly id: string; readonly definition: FlowDefinition }

/** Returns the flows with their secret headers encrypted: `{"sealed": "<base64>"}`. */
export async function sealHeaders<Row extends Owned>(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  return withSecret(tx, rows, isSecretText, (value, context, secret) => {
    return { sealed: encrypt(value as string, context, secret).toString('base64') }
  })
}

/** Returns the flows with readable headers. */
export async function openHeaders<Row extends Owned>(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  return withSecret(tx, rows, isSealed, (value, context, secret) =>
    decrypt(Buffer.from((value as { sealed: string }).sealed, 'base64'), context, secret),
  )
}

function isSecretText(value: unknown, { name }: HeaderPlace): boolean {
  return typeof value === 'string' && looksSecret(name, value)
}

function isSealed(value: unknown): boolean {
  return isObject(value) && typeof value.sealed === 'string'
}

/** Reads the secret only when there is a header to change: most flows have none. */
async function withSecret<Row extends Owned>(
  tx: Tx,
  rows: readonly Row[],
  concerns: (value: unknown, place: HeaderPlace) => boolean,
  change: (value: unknown, context: string, secret: Buffer) => unknown,
): Promise<Row[]> {
  const concerned = rows.filter(({ definition }) => {
    let count = 0
    withHeaders(definition, (value, place) => {
      if (concerns(value, place)) count++
      return value
    })
    return count > 0
  })
  if (concerned.length === 0) return [...rows]
  const { secret } = await getInstallation(tx)
  const isConcerned = new Set(concerned)
  return rows.map((row) => {
    if (!isConcerned.has(row)) return row
    const definition = withHeaders(row.definition, (value, place) => {
      const context = `flow_header ${row.workspace_id} ${row.id} ${place.step} ${place.name.toLowerCase()}`
      return concerns(value, place) ? change(value, context, secret) : value
    })
    return { ...row, definition }
  })
}
