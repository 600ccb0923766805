import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { sha256 } from '../../base/ids.ts'
import { insertAuditRows } from './store.ts'

/** The most characters of a value in a row of an API key, as JSON. For longer ones the row has their length and SHA-256. */
export const keyValueCharactersMax = 1_000

/** One administrative write. It never holds secrets or data of people, because an audit row is kept long. */
export type NewAuditEntry = {
  /** `<noun>.<verb>`: `account.create`, `segments.update`, `clock.move`. */
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name?: string }
  /** The target as answers showed it before the write; absent when it is new. */
  readonly before?: object
  /**
   * The target as answers show it after the write; absent when it was deleted. Properties that are equal in `before` and `after` are not
   * stored. When none differs, only a secret was changed.
   */
  readonly after?: object
  /** Null or absent for a write that concerns the installation. */
  readonly workspace_id?: number | null
}

/** Who writes, and the clock of the write. */
export type AuditAuthor = Pick<Call, 'actor' | 'clock'>

/**
 * Stores audit rows in the transaction of the write. The rows of an API key are shorter: a program may write often. A write of a key that
 * changes nothing gives no row.
 */
export async function recordAudit(
  tx: Tx,
  { actor, clock }: AuditAuthor,
  ...entries: readonly NewAuditEntry[]
): Promise<void> {
  const { kind, id, name, from } = actor
  const isKey = kind === 'key'
  const rows = entries
    .filter(({ before, after }) => !(isKey && before && after && isDeepStrictEqual(before, after)))
    .map(({ action, target, before, after, workspace_id }) => {
      const shown = (values: object | undefined, others: object | undefined) => {
        if (values === undefined) return null
        const differs = others ? differing(values, others) : values
        return isKey ? shortened(differs) : differs
      }
      return {
        workspace_id: workspace_id ?? null,
        action,
        target_kind: target.kind,
        target_id: target.id,
        target_name: target.name ?? null,
        before: shown(before, after),
        after: shown(after, before),
      }
    })
  if (rows.length === 0) return
  await insertAuditRows(tx, { kind, id, name, ...from }, rows, clock.now())
}

/** Returns the properties of `one` that are absent or different in `other`. */
function differing(one: object, other: object): object {
  const there = new Map(Object.entries(other))
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => !isDeepStrictEqual(value, there.get(name))))
}

/** Replaces long values by their length and hash. Pure. */
export function shortened(values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = JSON.stringify(value) ?? ''
      const isLong = text.length > keyValueCharactersMax
      return [name, isLong ? { characters: text.length, sha256: sha256(text).toString('hex') } : value]
    }),
  )
}
