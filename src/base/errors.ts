/** The kinds of errors of the public contract. `base/http/dialects.ts` maps each to a status. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'notAllowed'
  | 'timedOut'
  | 'conflict'
  | 'gone'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupportedType'
  | 'unprocessable'
  | 'rateLimited'
  | 'notImplemented'
  | 'unavailable'

/** The codes of refused files (contract 10.5). */
export type FailureCode =
  | 'UNSUPPORTED_FILE_TYPE'
  | 'ASSET_SIZE_EXCEEDS_LIMIT'
  | 'MEDIA_LIBRARY_LIMIT_REACHED'
  | 'ASSET_UPLOAD_FAILED'

export type FailureDetails = {
  /** Sent as `error_code`, where the interface has one. */
  code?: FailureCode
  /** One entry for each mistake. The dialect decides whether the answer names them `errors` or `details`. */
  errors?: readonly unknown[]
  /** The `scimType` of a SCIM error: `uniqueness`, `invalidFilter`, `mutability`, ... */
  scimType?: string
  /** Whole seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfterS?: number
  headers?: Readonly<Record<string, string>>
}

/**
 * The only error that a caller sees. Its message is public. Its `cause` is private: it is logged and never sent. Every other error
 * is a bug and is answered with "Internal error".
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

/** Returns the error for an unavailable or overloaded database, or for a write with an unknown outcome. The caller may try again. */
export function unavailable(message: string, cause?: unknown, retryAfterS = 1): Failure {
  return new Failure('unavailable', message, { retryAfterS }, cause)
}

/** Returns whether an error means an unavailable or overloaded database, and not a mistake in the request. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable'
}
