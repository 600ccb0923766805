import assert from 'node:assert/strict'
import test from 'node:test'
import type { Tx } from '../../src/base/db/db.ts'
import { PersonRemoved } from '../../src/people/identity/retry-removed.ts'
import type { ProfileSteps } from '../../src/people/intake/apply-items.ts'
import { FlushOutcome } from '../../src/people/intake/flush-outcome.ts'
import { writePeople } from '../../src/people/intake/write-people.ts'
import { type AttributeChange, blankChange } from '../../src/people/profile/attributes.ts'
import { SignalRecorder } from '../../src/people/signals/record-signals.ts'
import { Watched } from '../../src/people/signals/signals.ts'

/** A database that has no rows any more. */
const emptied = { query: async () => [] } as unknown as Tx
const count = {
  ...blankChange(),
  operations: [{ name: 'visits', kind: 'inc', amount: 1 }],
} as unknown as AttributeChange

function changed(n: number, change: AttributeChange): [string, ProfileSteps] {
  const profile_id = String(n)
  const person = { bucket: n, profile_id, key: BigInt(n) } as unknown as ProfileSteps['person']
  return [profile_id, { person, workspace_id: 1, steps: [{ change, stampUs: 1 }] }]
}

test('a flush fails once when people of both kinds of changes were removed, and leaves no failure unhandled', async () => {
  const recorder = new SignalRecorder(new Watched(), () => '')
  const written = new Map([changed(1, count), changed(2, { ...count, standard: { first_name: 'Ann' } })])
  const writing = writePeople(
    emptied,
    { written, addressed: [] },
    [],
    String,
    recorder,
    () => undefined,
    new FlushOutcome(),
  )
  await assert.rejects(writing, PersonRemoved)
})
