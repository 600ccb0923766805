import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { describePermissions } from '../permissions/permissions.ts'
import { changeUser } from './change-user.ts'
import { computeChange } from './compute-change.ts'
import type { ScimServices } from './reply.ts'
import { toScimFailure } from './scim-failure.ts'
import { toAccountGiven } from './user.ts'
import { type GivenUser, type PassOver, type ReadUser, readUser } from './values.ts'

/** Replaces an account except its name: `PUT /scim/v2/Users/{id}` (specification 4.10). Throws 400, 404 and 412. */
export function replaceUser(call: Call, request: Request, services: ScimServices): Promise<ReplyWithHeaders> {
  return changeUser(call, request, services, (account, declared) =>
    computeChange(call, account, request.body, (passOver) =>
      replacement(call, account, declared, request.body, passOver),
    ),
  )
}

/**
 * A default department means that an identity provider is in use, so properties that its requests never have stay as they are. What clients
 * of the specification do not know always stays when the body does not name it. A `userName` is ignored (contract 4.10).
 */
function replacement(
  { actor }: Call,
  account: Account,
  declared: Declared,
  body: unknown,
  passOver: PassOver | undefined,
): { given: AccountGiven; isDisabling: boolean } {
  const { defaultDepartment } = declared
  const required = ['name', ...(defaultDepartment === undefined ? ['department', 'permissions'] : [])]
  const read = readUser(body, required, passOver)
  if ('mistake' in read) throw toScimFailure(read.mistake)
  const { user, enterpriseDepartment } = read
  const isEnterpriseDepartment = enterpriseDepartment !== undefined
  const after = {
    ...storedUser(account, read, passOver !== undefined, defaultDepartment),
    ...user,
    ...(isEnterpriseDepartment && { department: enterpriseDepartment }),
    ...(user.permissions === undefined && { permissions: describePermissions(account.permissions, declared) }),
    ...(read.named.has('roles') && { roles: user.roles ?? [] }),
  }
  const given = toAccountGiven({ user: after as GivenUser, isEnterpriseDepartment }, declared, actor, account, passOver)
  return { given, isDisabling: user.active === false }
}

/** Returns what the account keeps: what the body does not name, and with `keepsAll` also what it names and could not have. */
function storedUser(
  account: Account,
  { named, user }: ReadUser,
  keepsAll: boolean,
  defaultDepartment: string | undefined,
): GivenUser {
  const { external_id, display_name, locale, title, user_type, active, emails, ims } = account
  const department = account.department ?? defaultDepartment
  const keeps = (name: keyof GivenUser) => user[name] === undefined && (keepsAll || !named.has(name))
  return {
    ...(keepsAll && { name: { givenName: account.given_name, familyName: account.family_name } }),
    ...(keeps('externalId') && external_id !== null && { externalId: external_id }),
    ...(keeps('displayName') && display_name !== null && { displayName: display_name }),
    ...(keeps('locale') && locale !== null && { locale }),
    ...(keeps('title') && title !== null && { title }),
    ...(keeps('userType') && user_type !== null && { userType: user_type }),
    ...(keeps('emails') && { emails }),
    ...(keeps('ims') && { ims }),
    ...(department !== undefined && { department }),
    active,
  }
}
