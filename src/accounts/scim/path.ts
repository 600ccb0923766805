import {
  type Attribute,
  enterpriseAttributes,
  enterpriseSchema,
  findAttribute,
  groupSchema,
  notStored,
  userSchema,
} from './schema.ts'

/** An attribute after its parents, the outermost first. */
export type AttributeChain = readonly [Attribute, ...Attribute[]]

const schemaUrns = [
  { urn: enterpriseSchema, isEnterprise: true },
  { urn: userSchema, isEnterprise: false },
  { urn: groupSchema, isEnterprise: false },
]

/** Splits a name from its schema. `rest` is empty for a schema alone. Undefined when users do not have the schema. */
export function splitSchema(text: string): { isEnterprise: boolean; rest: string } | undefined {
  const lower = text.toLowerCase()
  const found = schemaUrns.find(({ urn }) => {
    return lower.startsWith(urn.toLowerCase()) && (text.length === urn.length || text[urn.length] === ':')
  })
  if (found) return { isEnterprise: found.isEnterprise, rest: text.slice(found.urn.length + 1) }
  return lower.startsWith('urn:') ? undefined : { isEnterprise: false, rest: text }
}

/**
 * Finds the attribute of a path such as `name.givenName` or `urn:...:User:department`; undefined when there is none. The department of the
 * enterprise schema is the same attribute as the department of the user.
 */
export function findChain(text: string, among: readonly Attribute[]): AttributeChain | undefined {
  const name = splitSchema(text)
  if (name === undefined) return undefined
  if (name.isEnterprise && findAttribute(enterpriseAttributes, name.rest) === undefined) return undefined
  return followNames(name.rest.split('.'), among)
}

function followNames(
  [first = '', ...rest]: readonly string[],
  among: readonly Attribute[],
): AttributeChain | undefined {
  const attribute = findAttribute(among, first)
  if (attribute === undefined) return undefined
  if (rest.length === 0) return [attribute]
  const inner = followNames(rest, attribute.subAttributes ?? [])
  return inner && [attribute, ...inner]
}

const chains = new WeakMap<readonly Attribute[], Map<string, AttributeChain>>()

/** Finds the attribute of a path that is spelled as in the schema. The number of such paths is limited, so they are cached. */
export function getChain(path: string, among: readonly Attribute[]): AttributeChain {
  let known = chains.get(among)
  if (known === undefined) {
    known = new Map()
    chains.set(among, known)
  }
  let chain = known.get(path)
  if (chain === undefined) {
    chain = findChain(path, among)!
    known.set(path, chain)
  }
  return chain
}

const itemAttributeLists = new WeakMap<Attribute, readonly Attribute[]>()

/** Returns the attributes of an item of a list. An item that is plain text has the attribute `value`. */
export function itemAttributes(list: Attribute): readonly Attribute[] {
  const known = list.subAttributes ?? itemAttributeLists.get(list)
  if (known) return known
  const created = [{ ...list, name: 'value', multiValued: false }]
  itemAttributeLists.set(list, created)
  return created
}

/** Returns a path such as `emails.value`. */
export function chainPath(chain: readonly Attribute[]): string {
  return chain.map(({ name }) => name).join('.')
}

/** Whether a path names an attribute that providers send but that is not stored. */
export function isNotStored(text: string): boolean {
  const name = splitSchema(text)
  if (name === undefined) return false
  const [first = '', second = ''] = name.rest.toLowerCase().split(/[.[]/)
  if (name.isEnterprise) return notStored.enterprise.has(first)
  return notStored.user.has(first) || (first === 'name' && notStored.name.has(second))
}
