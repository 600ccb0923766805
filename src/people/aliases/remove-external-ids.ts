import type { Call } from '../../base/call.ts'
import { readExternalId } from '../identity/identifier.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import type { RemovalRefusal } from './identifier-changes.ts'
import { readRemovals } from './read-request.ts'
import { notAnId, primaryId, type RemoveReply, unknownId } from './schema.ts'

const refusals: { readonly [refusal in RemovalRefusal]: string } = { unknown: unknownId, primary: primaryId }

/** Removes former external ids of people (contract 10.1). No person has them after that. */
export async function removeExternalIds(call: Call, body: unknown): Promise<RemoveReply> {
  const ids = readRemovals(body)
  const known = ids.map((id) => readExternalId(id, true)).filter((read) => typeof read !== 'string')
  const outcomes = await changeIdentifiers(call, { known, given: [] }, (changes) =>
    ids.map((id) => {
      if (id === undefined) return notAnId
      const refusal = changes.removeFormer(id)
      return refusal && refusals[refusal]
    }),
  )
  return {
    removed_ids: ids.flatMap((id, i) => (id === undefined || outcomes[i] ? [] : [id])),
    removal_errors: outcomes.flatMap((type, index) => (type ? [{ type, input_array: 'external_ids', index }] : [])),
    message: 'success',
  }
}
