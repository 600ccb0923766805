import type { Tx } from '../../base/db/db.ts'
import { insertEvents, type NewEvent } from '../feed/write-store.ts'
import type { Person } from '../identity/person.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import { type ChangedAttribute, insertAttributeChanges } from '../profile/change-store.ts'
import type { CustomState, ProfileState } from '../profile/fold.ts'
import type { Json } from '../values/values.ts'
import { findRecordedVersions, insertSignals, refreshWatched } from './signal-store.ts'
import { type NewSignal, type SignalKind, Watched, type WatchedNames } from './signals.ts'

/** An accepted event or purchase: times are epoch microseconds, `properties` JSON text, `amount` price times quantity. */
export type SignalledOccurrence = {
  readonly kind: Extract<SignalKind, 'event' | 'purchase'>
  readonly name: string
  readonly timeUs: number
  readonly atUs: number
  readonly properties: string | null
  readonly amount?: number
}

type State = CustomState & Partial<ProfileState>

/** What a person is subscribed to. */
export type ChangedSubscription =
  | { readonly channel: 'email' | 'push'; readonly state: string }
  | { readonly subscription_group_id: string; readonly channel: 'email' | 'sms'; readonly state: string }

/**
 * Collects the signals, the changes of watched attributes and the events of one transaction, so that each table is written once.
 */
export class SignalRecorder {
  readonly #watched: Watched
  readonly #newId: (bucket: number) => string
  readonly #signals: NewSignal[] = []
  readonly #changes: ChangedAttribute[] = []
  readonly #events: NewEvent[] = []
  #written = 0

  constructor(watched: Watched, newId: (bucket: number) => string) {
    this.#watched = watched
    this.#newId = newId
  }

  /** The names that are watched in a workspace; undefined when there are none. */
  watchedIn(workspace_id: number): WatchedNames | undefined {
    return this.#watched.of(workspace_id)
  }

  /** Whether events about people of a workspace go to its feed. */
  isFed(workspace_id: number): boolean {
    return this.#watched.isFed(workspace_id)
  }

  /** Adds an event, unless the workspace has no feed. */
  addEvent(event: NewEvent): void {
    if (this.isFed(event.workspace_id)) this.#events.push(event)
  }

  /** Adds the event of a changed subscription of a person to a channel, unless the workspace has no feed. */
  addSubscription(person: Person, workspace_id: number, details: ChangedSubscription, stampUs: number): void {
    const key = `${person.profile_id}:${details.channel}:${stampUs}`
    this.addEvent({ type: 'subscription.changed', person, workspace_id, key, stampUs, details })
  }

  /** How many signals were written. */
  get written(): number {
    return this.#written
  }

  /** Adds a signal of an event or a purchase that is watched. */
  addOccurrence(person: Person, workspace_id: number, occurrence: SignalledOccurrence): void {
    const { bucket, profile_id } = person
    this.#signals.push({ ...occurrence, bucket, profile_id, workspace_id, signal_id: this.#newId(bucket) })
  }

  /** Returns whether a change concerns a watched attribute. Then the values before it are needed. */
  touchesWatched(workspace_id: number, change: AttributeChange): boolean {
    const names = this.#watched.of(workspace_id)
    return names?.keepsAny === true && touchedBy(change, names).length > 0
  }

  /** Adds every watched attribute whose value differs between the profile before and after a change. */
  addDifferences(
    person: Person,
    workspace_id: number,
    change: AttributeChange,
    before: State,
    after: State,
    stampUs: number,
  ): void {
    this.#addChangedStates(person, workspace_id, before, after, stampUs)
    const names = this.#watched.of(workspace_id)
    if (!names?.keepsAny) return
    for (const { name, standard } of touchedBy(change, names)) {
      const value = attributeOf(after, name, standard)
      if (same(attributeOf(before, name, standard), value)) continue
      this.addChange(person, workspace_id, name, value, stampUs)
    }
  }

  #addChangedStates(person: Person, workspace_id: number, before: State, after: State, stampUs: number): void {
    for (const channel of ['email', 'push'] as const) {
      const column = `${channel}_subscribe` as const
      const state = after[column]
      if (state === undefined || state === before[column]) continue
      this.addSubscription(person, workspace_id, { channel, state }, stampUs)
    }
  }

  /**
   * Adds the new value of an attribute (undefined: removed). It is stored if the name is watched, and becomes a signal if a flow listens
   * for it.
   */
  addChange(person: Person, workspace_id: number, name: string, value: Json | undefined, stampUs: number): void {
    const names = this.#watched.of(workspace_id)
    if (!names?.isKept(name)) return
    this.#changes.push({ person, workspace_id, name, value, stampUs })
    if (!names.isSignalled('attribute', name)) return
    const { bucket, profile_id } = person
    const moments = { timeUs: stampUs, atUs: stampUs }
    const signal_id = this.#newId(bucket)
    this.#signals.push({ bucket, profile_id, signal_id, workspace_id, kind: 'attribute', name, ...moments })
  }

  /** Writes what was added since the last call. */
  async write(tx: Tx): Promise<void> {
    const signals = this.#signals.splice(0)
    this.#written += signals.length
    await Promise.all([
      insertSignals(tx, signals),
      insertAttributeChanges(tx, this.#changes.splice(0)),
      insertEvents(tx, this.#events.splice(0)),
    ])
  }
}

/** Opens a recorder in a transaction that has not read the version of the watched names. */
export async function openRecorder(
  tx: Tx,
  newId: (bucket: number) => string,
  watched = new Watched(),
): Promise<SignalRecorder> {
  await refreshWatched(tx, watched, await findRecordedVersions(tx))
  return new SignalRecorder(watched, newId)
}

type Touched = { readonly name: string; readonly standard: boolean }

function touchedBy({ custom, removed, operations, standard }: AttributeChange, names: WatchedNames): Touched[] {
  const touched: Touched[] = []
  const note = (name: string, isStandard: boolean) => {
    if (names.isKept(name)) touched.push({ name, standard: isStandard })
  }
  for (const name in custom) note(name, false)
  for (const name of removed) note(name, false)
  for (const { key } of operations) note(key, false)
  for (const name in standard) note(name, true)
  return touched
}

/** Returns whether two values are the same for conditions: a missing value equals null. */
function attributeOf(state: State, name: string, standard: boolean): Json | undefined {
  if (standard) return (state[name as keyof ProfileState] as Json | null | undefined) ?? undefined
  return Object.hasOwn(state.custom, name) ? state.custom[name] : undefined
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
