import type { TObject } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import type { Mistake } from '../settings/mistake.ts'
import type { Settings } from '../settings/settings.ts'

/** One entry of a list as the file gives it: of the right shape; what may be left out may be missing. */
export type Given = { readonly id?: string; readonly name: string } & Readonly<Record<string, unknown>>

/** One entry as it is stored. */
export type Entry = { readonly id: string; readonly name: string }

/** A secret that was made and is shown this once. */
export type Secret = { member: string; id: string; name: string; key: string }

/** The lists that come before this one in a file, as they would be then. */
export type Others = (member: string) => readonly Entry[]

/** What a given entry becomes, or why it cannot; the mistake's path is relative to the entry. */
export type Settled<E extends Entry> = { entry: E } | Mistaken
export type Mistaken = { readonly mistake: Mistake; readonly more?: readonly Mistake[] }

/**
 * A list of the workspace file (`apps`, `subscription_groups`, ...): its shape, its rules and its storage. A new kind of
 * configuration is one more of these in `admin/members.ts`; file, plan, admin routes and command line follow from it.
 */
export interface Member<E extends Entry = Entry> {
  /** As it is written in the file. */
  readonly name: string
  /** As it is written under `/admin/`, and around the list in answers. */
  readonly path: string
  /** Around a single entry in answers. */
  readonly one: string
  /** Shape of one entry; has at least `id` (optional) and `name`. */
  readonly shape: TObject
  /** The same with more to say, for the interface's description; `shape` when absent. */
  readonly described?: TObject
  /** Entries a workspace may have. */
  readonly countMax: number
  /** Whether an entry counts towards `countMax`. */
  counts(entry: E): boolean
  list(tx: Tx, workspace_id: number): Promise<E[]>
  /** Pure. `given` names an id, its own or a new one; what it leaves out stays as `before` has it. */
  settle(given: Given & { readonly id: string }, before: E | undefined, settings: Settings, others: Others): Settled<E>
  /** Pure. What is wrong with the entries as they would stand together, each mistake with the id of its entry. Nothing when absent. */
  together?(entries: readonly E[]): readonly { readonly id: string; readonly mistake: Mistake }[]
  /** The entry as anyone may see it: without secrets. */
  shown(entry: E): Record<string, unknown>
  insert(tx: Tx, workspace_id: number, entries: readonly E[], at: Date): Promise<readonly Secret[]>
  update(tx: Tx, workspace_id: number, entries: readonly E[], at: Date): Promise<void>
  /** What somebody should know before entries are changed to these: lines by their id. Nothing when absent. */
  weigh?(tx: Tx, entries: readonly E[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** What ending an entry means, as a line of the interface's description. */
  readonly ending: string
  /** Ends an entry; false when there is none. */
  end(tx: Tx, workspace_id: number, id: string, at: Date): Promise<boolean>
}
