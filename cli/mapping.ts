import { standardReaders } from '../src/people/profile/standard.ts'

export type Fields = Record<string, unknown>

/** What a column of a CSV file becomes in an attributes object of `POST /users/track`. */
export type Target =
  | { kind: 'field'; name: string; type: 'text' | 'flag' | 'number' }
  | { kind: 'alias'; label: string }
  | { kind: 'group'; id: string }
  | { kind: 'custom'; name: string }
  /** Left out, and why where that was not asked for. */
  | { kind: 'nothing'; why?: string }

export type Column = { header: string; target: Target }

/** Those that name a person; of several that a row has the first does, and an alias only without an external_id. */
const names: readonly string[] = ['external_id', 'email', 'phone']
const flags: readonly string[] = ['email_open_tracking_disabled', 'email_click_tracking_disabled']
const places: readonly string[] = ['longitude', 'latitude']
const texts = [
  ...names,
  ...['first_name', 'last_name', 'gender', 'dob', 'country', 'home_city', 'language', 'time_zone', 'image_url'],
  ...['email_subscribe', 'push_subscribe'],
  ...['date_of_first_session', 'date_of_last_session', 'marked_email_as_spam_at'],
]

/** The columns of a file: each header as `given` maps it, else by its own name. A text says what is wrong. */
export function mapColumns(headers: readonly string[], given: ReadonlyMap<string, string>): Column[] | string {
  const missing = [...given.keys()].find((header) => !headers.includes(header))
  if (missing !== undefined)
    return `--map: there is no column ${JSON.stringify(missing)}; there are ${headers.join(', ')}`
  const columns: Column[] = []
  for (const header of headers) {
    const asked = given.get(header)
    const target = asked === undefined ? ownTarget(header) : askedTarget(asked)
    if (typeof target === 'string') return `--map: ${header}=${asked} ${target}`
    columns.push({ header, target })
  }
  const twice = columns.find(
    ({ target }, i) => target.kind !== 'nothing' && columns.findIndex((other) => sameTarget(other.target, target)) < i,
  )
  if (twice) return `two columns become ${targetText(twice.target)}: leave one of them out with --map "NAME=-"`
  const naming = columns.some(
    ({ target }) => target.kind === 'alias' || (target.kind === 'field' && names.includes(target.name)),
  )
  if (!naming) return 'no column names a person: map one to external_id, email, phone or alias.LABEL'
  return columns
}

/** `Email=email,Plan=custom.plan`, already taken apart at its commas. A text says what is wrong. */
export function readMap(entries: readonly string[]): Map<string, string> | string {
  const given = new Map<string, string>()
  for (const entry of entries) {
    const at = entry.lastIndexOf('=')
    if (at < 1) return `--map takes HEADER=TARGET, not ${JSON.stringify(entry)}`
    given.set(entry.slice(0, at), entry.slice(at + 1))
  }
  return given
}

function ownTarget(header: string): Target {
  const target = askedTarget(header)
  if (typeof target !== 'string') return target
  if (header === '') return { kind: 'nothing', why: 'it has no name' }
  if (header.startsWith('_') || standardReaders.has(header)) return { kind: 'nothing', why: 'it cannot be set' }
  return { kind: 'custom', name: header }
}

/** What a target is called: a field by its name, everything else with a prefix. A text says why it is none. */
function askedTarget(text: string): Target | string {
  if (text === '-') return { kind: 'nothing' }
  if (texts.includes(text)) return { kind: 'field', name: text, type: 'text' }
  if (flags.includes(text)) return { kind: 'field', name: text, type: 'flag' }
  if (places.includes(text)) return { kind: 'field', name: text, type: 'number' }
  const [, prefix, rest = ''] = /^(alias|group|custom)\.(.+)$/s.exec(text) ?? []
  if (prefix === 'alias') return { kind: 'alias', label: rest }
  if (prefix === 'group') return { kind: 'group', id: rest }
  if (prefix !== 'custom') return 'is no target: those are fields, custom.NAME, alias.LABEL, group.ID and -'
  if (standardReaders.has(rest) || rest.startsWith('_')) return 'cannot be a custom attribute: the name is taken'
  return { kind: 'custom', name: rest }
}

export function targetText(target: Target): string {
  switch (target.kind) {
    case 'field':
      return target.name
    case 'alias':
      return `alias.${target.label}`
    case 'group':
      return `group.${target.id}`
    case 'custom':
      return `custom.${target.name}`
    case 'nothing':
      return target.why === undefined ? 'left out' : `left out: ${target.why}`
  }
}

function sameTarget(a: Target, b: Target): boolean {
  // Somebody is named by one alias.
  return a.kind === 'alias' ? b.kind === 'alias' : targetText(a) === targetText(b)
}

/**
 * A row as an attributes object; a text says why it is none. Empty cells say nothing. Values of custom attributes that read as
 * numbers or as true and false become those, unless `textOnly`.
 */
export function objectOf(columns: readonly Column[], cells: readonly string[], textOnly: boolean): Fields | string {
  if (cells.length !== columns.length) return `has ${cells.length} fields where the first line has ${columns.length}`
  const fields: Fields = {}
  const location: Fields = {}
  const groups: Fields[] = []
  for (const [i, { header, target }] of columns.entries()) {
    const cell = cells[i]!
    if (cell === '') continue
    if (target.kind === 'alias') fields.user_alias = { alias_label: target.label, alias_name: cell }
    else if (target.kind === 'group') groups.push({ subscription_group_id: target.id, subscription_state: cell })
    else if (target.kind === 'custom') fields[target.name] = textOnly ? cell : guessed(cell)
    else if (target.kind === 'field') {
      const value = target.type === 'text' ? cell : guessed(cell)
      if (target.type === 'flag' && typeof value !== 'boolean') return `${header} must be true or false`
      if (target.type === 'number' && typeof value !== 'number') return `${header} must be a number`
      if (target.type === 'number') location[target.name] = value
      else fields[target.name] = value
    }
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

/** Numbers without leading zeros and of at most 15 digits before the point, true and false; everything else stays text. */
export function guessed(cell: string): string | number | boolean {
  if (numberForm.test(cell)) return Number(cell)
  const lower = cell.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : cell
}
