import { aliasParts } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import type { Standing } from './people-store.ts'
import type { Asked, Item, Outcome, Selector } from './work-schema.ts'

/** What is known of those whom items name. */
export type View = {
  /** Whom a selector means, or why it means nobody in particular. */
  find(workspace_id: number, who: Selector): Person | Outcome
  /** Of a living person. */
  standingOf(person: Person): Standing | undefined
  hasLabel(person: Person, alias_label: string): boolean
}

/** What carrying out an item does to people. */
export type Act =
  | { readonly does: 'merge'; readonly from: Person; readonly into: Person }
  | { readonly does: 'delete'; readonly from: Person }
  /** Somebody without an external_id gets one that nobody has. */
  | { readonly does: 'name'; readonly into: Person; readonly external_id: string }
  /** An alias goes to somebody else, and nothing with it. */
  | { readonly does: 'attach'; readonly from: Person; readonly into: Person; readonly alias: Selector }

/** What becomes of an item: an act, or an outcome that changes nobody. `people`: everybody it is about. */
export type Decision = { readonly outcome: Outcome; readonly act?: Act; readonly people: readonly Person[] }

/** Decides about one item by what is known of people. */
export function decide({ workspace_id, kind, asked }: Item, view: View): Decision {
  const who = view.find(workspace_id, asked.who)
  const into = asked.into && view.find(workspace_id, asked.into)
  const people = [who, into].filter((found) => typeof found === 'object')
  const judged = kind === 'identify' ? identified(asked, who, into, view) : chosen(who, into)
  return typeof judged === 'string' ? { outcome: judged, people } : { outcome: 'done', act: judged, people }
}

/** A merge, or a deletion when there is nobody to merge into. */
function chosen(who: Person | Outcome, into: Person | Outcome | undefined): Act | Outcome {
  if (typeof who === 'string') return who
  if (into === undefined) return { does: 'delete', from: who }
  if (typeof into === 'string') return into
  return isSame(who, into) ? 'same_person' : { does: 'merge', from: who, into }
}

/** Contract 10.1, `identify`: who has an external_id keeps it, and who lacks one gets it or goes up in whoever has it. */
function identified(
  { who: asked, into: wanted, merge_behavior }: Asked,
  who: Person | Outcome,
  into: Person | Outcome | undefined,
  view: View,
): Act | Outcome {
  if (typeof who === 'string') return who
  if (typeof into === 'object' && isSame(who, into)) return 'same_person'
  const standing = view.standingOf(who)
  if (!standing) return 'nobody_matched'
  if (standing.external_id !== null) return 'already_identified'
  if (typeof into !== 'object') return { does: 'name', into: who, external_id: wanted!.value }
  if (asked.kind === 'alias' && view.hasLabel(into, aliasParts(asked.value).alias_label)) return 'label_taken'
  if (merge_behavior !== 'none') return { does: 'merge', from: who, into }
  return asked.kind === 'alias' ? { does: 'attach', from: who, into, alias: asked } : 'already_identified'
}

function isSame(one: Person, other: Person): boolean {
  return one.profile_id === other.profile_id
}

/** The people that an act changes. */
export function peopleOf(act: Act): Person[] {
  return [...('from' in act ? [act.from] : []), ...('into' in act ? [act.into] : [])]
}
