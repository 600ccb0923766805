/** What went wrong, in the words of the public contract. Dialects (`base/http/dialects.ts`) turn a kind into a status. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'notAllowed'
  | 'timedOut'
  | 'conflict'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupportedType'
  | 'unprocessable'
  | 'rateLimited'
  | 'notImplemented'
  | 'unavailable'

export type FailureDetails = {
  /** Entries of the dialect's list of errors. */
  errors?: readonly unknown[]
  /** What a SCIM error calls it: `uniqueness`, `invalidFilter`, `mutability`, ... */
  scimType?: string
  /** Whole seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfterS?: number
  headers?: Readonly<Record<string, string>>
}

/**
 * The only error a caller may see. Its message is public by definition; the private part is `cause`, which is logged and
 * never sent. Anything that is not a Failure is our mistake and is answered with "Internal error".
 */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly details: FailureDetails

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.kind = kind
    this.details = details
  }
}

export function invalid(message: string, errors?: readonly unknown[]): Failure {
  return new Failure('invalid', message, errors === undefined ? {} : { errors })
}

export function unauthenticated(message: string): Failure {
  return new Failure('unauthenticated', message)
}

export function forbidden(message: string): Failure {
  return new Failure('forbidden', message)
}

export function notFound(message: string): Failure {
  return new Failure('notFound', message)
}

export function conflict(message: string): Failure {
  return new Failure('conflict', message)
}

/** Storage is away or saturated, or the outcome of a write is not known: the caller may try again. */
export function unavailable(message: string, cause?: unknown, retryAfterS = 1): Failure {
  return new Failure('unavailable', message, { retryAfterS }, cause)
}

/** Whether that is why something failed: what was asked for is not to blame. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable'
}
