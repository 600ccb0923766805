import { type Compared, comparisonsOf, valueFor, valueKindOf } from './comparisons.ts'
import { type Field, type Kind, kinds, type Members } from './kinds.ts'

/** A node of conditions as it is edited. What the table of kinds does not know is edited as JSON. */
export type Shown =
  | { readonly as: 'group'; readonly word: GroupWord; readonly parts: readonly unknown[] }
  | { readonly as: 'not'; readonly part: unknown }
  | { readonly as: 'condition'; readonly kind: Kind; readonly members: Members }
  | { readonly as: 'json' }

export type GroupWord = 'AND' | 'OR'

/** Says how a node is edited. Pure. */
export function show(node: unknown): Shown {
  if (!isRecord(node)) return { as: 'json' }
  const [only, ...others] = Object.entries(node)
  if (only === undefined || others.length > 0) return { as: 'json' }
  const [name, inner] = only
  if ((name === 'AND' || name === 'OR') && Array.isArray(inner)) return { as: 'group', word: name, parts: inner }
  if (name === 'NOT') return { as: 'not', part: inner }
  const kind = kinds.find((each) => each.name === name)
  return kind && isRecord(inner) && canEdit(kind, inner) ? { as: 'condition', kind, members: inner } : { as: 'json' }
}

/** Writes a condition. Pure. */
export function nodeOf(kind: Kind, members: Members): Record<string, Members> {
  return { [kind.name]: members }
}

/** Returns what a condition of this kind compares; undefined where it has states or is a membership. Pure. */
export function comparedBy({ test }: Kind, members: Members): Compared | undefined {
  if (test.of !== 'compared') return undefined
  return typeof test.compared === 'function' ? test.compared(members) : test.compared
}

/** Returns the members with another comparison, and with a value that fits to it. Pure. */
export function withComparison(compared: Compared, members: Members, comparison: string): Members {
  const kind = valueKindOf(compared, comparison)
  const before = valueKindOf(compared, members.comparison)
  const value = kind === before ? members.value : valueFor(kind, members.value)
  return withMembers(members, { comparison, value })
}

/** Returns the members with another one, and with a comparison and a value that still fit. Undefined removes a member. Pure. */
export function withMember(kind: Kind, members: Members, member: string, value: unknown): Members {
  const after = withMembers(members, { [member]: value })
  const compared = comparedBy(kind, after)
  if (compared === undefined || compared === comparedBy(kind, members)) return after
  const offered = comparisonsOf(compared, undefined).flatMap(({ choices }) => choices.map((choice) => choice.value))
  const written = offered.find((comparison) => comparison === after.comparison)
  const comparison = written ?? offered[0]!
  return withMembers(after, { comparison, value: valueFor(valueKindOf(compared, comparison), after.value) })
}

/** Replaces members in their places; undefined removes one. */
function withMembers(members: Members, some: Members): Members {
  return Object.fromEntries(Object.entries({ ...members, ...some }).filter(([, value]) => value !== undefined))
}

function canEdit(kind: Kind, members: Members): boolean {
  const fields = [...kind.before, ...kind.after]
  return (
    fields.every((field) => fits(field, members[field.member])) &&
    fitsTest(kind, members) &&
    Object.keys(members).every((name) => {
      const isTest = name === 'comparison' || (name === 'value' && kind.test.of !== 'membership')
      return isTest || fields.some(({ member }) => member === name)
    })
  )
}

function fitsTest({ test }: Kind, { comparison, value }: Members): boolean {
  if (test.of === 'membership') return comparison === undefined || comparison === 'is' || comparison === 'is_not'
  return typeof comparison === 'string' && isScalar(value)
}

function fits(field: Field, value: unknown): boolean {
  if (value === undefined) return field.isOptional === true
  switch (field.control) {
    case 'keys':
      return Array.isArray(value) && value.every((key) => typeof key === 'string')
    case 'days':
      return typeof value === 'number' || value === null
    case 'flag':
      return typeof value === 'boolean'
    case 'properties':
      return Array.isArray(value) && value.every(isProperty)
    default:
      return typeof value === 'string'
  }
}

function isProperty(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { name, comparison, value: given, ...others } = value
  const isNamed = typeof name === 'string' && typeof comparison === 'string'
  return isNamed && isScalar(given) && Object.keys(others).length === 0
}

function isScalar(value: unknown): boolean {
  return value === null || value === undefined || ['string', 'number', 'boolean'].includes(typeof value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
