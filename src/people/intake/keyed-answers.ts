import type { Tx } from '../../base/db/db.ts'
import { answerKeptMs, busy, reservedMs } from '../../base/http/idempotency.ts'
import { claimKeys, keepAnswers } from '../../base/http/idempotency-store.ts'
import type { ItemLosses } from './flush-outcome.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** Thrown when another transaction has answered requests with the keys of these. The other requests of the flush can be applied. */
export class KeysTaken extends Error {
  readonly requests: ReadonlySet<PreparedRequest>

  constructor(requests: readonly PreparedRequest[]) {
    super('an Idempotency-Key of the flush was used meanwhile')
    this.requests = new Set(requests)
  }

  /** Returns the answer to these requests. When they are repeated, they get the stored answer. */
  refusal(): Error {
    return busy()
  }
}

/** Claims the keys of requests. Throws `KeysTaken` if some were used meanwhile. */
export async function claimAnswers(tx: Tx, requests: readonly PreparedRequest[], nowMs: number): Promise<void> {
  const keyed = requests.filter(({ once }) => once !== undefined)
  if (keyed.length === 0) return
  const keys = keyed.map(({ once }) => once!.key)
  const free = await claimKeys(tx, keys, nowMs, nowMs + reservedMs)
  const taken = keyed.filter((_, i) => !free[i])
  if (taken.length > 0) throw new KeysTaken(taken)
}

/** Stores the answers to requests with keys. Refusals are not stored. */
export async function keepKeyedAnswers(
  tx: Tx,
  requests: readonly PreparedRequest[],
  losses: ItemLosses,
  nowMs: number,
): Promise<void> {
  const answers = requests.flatMap(({ once }) => {
    const reply = once?.replyTo(losses)
    return once && reply ? [{ key: once.key, answer: { body_hash: once.body_hash, status: once.status, reply } }] : []
  })
  if (answers.length > 0) await keepAnswers(tx, answers, nowMs + answerKeptMs)
}
