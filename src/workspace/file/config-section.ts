import type { TObject, TSchema } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import type { Ability } from '../../base/http/abilities.ts'
import type { Query } from '../../base/http/route.ts'
import type { AuditAuthor } from '../audit/record.ts'
import type { Mistake } from '../settings/mistake.ts'
import type { Settings } from '../settings/settings.ts'

/** One entry of a file. It has the shape of its section, and optional properties may be absent. */
export type GivenEntry = { readonly id?: string; readonly name: string } & Readonly<Record<string, unknown>>

/** One stored entry. */
export type ConfigEntry = { readonly id: string; readonly name: string }

/** A secret that was generated. This is the only time that it is shown. `member` is the name of the section. */
export type NewSecret = { member: string; id: string; name: string; key: string }

/** Returns the entries of an earlier section as they will be after the file is applied. */
export type OtherSections = (section: string) => readonly ConfigEntry[]

/** The entry to store, or why the given entry is refused. The path of a mistake is relative to the entry. */
export type EntryResolution<E extends ConfigEntry> = { entry: E } | RefusedEntry
export type RefusedEntry = { readonly mistake: Mistake; readonly more?: readonly Mistake[] }

/** What the routes that create or change one entry do besides. */
export type WithWrite = {
  /** Further parameters of their query. */
  readonly query: Readonly<Record<string, TSchema>>
  /** The description of a 412, for the OpenAPI document. */
  readonly stale: string
  /** Returns the entry to write, in the transaction of the write. Throws what refuses the write. */
  prepare(
    tx: Tx,
    author: AuditAuthor,
    write: {
      readonly workspace_id: number
      readonly given: Readonly<Record<string, unknown>>
      readonly query: Query
    },
  ): Promise<Readonly<Record<string, unknown>>>
}

/** Something that refers to an entry. `kind` is the name of its section. */
export type EntryUser = { readonly kind: string; readonly id: string; readonly name: string }

/**
 * A list of the workspace file (`apps`, `subscription_groups`, ...): its shape, its rules and its storage. To add a kind of
 * configuration, add its section to `src/config-sections.ts`: the file, the plan, the admin routes and the command line use that list.
 */
export interface ConfigSection<E extends ConfigEntry = ConfigEntry> {
  /** The name of the list in the file. */
  readonly name: string
  /** The path below `/admin/`, and the name of the list in answers. */
  readonly path: string
  /** The name of a single entry in answers. */
  readonly one: string
  /** The shape of one entry. It has at least `id` (optional) and `name`. */
  readonly shape: TObject
  /** A more detailed shape for the OpenAPI document; `shape` when absent. */
  readonly described?: TObject
  /** A more detailed shape of a change; when absent, every member of the shape is optional. */
  readonly describedChange?: TObject
  /** What entries also have in answers. */
  readonly stored?: TObject
  /** The member that a written file leaves out of each entry, and what that means for another installation. */
  readonly secret?: { readonly member: string; readonly note: string }
  /** Whether an entry, as `toReply` returns it, belongs into a written file; all do when absent. Pure. */
  isWritten?(entry: Readonly<Record<string, unknown>>): boolean
  /** The most entries of a workspace. */
  readonly countMax: number
  /** Whether an entry counts towards `countMax`. */
  counts(entry: E): boolean
  list(tx: Tx, workspace_id: number): Promise<E[]>
  /** Returns the entry to store. `given` has an id, its own or a new one. Absent properties stay as in `before`. Pure. */
  resolve(
    given: GivenEntry & { readonly id: string },
    before: E | undefined,
    settings: Settings,
    others: OtherSections,
  ): EntryResolution<E>
  /** Checks all entries against each other. Returns mistakes with the ids of their entries. Pure. */
  checkTogether?(entries: readonly E[]): readonly { readonly id: string; readonly mistake: Mistake }[]
  /** Returns what an account must be able to do, besides editing the section, to write this entry. Pure. */
  furtherAbilities?(given: Readonly<Record<string, unknown>>): readonly Ability[]
  readonly withWrite?: WithWrite
  /** Returns the entry for answers and the audit, without secrets. */
  toReply(entry: E): Record<string, unknown>
  insert(tx: Tx, workspace_id: number, entries: readonly E[], at: Date): Promise<readonly NewSecret[]>
  /** When absent, `resolve` accepts no change of a stored entry, and there is no route to change one. */
  update?(tx: Tx, workspace_id: number, entries: readonly E[], at: Date): Promise<void>
  /** Returns notes for the author of the change, such as effects on people: lines of text by the id of the entry. */
  notesOnUpdate?(tx: Tx, entries: readonly E[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns notes on a new entry, such as what is left to do. Pure. */
  notesOnCreate?(entry: E): readonly string[]
  /** Returns what refers to an entry. The entry is not ended while something does. */
  findUsers?(tx: Tx, workspace_id: number, id: string): Promise<readonly EntryUser[]>
  /** The OpenAPI summary of deleting or archiving an entry. */
  readonly endSummary: string
  /** Deletes or archives an entry. Returns false when there is none with this id. */
  end(tx: Tx, workspace_id: number, id: string, at: Date): Promise<boolean>
}
