import { timeBefore } from './duration.ts'
import type { Workspaces } from './workspaces.ts'

/** Returns the time before which events and purchases are deleted. All workspaces share the weeks, so the longest retention counts. */
export function historyCutoffMs(workspaces: Workspaces, nowMs: number): number {
  return Math.min(...workspaces.all().map(({ settings }) => timeBefore(nowMs, settings.event_retention)))
}

/** Returns the same time for decisions. */
export function ledgerCutoffMs(workspaces: Workspaces, nowMs: number): number {
  return Math.min(...workspaces.all().map(({ settings }) => timeBefore(nowMs, settings.ledger_retention)))
}
