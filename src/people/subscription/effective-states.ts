import type { GroupRow } from '../../workspace/settings/store.ts'
import { toE164 } from '../identity/identifier.ts'
import { type HashAddress, located } from '../identity/person.ts'
import type { ProfileRow } from '../profile/read-store.ts'
import type { AddressKey, StateRow } from './group-state-store.ts'
import type { GroupState } from './membership-store.ts'

/** Returns the kind of address to which messages of the group go; undefined when there is no such group. */
export function kindOfAddress(group: Pick<GroupRow, 'channel'> | undefined): 'email' | 'phone' | undefined {
  return group && (group.channel === 'email' ? 'email' : 'phone')
}

/**
 * Returns the state in effect per group, in the order in which groups were made. It is the later one of the person's own state and the
 * state of the address to which messages of the group go. At equal stamps, the earlier row wins: `listStates` returns the person's own
 * state first.
 */
export function effectiveStates(
  rows: readonly StateRow[],
  kindOf: (group_id: number) => 'email' | 'phone' | undefined,
): Map<number, GroupState> {
  const latest = new Map<number, StateRow>()
  for (const row of rows) {
    const kind = kindOf(row.group_id)
    if (kind === undefined || (row.kind !== 'person' && row.kind !== kind)) continue
    const before = latest.get(row.group_id)
    if (!before || Number(before.stamp_us) < Number(row.stamp_us)) latest.set(row.group_id, row)
  }
  const inOrder = [...latest.values()].sort((a, b) => a.group_id - b.group_id)
  return new Map(inOrder.map(({ group_id, state }) => [group_id, state]))
}

/** Returns the keys under which the states of people's addresses are stored. `n` is the position of the person in the query. */
export function addressKeys(
  workspace_id: number,
  { email, phone }: Pick<ProfileRow, 'email' | 'phone'>,
  n: number,
  hashAddress: HashAddress,
): AddressKey[] {
  const key = (kind: 'email' | 'phone', address: string): AddressKey => {
    return { ...located(workspace_id, { kind, value: address }), n, value: hashAddress(workspace_id, kind, address) }
  }
  const number = phone === null ? undefined : toE164(phone)
  return [...(email === null ? [] : [key('email', email)]), ...(number === undefined ? [] : [key('phone', number)])]
}
