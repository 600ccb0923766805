import type { Again } from '../flows/flow.ts'
import type { ReceivedRow } from '../ledger/received.ts'

/** How often somebody has entered a flow, and when they did so last, the control group included; epoch milliseconds. */
export type Before = { readonly entries: number; readonly lastMs: number | undefined }

export function beforeOf(row: Pick<ReceivedRow, 'entries' | 'last_entered_at' | 'last_entered_control_at'>): Before {
  const lastMs = Math.max(row.last_entered_at?.getTime() ?? 0, row.last_entered_control_at?.getTime() ?? 0)
  return { entries: row.entries, lastMs: lastMs === 0 ? undefined : lastMs }
}

/** Why somebody may not enter again, in words; undefined when they may. Pure. */
export function judgeAgain(again: Again, { entries, lastMs }: Before, nowMs: number): string | undefined {
  if (again === 'always' || entries === 0) return undefined
  if (again === 'never') return 'everybody enters once'
  const fromMs = (lastMs ?? 0) + again.afterMs
  return nowMs < fromMs ? `everybody enters again from ${new Date(fromMs).toISOString()} on` : undefined
}

/** How long the same refusal is not told again. */
export const toldAgainMs = 24 * 3_600_000

/** Whether a refusal is to be told: not when it was for the same reason within a day. Pure. */
export function isNews(row: Pick<ReceivedRow, 'refused' | 'refused_at'>, reason: string, nowMs: number): boolean {
  if (row.refused !== reason || row.refused_at === null) return true
  return nowMs - row.refused_at.getTime() >= toldAgainMs
}
