import { Failure } from '../../base/errors.ts'
import { contentTag, hasTag } from '../../base/http/etag.ts'
import { ReplyWithHeaders } from '../../base/http/route.ts'
import type { Account } from '../accounts/account.ts'
import type { AccountReply } from './schema.ts'

/**
 * Returns the ETag of an account: its version, which a change compares, and a hash of the answer, which also depends on the names of roles
 * and on the last sign-in.
 */
export function accountTag({ version }: Pick<Account, 'version'>, reply: AccountReply): string {
  return `W/"${version}.${contentTag(reply).slice(1, -1)}"`
}

/** Returns the answer with an account and its ETag; 304 when `If-None-Match` has this tag. */
export function accountReply(
  account: Account,
  reply: AccountReply,
  { known, status, more = {} }: { known?: string | undefined; status?: number; more?: object } = {},
): ReplyWithHeaders {
  const headers = { ETag: accountTag(account, reply) }
  if (known !== undefined && hasTag(known, headers.ETag)) return new ReplyWithHeaders(undefined, headers, 304)
  return new ReplyWithHeaders({ account: reply, ...more }, headers, status)
}

const versionOfTag = /^(?:W\/)?"(\d{1,15})(?:\.[\w-]*)?"$/

/** Refuses a write with 412 when `If-Match` has only other versions. A tag of SCIM, which is the version alone, is accepted as well. */
export function refuseOtherVersion({ version }: Pick<Account, 'version'>, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (tags.some((tag) => tag === '*' || versionOfTag.exec(tag)?.[1] === String(version))) return
  throw new Failure(
    'preconditionFailed',
    'The account has changed since you read it. Read it again, and repeat your change.',
  )
}
