/** A choice of a list: what is written, and how it reads. */
export type Choice = { readonly value: string; readonly label: string }
/** Choices under a heading. */
export type ChoiceGroup = { readonly label: string; readonly choices: readonly Choice[] }

const words: Readonly<Record<string, string>> = {
  is: 'is',
  is_not: 'is not',
  exists: 'is set',
  does_not_exist: 'is not set',
  equals: 'equals',
  not_equal: 'is not',
  does_not_equal: 'is not',
  matches_regex: 'matches the pattern',
  does_not_match_regex: 'does not match the pattern',
  greater_than: 'is more than',
  greater_than_or_equal_to: 'is at least',
  less_than: 'is less than',
  less_than_or_equal_to: 'is at most',
  includes_value: 'includes',
  does_not_include_value: 'does not include',
  less_than_x_days_ago: 'less than ... days ago',
  greater_than_x_days_ago: 'more than ... days ago',
  less_than_x_days_in_the_future: 'in less than ... days',
  greater_than_x_days_in_the_future: 'in more than ... days',
  after: 'after',
  before: 'before',
}

const timesWords: Readonly<Record<string, string>> = {
  ...words,
  exists: 'at least once',
  does_not_exist: 'never',
  equals: 'exactly ... times',
  not_equal: 'not ... times',
  greater_than: 'more than ... times',
  greater_than_or_equal_to: 'at least ... times',
  less_than: 'less than ... times',
  less_than_or_equal_to: 'at most ... times',
}

const presences = ['exists', 'does_not_exist']
const equalities = ['equals', 'not_equal']
const patterns = ['matches_regex', 'does_not_match_regex']
const orderings = ['greater_than', 'greater_than_or_equal_to', 'less_than', 'less_than_or_equal_to']
const inclusions = ['includes_value', 'does_not_include_value']
const relativeTimes = [
  'less_than_x_days_ago',
  'greater_than_x_days_ago',
  'less_than_x_days_in_the_future',
  'greater_than_x_days_in_the_future',
]
const instants = ['after', 'before']

/** What a condition compares; it decides which comparisons there are. */
export type Compared = 'any' | 'property' | 'text' | 'number' | 'times' | 'time' | 'moment' | 'membership'

type Named = readonly (readonly [heading: string, comparisons: readonly string[]])[]

const offered: Readonly<Record<Compared, Named>> = {
  any: [
    ['Any value', [...presences, ...equalities]],
    ['Text', patterns],
    ['Number', orderings],
    ['List', inclusions],
    ['Time', [...relativeTimes, ...instants]],
  ],
  property: [
    ['Any value', [...presences, ...equalities]],
    ['Text', patterns],
    ['Number', orderings],
  ],
  text: [['', [...equalities, ...patterns, ...presences]]],
  number: [['', [...equalities, ...orderings]]],
  times: [['', [...presences, ...equalities, ...orderings]]],
  time: [['', [...relativeTimes, ...instants, ...presences]]],
  moment: [['', [...relativeTimes, ...instants]]],
  membership: [['', ['is', 'is_not']]],
}

/** Returns the comparisons of what is compared, under their headings. One that is written and not offered is added at the end. Pure. */
export function comparisonsOf(compared: Compared, written: unknown): ChoiceGroup[] {
  const texts = compared === 'times' ? timesWords : words
  const toChoice = (value: string): Choice => ({ value, label: texts[value] ?? value })
  const groups = offered[compared].map(([label, values]) => ({ label, choices: values.map(toChoice) }))
  const isOffered = groups.some(({ choices }) => choices.some(({ value }) => value === written))
  if (typeof written !== 'string' || isOffered) return groups
  return [...groups, { label: '', choices: [toChoice(written)] }]
}

/** What kind of value a comparison takes. `scalar` is text, a number, or yes or no. */
export type ValueKind = 'none' | 'scalar' | 'text' | 'number' | 'days' | 'time'

/** Pure. */
export function valueKindOf(compared: Compared, comparison: unknown): ValueKind {
  const is = (names: readonly string[]) => typeof comparison === 'string' && names.includes(comparison)
  if (is(presences) || compared === 'membership') return 'none'
  if (compared === 'number' || compared === 'times' || is(orderings)) return 'number'
  if (is(relativeTimes)) return 'days'
  if (is(instants) || compared === 'time' || compared === 'moment') return 'time'
  if (compared === 'text' || is(patterns)) return 'text'
  return 'scalar'
}

const daysFirst = 30

/** Returns the value for another comparison: the one there is where it fits, else one to begin with. Undefined is none. Pure. */
export function valueFor(kind: ValueKind, value: unknown): unknown {
  switch (kind) {
    case 'none':
      return undefined
    case 'scalar':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : ''
    case 'text':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    case 'number':
      return numberIn(value) ?? 1
    case 'days':
      return Number.isInteger(value) ? value : daysFirst
    case 'time':
      return typeof value === 'string' ? value : ''
  }
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? readNumber(value) : undefined
}

/** Reads a number as it is typed; undefined for a text that is none, and for digits that a browser cannot keep. Pure. */
export function readNumber(text: string): number | undefined {
  const digits = text.trim().replace(',', '.')
  const number = Number(digits)
  if (digits === '' || !Number.isFinite(number)) return undefined
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? undefined : number
}

/** The types of a value that may be text, a number, or yes or no. */
export const scalarTypes = [
  { value: 'string', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'yes or no' },
] as const satisfies readonly Choice[]
export type ScalarType = (typeof scalarTypes)[number]['value']

/** Returns the type in which a value is edited. A number that was deleted is null. Pure. */
export function scalarTypeOf(value: unknown): ScalarType {
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || value === null ? 'number' : 'string'
}

/** Returns a value as another type. Pure. */
export function asScalar(type: ScalarType, value: unknown): string | number | boolean {
  if (type === 'string') return value === null || value === undefined ? '' : String(value)
  if (type === 'number') return numberIn(value) ?? 0
  return value !== 'false' && value !== false && value !== 0
}
