import type { SummaryRow } from './summary-store.ts'

/** What a list shows of a person, as the answer has it. */
export function summaryOf(row: SummaryRow, formatServiceId: (profile_id: string) => string) {
  const { profile_id, created_us: _, created_at, updated_at, ...members } = row
  return {
    id: formatServiceId(profile_id),
    ...members,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
