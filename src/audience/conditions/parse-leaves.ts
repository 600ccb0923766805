import { isPartner } from '../../people/cohorts/cohort-names.ts'
import { toE164 } from '../../people/identity/identifier.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import {
  readCountTest,
  readInstantTest,
  readMomentTest,
  readTextTest,
  readTimeTest,
  readValueTest,
} from './parse-comparisons.ts'
import { readCounted, readHistoryFilter } from './parse-history.ts'
import { type Members, membersOf, mustBe, nameOf, type ParseState, readName, wordOf } from './parse-members.ts'
import type { DeviceField, Leaf, Path, StandardText, StandardTime, State, Tree } from './tree.ts'

/** Keys below a nested attribute. */
export const pathKeysMax = 50

/** Reads the value of a leaf: the member with the leaf's name. */
export type LeafReader = (reading: ParseState, value: unknown, path: string) => Tree | undefined

export const states = ['opted_in', 'subscribed', 'unsubscribed'] as const satisfies readonly State[]
export const groupStates = ['subscribed', 'unsubscribed'] as const
export const channels = ['email', 'webhook'] as const
export const deviceFields = ['model', 'os', 'carrier'] as const satisfies readonly DeviceField[]
export const standardTexts = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'gender',
  'dob',
  'country',
  'home_city',
  'language',
  'time_zone',
] as const satisfies readonly StandardText[]
export const standardTimes = [
  'created_at',
  'marked_email_as_spam_at',
  'date_of_first_session',
  'date_of_last_session',
] as const satisfies readonly StandardTime[]

/** The leaves of an API audience: those of the contract (4.8) and no others. */
export const apiLeaves: ReadonlyMap<string, LeafReader> = new Map<string, LeafReader>([
  ['custom_attribute', readCustomAttribute],
  ['push_subscription_status', subscriptionStatus('push')],
  ['email_subscription_status', subscriptionStatus('email')],
  ['last_used_app', readLastUsed],
])

/** The leaves of a segment: `docs/segments.md`. */
export const segmentLeaves: ReadonlyMap<string, LeafReader> = new Map<string, LeafReader>([
  ['custom_attribute', readNestedAttribute],
  ['standard_attribute', readStandardAttribute],
  ['push_subscription_status', subscriptionStatus('push')],
  ['email_subscription_status', subscriptionStatus('email')],
  ['subscription_group', readGroup],
  ['cohort', readCohort],
  ['first_used_app', usedApp('first')],
  ['last_used_app', usedApp('last')],
  ['device', readDevice],
  ['custom_event', readCounted('event')],
  ['purchase', readCounted('purchase')],
  ['first_custom_event', historyTime('event', 'first')],
  ['last_custom_event', historyTime('event', 'last')],
  ['first_purchase', historyTime('purchase', 'first')],
  ['last_purchase', historyTime('purchase', 'last')],
  ['total_revenue', measured('total_revenue')],
  ['random_bucket', measured('random_bucket')],
  ['session_count', readSessionCount],
  ['last_received_message', readLastMessage],
  ['segment', readNestedSegment],
])

function readCustomAttribute(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['custom_attribute_name', 'comparison', 'value'])
  const name = members && nameOf(reading, members, 'custom_attribute_name')
  const test = name === undefined ? undefined : readValueTest(reading, members!)
  return test && { kind: 'custom_attribute', path: [name!], test }
}

function readNestedAttribute(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['custom_attribute_name', 'path', 'comparison', 'value'])
  const name = members && nameOf(reading, members, 'custom_attribute_name')
  const below = name === undefined ? undefined : readKeys(reading, members!)
  const test = below && readValueTest(reading, members!)
  return test && { kind: 'custom_attribute', path: [name!, ...below] as Path, test }
}

function readKeys(reading: ParseState, { path, value }: Members): string[] | undefined {
  const keys = value.path
  const at = joinPath(path, 'path')
  if (keys === undefined) return []
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > pathKeysMax) {
    return mustBe(reading, at, `a list of 1 to ${pathKeysMax} keys`, keys)
  }
  const read = keys.map((key, i) => readName(reading, key, `${at}[${i}]`))
  return reading.mistake ? undefined : (read as string[])
}

function readStandardAttribute(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['name', 'comparison', 'value'])
  const name = members && wordOf(reading, members, 'name', [...standardTexts, ...standardTimes])
  if (name === undefined) return undefined
  const time = standardTimes.find((field) => field === name)
  if (time !== undefined) {
    const test = readTimeTest(reading, members!)
    return test && { kind: 'standard_time', field: time, test }
  }
  const test = readTextTest(reading, members!)
  if (test === undefined) return undefined
  const field = name as StandardText
  const isEqual = test.comparison === 'equals' || test.comparison === 'not_equal'
  return { kind: 'standard_attribute', field, test: isEqual ? { ...test, text: storedForm(field, test.text) } : test }
}

/** Addresses are compared in the form in which they are stored. */
function storedForm(field: StandardText, text: string): string {
  if (field === 'email') return text.toLowerCase()
  return field === 'phone' ? (toE164(text) ?? text) : text
}

function subscriptionStatus(channel: 'email' | 'push'): LeafReader {
  return (reading, value, path) => {
    const members = membersOf(reading, value, path, ['comparison', 'value'])
    const comparison = members && wordOf(reading, members, 'comparison', ['is', 'is_not'])
    const state = comparison && wordOf(reading, members!, 'value', states)
    return state && { kind: 'subscription_status', channel, is: comparison === 'is', state }
  }
}

function readGroup(reading: ParseState, value: unknown, path: string): Tree | undefined {
  const members = membersOf(reading, value, path, ['subscription_group_id', 'comparison', 'value'])
  const subscription_group_id = members && nameOf(reading, members, 'subscription_group_id')
  const comparison = subscription_group_id && wordOf(reading, members!, 'comparison', ['is', 'is_not'])
  const state = comparison && wordOf(reading, members!, 'value', groupStates)
  if (!state) return undefined
  const leaf: Leaf = { kind: 'subscription_group', subscription_group_id: subscription_group_id!, state }
  return comparison === 'is' ? leaf : { not: leaf }
}

function readCohort(reading: ParseState, value: unknown, path: string): Tree | undefined {
  const members = membersOf(reading, value, path, ['partner', 'cohort_id', 'comparison'])
  const partner = members && nameOf(reading, members, 'partner')
  if (partner === undefined) return undefined
  if (!isPartner(partner)) {
    return mustBe(reading, joinPath(path, 'partner'), 'lower-case letters, digits, dashes and underscores', partner)
  }
  const cohort_id = nameOf(reading, members!, 'cohort_id')
  const comparison = cohort_id === undefined ? undefined : readIs(reading, members!)
  if (comparison === undefined) return undefined
  const leaf: Leaf = { kind: 'cohort', partner, cohort_id: cohort_id! }
  return comparison === 'is' ? leaf : { not: leaf }
}

/** Reads the comparison of a membership, which may be absent. */
function readIs(reading: ParseState, members: Members): 'is' | 'is_not' | undefined {
  if (members.value.comparison === undefined) return 'is'
  return wordOf(reading, members, 'comparison', ['is', 'is_not'])
}

function readLastUsed(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['comparison', 'value'])
  const test = members && readInstantTest(reading, members)
  return test && { kind: 'used_app', which: 'last', app_id: undefined, test }
}

function usedApp(which: 'first' | 'last'): LeafReader {
  return (reading, value, path) => {
    const members = membersOf(reading, value, path, ['app_id', 'comparison', 'value'])
    const app_id = members?.value.app_id === undefined ? undefined : nameOf(reading, members, 'app_id')
    const test = members && !reading.mistake && readTimeTest(reading, members)
    return test ? { kind: 'used_app', which, app_id, test } : undefined
  }
}

function readDevice(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['name', 'comparison', 'value'])
  const field = members && wordOf(reading, members, 'name', deviceFields)
  const test = field && readTextTest(reading, members!)
  return test && { kind: 'device', field: field!, test }
}

function historyTime(of: 'event' | 'purchase', which: 'first' | 'last'): LeafReader {
  return (reading, value, path) => {
    const read = readHistoryFilter(reading, value, path, of, [])
    const test = read && readMomentTest(reading, read.members)
    return test && { kind: 'occurrence_time', what: read!.what, which, test }
  }
}

function measured(kind: 'total_revenue' | 'random_bucket'): LeafReader {
  return (reading, value, path) => {
    const members = membersOf(reading, value, path, ['comparison', 'value'])
    const test = members && readCountTest(reading, members)
    return test && { kind, test }
  }
}

function readSessionCount(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['comparison', 'value', 'only_with_sessions'])
  const test = members && readCountTest(reading, members)
  if (test === undefined) return undefined
  const only = members!.value.only_with_sessions
  if (only !== undefined && typeof only !== 'boolean') {
    return mustBe(reading, joinPath(path, 'only_with_sessions'), 'true or false', only)
  }
  return { kind: 'session_count', test, onlyWithSessions: only ?? false }
}

function readLastMessage(reading: ParseState, value: unknown, path: string): Leaf | undefined {
  const members = membersOf(reading, value, path, ['channel', 'comparison', 'value'])
  const channel = members?.value.channel === undefined ? undefined : wordOf(reading, members, 'channel', channels)
  const test = members && !reading.mistake && readTimeTest(reading, members)
  return test ? { kind: 'last_message', channel, test } : undefined
}

function readNestedSegment(reading: ParseState, value: unknown, path: string): Tree | undefined {
  const members = membersOf(reading, value, path, ['segment_id', 'comparison'])
  const segment_id = members && nameOf(reading, members, 'segment_id')
  if (segment_id === undefined) return undefined
  const comparison = readIs(reading, members!)
  if (comparison === undefined) return undefined
  return comparison === 'is' ? { kind: 'segment', segment_id } : { not: { kind: 'segment', segment_id } }
}
