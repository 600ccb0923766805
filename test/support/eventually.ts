import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Long enough for a busy machine: a test that fails here has waited for something that never happens. */
export const patienceMs = 240_000
const lookMs = 10

/** Waits until `holds` returns true. Fails with the text `what` when that never happens. A function `what` is called only then. */
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
