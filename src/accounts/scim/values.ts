import type { AccountAddress } from '../accounts/account.ts'
import { parseDateTime } from './filter.ts'
import type { ScimObject } from './filter-match.ts'
import {
  type Attribute,
  enterpriseAttributes,
  enterpriseSchema,
  findAttribute,
  notStored,
  userResource,
  userSchema,
} from './schema.ts'
import { isStorableText } from './tokens.ts'

/** UTF-16 units of one value. */
export const scimTextCharactersMax = 1024
/** Entries of one list. */
export const listEntriesMax = 1000

/** Error types of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidValue'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidFilter'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
export type ScimMistake = { readonly scimType: ScimType; readonly detail: string }

/** The user of a request. Names are spelled as in the schema. Attributes that are not stored are omitted. `permissions` is unresolved. */
export type GivenUser = {
  readonly userName?: string
  readonly externalId?: string
  readonly name?: { readonly givenName?: string; readonly familyName?: string }
  readonly displayName?: string
  readonly locale?: string
  readonly title?: string
  readonly userType?: string
  readonly active?: boolean
  readonly emails?: readonly AccountAddress[]
  readonly ims?: readonly AccountAddress[]
  readonly department?: string
  readonly permissions?: ScimObject
  readonly roles?: readonly { readonly value: string }[]
}

export type ReadUser = {
  readonly user: GivenUser
  /** The attributes that the body names, also those that it empties. */
  readonly named: ReadonlySet<string>
  /** The department of the enterprise schema, where the body has no core `department`; it never refuses a person. */
  readonly enterpriseDepartment?: string
}

/** Gets what a request could not have. With it, a reader leaves a wrong attribute out instead of refusing the request. */
export type PassOver = (mistake: ScimMistake) => void

/**
 * Reads the body of a creation or a replacement. `required` lists the attributes that must be given, by default those of the schema.
 * Read-only attributes (RFC 7644, section 3.5.1) and unknown ones are ignored. With `passOver` nothing but a body that is not an object is
 * refused.
 */
export function readUser(
  body: unknown,
  required: readonly string[] = requiredNames,
  passOver?: PassOver,
): ReadUser | { mistake: ScimMistake } {
  if (!isScimObject(body)) return { mistake: { scimType: 'invalidSyntax', detail: 'The body must be a JSON object' } }
  const wrong = checkSchemas(body, userSchema)
  if (wrong && !passOver) return { mistake: wrong }
  const { value, mistake } = readProperties(body, userResource, '', passOver)
  if (mistake) return { mistake }
  const named = new Set(
    Object.keys(body).flatMap((name) => findAttribute(userResource, withoutUserSchema(name))?.name ?? []),
  )
  const enterpriseDepartment = value.department === undefined ? readEnterpriseDepartment(body) : undefined
  if (isProviderBody(body)) completeName(value)
  const present = enterpriseDepartment === undefined ? value : { ...value, department: enterpriseDepartment }
  const missing = findMissing(present, required)
  if (missing && !passOver) return { mistake: missing }
  return { user: value as GivenUser, named, ...(enterpriseDepartment !== undefined && { enterpriseDepartment }) }
}

const requiredNames = userResource.filter((each) => each.required).map(({ name }) => name)

function readEnterpriseDepartment(body: ScimObject): string | undefined {
  const extension = findProperty(body, enterpriseSchema)
  const given = isScimObject(extension) ? findProperty(extension, 'department') : undefined
  const { value } = readAttributeValue(findAttribute(enterpriseAttributes, 'department')!, given, enterpriseSchema)
  return value as string | undefined
}

/** Attributes that clients of the specification do not know, in lower case. */
const providerNames: ReadonlySet<string> = new Set([
  ...['externalid', 'active', 'emails', 'displayname', 'locale', 'title', 'usertype', 'ims', 'password', 'roles'],
  enterpriseSchema.toLowerCase(),
  ...notStored.user,
])

/** Whether an identity provider wrote a body: it has an attribute that the specification does not have. */
function isProviderBody(body: ScimObject): boolean {
  return Object.keys(body).some((name) => providerNames.has(withoutUserSchema(name).toLowerCase()))
}

/** Some people have no surname, and some providers then send none. */
function completeName(user: { [name: string]: unknown }): void {
  if (isScimObject(user.name) && user.name.familyName === undefined) user.name = { ...user.name, familyName: '' }
}

/** Returns the mistake of the first required attribute that is missing. */
export function findMissing(
  user: ScimObject,
  required: readonly string[] = requiredNames,
  partsOfName: readonly string[] = ['givenName', 'familyName'],
): ScimMistake | undefined {
  const { name } = user
  const part = isScimObject(name) ? partsOfName.find((each) => name[each] === undefined) : undefined
  const missing = required.find((each) => user[each] === undefined) ?? (part && `name.${part}`)
  return missing === undefined ? undefined : { scimType: 'invalidValue', detail: `${missing} is required` }
}

/** Returns a mistake when the `schemas` of a body do not contain `schema`. */
export function checkSchemas(body: ScimObject, schema: string): ScimMistake | undefined {
  const given = findProperty(body, 'schemas')
  const names = Array.isArray(given) ? given : []
  const isNamed = names.some((name) => typeof name === 'string' && name.toLowerCase() === schema.toLowerCase())
  return isNamed ? undefined : { scimType: 'invalidValue', detail: `schemas must be a list with ${schema} in it` }
}

export type ReadValue = { readonly value: unknown; readonly mistake?: ScimMistake }

/**
 * Reads the value of an attribute; undefined for null and empty text. A single value is accepted for a list, and the texts true and false
 * for booleans, as some providers send them.
 */
export function readAttributeValue(attribute: Attribute, given: unknown, path: string): ReadValue {
  if (!attribute.multiValued) return readOne(attribute, given, path)
  if (given === null || given === undefined) return noValue
  const items = Array.isArray(given) ? given : [given]
  const { entriesMax = listEntriesMax } = attribute
  if (items.length > entriesMax) return invalid(`${path} must have at most ${entriesMax} entries`)
  const values: unknown[] = []
  for (const [i, item] of items.entries()) {
    const read = readListItem(attribute, item, Array.isArray(given) ? `${path}[${i}]` : path)
    if (read.mistake) return read
    if (read.value !== undefined) values.push(read.value)
  }
  if (values.filter((item) => isScimObject(item) && item.primary === true).length > 1) {
    return invalid(`${path} must have at most one entry that is primary`)
  }
  return { value: values }
}

/** Reads an item of a list. An item without its `value` is ignored. */
export function readListItem(attribute: Attribute, given: unknown, path: string): ReadValue {
  const { subAttributes } = attribute
  if (subAttributes === undefined) {
    const read = readOne(attribute, given, path)
    return read.value === undefined && !read.mistake ? invalid(`${path} must be text`) : read
  }
  const hasValue = subAttributes.some(({ name }) => name === 'value')
  const read = readOne(attribute, hasValue && typeof given === 'string' ? { value: given } : given, path)
  return hasValue && !read.mistake && (read.value as ScimObject | undefined)?.value === undefined ? noValue : read
}

const noValue: ReadValue = { value: undefined }

function readOne(attribute: Attribute, given: unknown, path: string): ReadValue {
  if (given === null || given === undefined || given === '') return noValue
  const { type, subAttributes } = attribute
  if (subAttributes)
    return isScimObject(given) ? readProperties(given, subAttributes, path) : invalid(`${path} must be an object`)
  if (type === 'boolean') {
    if (typeof given === 'boolean') return { value: given }
    const word = typeof given === 'string' ? given.toLowerCase() : ''
    return word === 'true' || word === 'false' ? { value: word === 'true' } : invalid(`${path} must be true or false`)
  }
  if (typeof given !== 'string') return invalid(`${path} must be text`)
  if (given.length > scimTextCharactersMax)
    return invalid(`${path} must have at most ${scimTextCharactersMax} characters`)
  if (!isStorableText(given)) return invalid(`${path} has a character that is not allowed in text`)
  if (type === 'dateTime' && parseDateTime(given) === undefined)
    return invalid(`${path} must be a time such as 2026-01-31T10:00:00Z`)
  return { value: given }
}

/** Creates only properties of the schema, so that a name such as `__proto__` in a request has no effect. */
function readProperties(
  given: ScimObject,
  among: readonly Attribute[],
  path: string,
  passOver?: PassOver,
): ReadValue & { value: { [name: string]: unknown } } {
  const value: { [name: string]: unknown } = {}
  for (const [name, each] of Object.entries(given)) {
    const attribute = findAttribute(among, path === '' ? withoutUserSchema(name) : name)
    if (attribute === undefined || !isWritable(attribute)) continue
    const read = readAttributeValue(attribute, each, path === '' ? attribute.name : `${path}.${attribute.name}`)
    if (read.mistake && !passOver) return { value: {}, mistake: read.mistake }
    if (read.mistake) passOver?.(read.mistake)
    else if (read.value !== undefined) value[attribute.name] = read.value
  }
  return { value }
}

/** Whether clients may set the attribute, and it is stored. */
export function isWritable({ mutability }: Attribute): boolean {
  return mutability === 'readWrite' || mutability === 'immutable'
}

function withoutUserSchema(name: string): string {
  const prefix = `${userSchema}:`
  return name.toLowerCase().startsWith(prefix.toLowerCase()) ? name.slice(prefix.length) : name
}

/** Finds a property by name, without regard to case. */
export function findProperty(members: ScimObject, name: string): unknown {
  const lower = name.toLowerCase()
  return Object.entries(members).find(([each]) => each.toLowerCase() === lower)?.[1]
}

export function isScimObject(value: unknown): value is ScimObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(detail: string): ReadValue {
  return { value: undefined, mistake: { scimType: 'invalidValue', detail } }
}
