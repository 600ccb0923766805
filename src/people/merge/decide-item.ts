import { aliasParts } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import type { IdentityRow } from './people-store.ts'
import type { Selector, WorkItem, WorkOutcome, WorkRequest } from './work-schema.ts'

/** The stored data of the people that items name. */
export type PeopleView = {
  /** Returns the person that a selector selects, or the outcome when it does not select exactly one. */
  find(workspace_id: number, who: Selector): Person | WorkOutcome
  /** Returns undefined for a removed person. */
  identityOf(person: Person): IdentityRow | undefined
  hasLabel(person: Person, alias_label: string): boolean
}

/** What an item changes. */
export type ItemAction =
  | { readonly type: 'merge'; readonly from: Person; readonly into: Person }
  | { readonly type: 'delete'; readonly from: Person }
  /** Gives an unused external_id to a person who has none. */
  | { readonly type: 'assign_external_id'; readonly into: Person; readonly external_id: string }
  /** Moves only an alias to another person. */
  | { readonly type: 'move_alias'; readonly from: Person; readonly into: Person; readonly alias: Selector }

/** `people` are those that the item names. Without an action, nothing changes. */
export type ItemDecision = {
  readonly outcome: WorkOutcome
  readonly action?: ItemAction
  readonly people: readonly Person[]
}

/** Decides what to do for one item. Pure. */
export function decideItem({ workspace_id, kind, asked }: WorkItem, view: PeopleView): ItemDecision {
  const who = view.find(workspace_id, asked.who)
  const into = asked.into && view.find(workspace_id, asked.into)
  const people = [who, into].filter((found) => typeof found === 'object')
  const decided = kind === 'identify' ? decideIdentification(asked, who, into, view) : decideMergeOrDeletion(who, into)
  return typeof decided === 'string' ? { outcome: decided, people } : { outcome: 'done', action: decided, people }
}

/** Decides about a merge, or about a deletion when the item has no `into`. */
function decideMergeOrDeletion(
  who: Person | WorkOutcome,
  into: Person | WorkOutcome | undefined,
): ItemAction | WorkOutcome {
  if (typeof who === 'string') return who
  if (into === undefined) return { type: 'delete', from: who }
  if (typeof into === 'string') return into
  return isSame(who, into) ? 'same_person' : { type: 'merge', from: who, into }
}

/** Decides about an identification (contract 10.1). A person without an external_id gets it, or is merged into the person who has it. */
function decideIdentification(
  { who: asked, into: wanted, merge_behavior }: WorkRequest,
  who: Person | WorkOutcome,
  into: Person | WorkOutcome | undefined,
  view: PeopleView,
): ItemAction | WorkOutcome {
  if (typeof who === 'string') return who
  if (typeof into === 'object' && isSame(who, into)) return 'same_person'
  const row = view.identityOf(who)
  if (!row) return 'nobody_matched'
  if (row.external_id !== null) return 'already_identified'
  if (typeof into !== 'object') return { type: 'assign_external_id', into: who, external_id: wanted!.value }
  if (asked.kind === 'alias' && view.hasLabel(into, aliasParts(asked.value).alias_label)) return 'label_taken'
  if (merge_behavior !== 'none') return { type: 'merge', from: who, into }
  return asked.kind === 'alias' ? { type: 'move_alias', from: who, into, alias: asked } : 'already_identified'
}

function isSame(one: Person, other: Person): boolean {
  return one.profile_id === other.profile_id
}

/** Returns the people that an action changes. */
export function peopleIn(action: ItemAction): Person[] {
  return [...('from' in action ? [action.from] : []), ...('into' in action ? [action.into] : [])]
}
