import { isDeepStrictEqual } from 'node:util'
import type { Account, AccountGiven, Email } from '../accounts/account.ts'
import { isAddress } from '../accounts/address.ts'
import type { Declared } from '../permissions/declared.ts'
import { describePermissions, type Permissions, resolvePermissions } from '../permissions/permissions.ts'
import { etagOf } from './etag.ts'
import { lowerAscii } from './filter-match.ts'
import { userSchema } from './schema.ts'
import { invalidValue } from './scim-failure.ts'
import type { GivenUser } from './values.ts'

/** The base URL of SCIM. It comes from the configuration, never from the host of a request. */
export function scimBase(publicUrl: string): string {
  return `${publicUrl}/scim/v2`
}

export function userLocation({ account_id }: Pick<Account, 'account_id'>, publicUrl: string): string {
  return `${scimBase(publicUrl)}/Users/${account_id}`
}

/** Returns an account with all attributes (specification 2.7), before projection. */
export function toResource(account: Account, declared: Declared, publicUrl: string) {
  const { account_id, external_id, user_name, given_name, family_name, department, active } = account
  const { display_name, locale, emails, permissions, created_at, updated_at, last_sign_in_at } = account
  const created = created_at.toISOString()
  return {
    schemas: [userSchema],
    id: account_id,
    ...(external_id !== null && { externalId: external_id }),
    userName: user_name,
    name: { givenName: given_name, familyName: family_name },
    ...(display_name !== null && { displayName: display_name }),
    ...(locale !== null && { locale }),
    active,
    emails,
    ...(department !== null && { department }),
    lastSignInAt: last_sign_in_at?.toISOString() ?? null,
    createdAt: created,
    permissions: describePermissions(permissions, declared),
    meta: {
      resourceType: 'User',
      created,
      lastModified: updated_at.toISOString(),
      location: userLocation(account, publicUrl),
      version: etagOf(account),
    },
  }
}

/** Checks the attributes of a request. `before` is the stored account. Throws 400. */
export function toAccountGiven(user: GivenUser, declared: Declared, before?: Account): AccountGiven {
  const { name, externalId, displayName, locale, active, emails } = user
  return {
    given_name: name!.givenName!,
    family_name: name!.familyName!,
    department: readDepartment(user.department, declared, before?.department ?? null),
    external_id: externalId ?? null,
    display_name: displayName ?? null,
    locale: locale ?? null,
    ...(active !== undefined && { active }),
    ...(emails && { emails: readEmails(emails, before?.emails) }),
    permissions: readPermissions(user.permissions, declared, before?.permissions),
  }
}

/** Reads the name of a new account. Throws 400 when it is not an e-mail address. */
export function readUserName({ userName = '' }: GivenUser): string {
  if (!isAddress(userName)) throw invalidValue('userName must be an e-mail address')
  return userName
}

/** Returns the department as the settings spell it. An account may keep one that the settings no longer have. */
function readDepartment(given: string | undefined, { departments }: Declared, before: string | null): string | null {
  if (given === undefined || given === before) return given ?? null
  const known = departments.find((each) => lowerAscii(each) === lowerAscii(given))
  if (known === undefined) throw invalidValue(`department must be one of ${departments.join(', ')}`)
  return known
}

function readEmails(given: readonly Email[], before: readonly Email[] = []): readonly Email[] {
  const wrong = given.findIndex(({ value }) => !isAddress(value) && !before.some((each) => each.value === value))
  if (wrong >= 0) throw invalidValue(`emails[${wrong}].value must be an e-mail address`)
  return given
}

/** A client may send the answered permissions back, even if the settings would refuse them now. */
function readPermissions(given: GivenUser['permissions'], declared: Declared, before?: Permissions): Permissions {
  if (before && isDeepStrictEqual(given, describePermissions(before, declared))) return before
  const resolved = resolvePermissions(given, declared)
  if ('mistake' in resolved) throw invalidValue(`${resolved.mistake.path} ${resolved.mistake.message}`)
  return resolved.permissions
}
