/**
 * Why a fetch failed. `url`: not http(s), too long, or with credentials · `request`: a method or header that cannot be sent · `port`,
 * `address`: not allowed (EASEL_FETCH_ALLOW) · `host`: the name is unknown · `unreachable`: no connection, or it broke · `timeout` ·
 * `redirects`: too many, or not to a URL · `too_large`, `encoded`: the body · `closed`: the service is stopping.
 */
export type FetchErrorReason =
  | 'url'
  | 'request'
  | 'port'
  | 'address'
  | 'host'
  | 'unreachable'
  | 'timeout'
  | 'redirects'
  | 'too_large'
  | 'encoded'
  | 'closed'

const temporaryReasons: ReadonlySet<FetchErrorReason> = new Set(['host', 'unreachable', 'timeout', 'closed'])

/** A failed fetch. The message is for the author of the URL, so it has no internal address and no path or query. */
export class FetchError extends Error {
  readonly reason: FetchErrorReason

  constructor(reason: FetchErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FetchError'
    this.reason = reason
  }

  /** Whether the same request may succeed later. */
  get temporary(): boolean {
    return temporaryReasons.has(this.reason)
  }
}
