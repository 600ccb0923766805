import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Person } from '../identity/person.ts'
import { type AttributeChanged, insertChanges } from '../profile/change-store.ts'
import { catchUp, insertSignals } from '../signals/signal-store.ts'
import { type NewSignal, Watched } from '../signals/signals.ts'
import type { Json } from '../values/values.ts'
import type { MergeState } from './merge.ts'

/** Somebody who takes over what the profile that goes up in them had more. */
export type Gaining = {
  readonly into: Person
  readonly before: MergeState & { readonly workspace_id: number }
  readonly after: MergeState
}

/** Tells flows what people have by a merge that they did not have: like any change of an attribute that is listened to. */
export async function noteGained(tx: Tx, unions: readonly Gaining[], clock: Clock): Promise<void> {
  const watched = new Watched()
  await catchUp(tx, watched, 0)
  const changes: AttributeChanged[] = []
  const signals: NewSignal[] = []
  for (const { into, before, after } of unions) {
    const { workspace_id } = before
    const listening = watched.of(workspace_id)
    if (!listening?.keepsAny) continue
    const stampUs = clock.stamp()
    for (const [name, value] of gainedBy(before, after)) {
      if (!listening.isKept(name)) continue
      changes.push({ person: into, workspace_id, name, value, stampUs })
      if (!listening.isHeard('attribute', name)) continue
      const { bucket, profile_id } = into
      const signal_id = nextProfileId(bucket, clock.elapsed())
      signals.push({
        bucket,
        profile_id,
        signal_id,
        workspace_id,
        kind: 'attribute',
        name,
        timeUs: stampUs,
        atUs: stampUs,
      })
    }
  }
  await Promise.all([insertChanges(tx, changes), insertSignals(tx, signals)])
}

/** What a merge takes over of an attribute is whole: the kept person had nothing of it. */
function gainedBy(before: MergeState, after: MergeState): [string, Json][] {
  const { custom: had, typed: _, ...kept } = before
  const { custom, typed: __, ...state } = after
  const own = Object.entries(custom).filter(([name]) => !Object.hasOwn(had, name))
  const standard = Object.entries(state).filter(([name, value]) => {
    return value !== null && JSON.stringify(kept[name as keyof typeof kept]) !== JSON.stringify(value)
  })
  return [...own, ...standard] as [string, Json][]
}
