import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Person } from '../identity/person.ts'
import type { MergeState } from '../profile/fold.ts'
import { openRecorder, type SignalRecorder } from '../signals/record-signals.ts'
import type { Json } from '../values/values.ts'

/** A kept person, with the state before and after the merge. */
export type InheritingPerson = {
  readonly from: Person
  readonly into: Person
  readonly merged: MergeState
  readonly before: MergeState & { readonly workspace_id: number }
  readonly after: MergeState
}

/** Records the merges as events, and the attributes that people got by them, as changes and as signals for flows. */
export async function recordInherited(tx: Tx, inheriting: readonly InheritingPerson[], clock: Clock): Promise<void> {
  const recorder = await openRecorder(tx, (bucket) => nextProfileId(bucket, clock.elapsed()))
  for (const each of inheriting) {
    const { into, before, after } = each
    const { workspace_id } = before
    addEvents(each, recorder, clock)
    if (!recorder.watchedIn(workspace_id)?.keepsAny) continue
    const stampUs = clock.stamp()
    for (const [name, value] of inheritedAttributes(before, after))
      recorder.addChange(into, workspace_id, name, value, stampUs)
  }
  await recorder.write(tx)
}

/** Adds the event of a merge, and of the states that the kept person got by it. */
function addEvents({ from, into, merged, before, after }: InheritingPerson, recorder: SignalRecorder, clock: Clock) {
  const { workspace_id } = before
  recorder.addEvent({
    ...{ type: 'person.merged', workspace_id, person: into, stampUs: clock.stamp() },
    key: `${from.profile_id}:${into.profile_id}`,
    mergedId: from.profile_id,
    details: { merged_external_id: merged.external_id },
  })
  for (const channel of ['email', 'push'] as const) {
    const state = after[`${channel}_subscribe`]
    if (state === before[`${channel}_subscribe`]) continue
    recorder.addSubscription(into, workspace_id, { channel, state }, clock.stamp())
  }
}

/** Returns the attributes that the kept person got. A merge takes over only complete attributes that the kept person did not have. */
function inheritedAttributes(before: MergeState, after: MergeState): [string, Json][] {
  const { custom: had, typed: _, ...kept } = before
  const { custom, typed: __, ...state } = after
  const own = Object.entries(custom).filter(([name]) => !Object.hasOwn(had, name))
  const standard = Object.entries(state).filter(([name, value]) => {
    return value !== null && JSON.stringify(kept[name as keyof typeof kept]) !== JSON.stringify(value)
  })
  return [...own, ...standard] as [string, Json][]
}
