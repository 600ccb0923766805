import { type Cohort, cohortText } from '../../people/cohorts/cohort-names.ts'
import type { Person } from '../../people/identity/person.ts'
import type { GroupState } from '../../people/subscription/membership-store.ts'
import type { Json } from '../../people/values/values.ts'
import {
  type DeviceField,
  type HistoryFilter,
  type Leaf,
  leavesOf,
  type StandardText,
  type StandardTime,
  type State,
  type Tree,
} from './tree.ts'

/** Columns of a profile that conditions test. */
export type ProfileColumns = Readonly<Record<StandardText, string | null>> &
  Readonly<Record<StandardTime, Date | null>> &
  Readonly<Record<'email_subscribe' | 'push_subscribe', State>> &
  Readonly<Record<'total_revenue' | 'session_count' | 'random_bucket', number>>

/** The data of one person that a tree needs (`needsOf`). Instants are whole epoch milliseconds. */
export type Facts = {
  readonly person: Person
  readonly columns: Partial<ProfileColumns>
  /** The needed custom attributes; one that is not set may be null or missing. */
  readonly custom: Readonly<Record<string, Json>>
  /** Epoch milliseconds of the custom attributes that are dates. */
  readonly typed: Readonly<Record<string, number>>
  /** The states in effect, by the public id of the group. */
  readonly groups: ReadonlyMap<string, GroupState>
  /** The cohorts in question that the person is in, as `cohortText`. */
  readonly cohorts: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, AppUse>
  readonly devices: readonly Readonly<Record<DeviceField, string | null>>[]
  /** When the last message of each channel was received. */
  readonly receivedMs: ReadonlyMap<string, number>
  /** By `historyKey`; missing when nothing in the history passes the filter. */
  readonly histories: ReadonlyMap<string, HistorySummary>
}

/** The first and the last use of one app. */
export type AppUse = { readonly first: number | null; readonly last: number | null }

/** How often events or purchases happened, and when first and last. */
export type HistorySummary = { readonly count: number; readonly first: number; readonly last: number }

/** The facts that must be loaded to evaluate a tree. */
export type FactNeeds = {
  readonly columns: ReadonlySet<keyof ProfileColumns>
  /** Names of custom attributes. */
  readonly custom: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  /** By `cohortText`. */
  readonly cohorts: ReadonlyMap<string, CohortName>
  readonly histories: ReadonlyMap<string, HistoryFilter>
  readonly uses: boolean
  readonly devices: boolean
  readonly received: boolean
}

export function needsOf(tree: Tree): FactNeeds {
  const needs = {
    columns: new Set<keyof ProfileColumns>(),
    custom: new Set<string>(),
    groups: new Set<string>(),
    cohorts: new Map<string, CohortName>(),
    histories: new Map<string, HistoryFilter>(),
    uses: false,
    devices: false,
    received: false,
  }
  for (const leaf of leavesOf(tree)) {
    for (const column of columnsOf(leaf)) needs.columns.add(column)
    if (leaf.kind === 'custom_attribute') needs.custom.add(leaf.path[0])
    else if (leaf.kind === 'subscription_group') needs.groups.add(leaf.subscription_group_id)
    else if (leaf.kind === 'cohort') needs.cohorts.set(cohortKey(leaf), { partner: leaf.partner, id: leaf.cohort_id })
    else if (leaf.kind === 'used_app') needs.uses ||= leaf.app_id !== undefined
    else if (leaf.kind === 'device') needs.devices = true
    else if (leaf.kind === 'last_message') needs.received = true
    else if (leaf.kind === 'occurrences' || leaf.kind === 'occurrence_time') {
      needs.histories.set(historyKey(leaf.what), leaf.what)
    }
  }
  return needs
}

function columnsOf(leaf: Leaf): readonly (keyof ProfileColumns)[] {
  switch (leaf.kind) {
    case 'standard_attribute':
    case 'standard_time':
      return [leaf.field]
    case 'used_app':
      return leaf.app_id === undefined ? [`date_of_${leaf.which}_session`] : []
    case 'subscription_status':
      return [`${leaf.channel}_subscribe`]
    // A group may have states for the person's addresses.
    case 'subscription_group':
      return ['email', 'phone']
    case 'total_revenue':
    case 'session_count':
    case 'random_bucket':
      return [leaf.kind]
    default:
      return []
  }
}

/** Returns a loaded column. Throws for one that was not loaded: the facts were loaded for another tree. */
export function columnOf<Name extends keyof ProfileColumns>(
  facts: Pick<Facts, 'columns'>,
  name: Name,
): ProfileColumns[Name] {
  const value = facts.columns[name]
  if (value === undefined) throw new Error(`${name} was not loaded`)
  return value
}

/** The names of a cohort. */
export type CohortName = Pick<Cohort, 'partner' | 'id'>

/** The key of the cohort of a leaf. */
export function cohortKey({ partner, cohort_id }: Extract<Leaf, { kind: 'cohort' }>): string {
  return cohortText({ partner, id: cohort_id })
}

/** The key of a filter: equal filters have equal keys. */
export function historyKey({ of, name, days, properties }: HistoryFilter): string {
  return JSON.stringify([of, name ?? null, days ?? null, properties.map(({ name, test }) => [name, test])])
}
