import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Person } from '../identity/person.ts'
import type { MergeState } from '../profile/fold.ts'
import { openRecorder } from '../signals/record-signals.ts'
import type { Json } from '../values/values.ts'

/** Somebody who takes over what the profile that goes up in them had more. */
export type InheritingPerson = {
  readonly into: Person
  readonly before: MergeState & { readonly workspace_id: number }
  readonly after: MergeState
}

/** Tells flows what people have by a merge that they did not have: like any change of an attribute that is listened to. */
export async function recordInherited(tx: Tx, unions: readonly InheritingPerson[], clock: Clock): Promise<void> {
  const recorder = await openRecorder(tx, (bucket) => nextProfileId(bucket, clock.elapsed()))
  for (const { into, before, after } of unions) {
    const { workspace_id } = before
    if (!recorder.watchedIn(workspace_id)?.keepsAny) continue
    const stampUs = clock.stamp()
    for (const [name, value] of inheritedAttributes(before, after))
      recorder.addChange(into, workspace_id, name, value, stampUs)
  }
  await recorder.write(tx)
}

/** What a merge takes over of an attribute is whole: the kept person had nothing of it. */
function inheritedAttributes(before: MergeState, after: MergeState): [string, Json][] {
  const { custom: had, typed: _, ...kept } = before
  const { custom, typed: __, ...state } = after
  const own = Object.entries(custom).filter(([name]) => !Object.hasOwn(had, name))
  const standard = Object.entries(state).filter(([name, value]) => {
    return value !== null && JSON.stringify(kept[name as keyof typeof kept]) !== JSON.stringify(value)
  })
  return [...own, ...standard] as [string, Json][]
}
