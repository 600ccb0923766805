import { isDeepStrictEqual } from 'node:util'
import { aliasParts } from '../identity/identifier.ts'
import type { IdentifierRow } from '../identity/identifier-store.ts'
import { mergeStates } from '../merge/merge-states.ts'
import type { MergeState } from '../profile/fold.ts'
import type { MergedField } from './schema.ts'

/** The columns that a preview shows. The others are times of these, and what belongs to custom attributes. */
const shown = [
  ...['external_id', 'first_name', 'last_name', 'email', 'email_subscribe', 'phone', 'push_subscribe', 'gender', 'dob'],
  ...['country', 'home_city', 'language', 'time_zone', 'image_url', 'longitude', 'latitude', 'facebook', 'twitter'],
  ...['total_revenue', 'session_count', 'email_open_tracking_disabled', 'email_click_tracking_disabled'],
  ...['attributed_campaign', 'attributed_source', 'attributed_adgroup', 'attributed_ad'],
] as readonly (keyof MergeState)[]

/** Returns what either person has, as the merged person has it, and from which of the two. Pure. */
export function fieldsOf(keep: MergeState, merge: MergeState): MergedField[] {
  const after = mergeStates(keep, merge, { sdkActivity: 'kept' })
  const custom = new Set([...Object.keys(keep.custom), ...Object.keys(merge.custom)])
  return [
    ...shown.flatMap((name) => fieldOf(name, keep[name], merge[name], after[name])),
    ...[...custom]
      .sort()
      .flatMap((name) =>
        fieldOf(`custom_attributes.${name}`, keep.custom[name], merge.custom[name], after.custom[name]),
      ),
  ]
}

function fieldOf(field: string, keep: unknown, merge: unknown, value: unknown): MergedField[] {
  if (isUnset(keep) && isUnset(merge)) return []
  const given = { field, value: value ?? null, keep: keep ?? null, merge: merge ?? null }
  if (isUnset(value)) return [{ ...given, from: 'nobody' }]
  if (isDeepStrictEqual(value, keep)) return [{ ...given, from: 'keep' }]
  return [{ ...given, from: isDeepStrictEqual(value, merge) ? 'merge' : 'both' }]
}

/** Whether nothing was ever recorded: 0 and false are the values of a new profile. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === false
}

type Merging = { readonly state: MergeState; readonly identifiers: readonly IdentifierRow[] }

/** Returns what a merge does besides the fields, in sentences. Pure. */
export function notesOf(keep: Merging, merge: Merging): string[] {
  const labels = new Set(aliasesOf(keep).map(({ alias_label }) => alias_label))
  const aliases = aliasesOf(merge)
  const [lost, moved] = [
    aliases.filter(({ alias_label }) => labels.has(alias_label)),
    aliases.filter(({ alias_label }) => !labels.has(alias_label)),
  ]
  const { external_id } = merge.state
  const devices = merge.identifiers.filter(({ kind }) => kind === 'device').length
  return [
    'Events, purchases, messages and entries of both people are kept.',
    ...(external_id === null ? [] : [`The external id "${external_id}" is given up. It may name a new person later.`]),
    ...moved.map(
      ({ alias_label, alias_name }) => `The alias ${alias_label}:${alias_name} moves to the person who stays.`,
    ),
    ...lost.map(
      ({ alias_label, alias_name }) =>
        `The alias ${alias_label}:${alias_name} is given up: the person who stays has another one with this label.`,
    ),
    ...(devices === 0
      ? []
      : [`${devices === 1 ? 'One device moves' : `${devices} devices move`} to the person who stays.`]),
    'A merge cannot be undone.',
  ]
}

function aliasesOf({ identifiers }: Merging) {
  return identifiers.filter(({ kind }) => kind === 'alias').map(({ value }) => aliasParts(value))
}
