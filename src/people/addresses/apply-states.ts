import type { Tx } from '../../base/db/db.ts'
import { type ChangedState, type InheritedState, updateEmailStates } from '../profile/email-state-store.ts'
import { openRecorder, type SignalRecorder } from '../signals/record-signals.ts'
import type { Watched } from '../signals/signals.ts'
import { type InheritingContact, listInheritedStates } from '../subscription/address-state-store.ts'

/** Gives people the state of their address, unless their own is later. Adds the changes to `recorder`. */
export async function applyEmailStates(
  tx: Tx,
  states: readonly InheritedState[],
  recorder: SignalRecorder,
): Promise<void> {
  addChanges(await updateEmailStates(tx, states), recorder)
}

export type RecordingServices = {
  newId(bucket: number): string
  /** A copy of the watched names. Without it, they are read for this call. */
  readonly watched?: Watched
}

/** Gives people the state of their address, unless their own is later, and records the changes. */
export async function applyAndRecordStates(
  tx: Tx,
  states: readonly InheritedState[],
  { newId, watched }: RecordingServices,
): Promise<void> {
  const changed = await updateEmailStates(tx, states)
  if (changed.length === 0) return
  const recorder = await openRecorder(tx, newId, watched)
  addChanges(changed, recorder)
  await recorder.write(tx)
}

function addChanges(changed: readonly ChangedState[], recorder: SignalRecorder): void {
  for (const { person, workspace_id, state, previous, stampUs } of changed) {
    recorder.addChange(person, workspace_id, 'email_subscribe', state, stampUs)
    if (previous !== state) recorder.addSubscription(person, workspace_id, { channel: 'email', state }, stampUs)
  }
}

/** Gives the people of new contacts the states of their addresses. */
export async function inheritEmailStates(
  tx: Tx,
  contacts: readonly InheritingContact[],
  services: RecordingServices,
): Promise<void> {
  await applyAndRecordStates(tx, await listInheritedStates(tx, contacts), services)
}
