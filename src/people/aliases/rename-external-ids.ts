import type { Call } from '../../base/call.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type Identifier, readExternalId } from '../identity/identifier.ts'
import { reservedId } from '../values/refusals.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import type { ExternalIdRename, RenameRefusal } from './identifier-changes.ts'
import { readRenames } from './read-request.ts'
import { deprecatedCurrent, newIsTaken, type RenameReply, sameIds, unknownCurrent } from './schema.ts'

export type RenameServices = { workspaces: Workspaces }

const refusals: { readonly [refusal in RenameRefusal]: string } = {
  unknown: unknownCurrent,
  deprecated: deprecatedCurrent,
  same: sameIds,
  taken: newIsTaken,
}

/**
 * Gives people a new external_id (contract 10.1), item by item. The former one also names them until it is removed. A refused item is
 * listed with its index; the others are renamed.
 */
export async function renameExternalIds(
  call: Call,
  body: unknown,
  { workspaces }: RenameServices,
): Promise<RenameReply> {
  const renames = readRenames(body)
  const { reservedExternalIds } = workspaces.get(call.workspace_id)
  const checked = renames.map((rename) => (typeof rename === 'string' ? rename : check(rename, reservedExternalIds)))
  const pairs = checked.filter(isRename).map(({ current_external_id, new_external_id }) => ({
    to: externalId(current_external_id),
    who: externalId(new_external_id),
  }))
  const outcomes = await changeIdentifiers(call, { known: pairs.map(({ to }) => to), given: pairs }, (changes) =>
    checked.map((rename) => {
      if (!isRename(rename)) return rename
      const refusal = changes.rename(rename)
      return refusal && refusals[refusal]
    }),
  )
  return {
    rename_errors: outcomes.flatMap((type, index) =>
      type ? [{ type, input_array: 'external_id_renames', index }] : [],
    ),
    external_ids: checked.filter((_, i) => outcomes[i] === undefined).filter(isRename),
    message: 'success',
  }
}

/** Returns the rename, or why it is refused. */
function check(rename: ExternalIdRename, reserved: ReadonlySet<string>): ExternalIdRename | string {
  if (typeof readExternalId(rename.current_external_id, true) === 'string') return unknownCurrent
  const read = readExternalId(rename.new_external_id, true)
  if (typeof read === 'string') return read
  return reserved.has(rename.new_external_id) ? reservedId : rename
}

function isRename(checked: ExternalIdRename | string): checked is ExternalIdRename {
  return typeof checked !== 'string'
}

function externalId(value: string): Identifier {
  return { kind: 'external_id', value }
}
