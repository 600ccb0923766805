import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../identity/person.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import { type AttributeChanged, insertChanges } from '../profile/change-store.ts'
import type { CustomState, ProfileState } from '../profile/fold.ts'
import type { Json } from '../values/values.ts'
import { catchUp, findWatchedVersion, insertSignals } from './signal-store.ts'
import type { Listening, NewSignal, SignalKind, Watched } from './signals.ts'

/** Something that happened: times are epoch microseconds, `properties` JSON text, `amount` price times quantity. */
export type Occurred = {
  readonly kind: Extract<SignalKind, 'event' | 'purchase'>
  readonly name: string
  readonly timeUs: number
  readonly atUs: number
  readonly properties: string | null
  readonly amount?: number
}

type State = CustomState & Partial<ProfileState>

/** What a transaction does that flows listen to, gathered so that it is written together. Nothing else is looked at twice. */
export class Heard {
  readonly #watched: Watched
  readonly #newId: (bucket: number) => string
  readonly #signals: NewSignal[] = []
  readonly #changes: AttributeChanged[] = []
  #written = 0

  constructor(watched: Watched, newId: (bucket: number) => string) {
    this.#watched = watched
    this.#newId = newId
  }

  /** What is listened to in a workspace; undefined when nothing is. */
  listening(workspace_id: number): Listening | undefined {
    return this.#watched.of(workspace_id)
  }

  /** How many signals were written. */
  get written(): number {
    return this.#written
  }

  /** Somebody did something that is heard. */
  occur(person: Person, workspace_id: number, occurred: Occurred): void {
    const { bucket, profile_id } = person
    this.#signals.push({ ...occurred, bucket, profile_id, workspace_id, signal_id: this.#newId(bucket) })
  }

  /** Whether a change touches an attribute whose changes are kept: then it matters what was there before. */
  isTouched(workspace_id: number, change: AttributeChange): boolean {
    const listening = this.#watched.of(workspace_id)
    return listening?.keepsAny === true && touchedBy(change, listening).length > 0
  }

  /** Somebody was `before` a change and is `after` it. */
  change(
    person: Person,
    workspace_id: number,
    change: AttributeChange,
    before: State,
    after: State,
    stampUs: number,
  ): void {
    const listening = this.#watched.of(workspace_id)
    if (!listening?.keepsAny) return
    for (const { name, standard } of touchedBy(change, listening)) {
      const value = attributeOf(after, name, standard)
      if (same(attributeOf(before, name, standard), value)) continue
      this.#changes.push({ person, workspace_id, name, value, stampUs })
      if (!listening.isHeard('attribute', name)) continue
      const { bucket, profile_id } = person
      const moments = { timeUs: stampUs, atUs: stampUs }
      const signal_id = this.#newId(bucket)
      this.#signals.push({ bucket, profile_id, signal_id, workspace_id, kind: 'attribute', name, ...moments })
    }
  }

  /** Writes what was gathered so far. */
  async write(tx: Tx): Promise<void> {
    const signals = this.#signals.splice(0)
    this.#written += signals.length
    await Promise.all([insertSignals(tx, signals), insertChanges(tx, this.#changes.splice(0))])
  }
}

/** Hears what a transaction does that has not read the version of what is listened to. */
export async function openHeard(tx: Tx, watched: Watched, newId: (bucket: number) => string): Promise<Heard> {
  await catchUp(tx, watched, await findWatchedVersion(tx))
  return new Heard(watched, newId)
}

type Touched = { readonly name: string; readonly standard: boolean }

function touchedBy({ custom, removed, operations, standard }: AttributeChange, listening: Listening): Touched[] {
  const touched: Touched[] = []
  const note = (name: string, isStandard: boolean) => {
    if (listening.isKept(name)) touched.push({ name, standard: isStandard })
  }
  for (const name in custom) note(name, false)
  for (const name of removed) note(name, false)
  for (const { key } of operations) note(key, false)
  for (const name in standard) note(name, true)
  return touched
}

/** What is not there and what is null are the same to conditions. */
function attributeOf(state: State, name: string, standard: boolean): Json | undefined {
  if (standard) return (state[name as keyof ProfileState] as Json | null | undefined) ?? undefined
  return Object.hasOwn(state.custom, name) ? state.custom[name] : undefined
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
