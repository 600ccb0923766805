import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** A busy machine takes its time; a test that fails here has waited for something that never happens. */
export const patienceMs = 60_000
const lookMs = 10

/** Waits until `holds` answers true. Fails with `what` when that never happens; `what` may be read only then. */
export async function eventually(
  what: string | (() => unknown),
  holds: () => boolean | Promise<boolean>,
  everyMs = lookMs,
): Promise<void> {
  for (const untilMs = performance.now() + patienceMs; !(await holds()); await pause(everyMs)) {
    if (performance.now() < untilMs) continue
    const text = typeof what === 'string' ? what : String(await what())
    assert.fail(`${text}: not within ${patienceMs / 1000} s`)
  }
}
