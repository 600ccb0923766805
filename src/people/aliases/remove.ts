import type { Call } from '../../base/call.ts'
import { readExternalId } from '../identity/identifier.ts'
import { changeNames } from './change-names.ts'
import type { RemovalRefusal } from './naming.ts'
import { readRemovals } from './naming-request.ts'
import { notAnId, primaryId, type RemoveReply, unknownId } from './naming-schema.ts'

const refusals: { readonly [refusal in RemovalRefusal]: string } = { unknown: unknownId, primary: primaryId }

/** Removes external ids that people had before a rename (contract 10.1): from now on they name nobody. */
export async function removeExternalIds(call: Call, body: unknown): Promise<RemoveReply> {
  const ids = readRemovals(body)
  const known = ids.map((id) => readExternalId(id, true)).filter((read) => typeof read !== 'string')
  const outcomes = await changeNames(call, { known, given: [] }, (naming) =>
    ids.map((id) => {
      if (id === undefined) return notAnId
      const refusal = naming.removeFormer(id)
      return refusal && refusals[refusal]
    }),
  )
  return {
    removed_ids: ids.flatMap((id, i) => (id === undefined || outcomes[i] ? [] : [id])),
    removal_errors: outcomes.flatMap((type, index) => (type ? [{ type, input_array: 'external_ids', index }] : [])),
    message: 'success',
  }
}
