export type Refusal = {
  readonly method: string
  readonly path: string
  readonly status?: number
  readonly body?: unknown
  readonly requestId?: string | null
  readonly cause?: unknown
}

/** A call that has failed: the service refused it, or no answer came. The text names method, path and what the service says. */
export class EaselError extends Error {
  readonly method: string
  readonly path: string
  /** Undefined when no answer came; `cause` then has the reason. */
  readonly status: number | undefined
  /** The answer: an object with `message` where the service has refused the request itself. */
  readonly body: unknown
  /** The header `X-Request-Id`, which is in the log of the service. */
  readonly requestId: string | undefined

  constructor({ method, path, status, body, requestId, cause }: Refusal) {
    const outcome = status === undefined ? 'got no answer' : `was answered with ${status}`
    const reason = status === undefined ? reasonOf(cause) : saidIn(body)
    super(
      `${method} ${path} ${outcome}${reason === undefined ? '' : `: ${reason}`}`,
      cause === undefined ? {} : { cause },
    )
    this.name = 'EaselError'
    this.method = method
    this.path = path
    this.status = status
    this.body = body
    this.requestId = requestId ?? undefined
  }
}

/** Returns what the service says: `message`, or `detail` under `/scim`. */
function saidIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return
  const { message, detail } = body as { message?: unknown; detail?: unknown }
  return [message, detail].find((each) => typeof each === 'string')
}

/** Returns the innermost reason: `fetch failed` alone says nothing. */
function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return
  return reasonOf(cause.cause) ?? (cause.message || (cause as { code?: string }).code)
}
