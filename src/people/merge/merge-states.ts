import type { Move } from '../identity/person.ts'
import type { AppUseState } from '../profile/app-use-store.ts'
import { type CustomState, countMax, type MergeState } from '../profile/fold.ts'
import { addWithinLimit } from '../profile/size-limit.ts'

/**
 * Two profiles to merge. `lost` drops the data that an SDK recorded of an anonymous person: use of apps, clicked cards and sessions
 * (specification 4.1 rule 8).
 */
export type MergePair = Move & { readonly sdkActivity: 'kept' | 'lost' }

export type MergeOptions = Pick<MergePair, 'sdkActivity'>

/** Each field is taken over when the kept profile does not have it. The last three are not in the list of the specification. */
const fillable = [
  ...['first_name', 'last_name', 'email', 'gender', 'dob', 'phone', 'time_zone', 'home_city', 'country', 'language'],
  ...['image_url', 'facebook', 'twitter'],
] as readonly (keyof MergeState)[]

/** The columns of a group are taken over together, when the kept profile has none of them. */
const groups: readonly (readonly (keyof MergeState)[])[] = [
  ['longitude', 'latitude'],
  ['attributed_campaign', 'attributed_source', 'attributed_adgroup', 'attributed_ad'],
]

/** Returns the kept profile after the merge (specification 4.6). */
export function mergeStates(kept: MergeState, merged: MergeState, { sdkActivity }: MergeOptions): MergeState {
  return {
    ...kept,
    ...takenOver(kept, merged),
    ...customOf(kept, merged),
    ...emailStateOf(kept, merged),
    ...(kept.push_subscribe_at === null && merged.push_subscribe_at !== null && pushStateOf(merged)),
    email_open_tracking_disabled: kept.email_open_tracking_disabled || merged.email_open_tracking_disabled,
    email_click_tracking_disabled: kept.email_click_tracking_disabled || merged.email_click_tracking_disabled,
    marked_email_as_spam_at: later(kept.marked_email_as_spam_at, merged.marked_email_as_spam_at),
    total_revenue: sumOfCents(kept.total_revenue, merged.total_revenue),
    ...(sdkActivity === 'kept' && sessionsOf(kept, merged)),
  }
}

function takenOver(kept: MergeState, merged: MergeState): Partial<MergeState> {
  const lacking = [...fillable.map((name) => [name]), ...groups].filter((group) =>
    group.every((name) => kept[name] === null),
  )
  return Object.fromEntries(lacking.flat().map((name) => [name, merged[name]]))
}

/** Returns the attributes of both. Those of the merged profile that do not fit into the limit of a profile are lost. */
function customOf(kept: CustomState, merged: CustomState): CustomState {
  const typed = Object.entries(merged.typed).filter(([key]) => !Object.hasOwn(kept.custom, key))
  const custom = addWithinLimit(kept.custom, merged.custom)
  const added = typed.filter(([key]) => Object.hasOwn(custom, key))
  return { custom, typed: { ...Object.fromEntries(added), ...kept.typed } }
}

/**
 * Returns the e-mail state to take over. The kept profile keeps its own state, unless both profiles have the same address: then the later
 * state counts.
 */
function emailStateOf(kept: MergeState, merged: MergeState): Partial<MergeState> {
  const keptAt = kept.email_subscribe_at
  const mergedAt = merged.email_subscribe_at
  const sameAddress = merged.email !== null && (kept.email ?? merged.email) === merged.email
  if (mergedAt === null || (keptAt !== null && !(sameAddress && mergedAt > keptAt))) return {}
  return {
    email_subscribe: merged.email_subscribe,
    email_subscribe_at: mergedAt,
    email_opted_in_at: later(kept.email_opted_in_at, merged.email_opted_in_at),
    email_unsubscribed_at: later(kept.email_unsubscribed_at, merged.email_unsubscribed_at),
  }
}

function pushStateOf(merged: MergeState): Partial<MergeState> {
  const { push_subscribe, push_subscribe_at, push_opted_in_at, push_unsubscribed_at } = merged
  return { push_subscribe, push_subscribe_at, push_opted_in_at, push_unsubscribed_at }
}

function sessionsOf(kept: MergeState, merged: MergeState): Partial<MergeState> {
  return {
    session_count: sumOfCounts(kept.session_count, merged.session_count),
    date_of_first_session: earlier(kept.date_of_first_session, merged.date_of_first_session),
    date_of_last_session: later(kept.date_of_last_session, merged.date_of_last_session),
  }
}

/** Returns the kept person's use of each app that the merged person used. Sessions are added only where both used the app. */
export function mergeAppUse(kept: readonly AppUseState[], merged: readonly AppUseState[]): AppUseState[] {
  const before = new Map(kept.map((app) => [app.app_id, app]))
  return merged.map((app) => {
    const own = before.get(app.app_id)
    return own ? mergeUse(own, app) : { ...app, sessions: 0 }
  })
}

function mergeUse(kept: AppUseState, merged: AppUseState): AppUseState {
  const [last, other] =
    (merged.last_used ?? -Infinity) > (kept.last_used ?? -Infinity) ? [merged, kept] : [kept, merged]
  return {
    app_id: kept.app_id,
    version: last.version ?? other.version,
    sessions: sumOfCounts(kept.sessions, merged.sessions),
    first_used: earlier(kept.first_used, merged.first_used),
    last_used: later(kept.last_used, merged.last_used),
    uninstalled_at: last.uninstalled_at,
  }
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function sumOfCounts(a: number, b: number): number {
  return Math.min(a + b, countMax)
}

/** Adds amounts as whole cents, so that 0.1 and 0.2 make 0.3. Does not round when one of them is 0. */
function sumOfCents(a: number, b: number): number {
  if (a === 0 || b === 0) return a + b
  const cents = Math.round(a * 100) + Math.round(b * 100)
  return Number.isSafeInteger(cents) ? cents / 100 : Math.max(-Number.MAX_VALUE, Math.min(a + b, Number.MAX_VALUE))
}
