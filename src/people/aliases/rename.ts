import type { Call } from '../../base/call.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type Identifier, readExternalId } from '../identity/identifier.ts'
import { reservedId } from '../values/refusals.ts'
import { changeNames } from './change-names.ts'
import type { Rename, RenameRefusal } from './naming.ts'
import { readRenames } from './naming-request.ts'
import { deprecatedCurrent, newIsTaken, type RenameReply, sameIds, unknownCurrent } from './naming-schema.ts'

export type RenameParts = { workspaces: Workspaces }

const refusals: { readonly [refusal in RenameRefusal]: string } = {
  unknown: unknownCurrent,
  deprecated: deprecatedCurrent,
  same: sameIds,
  taken: newIsTaken,
}

/**
 * Gives people another primary external_id (contract 10.1), item by item; the earlier one goes on naming them until it is removed.
 * What cannot be renamed is told with its index, and the rest is renamed.
 */
export async function renameExternalIds(call: Call, body: unknown, { workspaces }: RenameParts): Promise<RenameReply> {
  const renames = readRenames(body)
  const { reservedExternalIds } = workspaces.get(call.workspace_id)
  const judged = renames.map((rename) => (typeof rename === 'string' ? rename : judge(rename, reservedExternalIds)))
  const pairs = judged.filter(isRename).map(({ current_external_id, new_external_id }) => ({
    to: externalId(current_external_id),
    who: externalId(new_external_id),
  }))
  const outcomes = await changeNames(call, { known: pairs.map(({ to }) => to), given: pairs }, (naming) =>
    judged.map((rename) => {
      if (!isRename(rename)) return rename
      const refusal = naming.rename(rename)
      return refusal && refusals[refusal]
    }),
  )
  return {
    rename_errors: outcomes.flatMap((type, index) =>
      type ? [{ type, input_array: 'external_id_renames', index }] : [],
    ),
    external_ids: judged.filter((_, i) => outcomes[i] === undefined).filter(isRename),
    message: 'success',
  }
}

/** The rename, or why it cannot be. */
function judge(rename: Rename, reserved: ReadonlySet<string>): Rename | string {
  if (typeof readExternalId(rename.current_external_id, true) === 'string') return unknownCurrent
  const read = readExternalId(rename.new_external_id, true)
  if (typeof read === 'string') return read
  return reserved.has(rename.new_external_id) ? reservedId : rename
}

function isRename(judged: Rename | string): judged is Rename {
  return typeof judged !== 'string'
}

function externalId(value: string): Identifier {
  return { kind: 'external_id', value }
}
