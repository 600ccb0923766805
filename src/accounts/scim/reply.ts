import { ReplyWithHeaders } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Account } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { type Projection, project } from './projection.ts'
import { tagOf } from './tag.ts'
import { resourceOf } from './user.ts'

export type ScimParts = {
  /** What locations begin with. */
  readonly publicUrl: string
  readonly workspaces: Pick<Workspaces, 'default'>
}

export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A piece of a list that begins at `startIndex`, counted from 1 (RFC 7644, section 3.4.2). */
export function shownList(resources: readonly object[], totalResults = resources.length, startIndex = 1): object {
  return { schemas: [listSchema], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources }
}

/** An account as an answer has it, with its entity tag. */
export function shownUser(account: Account, declared: Declared, projection: Projection, { publicUrl }: ScimParts) {
  return new ReplyWithHeaders(project(resourceOf(account, declared, publicUrl), projection), { ETag: tagOf(account) })
}
