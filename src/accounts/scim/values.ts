import type { Email } from '../accounts/account.ts'
import { readInstant } from './filter.ts'
import type { Members } from './filter-match.ts'
import { type Attribute, enterpriseSchema, findAttribute, userResource, userSchema } from './schema.ts'
import { isStorable } from './tokens.ts'

/** UTF-16 units of one text. */
export const textCharactersMax = 1024
/** Entries of one list. */
export const itemsMax = 1000

/** What is refused, as RFC 7644, section 3.12, words it. */
export type ScimType =
  | 'invalidValue'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidFilter'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
export type Mistake = { readonly scimType: ScimType; readonly detail: string }

/** Somebody as a request says it: names as the schema writes them, what is not kept left out, `permissions` not looked up yet. */
export type GivenUser = {
  readonly userName?: string
  readonly externalId?: string
  readonly name?: { readonly givenName?: string; readonly familyName?: string }
  readonly displayName?: string
  readonly locale?: string
  readonly active?: boolean
  readonly emails?: readonly Email[]
  readonly department?: string
  readonly permissions?: Members
}

/**
 * The body of a creation or of a replacement. `required` names the members that must be there: those of the schema, when nothing else is
 * said. Members that nobody may set are ignored (RFC 7644, section 3.5.1), and so are those that nobody knows.
 */
export function readUser(
  body: unknown,
  required: readonly string[] = requiredNames,
): { user: GivenUser } | { mistake: Mistake } {
  if (!isMembers(body)) return { mistake: { scimType: 'invalidSyntax', detail: 'The body must be a JSON object' } }
  const wrong = schemasMistake(body, userSchema)
  if (wrong) return { mistake: wrong }
  const { value, mistake } = readMembers(body, userResource, '')
  if (mistake) return { mistake }
  const extension = memberOf(body, enterpriseSchema)
  const department = isMembers(extension) ? memberOf(extension, 'department') : undefined
  if (department !== undefined && value.department === undefined) {
    const read = readValue(findAttribute(userResource, 'department')!, department, `${enterpriseSchema}:department`)
    if (read.mistake) return { mistake: read.mistake }
    if (read.value !== undefined) value.department = read.value
  }
  const missing = missingOf(value, required)
  return missing ? { mistake: missing } : { user: value as GivenUser }
}

const requiredNames = userResource.filter((each) => each.required).map(({ name }) => name)

/** The first member that must be there and is not. */
export function missingOf(user: Members, required: readonly string[] = requiredNames): Mistake | undefined {
  const missing =
    required.find((name) => user[name] === undefined) ??
    (isMembers(user.name)
      ? ['givenName', 'familyName']
          .filter((name) => (user.name as Members)[name] === undefined)
          .map((name) => `name.${name}`)[0]
      : undefined)
  return missing === undefined ? undefined : { scimType: 'invalidValue', detail: `${missing} is required` }
}

/** The refusal of a body whose `schemas` do not name what it must be. */
export function schemasMistake(body: Members, schema: string): Mistake | undefined {
  const given = memberOf(body, 'schemas')
  const names = Array.isArray(given) ? given : []
  const isNamed = names.some((name) => typeof name === 'string' && name.toLowerCase() === schema.toLowerCase())
  return isNamed ? undefined : { scimType: 'invalidValue', detail: `schemas must be a list with ${schema} in it` }
}

export type Read = { readonly value: unknown; readonly mistake?: Mistake }

/**
 * A value as the attribute keeps it, `undefined` for what means nothing: null, an empty text. A list may be given as its only item.
 * The words true and false stand for the values, as some providers send them.
 */
export function readValue(attribute: Attribute, given: unknown, path: string): Read {
  if (!attribute.multiValued) return readOne(attribute, given, path)
  if (given === null || given === undefined) return nothing
  const items = Array.isArray(given) ? given : [given]
  const { entriesMax = itemsMax } = attribute
  if (items.length > entriesMax) return invalid(`${path} must have at most ${entriesMax} entries`)
  const values: unknown[] = []
  for (const [i, item] of items.entries()) {
    const read = readItem(attribute, item, Array.isArray(given) ? `${path}[${i}]` : path)
    if (read.mistake) return read
    if (read.value !== undefined) values.push(read.value)
  }
  if (values.filter((item) => isMembers(item) && item.primary === true).length > 1) {
    return invalid(`${path} must have at most one entry that is primary`)
  }
  return { value: values }
}

/** An item of a list; one that has everything but its value is none. */
export function readItem(attribute: Attribute, given: unknown, path: string): Read {
  const { subAttributes } = attribute
  if (subAttributes === undefined) {
    const read = readOne(attribute, given, path)
    return read.value === undefined && !read.mistake ? invalid(`${path} must be text`) : read
  }
  const hasValue = subAttributes.some(({ name }) => name === 'value')
  const read = readOne(attribute, hasValue && typeof given === 'string' ? { value: given } : given, path)
  return hasValue && !read.mistake && (read.value as Members | undefined)?.value === undefined ? nothing : read
}

const nothing: Read = { value: undefined }

function readOne(attribute: Attribute, given: unknown, path: string): Read {
  if (given === null || given === undefined || given === '') return nothing
  const { type, subAttributes } = attribute
  if (subAttributes)
    return isMembers(given) ? readMembers(given, subAttributes, path) : invalid(`${path} must be an object`)
  if (type === 'boolean') {
    if (typeof given === 'boolean') return { value: given }
    const word = typeof given === 'string' ? given.toLowerCase() : ''
    return word === 'true' || word === 'false' ? { value: word === 'true' } : invalid(`${path} must be true or false`)
  }
  if (typeof given !== 'string') return invalid(`${path} must be text`)
  if (given.length > textCharactersMax) return invalid(`${path} must have at most ${textCharactersMax} characters`)
  if (!isStorable(given)) return invalid(`${path} holds a character that no text has`)
  if (type === 'dateTime' && readInstant(given) === undefined) return invalid(`${path} must be a moment`)
  return { value: given }
}

/** Walks what is given, but makes only members that the schema has, so that no name of a request becomes one of an object of ours. */
function readMembers(
  given: Members,
  among: readonly Attribute[],
  path: string,
): Read & { value: { [name: string]: unknown } } {
  const value: { [name: string]: unknown } = {}
  for (const [name, each] of Object.entries(given)) {
    const attribute = findAttribute(among, path === '' ? withoutUserSchema(name) : name)
    if (attribute === undefined || !isSet(attribute)) continue
    const read = readValue(attribute, each, path === '' ? attribute.name : `${path}.${attribute.name}`)
    if (read.mistake) return { value: {}, mistake: read.mistake }
    if (read.value !== undefined) value[attribute.name] = read.value
  }
  return { value }
}

/** Whether a client may set it, and it is kept. */
export function isSet({ mutability }: Attribute): boolean {
  return mutability === 'readWrite' || mutability === 'immutable'
}

function withoutUserSchema(name: string): string {
  const prefix = `${userSchema}:`
  return name.toLowerCase().startsWith(prefix.toLowerCase()) ? name.slice(prefix.length) : name
}

/** The member of that name, whatever its case. */
export function memberOf(members: Members, name: string): unknown {
  const lower = name.toLowerCase()
  return Object.entries(members).find(([each]) => each.toLowerCase() === lower)?.[1]
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(detail: string): Read {
  return { value: undefined, mistake: { scimType: 'invalidValue', detail } }
}
