import { ReplyWithHeaders } from '../../base/http/route.ts'
import type { Account } from '../accounts/account.ts'
import type { AccountWriting } from '../accounts/write-accounts.ts'
import type { Declared } from '../permissions/declared.ts'
import { etagOf } from './etag.ts'
import { type Projection, project } from './projection.ts'
import { toResource } from './user.ts'

export type ScimServices = AccountWriting & {
  /** The base of URLs in answers. */
  readonly publicUrl: string
}

export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A page of a list that begins at `startIndex`, counted from 1 (RFC 7644, section 3.4.2). */
export function listReply(resources: readonly object[], totalResults = resources.length, startIndex = 1): object {
  return { schemas: [listSchema], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources }
}

/** Returns an account with its ETag. */
export function userReply(account: Account, declared: Declared, projection: Projection, { publicUrl }: ScimServices) {
  return new ReplyWithHeaders(project(toResource(account, declared, publicUrl), projection), { ETag: etagOf(account) })
}
