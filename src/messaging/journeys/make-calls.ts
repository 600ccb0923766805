import { isUnavailable } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import type { LeasedCall } from '../entries/call-store.ts'
import { type CallMemory, type PrepareCallServices, prepareCalls, type ReadyCall } from './prepare-calls.ts'
import { type CallOutcome, callKey, callRequest, outcomeOfAnswer, refusedCredential } from './webhook-call.ts'

export type CallServices = PrepareCallServices & { readonly fetcher: Fetcher }

/** Longer than the rendering of the texts and the answer of a webhook may take. */
const callMsMax = 40_000
/** A call that was not made, because the database was unavailable or its texts waited too long, is made after this business time. */
const laterMs = 5_000

/**
 * Makes calls. Returns one promise for each, in the same order, which never rejects. The texts of calls of one step are rendered together.
 */
export function startCalls(
  calls: readonly LeasedCall[],
  services: CallServices,
  memory: CallMemory,
): Promise<CallOutcome>[] {
  const groups = Map.groupBy(calls, ({ entry: { flow_id, version, step } }) => JSON.stringify([flow_id, version, step]))
  const outcomes = new Map<LeasedCall, Promise<CallOutcome>>()
  for (const group of groups.values()) {
    const pending = new Map(group.map((_, i) => [i, Promise.withResolvers<ReadyCall>()]))
    for (const [i, { promise }] of pending) outcomes.set(group[i]!, outcomeOf(group[i]!, promise, services))
    const onReady = (i: number, ready: ReadyCall) => {
      pending.get(i)!.resolve(ready)
      // Its texts must not stay in memory until the last call is ready.
      pending.delete(i)
    }
    prepareCalls(group, services, memory, onReady).catch((error) => {
      for (const { reject } of pending.values()) reject(error)
    })
  }
  return calls.map((call) => outcomes.get(call)!)
}

/** Returns the outcome of a call. Never rejects. */
async function outcomeOf(
  call: LeasedCall,
  preparing: Promise<ReadyCall>,
  services: CallServices,
): Promise<CallOutcome> {
  const { clock, log } = services
  const failed = (refused: string) => outcomeOfAnswer({ refused, temporary: true }, call.attempts, clock.now())
  const later = () => ({ againMs: clock.now() + laterMs, isUnmade: true as const })
  let isBegun = false
  let isLate = false
  const making = preparing.then((ready) => {
    isBegun = true
    // The outcome is written already.
    if (!isLate) return makeCall(call, ready, services)
    ready.release()
    return later()
  })
  try {
    return await withinMs(callMsMax, making, () => {
      isLate = true
      return isBegun ? failed('it took too long') : later()
    })
  } catch (error) {
    // The entry must continue after any error, so an error is an outcome.
    if (isUnavailable(error)) return later()
    const { entry_id, flow_id, step } = call.entry
    log.error({ err: error, entry_id, flow_id, step }, 'a webhook could not be called')
    return failed('it could not be called')
  }
}

/** Resolves with the work, or with `late()` after so many milliseconds. */
export async function withinMs<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes a call and frees its memory. */
async function makeCall(call: LeasedCall, ready: ReadyCall, services: CallServices): Promise<CallOutcome> {
  try {
    return await tryCall(call, ready, services)
  } finally {
    ready.release()
  }
}

async function tryCall(
  { entry, attempts }: LeasedCall,
  { step, credentials, rendered }: ReadyCall,
  { fetcher, clock }: CallServices,
): Promise<CallOutcome> {
  if (!rendered) return { ended: 'deleted', rule: 'the person was deleted' }
  if (rendered.outcome === 'aborted') return { ended: 'aborted_by_template', rule: rendered.reason }
  if (rendered.outcome === 'failed') {
    const { outcome: _, message, ...position } = rendered
    return { ended: 'template_error', rule: message, inputs: position }
  }
  const { texts } = rendered
  const refused = refusedCredential(step, texts.url!, credentials)
  if (refused) return outcomeOfAnswer(refused, attempts, clock.now())
  const request = callRequest(step, texts, callKey(entry.entry_id, entry.step, entry.visit), credentials)
  try {
    return outcomeOfAnswer(await fetcher.fetch(texts.url!, request), attempts, clock.now())
  } catch (error) {
    // A receiver that cannot be reached is an outcome.
    if (!(error instanceof FetchError)) throw error
    return outcomeOfAnswer({ refused: error.message, temporary: error.temporary }, attempts, clock.now())
  }
}
