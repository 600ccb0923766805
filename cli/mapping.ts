import { type AnyNumber, isAnyNumber, readNumber } from '../src/base/exact-number.ts'
import { standardReaders } from '../src/people/profile/standard.ts'
import { type PhoneCountry, phoneCountryOf, toInternational } from './phone.ts'

export type Fields = Record<string, unknown>

/** The target of a column of a CSV file in an attributes object of `POST /users/track`. */
export type Target =
  | { kind: 'field'; name: string; type: 'text' | 'flag' | 'number' }
  | { kind: 'alias'; label: string }
  | { kind: 'group'; id: string }
  | { kind: 'custom'; name: string }
  /** Ignored. `why` has the reason, unless `--map` ignores the column. */
  | { kind: 'ignored'; why?: string }

export type Column = { header: string; target: Target }

/** Fields that identify a person. The first one in a row counts, and an alias only without an external_id. */
const identifierFields: readonly string[] = ['external_id', 'email', 'phone']
const flagFields: readonly string[] = ['email_open_tracking_disabled', 'email_click_tracking_disabled']
const coordinateFields: readonly string[] = ['longitude', 'latitude']
const textFields = [
  ...identifierFields,
  ...['first_name', 'last_name', 'gender', 'dob', 'country', 'home_city', 'language', 'time_zone', 'image_url'],
  ...['email_subscribe', 'push_subscribe'],
  ...['date_of_first_session', 'date_of_last_session', 'marked_email_as_spam_at'],
]

/** The headers of all fields of a profile, external_id first. */
export const profileHeaders: readonly string[] = [...textFields, ...flagFields, ...coordinateFields]

/** Returns the header of a column that is read as this custom attribute. */
export function headerOfCustom(name: string): string {
  const target = defaultTarget(name)
  return target.kind === 'custom' && target.name === name ? name : `custom.${name}`
}

/** Maps each header by `given`, else by its own name, which is read without regard to case. Returns a text when that is not possible. */
export function mapColumns(headers: readonly string[], given: ReadonlyMap<string, string>): Column[] | string {
  const missing = [...given.keys()].find((header) => !headers.includes(header))
  if (missing !== undefined)
    return `--map: there is no column ${JSON.stringify(missing)}; there are ${headers.join(', ')}`
  const columns: Column[] = []
  for (const header of headers) {
    const mapped = given.get(header)
    const target = mapped === undefined ? defaultTarget(header) : parseTarget(mapped)
    if (typeof target === 'string') return `--map: ${header}=${mapped} ${target}`
    columns.push({ header, target })
  }
  const twice = columns.find(
    ({ target }, i) => target.kind !== 'ignored' && columns.findIndex((other) => sameTarget(other.target, target)) < i,
  )
  if (twice) return `two columns are mapped to ${formatTarget(twice.target)}: ignore one of them with --map "NAME=-"`
  const hasIdentifier = columns.some(
    ({ target }) => target.kind === 'alias' || (target.kind === 'field' && identifierFields.includes(target.name)),
  )
  if (!hasIdentifier) return 'no column identifies a person: map one to external_id, email, phone or alias.LABEL'
  return columns
}

/** Reads entries such as `Email=email` and `Plan=custom.plan`. Returns a text when one is not valid. */
export function readMap(entries: readonly string[]): Map<string, string> | string {
  const given = new Map<string, string>()
  for (const entry of entries) {
    const at = entry.lastIndexOf('=')
    if (at < 1) return `--map takes HEADER=TARGET, not ${JSON.stringify(entry)}`
    given.set(entry.slice(0, at), entry.slice(at + 1))
  }
  return given
}

function defaultTarget(header: string): Target {
  const target = parseTarget(header)
  if (typeof target !== 'string') return target
  // Spreadsheets write "First Name" for first_name.
  const alike = parseTarget(header.trim().toLowerCase().replaceAll(/[ -]/g, '_'))
  if (typeof alike !== 'string' && alike.kind === 'field') return alike
  if (header.trim() === '') return { kind: 'ignored', why: 'it has no name' }
  if (header.startsWith('_') || standardReaders.has(header)) return { kind: 'ignored', why: 'it cannot be set' }
  return { kind: 'custom', name: header }
}

/** Reads a target: a field by its name, or another target by a prefix. Returns a text when it is not valid. */
function parseTarget(text: string): Target | string {
  if (text === '-') return { kind: 'ignored' }
  if (textFields.includes(text)) return { kind: 'field', name: text, type: 'text' }
  if (flagFields.includes(text)) return { kind: 'field', name: text, type: 'flag' }
  if (coordinateFields.includes(text)) return { kind: 'field', name: text, type: 'number' }
  const [, prefix, rest = ''] = /^(alias|group|custom)\.(.+)$/s.exec(text) ?? []
  if (prefix === 'alias') return { kind: 'alias', label: rest }
  if (prefix === 'group') return { kind: 'group', id: rest }
  if (prefix !== 'custom') return 'is not a target: use a field, custom.NAME, alias.LABEL, group.ID or -'
  if (standardReaders.has(rest) || rest.startsWith('_')) return 'cannot be a custom attribute: the name is taken'
  return { kind: 'custom', name: rest }
}

export function formatTarget(target: Target): string {
  switch (target.kind) {
    case 'field':
      return target.name
    case 'alias':
      return `alias.${target.label}`
    case 'group':
      return `group.${target.id}`
    case 'custom':
      return `custom.${target.name}`
    case 'ignored':
      return target.why === undefined ? 'ignored' : `ignored: ${target.why}`
  }
}

function sameTarget(a: Target, b: Target): boolean {
  // A row can have only one alias.
  return a.kind === 'alias' ? b.kind === 'alias' : formatTarget(a) === formatTarget(b)
}

/** How cells are read. */
export type CellOptions = {
  /** Custom attributes that look like numbers or booleans stay text. */
  readonly textOnly?: boolean
  /** The country of phone numbers without one, for rows whose `country` is empty or unknown. Without it, numbers stay as they are. */
  readonly country?: PhoneCountry
}

/**
 * Converts a row to an attributes object. Returns a text when that is not possible. Empty cells are skipped. Custom attributes that look
 * like numbers or booleans become such values, unless `textOnly`.
 */
export function objectOf(
  columns: readonly Column[],
  cells: readonly string[],
  { textOnly = false, country }: CellOptions,
): Fields | string {
  if (cells.length !== columns.length) return `has ${cells.length} fields where the first line has ${columns.length}`
  const fields: Fields = {}
  const location: Fields = {}
  const groups: Fields[] = []
  for (const [i, { header, target }] of columns.entries()) {
    const cell = cells[i]!
    if (cell === '') continue
    if (target.kind === 'alias') fields.user_alias = { alias_label: target.label, alias_name: cell }
    else if (target.kind === 'group') groups.push({ subscription_group_id: target.id, subscription_state: cell })
    else if (target.kind === 'custom') fields[target.name] = textOnly ? cell : guessValue(cell)
    else if (target.kind === 'field') {
      const value = target.type === 'text' ? cell : guessValue(cell)
      if (target.type === 'flag' && typeof value !== 'boolean') return `${header} must be true or false`
      if (target.type === 'number' && !isAnyNumber(value)) return `${header} must be a number`
      if (target.type === 'number') location[target.name] = value
      else fields[target.name] = value
    }
  }
  if (country !== undefined && typeof fields.phone === 'string') {
    const own = typeof fields.country === 'string' ? phoneCountryOf(fields.country) : undefined
    fields.phone = toInternational(fields.phone, own ?? country)
  }
  if (fields.external_id !== undefined) delete fields.user_alias
  return {
    ...fields,
    ...(fields.user_alias !== undefined && { _update_existing_only: false }),
    ...(Object.keys(location).length > 0 && { current_location: location }),
    ...(groups.length > 0 && { subscription_groups: groups }),
  }
}

const numberForm = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/

/** Reads true, false, and numbers without leading zeros and with at most 15 digits before the point. Other cells are text. */
export function guessValue(cell: string): string | AnyNumber | boolean {
  if (numberForm.test(cell)) return readNumber(cell)
  const lower = cell.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : cell
}
