import { aliasParts } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import type { IdentityRow } from './people-store.ts'
import type { Selector, WorkItem, WorkOutcome, WorkRequest } from './work-schema.ts'

/** What is known of those whom items name. */
export type PeopleView = {
  /** Whom a selector means, or why it means nobody in particular. */
  find(workspace_id: number, who: Selector): Person | WorkOutcome
  /** Of a living person. */
  identityOf(person: Person): IdentityRow | undefined
  hasLabel(person: Person, alias_label: string): boolean
}

/** What carrying out an item does to people. */
export type ItemAction =
  | { readonly type: 'merge'; readonly from: Person; readonly into: Person }
  | { readonly type: 'delete'; readonly from: Person }
  /** Somebody without an external_id gets one that nobody has. */
  | { readonly type: 'name'; readonly into: Person; readonly external_id: string }
  /** An alias goes to somebody else, and nothing with it. */
  | { readonly type: 'attach'; readonly from: Person; readonly into: Person; readonly alias: Selector }

/** What becomes of an item: an act, or an outcome that changes nobody. `people`: everybody it is about. */
export type ItemDecision = {
  readonly outcome: WorkOutcome
  readonly action?: ItemAction
  readonly people: readonly Person[]
}

/** Decides about one item by what is known of people. */
export function decideItem({ workspace_id, kind, asked }: WorkItem, view: PeopleView): ItemDecision {
  const who = view.find(workspace_id, asked.who)
  const into = asked.into && view.find(workspace_id, asked.into)
  const people = [who, into].filter((found) => typeof found === 'object')
  const judged = kind === 'identify' ? decideIdentification(asked, who, into, view) : decideMergeOrDeletion(who, into)
  return typeof judged === 'string' ? { outcome: judged, people } : { outcome: 'done', action: judged, people }
}

/** A merge, or a deletion when there is nobody to merge into. */
function decideMergeOrDeletion(
  who: Person | WorkOutcome,
  into: Person | WorkOutcome | undefined,
): ItemAction | WorkOutcome {
  if (typeof who === 'string') return who
  if (into === undefined) return { type: 'delete', from: who }
  if (typeof into === 'string') return into
  return isSame(who, into) ? 'same_person' : { type: 'merge', from: who, into }
}

/** Contract 10.1, `identify`: who has an external_id keeps it, and who lacks one gets it or goes up in whoever has it. */
function decideIdentification(
  { who: asked, into: wanted, merge_behavior }: WorkRequest,
  who: Person | WorkOutcome,
  into: Person | WorkOutcome | undefined,
  view: PeopleView,
): ItemAction | WorkOutcome {
  if (typeof who === 'string') return who
  if (typeof into === 'object' && isSame(who, into)) return 'same_person'
  const standing = view.identityOf(who)
  if (!standing) return 'nobody_matched'
  if (standing.external_id !== null) return 'already_identified'
  if (typeof into !== 'object') return { type: 'name', into: who, external_id: wanted!.value }
  if (asked.kind === 'alias' && view.hasLabel(into, aliasParts(asked.value).alias_label)) return 'label_taken'
  if (merge_behavior !== 'none') return { type: 'merge', from: who, into }
  return asked.kind === 'alias' ? { type: 'attach', from: who, into, alias: asked } : 'already_identified'
}

function isSame(one: Person, other: Person): boolean {
  return one.profile_id === other.profile_id
}

/** The people that an act changes. */
export function peopleIn(act: ItemAction): Person[] {
  return [...('from' in act ? [act.from] : []), ...('into' in act ? [act.into] : [])]
}
