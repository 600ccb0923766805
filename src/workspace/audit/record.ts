import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { insertAuditRows } from './store.ts'

/** One write. Never a secret in it, nor what a person may have forgotten: a row outlives both. */
export type NewAuditEntry = {
  /** `<noun>.<verb>`: `account.create`, `segments.update`, `clock.move`. */
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name?: string }
  /** As it was shown before; absent for what is new. */
  readonly before?: object
  /** As it is shown now; absent for what is gone. Members that are the same in both are left out; only a secret changed when all are. */
  readonly after?: object
  /** Null or absent: of the installation as a whole. */
  readonly workspace_id?: number | null
}

/** Who writes, and when it is. */
export type AuditAuthor = Pick<Call, 'actor' | 'clock'>

/**
 * Writes down who wrote what, in the transaction of the write. What an API key does is no administrative write and leaves nothing:
 * several verbs serve both.
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

/** The members of `one` that `other` has not, or has otherwise. */
function differing(one: object, other: object): object {
  const there = new Map(Object.entries(other))
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => !isDeepStrictEqual(value, there.get(name))))
}
