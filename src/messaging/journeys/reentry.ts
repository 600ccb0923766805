import type { ReceivedRow } from '../../people/received/received.ts'
import type { ReentryRule } from '../flows/flow.ts'
import type { PendingEntries } from './pending-entry-store.ts'

/**
 * How often a person has entered a flow, how many entries are pending, and when the latest of them was made, epoch milliseconds. Includes
 * the control group.
 */
export type EarlierEntries = { readonly entries: number; readonly pending: number; readonly lastMs: number | undefined }

export function earlierEntries(
  received: Pick<ReceivedRow, 'entries' | 'last_entered_at' | 'last_entered_control_at'> | undefined,
  pending?: PendingEntries,
): EarlierEntries {
  const entered = [received?.last_entered_at, received?.last_entered_control_at].map((at) => at?.getTime() ?? 0)
  const lastMs = Math.max(...entered, pending?.lastMs ?? 0)
  return { entries: received?.entries ?? 0, pending: pending?.count ?? 0, lastMs: lastMs === 0 ? undefined : lastMs }
}

/** Returns what the re-entry check has read, for the ledger. Pure. */
export function reentryInputs({ entries, pending, lastMs }: EarlierEntries, nowMs: number): object {
  const last_entered_at = lastMs === undefined ? null : new Date(lastMs).toISOString()
  return {
    as_of: new Date(nowMs).toISOString(),
    entries,
    ...(pending > 0 && { yet_to_begin: pending }),
    last_entered_at,
  }
}

/** Returns why a person may not enter again, or undefined. Pure. */
export function checkReentry(
  rule: ReentryRule,
  { entries, pending, lastMs }: EarlierEntries,
  nowMs: number,
): string | undefined {
  if (rule === 'always' || entries + pending === 0) return undefined
  if (rule === 'never') return 'a person enters once'
  const fromMs = (lastMs ?? 0) + rule.afterMs
  return nowMs < fromMs ? `a person enters again from ${new Date(fromMs).toISOString()} on` : undefined
}

/** The same refusal is recorded again after this time. */
export const refusalRecordedMs = 24 * 3_600_000

/** Whether a refusal is to be recorded: not when the same reason was recorded within a day. Pure. */
export function isNewRefusal(
  received: Pick<ReceivedRow, 'refused' | 'refused_at'> | undefined,
  reason: string,
  nowMs: number,
): boolean {
  if (!received || received.refused !== reason || received.refused_at === null) return true
  return nowMs - received.refused_at.getTime() >= refusalRecordedMs
}
