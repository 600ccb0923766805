import { isDeepStrictEqual } from 'node:util'
import type { Account, AccountGiven, Email } from '../accounts/account.ts'
import { isAddress } from '../accounts/address.ts'
import type { Declared } from '../permissions/declared.ts'
import { describePermissions, type Permissions, resolvePermissions } from '../permissions/permissions.ts'
import { invalidValue } from './failures.ts'
import { folded } from './filter-match.ts'
import { userSchema } from './schema.ts'
import { tagOf } from './tag.ts'
import type { GivenUser } from './values.ts'

/** The base of all that is under `/scim/v2`, as clients see it: never what a request says of its host. */
export function baseOf(publicUrl: string): string {
  return `${publicUrl}/scim/v2`
}

export function locationOf({ account_id }: Pick<Account, 'account_id'>, publicUrl: string): string {
  return `${baseOf(publicUrl)}/Users/${account_id}`
}

/** An account as the interface shows it (specification 2.7); nothing is cut from it yet. */
export function resourceOf(account: Account, declared: Declared, publicUrl: string) {
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
      location: locationOf(account, publicUrl),
      version: tagOf(account),
    },
  }
}

/** What a request says of an account, checked. `before` is the account as it is. Throws 400. */
export function givenOf(user: GivenUser, declared: Declared, before?: Account): AccountGiven {
  const { name, externalId, displayName, locale, active, emails } = user
  return {
    given_name: name!.givenName!,
    family_name: name!.familyName!,
    department: departmentOf(user.department, declared, before?.department ?? null),
    external_id: externalId ?? null,
    display_name: displayName ?? null,
    locale: locale ?? null,
    ...(active !== undefined && { active }),
    ...(emails && { emails: emailsOf(emails, before?.emails) }),
    permissions: permissionsOf(user.permissions, declared, before?.permissions),
  }
}

/** Who is to have an account. Throws 400 when that is no e-mail address. */
export function userNameOf({ userName = '' }: GivenUser): string {
  if (!isAddress(userName)) throw invalidValue('userName must be an e-mail address')
  return userName
}

/** As the settings write it. One that an account has stays good when the settings forget it. */
function departmentOf(given: string | undefined, { departments }: Declared, before: string | null): string | null {
  if (given === undefined || given === before) return given ?? null
  const known = departments.find((each) => folded(each) === folded(given))
  if (known === undefined) throw invalidValue(`department must be one of ${departments.join(', ')}`)
  return known
}

function emailsOf(given: readonly Email[], before: readonly Email[] = []): readonly Email[] {
  const wrong = given.findIndex(({ value }) => !isAddress(value) && !before.some((each) => each.value === value))
  if (wrong >= 0) throw invalidValue(`emails[${wrong}].value must be an e-mail address`)
  return given
}

/** Whoever sends back what was shown changes nothing, even where the settings would refuse it by now. */
function permissionsOf(given: GivenUser['permissions'], declared: Declared, before?: Permissions): Permissions {
  if (before && isDeepStrictEqual(given, describePermissions(before, declared))) return before
  const resolved = resolvePermissions(given, declared)
  if ('mistake' in resolved) throw invalidValue(`${resolved.mistake.path} ${resolved.mistake.message}`)
  return resolved.permissions
}
