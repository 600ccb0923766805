import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Identities } from '../identity/identities.ts'
import type { Intake } from './intake.ts'
import { prepare } from './prepare.ts'
import { bulkBytesMax, bulkItemsMax, bulkItemsPerPersonMax, bulkTooLarge, type TrackReply } from './schema.ts'
import { type SplitTrack, splitTrack, type TrackRules } from './split-track.ts'

/** How much one request may hold. */
export type TrackSizes = Pick<TrackRules, 'batchMax' | 'batchMaxPerArray' | 'perPersonMax'>

export type TrackServices = {
  intake: Intake
  identities: Identities
  workspaces: Workspaces
  sizes: TrackSizes
  serviceName: string
}

const bulkSizes: TrackSizes = { batchMax: bulkItemsMax, batchMaxPerArray: null, perPersonMax: bulkItemsPerPersonMax }

/**
 * Splits a request into accepted objects and refused ones, applies the accepted ones durably and answers both counts
 * (specification 4.1). Nothing is applied when the request as a whole is refused.
 */
export function track(call: Call, request: Request, parts: TrackServices): Promise<TrackReply> {
  return apply(call, request, parts.sizes, parts)
}

/** The same for more objects at once (contract 4.1.3). */
export function bulkTrack(call: Call, request: Request, parts: TrackServices): Promise<TrackReply> {
  if (request.bodyBytes > bulkBytesMax) throw invalid(bulkTooLarge)
  return apply(call, request, bulkSizes, parts)
}

async function apply(call: Call, request: Request, sizes: TrackSizes, parts: TrackServices): Promise<TrackReply> {
  const { workspace_id, clock } = call
  const { settings, reservedExternalIds, appIds, groups } = parts.workspaces.get(workspace_id)
  const split = splitTrack(request.body, {
    ...sizes,
    nowMs: clock.now(),
    suspicious: request.suspicious,
    reservedExternalIds,
    reservedIdsPartial: settings.reserved_ids_partial,
    appIds,
    groups,
    serviceName: parts.serviceName,
  })
  await parts.intake.submit(prepare(call.db, workspace_id, split, parts.identities))
  return answer(split)
}

/** A count is present whenever its array was sent with something in it, 0 included (contract 4.1). */
function answer({ sent, processed, errors }: SplitTrack): TrackReply {
  return {
    ...(sent.attributes && { attributes_processed: processed.attributes }),
    ...(sent.events && { events_processed: processed.events }),
    ...(sent.purchases && { purchases_processed: processed.purchases }),
    ...(errors.length > 0 && { errors: [...errors] }),
    message: 'success',
  }
}
