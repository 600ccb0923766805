import type { GetAdminPeopleIdReply } from '../../api/generated.ts'

/** How the value of a custom attribute is typed. */
export const attributeTypes = ['text', 'number', 'yes_no', 'json'] as const
export type AttributeType = (typeof attributeTypes)[number]

export type AttributeDraft = {
  /** Names the row while its name is being typed. */
  readonly key: string
  readonly name: string
  readonly type: AttributeType
  readonly text: string
  readonly isRemoved: boolean
}

/** What is typed about a person, as texts. */
export type PersonDraft = {
  readonly standard: { readonly [field in StandardField]: string }
  readonly custom: readonly AttributeDraft[]
}

export const standardFields = [
  'first_name',
  'last_name',
  'email',
  'phone',
  'gender',
  'dob',
  'country',
  'home_city',
  'language',
  'time_zone',
  'email_subscribe',
  'push_subscribe',
] as const
export type StandardField = (typeof standardFields)[number]

export function draftOf({ person, record }: GetAdminPeopleIdReply): PersonDraft {
  const given = {
    ...record,
    email_subscribe: person.email_subscribe,
    push_subscribe: record.push_subscribe ?? 'subscribed',
  }
  const standard = Object.fromEntries(standardFields.map((field) => [field, given[field] ?? '']))
  const custom = Object.entries(record.custom_attributes ?? {}).toSorted(([a], [b]) => a.localeCompare(b))
  return {
    standard: standard as PersonDraft['standard'],
    custom: custom.map(([name, value]) => ({ key: name, name, ...typed(value), isRemoved: false })),
  }
}

function typed(value: unknown): Pick<AttributeDraft, 'type' | 'text'> {
  if (typeof value === 'string') return { type: 'text', text: value }
  if (typeof value === 'number') return { type: 'number', text: String(value) }
  if (typeof value === 'boolean') return { type: 'yes_no', text: String(value) }
  return { type: 'json', text: JSON.stringify(value) }
}

/** What differs from the saved draft, as the server takes it, and what cannot be read as its type, by field. */
export type Changes = {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly problems: Readonly<Record<string, string>>
}

export function changesOf(draft: PersonDraft, saved: PersonDraft): Changes {
  const attributes: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of standardFields) {
    const text = draft.standard[field].trim()
    if (text !== saved.standard[field]) attributes[field] = text === '' ? null : text
  }
  const before = new Map(saved.custom.map((row) => [row.key, row]))
  for (const row of draft.custom) {
    const old = before.get(row.key)
    if (row.isRemoved) {
      if (old) attributes[row.name] = null
      continue
    }
    if (old && old.text === row.text && old.type === row.type) continue
    const name = row.name.trim()
    const read = name === '' ? { problem: 'The attribute needs a name.' } : readValue(row)
    if ('problem' in read) problems[row.key] = read.problem
    else attributes[name] = read.value
  }
  return { attributes, problems }
}

function readValue({ type, text }: AttributeDraft): { readonly value: unknown } | { readonly problem: string } {
  if (type === 'text') return { value: text }
  if (type === 'yes_no') return { value: text === 'true' }
  const trimmed = text.trim()
  if (type === 'number') {
    const value = Number(trimmed)
    if (trimmed === '' || !Number.isFinite(value)) return { problem: 'This is not a number.' }
    const isExact = Number.isSafeInteger(value) || !Number.isInteger(value)
    return isExact ? { value } : { problem: 'This number has more digits than a browser can send.' }
  }
  try {
    return { value: JSON.parse(trimmed) as unknown }
  } catch {
    // The reader is still typing, or has made a mistake.
    return { problem: 'This is not JSON.' }
  }
}

/** Texts of the server by the field that they name; the others belong to the whole form. */
export function byField(texts: readonly string[], names: readonly string[]) {
  const problems: Record<string, string> = {}
  const others: string[] = []
  for (const text of texts) {
    const name = names.find((each) => text.includes(`'${each}'`))
    if (name === undefined) others.push(text)
    else problems[name] = text
  }
  return { problems, others }
}
