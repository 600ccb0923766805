import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { insertAuditRows } from './store.ts'

/** One administrative write. It never holds secrets or data of people, because an audit row is never deleted. */
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
 * Stores audit rows in the transaction of the write. Writes by API keys are not audited: some functions serve both API keys and
 * administrators.
 */
export async function recordAudit(
  tx: Tx,
  { actor, clock }: AuditAuthor,
  ...entries: readonly NewAuditEntry[]
): Promise<void> {
  if (actor.kind === 'key' || actor.kind === 'anonymous' || entries.length === 0) return
  const { kind, id, name, from } = actor
  const rows = entries.map(({ action, target, before, after, workspace_id }) => ({
    workspace_id: workspace_id ?? null,
    action,
    target_kind: target.kind,
    target_id: target.id,
    target_name: target.name ?? null,
    before: before && after ? differing(before, after) : (before ?? null),
    after: before && after ? differing(after, before) : (after ?? null),
  }))
  await insertAuditRows(tx, { kind, id, name, ...from }, rows, clock.now())
}

/** Returns the properties of `one` that are absent or different in `other`. */
function differing(one: object, other: object): object {
  const there = new Map(Object.entries(other))
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => !isDeepStrictEqual(value, there.get(name))))
}
