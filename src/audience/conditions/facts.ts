import type { Person } from '../../people/identity/person.ts'
import type { Json } from '../../people/values/values.ts'
import {
  type DeviceField,
  type GroupState,
  type Leaf,
  leavesOf,
  type Occurrence,
  type StandardText,
  type StandardTime,
  type State,
  type Tree,
} from './tree.ts'

/** Columns of a profile that conditions ask about. */
export type ProfileColumns = Readonly<Record<StandardText, string | null>> &
  Readonly<Record<StandardTime, Date | null>> &
  Readonly<Record<'email_subscribe' | 'push_subscribe', State>> &
  Readonly<Record<'total_revenue' | 'session_count' | 'random_bucket', number>>

/** What is known of one person, as far as `needsOf` a tree asks for it. Instants are whole epoch milliseconds. */
export type Facts = {
  readonly person: Person
  readonly columns: Partial<ProfileColumns>
  /** Custom attributes that are asked for; one that is not set may be there as null. */
  readonly custom: Readonly<Record<string, Json>>
  /** Epoch milliseconds of those that read as a date. */
  readonly typed: Readonly<Record<string, number>>
  /** The state in effect, by the group's id. */
  readonly groups: ReadonlyMap<string, GroupState>
  readonly uses: ReadonlyMap<string, AppUse>
  readonly devices: readonly Readonly<Record<DeviceField, string | null>>[]
  /** When a message of each channel was received last. */
  readonly receivedMs: ReadonlyMap<string, number>
  /** By `occurrenceKey`; what never happened is missing. */
  readonly occurrences: ReadonlyMap<string, OccurrenceCount>
}

/** The first and the last use of one app. */
export type AppUse = { readonly first: number | null; readonly last: number | null }

/** How often something happened, first and last. */
export type OccurrenceCount = { readonly count: number; readonly first: number; readonly last: number }

/** What has to be loaded to judge by a tree. */
export type FactNeeds = {
  readonly columns: ReadonlySet<keyof ProfileColumns>
  /** Names of custom attributes. */
  readonly custom: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly occurrences: ReadonlyMap<string, Occurrence>
  readonly uses: boolean
  readonly devices: boolean
  readonly received: boolean
}

export function needsOf(tree: Tree): FactNeeds {
  const needs = {
    columns: new Set<keyof ProfileColumns>(),
    custom: new Set<string>(),
    groups: new Set<string>(),
    occurrences: new Map<string, Occurrence>(),
    uses: false,
    devices: false,
    received: false,
  }
  for (const leaf of leavesOf(tree)) {
    for (const column of columnsOf(leaf)) needs.columns.add(column)
    if (leaf.kind === 'custom_attribute') needs.custom.add(leaf.path[0])
    else if (leaf.kind === 'subscription_group') needs.groups.add(leaf.subscription_group_id)
    else if (leaf.kind === 'used_app') needs.uses ||= leaf.app_id !== undefined
    else if (leaf.kind === 'device') needs.devices = true
    else if (leaf.kind === 'last_message') needs.received = true
    else if (leaf.kind === 'occurrences' || leaf.kind === 'occurrence_time') {
      needs.occurrences.set(occurrenceKey(leaf.what), leaf.what)
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
    // The addresses of which a state may have been said.
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

/** A column that was asked for. Throws for one that was not: the facts are those of another tree. */
export function columnOf<Name extends keyof ProfileColumns>(
  facts: Pick<Facts, 'columns'>,
  name: Name,
): ProfileColumns[Name] {
  const value = facts.columns[name]
  if (value === undefined) throw new Error(`${name} was not loaded`)
  return value
}

/** The same text for the same question about a history. */
export function occurrenceKey({ of, name, days, properties }: Occurrence): string {
  return JSON.stringify([of, name ?? null, days ?? null, properties.map(({ name, test }) => [name, test])])
}
