import { Failure } from '../../base/errors.ts'
import { hasTag } from '../../base/http/etag.ts'
import type { Account } from '../accounts/account.ts'

type Versioned = Pick<Account, 'version'>

/** Returns the ETag of an account (RFC 7644, section 3.14). It is weak: answers on the same version may differ by their projection. */
export function etagOf({ version }: Versioned): string {
  return `W/"${version}"`
}

/** Whether `If-None-Match` has the current version. */
export function matchesIfNoneMatch(account: Versioned, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch !== undefined && hasTag(ifNoneMatch, etagOf(account))
}

/** Returns the version that a write expects; undefined without `If-Match` or with `*`. Throws 412 when the account has another one. */
export function expectedVersion(account: Versioned, ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  if (hasTag(ifMatch, etagOf(account))) return account.version
  throw new Failure('preconditionFailed', `The user has changed: it is ${etagOf(account)} now`)
}
