import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { isObject } from '../values/values.ts'
import { type AcceptServices, acceptItems } from './accept-items.ts'
import { kindsIn, readPrioritization, readSelector, type SelectorObject } from './read-selector.ts'
import {
  badMergeIdentifier,
  badMergeMembers,
  badMerges,
  type MergeReply,
  mergesMax,
  tooManyMerges,
} from './request-schema.ts'
import type { WorkRequest } from './work-schema.ts'
import type { WorkWorker } from './worker.ts'

export type WorkRequestServices = AcceptServices & {
  worker: Pick<WorkWorker, 'wake' | 'waitUntilDone'>
  serviceName: string
}

/** Accepts merges of profiles (specification 4.6). The worker carries them out. */
export async function mergePeople(
  call: Call,
  { body, suspicious, request_id }: Request,
  services: WorkRequestServices,
): Promise<MergeReply> {
  const requests = readMerges(body, suspicious)
  await acceptItems(call, request_id, 'merge', requests, services)
  services.worker.wake()
  return { message: 'success' }
}

/** Reads the merges of a request. Each check runs over the whole list before the next check (contract 4.6). */
function readMerges(body: unknown, suspicious: boolean): WorkRequest[] {
  const updates = isObject(body) ? body.merge_updates : undefined
  if (!Array.isArray(updates) || !updates.every(isObject)) throw invalid(badMerges)
  if (updates.length > mergesMax) throw invalid(tooManyMerges)
  if (!updates.every(hasOnlyBoth)) throw invalid(badMergeMembers)
  const items = updates.flatMap(({ identifier_to_merge, identifier_to_keep }) => [
    identifier_to_merge,
    identifier_to_keep,
  ])
  const shaped = items.map(readShape)
  const prioritizations = shaped.map(({ item, kind }) => readPrioritization(item, kind))
  const selectors = shaped.map(({ item, kind }, i) => readSelector(item, kind, prioritizations[i], suspicious))
  return updates.map((_, i) => ({ who: selectors[2 * i]!, into: selectors[2 * i + 1]! }))
}

function hasOnlyBoth(update: SelectorObject): boolean {
  return Object.keys(update).length === 2 && 'identifier_to_merge' in update && 'identifier_to_keep' in update
}

function readShape(item: unknown) {
  const kinds = isObject(item) ? kindsIn(item) : []
  const [only] = kinds
  if (!isObject(item) || kinds.length !== 1 || !only?.fits) throw invalid(badMergeIdentifier)
  return { item, kind: only.kind }
}
