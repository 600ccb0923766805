import type { Call } from '../../base/call.ts'
import { Failure, invalid } from '../../base/errors.ts'
import type { Once } from '../../base/http/idempotency.ts'
import type { Request } from '../../base/http/route.ts'
import { historyCutoffMs } from '../../workspace/settings/retention.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Identities } from '../identity/identities.ts'
import { profileBytesMax } from '../profile/size-limit.ts'
import type { ItemLosses } from './flush-outcome.ts'
import type { Intake } from './intake.ts'
import { prepare } from './prepare-request.ts'
import { bulkBytesMax, bulkItemsMax, bulkItemsPerPersonMax, bulkTooLarge, type TrackReply } from './schema.ts'
import { settleTrack } from './settle-track.ts'
import { type SplitTrack, splitTrack, type TrackRules } from './split-track.ts'

/** The limits of one request. */
export type TrackSizes = Pick<TrackRules, 'batchMax' | 'batchMaxPerArray' | 'perPersonMax'>

export type TrackServices = {
  intake: Intake
  identities: Identities
  workspaces: Workspaces
  sizes: TrackSizes
  serviceName: string
}

/** A body of this size may have an object larger than a profile: JSON may write a number in a fourth of its later bytes. */
const largeBytesMin = profileBytesMax / 4

const bulkSizes: TrackSizes = { batchMax: bulkItemsMax, batchMaxPerArray: null, perPersonMax: bulkItemsPerPersonMax }

/**
 * Applies the accepted objects of a request durably. Returns how many were accepted, and the errors of the others (specification 4.1). If
 * the request is refused, nothing is applied.
 */
export function track(
  call: Call,
  request: Request,
  services: TrackServices,
  once?: Once | undefined,
): Promise<TrackReply> {
  return apply(call, request, services.sizes, services, once)
}

/** Does the same with limits for more objects (contract 4.1.3). */
export function bulkTrack(
  call: Call,
  request: Request,
  services: TrackServices,
  once?: Once | undefined,
): Promise<TrackReply> {
  if (request.bodyBytes > bulkBytesMax) throw invalid(bulkTooLarge)
  return apply(call, request, bulkSizes, services, once)
}

async function apply(
  call: Call,
  request: Request,
  sizes: TrackSizes,
  services: TrackServices,
  once: Once | undefined,
): Promise<TrackReply> {
  return answer(await applyTrack(call, request, sizes, services, once))
}

/** Applies the accepted objects of a request, and returns them. They are durable and visible then. */
export async function applyTrack(
  call: Call,
  request: Request,
  sizes: TrackSizes,
  services: TrackServices,
  once?: Once | undefined,
): Promise<SplitTrack> {
  const { workspace_id, clock } = call
  const { settings, reservedExternalIds, appIds, groups, blockedAttributes } = services.workspaces.get(workspace_id)
  const nowMs = clock.now()
  const split = splitTrack(request.body, {
    ...sizes,
    nowMs,
    historyCutoffMs: () => historyCutoffMs(services.workspaces, nowMs),
    suspicious: request.suspicious,
    isLarge: request.bodyBytes > largeBytesMin,
    reservedExternalIds,
    reservedIdsPartial: settings.reserved_ids_partial,
    appIds,
    groups,
    serviceName: services.serviceName,
    strict: call.strict,
    localEmails: settings.local_email_domains,
    nestedNulls: settings.nested_nulls,
    blockedAttributes,
  })
  const replyTo = (losses: ItemLosses) => replyOf(split, request.body, losses, services.serviceName)
  const prepared = prepare(call.db, workspace_id, split, services.identities)
  const losses = await services.intake.submit(once ? { ...prepared, once: { ...once, replyTo } } : prepared)
  return settleTrack(split, request.body, losses, services.serviceName)
}

/** Returns the answer to a request with a key before its transaction ends; undefined if it is refused. */
function replyOf(split: SplitTrack, body: unknown, losses: ItemLosses, serviceName: string): TrackReply | undefined {
  try {
    // A flush may be repeated, so the notices of its losses are added to a copy.
    return answer(settleTrack({ ...split, notices: split.notices.copy() }, body, losses, serviceName))
  } catch (error) {
    // The verb refuses the request with the same Failure once the transaction has ended.
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Returns the counts. A count is present if its array was sent and not empty, even if it is 0 (contract 4.1). */
function answer({ sent, processed, errors, notices }: SplitTrack): TrackReply {
  return {
    ...(sent.attributes && { attributes_processed: processed.attributes }),
    ...(sent.events && { events_processed: processed.events }),
    ...(sent.purchases && { purchases_processed: processed.purchases }),
    ...(errors.length > 0 && { errors: [...errors] }),
    ...notices.members(),
    message: 'success',
  }
}
