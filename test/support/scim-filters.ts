import fc from 'fast-check'
import type { FilterOperator, ScimFilter } from '../../src/accounts/scim/filter.ts'

const plain = { noNullPrototype: true } as const
const comparisons: readonly FilterOperator[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']
const equalities: readonly FilterOperator[] = ['eq', 'ne']
const ordered: readonly FilterOperator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le']

/** Texts with characters that have a meaning for a database or a careless program. */
export const hostile = [
  "'; drop table account; --",
  '%',
  '_',
  '\\',
  '$1',
  '"',
  "' or '1'='1",
  '__proto__',
  '{"$ne":1}',
  'É',
  'é',
  'K',
  '\u212a',
  '\u{1f600}',
  '\uffee',
]

/** Texts of which some are parts of others when case is ignored. */
export const texts = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ab', 'AB', 'b', 'work', 'home', ...hostile),
  fc.string({ unit: fc.constantFrom('a', 'B', '%', '_', '\\', 'é', '\u{1f600}', '\ufffd'), maxLength: 4 }),
)

const moments = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:00:00+01:00',
  '2026-01-01T00:00:00.001Z',
  '2026-01-02',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
)

/** The ids that are drawn; only the first ones belong to people. */
export const ids = Array.from({ length: 8 }, (_, i) => `f000000${i}-0000-4000-8000-00000000000${i}`)

function terms(
  paths: readonly string[],
  operators: readonly FilterOperator[],
  values: fc.Arbitrary<string | boolean>,
): fc.Arbitrary<ScimFilter> {
  const path = fc.constantFrom(...paths)
  const compared = fc.record({ path, operator: fc.constantFrom(...operators), value: values }, plain)
  const absent = fc.record({ path, operator: fc.constantFrom(...equalities), value: fc.constant(null) }, plain)
  const present = fc.record({ path, operator: fc.constant('pr' as const) }, plain)
  return fc.oneof({ weight: 6, arbitrary: compared }, absent, present)
}

const names = [
  'userName',
  'externalId',
  'name.givenName',
  'name.familyName',
  'displayName',
  'locale',
  'title',
  'userType',
  'department',
]
const times = ['meta.created', 'meta.lastModified', 'createdAt', 'lastSignInAt']
const whole = fc.constantFrom('name', 'meta', 'emails', 'ims').map((path): ScimFilter => ({ path, operator: 'pr' }))

const ofAddress = fc.oneof(
  terms(['value', 'type', 'display'], comparisons, texts),
  terms(['primary'], equalities, fc.boolean()),
)

const ofUser = fc.oneof(
  { weight: 4, arbitrary: terms([...names, 'meta.resourceType'], comparisons, texts) },
  terms(['id'], comparisons, fc.oneof(fc.constantFrom(...ids, ...ids.map((id) => id.toUpperCase())), texts)),
  terms(['active'], equalities, fc.boolean()),
  terms(times, ordered, moments),
  terms(['emails.value', 'emails.type', 'emails.display', 'ims.value', 'ims.type', 'ims.display'], comparisons, texts),
  terms(['emails.primary', 'ims.primary'], equalities, fc.boolean()),
  whole,
  fc.tuple(fc.constantFrom('emails', 'ims'), nested(ofAddress, 2)).map(([some, of]): ScimFilter => ({ some, of })),
)

/** Terms with `and`, `or` and `not`, not deeper than the parser accepts. */
function nested(leaf: fc.Arbitrary<ScimFilter>, depth: number): fc.Arbitrary<ScimFilter> {
  if (depth === 0) return leaf
  const inner = nested(leaf, depth - 1)
  const several = fc.array(inner, { minLength: 2, maxLength: 3 })
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    several.map((all): ScimFilter => ({ all })),
    several.map((any): ScimFilter => ({ any })),
    inner.map((not): ScimFilter => ({ not })),
  )
}

/** Filters on users, with every kind of term. */
export const filters = nested(ofUser, 3)

/** Prints a filter with as few parentheses as possible; parsing the text gives the same filter. */
export function printFilter(filter: ScimFilter): string {
  if ('all' in filter)
    return filter.all.map((each) => parenthesized(each, 'any' in each || 'all' in each)).join(' and ')
  if ('any' in filter) return filter.any.map((each) => parenthesized(each, 'any' in each)).join(' or ')
  if ('not' in filter) return `not ${parenthesized(filter.not, true)}`
  if ('some' in filter) return `${filter.some}[${printFilter(filter.of)}]`
  if (filter.operator === 'pr') return `${filter.path} pr`
  return `${filter.path} ${filter.operator} ${JSON.stringify(filter.value)}`
}

function parenthesized(filter: ScimFilter, isGroup: boolean): string {
  return isGroup ? `(${printFilter(filter)})` : printFilter(filter)
}
