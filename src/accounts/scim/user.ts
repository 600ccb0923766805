import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../base/call.ts'
import { forbidden } from '../../base/errors.ts'
import type { Account, AccountAddress, AccountGiven } from '../accounts/account.ts'
import { isAddress } from '../accounts/address.ts'
import type { Declared } from '../permissions/declared.ts'
import { describePermissions, type Permissions, resolvePermissions } from '../permissions/permissions.ts'
import { etagOf } from './etag.ts'
import { lowerAscii } from './filter-match.ts'
import { userSchema } from './schema.ts'
import { invalidValue, toScimFailure } from './scim-failure.ts'
import { changeRoles, describeRoles, initialPermissions, readRoles } from './user-roles.ts'
import type { GivenUser, PassOver, ScimMistake } from './values.ts'

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
  const { display_name, locale, title, user_type, emails, ims, permissions, created_at, updated_at, last_sign_in_at } =
    account
  const created = created_at.toISOString()
  const roles = describeRoles(permissions, declared)
  return {
    schemas: [userSchema],
    id: account_id,
    ...(external_id !== null && { externalId: external_id }),
    userName: user_name,
    name: { givenName: given_name, familyName: family_name },
    ...(display_name !== null && { displayName: display_name }),
    ...(locale !== null && { locale }),
    ...(title !== null && { title }),
    ...(user_type !== null && { userType: user_type }),
    active,
    emails,
    ...(ims.length > 0 && { ims }),
    ...(department !== null && { department }),
    lastSignInAt: last_sign_in_at?.toISOString() ?? null,
    createdAt: created,
    permissions: describePermissions(permissions, declared),
    ...(roles.length > 0 && { roles }),
    meta: {
      resourceType: 'User',
      created,
      lastModified: updated_at.toISOString(),
      location: userLocation(account, publicUrl),
      version: etagOf(account),
    },
  }
}

/** What a request says of a user, and which rule its department has. */
export type UserGiven = {
  readonly user: GivenUser
  readonly isEnterpriseDepartment: boolean
}

/**
 * Checks the attributes of a request. `before` is the stored account. Throws 400; with `passOver` an attribute that cannot be accepted
 * stays as it is stored.
 */
export function toAccountGiven(
  { user, isEnterpriseDepartment }: UserGiven,
  declared: Declared,
  actor: Actor,
  before?: Account,
  passOver: PassOver = refuse,
): AccountGiven {
  const { name, externalId, displayName, locale, title, userType, active, emails, ims, department } = user
  const hadDepartment = before?.department ?? null
  const own = isEnterpriseDepartment
    ? readEnterpriseDepartment(department, declared, hadDepartment)
    : readDepartment(department, declared, hadDepartment)
  const given = {
    given_name: name?.givenName ?? before?.given_name ?? '',
    family_name: name?.familyName ?? '',
    department: accepted(own, hadDepartment, passOver),
    external_id: externalId ?? null,
    display_name: displayName ?? null,
    locale: locale ?? null,
    title: title ?? null,
    user_type: userType ?? null,
    ...(ims !== undefined && { ims }),
    ...(active !== undefined && { active }),
    permissions: readPermissions(user, declared, actor, before?.permissions, passOver),
  }
  if (emails === undefined) return given
  return { ...given, emails: accepted(readEmails(emails, before?.emails), before?.emails ?? [], passOver) }
}

type Read<T> = { readonly value: T } | { readonly mistake: ScimMistake }

function refuse(mistake: ScimMistake): never {
  throw toScimFailure(mistake)
}

function accepted<T>(read: Read<T>, otherwise: T, passOver: PassOver): T {
  if ('value' in read) return read.value
  passOver(read.mistake)
  return otherwise
}

function wrong(detail: string): { mistake: ScimMistake } {
  return { mistake: { scimType: 'invalidValue', detail } }
}

/** Reads the name of a new account. Throws 400 when it is not an e-mail address. */
export function readUserName({ userName = '' }: GivenUser): string {
  if (!isAddress(userName)) throw invalidValue('userName must be an e-mail address')
  return userName
}

/** Returns the department as the settings spell it. An account may keep one that the settings no longer have. */
function readDepartment(
  given: string | undefined,
  { departments }: Declared,
  before: string | null,
): Read<string | null> {
  if (given === undefined || given === before) return { value: given ?? null }
  const known = departments.find((each) => lowerAscii(each) === lowerAscii(given))
  return known === undefined ? wrong(`department must be one of ${departments.join(', ')}`) : { value: known }
}

/** A provider has departments of its own, and a person is not refused for one that is unknown here, unless the settings say so. */
function readEnterpriseDepartment(
  given: string | undefined,
  declared: Declared,
  before: string | null,
): Read<string | null> {
  const { defaultDepartment, unknownDepartments } = declared
  if (given === undefined) return { value: defaultDepartment ?? null }
  const known = readDepartment(given, declared, before)
  if ('value' in known || unknownDepartments === 'refuse') return known
  return { value: unknownDepartments === 'keep' ? given : (defaultDepartment ?? before) }
}

function readEmails(
  given: readonly AccountAddress[],
  before: readonly AccountAddress[] = [],
): Read<readonly AccountAddress[]> {
  const stored = new Set(before.map(({ value }) => value))
  const at = given.findIndex(({ value }) => !isAddress(value) && !stored.has(value))
  return at >= 0 ? wrong(`emails[${at}].value must be an e-mail address`) : { value: given }
}

/** What an account may do: `permissions`, changed by `roles`. A token that may not grant leaves it as it is. */
function readPermissions(
  user: GivenUser,
  declared: Declared,
  { mayGrant = true }: Actor,
  before: Permissions | undefined,
  passOver: PassOver,
): Permissions {
  const otherwise = before ?? initialPermissions(declared)
  const isNew = before === undefined && user.permissions === undefined
  const wanted = isNew ? otherwise : accepted(resolved(user.permissions, declared, before), otherwise, passOver)
  const roles = readRoles(user.roles, declared)
  const given = changeRoles(wanted, accepted(roles, undefined, passOver), before ?? wanted, declared)
  if (mayGrant || isDeepStrictEqual(given, otherwise)) return given
  if (passOver === refuse) throw forbidden('This SCIM token may not change permissions')
  passOver({ scimType: 'mutability', detail: 'This SCIM token may not change permissions' })
  return otherwise
}

/** A client may send the answered permissions back, even if the settings would refuse them now. */
function resolved(given: GivenUser['permissions'], declared: Declared, before?: Permissions): Read<Permissions> {
  if (before && isDeepStrictEqual(given, describePermissions(before, declared))) return { value: before }
  const read = resolvePermissions(given, declared)
  return 'permissions' in read ? { value: read.permissions } : wrong(`${read.mistake.path} ${read.mistake.message}`)
}
