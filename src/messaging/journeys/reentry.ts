import type { ReceivedRow } from '../../people/received/received.ts'
import type { ReentryRule } from '../flows/flow.ts'
import type { PendingEntries } from './pending-entry-store.ts'

/**
 * How often somebody has entered a flow, how many entries of theirs have yet to begin, and when the last of all was made, the control group
 * included; epoch milliseconds.
 */
export type EarlierEntries = { readonly entries: number; readonly ahead: number; readonly lastMs: number | undefined }

export function earlierEntries(
  row: Pick<ReceivedRow, 'entries' | 'last_entered_at' | 'last_entered_control_at'> | undefined,
  ahead?: PendingEntries,
): EarlierEntries {
  const entered = [row?.last_entered_at, row?.last_entered_control_at].map((at) => at?.getTime() ?? 0)
  const lastMs = Math.max(...entered, ahead?.lastMs ?? 0)
  return { entries: row?.entries ?? 0, ahead: ahead?.count ?? 0, lastMs: lastMs === 0 ? undefined : lastMs }
}

/** What re-entry was judged by, for the ledger. Pure. */
export function reentryInputs({ entries, ahead, lastMs }: EarlierEntries, nowMs: number): object {
  const last_entered_at = lastMs === undefined ? null : new Date(lastMs).toISOString()
  return { as_of: new Date(nowMs).toISOString(), entries, ...(ahead > 0 && { yet_to_begin: ahead }), last_entered_at }
}

/** Why somebody may not enter again, in words; undefined when they may. Pure. */
export function judgeReentry(
  again: ReentryRule,
  { entries, ahead, lastMs }: EarlierEntries,
  nowMs: number,
): string | undefined {
  if (again === 'always' || entries + ahead === 0) return undefined
  if (again === 'never') return 'everybody enters once'
  const fromMs = (lastMs ?? 0) + again.afterMs
  return nowMs < fromMs ? `everybody enters again from ${new Date(fromMs).toISOString()} on` : undefined
}

/** How long the same refusal is not told again. */
export const refusalRecordedMs = 24 * 3_600_000

/** Whether a refusal is to be told: not when it was for the same reason within a day. Pure. */
export function isNewRefusal(row: Pick<ReceivedRow, 'refused' | 'refused_at'>, reason: string, nowMs: number): boolean {
  if (row.refused !== reason || row.refused_at === null) return true
  return nowMs - row.refused_at.getTime() >= refusalRecordedMs
}
