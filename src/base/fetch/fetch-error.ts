/**
 * Why nothing was fetched. `url`: not http(s), too long, or with credentials in it · `request`: a method or header that cannot be sent ·
 * `port`, `address`: not to be reached from here (EASEL_FETCH_ALLOW) · `host`: nobody knows the name · `unreachable`: no connection, or
 * it broke · `timeout` · `redirects`: too many, or to what is no URL · `too_large`, `encoded`: the body · `closed`: the service is leaving.
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

/** Nothing was fetched. The message is for whoever wrote the URL: it says nothing of addresses inside, and no path or query. */
export class FetchError extends Error {
  readonly reason: FetchErrorReason

  constructor(reason: FetchErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FetchError'
    this.reason = reason
  }

  /** The same request may succeed later. */
  get temporary(): boolean {
    return temporaryReasons.has(this.reason)
  }
}
