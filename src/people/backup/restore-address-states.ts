import type { Tx } from '../../base/db/db.ts'
import { type AddressState, upsertLaterStates } from '../subscription/address-state-store.ts'
import { hashingKey } from './address-states-page.ts'
import type { BackupRow } from './backup-tables.ts'
import type { StatesLine } from './parse-line.ts'
import type { RestoreWriting, WrittenPerson } from './write-people.ts'

type AddressKey = Pick<AddressState, 'bucket' | 'workspace_id' | 'kind' | 'value'>

/**
 * Writes the states of addresses of new people, and the states under hashes of this installation. Of two states for the same address and
 * group, the later one stays.
 */
export async function restoreAddressStates(
  tx: Tx,
  people: readonly WrittenPerson[],
  lines: readonly StatesLine[],
  writing: RestoreWriting,
): Promise<void> {
  const latest = new Map<string, AddressState>()
  for (const state of [...statesOfPeople(people, writing), ...hashedStates(lines, writing)]) {
    const key = `${state.value}:${state.group_id}`
    const before = latest.get(key)
    if (!before || before.stampUs < state.stampUs) latest.set(key, state)
  }
  const inOrder = [...latest].sort(([a, one], [b, other]) => one.bucket - other.bucket || (a < b ? -1 : 1))
  await upsertLaterStates(
    tx,
    inOrder.map(([, state]) => state),
  )
}

/** Counts states under hashes of another installation or workspace, which are of no use here. */
export function countForeignStates(
  lines: readonly StatesLine[],
  { hashAddress, workspace_id }: RestoreWriting,
): number {
  const own = hashingKey(hashAddress, workspace_id)
  return lines.filter(({ key }) => key !== own).reduce((sum, { states }) => sum + states.length, 0)
}

function statesOfPeople(people: readonly WrittenPerson[], writing: RestoreWriting): AddressState[] {
  return people.flatMap(({ isNew, lines, addresses }) => {
    if (!isNew) return []
    const keys = addresses.map(({ bucket, workspace_id, kind, value: address }): AddressKey => {
      const channel = kind as AddressState['kind']
      return { bucket, workspace_id, kind: channel, value: writing.hashAddress(workspace_id, channel, address) }
    })
    return lines[0]!.line.states.flatMap((row) =>
      stateOf(
        row,
        keys.find(({ kind }) => kind === row.kind),
        writing,
      ),
    )
  })
}

function hashedStates(lines: readonly StatesLine[], writing: RestoreWriting): AddressState[] {
  const { workspace_id, hashAddress } = writing
  const own = lines.filter(({ key }) => key === hashingKey(hashAddress, workspace_id)).flatMap(({ states }) => states)
  return own.flatMap((row) => {
    const { bucket, kind, hash } = row as { bucket: number; kind: AddressState['kind']; hash: string }
    return stateOf(row, { bucket, workspace_id, kind, value: hash }, writing)
  })
}

/** Returns an empty list for an address that the person does not have, or a group that the workspace does not have. */
function stateOf(
  { group_id, state, stamp }: BackupRow,
  address: AddressKey | undefined,
  { groups }: RestoreWriting,
): AddressState[] {
  const group = group_id === null ? 0 : groups.get(group_id as string)
  if (!address || group === undefined) return []
  return [{ ...address, group_id: group, state: state as string, stampUs: stamp as number }]
}
