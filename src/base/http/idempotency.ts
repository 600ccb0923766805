import type { Call } from '../call.ts'
import type { Tx } from '../db/db.ts'
import { Failure, invalid } from '../errors.ts'
import { ExactNumber } from '../exact-number.ts'
import { sha256 } from '../ids.ts'
import {
  findAnswer,
  type IdempotencyKey,
  keepAnswer,
  lockKey,
  reserveKey,
  type StoredAnswer,
} from './idempotency-store.ts'
import { ReplyWithHeaders, type Request, type Route, statusOf } from './route.ts'

const dayMs = 24 * 3_600_000
/** How long an answer is stored, in machine time. */
export const answerKeptMs = dayMs
/** How long a key without an answer is stored: its request is still running or was refused. Longer than any request takes. */
export const reservedMs = 10 * 60_000
/** The largest number of visible ASCII characters in a key. */
export const keyCharactersMax = 255

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${keyCharactersMax}}$`)
export const badKey = `'Idempotency-Key' must be 1 to ${keyCharactersMax} visible characters`
export const otherBody = "This 'Idempotency-Key' was used with another request"
export const stillRunning = "The request with this 'Idempotency-Key' is still being processed"

/**
 * Runs the only transaction of a verb. What `work` returns is the answer, which the verb must return. If the request has a key, the
 * answer is stored in the same transaction.
 */
export type Commit = <Reply extends object>(work: (tx: Tx) => Promise<Reply>) => Promise<Reply>

type Unanswered<R> = R extends unknown ? Omit<R, 'handle'> : never

export type IdempotentRoute = Unanswered<Route> & {
  readonly handle: (call: Call, request: Request, commit: Commit) => Promise<object>
}

/**
 * Defines a route whose `Idempotency-Key` makes a retry safe: the same request gets the first answer again and has no further effect,
 * even when the first answer was lost. A different request with the key gets 422, one while the first is running 409. Refusals are
 * not stored. A key is unique in its workspace and path.
 */
export function defineIdempotent(route: IdempotentRoute): Route {
  return defineOnce(route, (call, request, once) =>
    once ? answerOnce(call, request, once, route) : route.handle(call, request, (work) => call.db.transaction(work)),
  )
}

/** A request with a key. Its answer is stored in the transaction that does the work. */
export type Once = { readonly key: IdempotencyKey; readonly body_hash: Buffer; readonly status: number }

export type SharedIdempotentRoute = Unanswered<Route> & {
  readonly handle: (call: Call, request: Request, once: Once | undefined) => Promise<object>
}

/**
 * Defines the same for a verb whose work is committed together with that of other requests. That transaction claims the keys of its
 * requests before it locks anything, and stores their answers.
 */
export function defineSharedIdempotent(route: SharedIdempotentRoute): Route {
  return defineOnce(route, route.handle)
}

function defineOnce(
  route: Unanswered<Route>,
  answer: (call: Call, request: Request, once: Once | undefined) => Promise<object>,
): Route {
  const running = new Set<string>()
  const status = statusOf(route)
  return {
    ...route,
    idempotent: true,
    async handle(call, request) {
      const sent = request.headers['idempotency-key']
      if (sent === undefined) return answer(call, request, undefined)
      if (typeof sent !== 'string' || !keyForm.test(sent)) throw invalid(badKey)
      const key = { workspace_id: call.workspace_id, key_hash: sha256(sent), path: route.path }
      const once = { key, body_hash: hashOf([request.params, request.body]), status }
      const stored = await findAnswer(call.db, key, call.clock.elapsed())
      if (stored) return replay(stored, once.body_hash)
      const own = `${call.workspace_id}/${sent}`
      if (running.has(own)) throw busy()
      running.add(own)
      try {
        return await answer(call, request, once)
      } finally {
        running.delete(own)
      }
    },
  }
}

async function answerOnce(call: Call, request: Request, once: Once, route: IdempotentRoute): Promise<object> {
  const { db, clock } = call
  const { key, body_hash, status } = once
  await reserveKey(db, key, clock.elapsed() + reservedMs)
  let meanwhile: StoredAnswer | undefined
  const reply = await route.handle(call, request, (work) =>
    db.transaction(async (tx) => {
      const locked = await lockKey(tx, key, clock.elapsed())
      if (!locked) throw busy()
      meanwhile = locked.stored
      if (meanwhile) return meanwhile.reply as Awaited<ReturnType<typeof work>>
      const answer = await work(tx)
      await keepAnswer(tx, key, { body_hash, status, reply: answer }, clock.elapsed() + answerKeptMs)
      return answer
    }),
  )
  return meanwhile ? replay(meanwhile, body_hash) : reply
}

function replay({ reply, body_hash }: StoredAnswer, sentHash: Buffer): ReplyWithHeaders {
  if (!sentHash.equals(body_hash)) throw new Failure('unprocessable', otherBody)
  return new ReplyWithHeaders(reply, { 'Idempotent-Replayed': 'true' })
}

/** Refuses a request whose key another one has claimed. */
export function busy(): Failure {
  return new Failure('conflict', stillRunning, { retryAfterS: 1 })
}

/** Hashes a JSON value of any depth. The order of members makes no difference. */
export function hashOf(value: unknown): Buffer {
  const words: string[] = []
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null || next instanceof ExactNumber) {
      words.push(`${JSON.stringify(next)}`)
      continue
    }
    const isList = Array.isArray(next)
    const keys = isList ? [] : Object.keys(next).sort()
    words.push(isList ? `[${next.length}` : `{${JSON.stringify(keys)}`)
    const inner = isList ? next : keys.map((key) => (next as Record<string, unknown>)[key])
    for (let i = inner.length - 1; i >= 0; i--) left.push(inner[i])
  }
  return sha256(words.join('\n'))
}
