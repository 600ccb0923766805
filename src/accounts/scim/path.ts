import { type Attribute, enterpriseAttributes, enterpriseSchema, findAttribute, unkept, userSchema } from './schema.ts'

/** An attribute and those it is inside of, the outermost first. */
export type Chain = readonly [Attribute, ...Attribute[]]

const schemaUrns = [
  { urn: enterpriseSchema, isEnterprise: true },
  { urn: userSchema, isEnterprise: false },
]

/** A name without its schema. `rest` is empty for a schema alone; undefined: the schema is none that users have. */
export function withoutSchema(text: string): { isEnterprise: boolean; rest: string } | undefined {
  const lower = text.toLowerCase()
  const found = schemaUrns.find(({ urn }) => {
    return lower.startsWith(urn.toLowerCase()) && (text.length === urn.length || text[urn.length] === ':')
  })
  if (found) return { isEnterprise: found.isEnterprise, rest: text.slice(found.urn.length + 1) }
  return lower.startsWith('urn:') ? undefined : { isEnterprise: false, rest: text }
}

/**
 * What `name.givenName` or `urn:...:User:department` means among these attributes; undefined when it means nothing. The department of the
 * enterprise schema is the department.
 */
export function findChain(text: string, among: readonly Attribute[]): Chain | undefined {
  const name = withoutSchema(text)
  if (name === undefined) return undefined
  if (name.isEnterprise && findAttribute(enterpriseAttributes, name.rest) === undefined) return undefined
  return chainOf(name.rest.split('.'), among)
}

function chainOf([first = '', ...rest]: readonly string[], among: readonly Attribute[]): Chain | undefined {
  const attribute = findAttribute(among, first)
  if (attribute === undefined) return undefined
  if (rest.length === 0) return [attribute]
  const inner = chainOf(rest, attribute.subAttributes ?? [])
  return inner && [attribute, ...inner]
}

const chains = new WeakMap<readonly Attribute[], Map<string, Chain>>()

/** What a path that the schema has written means: there are only so many of them, so they are looked up once. */
export function chainAt(path: string, among: readonly Attribute[]): Chain {
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

const insides = new WeakMap<Attribute, readonly Attribute[]>()

/** The attributes of an item of a list. One that is a plain text is its `value`. */
export function itemAttributes(list: Attribute): readonly Attribute[] {
  const known = list.subAttributes ?? insides.get(list)
  if (known) return known
  const made = [{ ...list, name: 'value', multiValued: false }]
  insides.set(list, made)
  return made
}

/** The names as the schema writes them: `emails.value`. */
export function pathOf(chain: readonly Attribute[]): string {
  return chain.map(({ name }) => name).join('.')
}

/** Whether a name or a path is of something that providers send and nobody keeps. */
export function isUnkept(text: string): boolean {
  const name = withoutSchema(text)
  if (name === undefined) return false
  const [first = '', second = ''] = name.rest.toLowerCase().split(/[.[]/)
  if (name.isEnterprise) return unkept.enterprise.has(first)
  return unkept.user.has(first) || (first === 'name' && unkept.name.has(second))
}
