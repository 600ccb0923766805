import type { DoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import { isGiven } from '../identity/identifier.ts'
import { archivedGroup, noDoubleOptIn, unknownMembers } from '../values/drops.ts'
import { badGroupId, badGroupItem, badGroupList, badGroupState } from '../values/refusals.ts'
import { isObject, toFlag } from '../values/values.ts'

/** The data of a subscription group that a change of state needs. */
export type GroupRef = {
  readonly group_id: number
  readonly channel: 'email' | 'sms'
  readonly archived: boolean
  /** How people confirm that they want to be in the group, if they must. */
  readonly double_opt_in?: DoubleOptIn | null
}

export type GroupStateChange = {
  readonly group_id: number
  readonly channel: 'email' | 'sms'
  readonly state: 'subscribed' | 'unsubscribed'
}

const groupMembers = new Set(['subscription_group_id', 'subscription_state', 'use_double_opt_in_logic'])

/** Returns the group with this public id. The id is looked up unchanged, then in lower case. */
export function findGroup<Group extends GroupRef>(groups: ReadonlyMap<string, Group>, id: unknown): Group | undefined {
  return typeof id === 'string' ? (groups.get(id) ?? groups.get(id.toLowerCase())) : undefined
}

/**
 * Reads `subscription_groups`. Returns a text, the code of the error, if it refuses the object. `groups` are those of the workspace by
 * public id. The last state of a group wins; an archived group takes no state. `dropped` says what has no effect.
 */
export function readGroupStates(
  value: unknown,
  groups: ReadonlyMap<string, GroupRef>,
): { readonly states: readonly GroupStateChange[]; readonly dropped?: string } | string {
  if (!Array.isArray(value)) return badGroupList
  const states = new Map<number, GroupStateChange>()
  let dropped: string | undefined
  for (const item of value) {
    if (!isObject(item)) return badGroupItem
    const { subscription_group_id: id, subscription_state: state } = item
    if (id === undefined || state === undefined) return badGroupItem
    const group = findGroup(groups, id)
    if (!group) return badGroupId
    if (state !== 'subscribed' && state !== 'unsubscribed') return badGroupState
    if (group.archived) dropped = archivedGroup
    else states.set(group.group_id, { group_id: group.group_id, channel: group.channel, state })
    if (isGiven(item.use_double_opt_in_logic) && toFlag(item.use_double_opt_in_logic) !== false)
      dropped ??= noDoubleOptIn
  }
  dropped ??= unknownMembers(value, groupMembers)
  return { states: [...states.values()], ...(dropped !== undefined && { dropped }) }
}
