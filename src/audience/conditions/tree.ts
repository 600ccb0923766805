import type { AnyNumber } from '../../base/exact-number.ts'
import type { GroupState } from '../../people/subscription/membership-store.ts'

/**
 * A parsed tree of conditions. It becomes SQL over many people (`to-sql-store.ts`), a predicate on one (`evaluate.ts`) and a sentence
 * (`sentence.ts`). Specification 2.6; leaves and comparisons: contract 4.8; people without a value: `docs/api-decisions.md`, Audience. An
 * empty `all` selects all people, an empty `any` selects none.
 */
export type Tree = { readonly all: readonly Tree[] } | { readonly any: readonly Tree[] } | { readonly not: Tree } | Leaf

/** One condition. It is true or false of a person, never unknown. */
export type Leaf =
  | { readonly kind: 'custom_attribute'; readonly path: Path; readonly test: ValueTest }
  | { readonly kind: 'standard_attribute'; readonly field: StandardText; readonly test: TextTest | Presence }
  | { readonly kind: 'standard_time'; readonly field: StandardTime; readonly test: TimeTest | Presence }
  | {
      readonly kind: 'subscription_status'
      readonly channel: 'email' | 'push'
      readonly is: boolean
      readonly state: State
    }
  | { readonly kind: 'subscription_group'; readonly subscription_group_id: string; readonly state: GroupState }
  | { readonly kind: 'cohort'; readonly partner: string; readonly cohort_id: string }
  | {
      readonly kind: 'used_app'
      readonly which: 'first' | 'last'
      readonly app_id: string | undefined
      readonly test: TimeTest | Presence
    }
  | { readonly kind: 'device'; readonly field: DeviceField; readonly test: TextTest | Presence }
  | { readonly kind: 'occurrences'; readonly what: HistoryFilter; readonly times: CountTest }
  | {
      readonly kind: 'occurrence_time'
      readonly what: HistoryFilter
      readonly which: 'first' | 'last'
      readonly test: TimeTest
    }
  | { readonly kind: 'total_revenue'; readonly test: CountTest }
  | { readonly kind: 'session_count'; readonly test: CountTest; readonly onlyWithSessions: boolean }
  | { readonly kind: 'random_bucket'; readonly test: CountTest }
  | { readonly kind: 'last_message'; readonly channel: MessageChannel | undefined; readonly test: TimeTest | Presence }
  /** A nested segment. `name` and `tree` are missing until `withSegments` fills them in. */
  | { readonly kind: 'segment'; readonly segment_id: string; readonly name?: string; readonly tree?: Tree }

/** The name of a custom attribute, and the keys below a nested one. Of a list on the path, each element is tested. */
export type Path = readonly [name: string, ...below: string[]]

export type Presence = { readonly comparison: 'exists' | 'does_not_exist' }

/** Patterns ignore the case of A to Z. `not_equal` is the opposite of `equals`, so it includes people without a value. */
export type TextTest = {
  readonly comparison: 'equals' | 'not_equal' | 'matches_regex' | 'does_not_match_regex'
  readonly text: string
}

export type NumberComparison =
  | 'equals'
  | 'not_equal'
  | 'greater_than'
  | 'greater_than_or_equal_to'
  | 'less_than'
  | 'less_than_or_equal_to'

/** `less_than`, `less_than_or_equal_to`, `equals` 0 and `not_equal` to another number than 0 include people without a value. */
export type NumberTest = { readonly comparison: NumberComparison; readonly number: AnyNumber }

/** A comparison of a count or a sum, which are doubles. */
export type CountTest = NumberTest & { readonly number: number }

/** A day is exactly 24 hours, `ms` are epoch milliseconds. People without a time are not included. */
export type TimeTest =
  | {
      readonly comparison:
        | 'less_than_x_days_ago'
        | 'greater_than_x_days_ago'
        | 'less_than_x_days_in_the_future'
        | 'greater_than_x_days_in_the_future'
      readonly days: number
    }
  | { readonly comparison: 'after' | 'before'; readonly ms: number }

/** `does_not_equal` is the opposite of `equals`, so it includes people without a value. */
export type FlagTest = { readonly comparison: 'equals' | 'does_not_equal'; readonly flag: boolean }

/** Type and case of the value matter. `does_not_include_value` is the opposite, so it includes people without a list. */
export type ListTest = {
  readonly comparison: 'includes_value' | 'does_not_include_value'
  readonly value: Scalar
}

export type Scalar = string | AnyNumber | boolean

/** The type of the value in a condition decides which test it is. */
export type ValueTest = Presence | TextTest | NumberTest | FlagTest | ListTest | TimeTest

export type State = 'opted_in' | 'subscribed' | 'unsubscribed'
export type MessageChannel = 'email' | 'webhook'

export type StandardText =
  | 'external_id'
  | 'email'
  | 'phone'
  | 'first_name'
  | 'last_name'
  | 'gender'
  | 'dob'
  | 'country'
  | 'home_city'
  | 'language'
  | 'time_zone'

export type StandardTime = 'created_at' | 'marked_email_as_spam_at' | 'date_of_first_session' | 'date_of_last_session'

export type DeviceField = 'model' | 'os' | 'carrier'

/** Events or purchases with a name (any without it), in the last `days` (ever without it), with these properties. */
export type HistoryFilter = {
  readonly of: 'event' | 'purchase'
  readonly name: string | undefined
  readonly days: number | undefined
  readonly properties: readonly HistoryPropertyTest[]
}

export type HistoryPropertyTest = { readonly name: string; readonly test: Presence | TextTest | NumberTest | FlagTest }

export function childrenOf(tree: Exclude<Tree, Leaf>): readonly Tree[] {
  return 'all' in tree ? tree.all : 'any' in tree ? tree.any : [tree.not]
}

/** Yields every leaf of a tree as it was parsed, in order. A nested segment is one leaf. */
export function* ownLeavesOf(tree: Tree): Generator<Leaf> {
  if ('kind' in tree) yield tree
  else for (const child of childrenOf(tree)) yield* ownLeavesOf(child)
}

/** Yields every leaf, with the leaves of nested segments instead of the segments. */
export function* leavesOf(tree: Tree): Generator<Leaf> {
  for (const leaf of ownLeavesOf(tree)) {
    if (leaf.kind === 'segment') yield* leavesOf(nestedTree(leaf))
    else yield leaf
  }
}

/** Returns the tree of a nested segment. Throws when it has not been filled in (`withSegments`). */
export function nestedTree(leaf: Extract<Leaf, { kind: 'segment' }>): Tree {
  if (leaf.tree === undefined) throw new Error(`the tree of segment ${leaf.segment_id} was not filled in`)
  return leaf.tree
}
