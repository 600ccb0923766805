/** What is wrong with the part of a body at a path, in the words of the server. */
export type GivenMistake = { readonly path: string; readonly message: string }

type ErrorFacts = {
  readonly status?: number
  readonly requestId?: string | undefined
  readonly retryAfterS?: number
  readonly errors?: readonly string[]
  readonly mistakes?: readonly GivenMistake[]
}

/** A request that Easel refused, or did not answer. */
export class CallError extends Error {
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** How long to wait before the next try, as the server says. */
  readonly retryAfterS: number | undefined
  /** What is wrong with parts of the request, in the words of the server. */
  readonly errors: readonly string[]
  /** Those of them that have a path. */
  readonly mistakes: readonly GivenMistake[]

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message)
    this.status = facts.status
    this.requestId = facts.requestId
    this.retryAfterS = facts.retryAfterS
    this.errors = facts.errors ?? []
    this.mistakes = facts.mistakes ?? []
  }
}

/** Tries of a request that the server asks to repeat. */
export const triesMax = 3
const waitS = 2
const waitSMax = 30

/** Whether a failed request is worth another try by itself: the server is busy, or has asked to wait. */
export function isWorthRetrying(failures: number, error: unknown): boolean {
  return failures < triesMax && error instanceof CallError && (error.status === 429 || error.status === 503)
}

/** How long to wait before another try, in milliseconds. */
export function retryDelayMs(_failures: number, error: unknown): number {
  const seconds = error instanceof CallError ? (error.retryAfterS ?? waitS) : waitS
  return Math.min(seconds, waitSMax) * 1_000
}

/** The title for an error, in the reader's words. The sentence of the server stands below it. */
export function titleOf(error: unknown): string {
  const status = error instanceof CallError ? error.status : undefined
  if (status === undefined) return 'Easel does not answer'
  if (status === 403) return 'You may not see this'
  if (status === 404) return 'There is no such thing here'
  if (status === 409 || status === 412) return 'Somebody changed this meanwhile'
  if (status === 429 || status === 503) return 'Easel is busy'
  return status >= 500 ? 'Easel made a mistake' : 'Easel refused this'
}

/** The sentence of an error. */
export function sentenceIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
