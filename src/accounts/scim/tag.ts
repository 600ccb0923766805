import { Failure } from '../../base/errors.ts'
import type { Account } from '../accounts/account.ts'

type Versioned = Pick<Account, 'version'>

/** The entity tag of an account (RFC 7644, section 3.14). Weak: the same state may be shown in several ways. */
export function tagOf({ version }: Versioned): string {
  return `W/"${version}"`
}

/** Whether what the client has, by its `If-None-Match`, is still so. */
export function isKnown(account: Versioned, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch !== undefined && meets(account, ifNoneMatch)
}

/** The version that a write is about; undefined when its `If-Match` leaves it open. Throws 412 when the account has another one. */
export function expectedVersion(account: Versioned, ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  if (meets(account, ifMatch)) return account.version
  throw new Failure('preconditionFailed', `The user has changed: it is ${tagOf(account)} now`)
}

/** Weak or strong, one of several or any: for who holds a tag it is the same state. */
function meets({ version }: Versioned, condition: string): boolean {
  const tags = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(`"${version}"`)
}
