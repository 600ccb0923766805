/** Members whose values, alone or in a list, are compared with people: by conditions, and in lists of ids. */
export const personMembers: readonly string[] = [
  'value',
  'external_id',
  'external_ids',
  'reserved_external_ids',
  'alias_name',
]
/** An e-mail address or a phone number, as a regular expression that the database reads in the same way. */
export const addressForm = '^[^@ ]+@[^@ ]+$|^[+][1-9][0-9]{6,14}$'
const address = new RegExp(addressForm)

/**
 * Replaces the texts that name a deleted person: e-mail addresses and phone numbers everywhere, other texts in `personMembers`. Addresses
 * in `texts` are in lower case. Pure.
 */
export function eraseTexts(
  value: unknown,
  texts: ReadonlySet<string>,
  replace: (text: string) => string,
  member = '',
): unknown {
  if (typeof value === 'string') {
    const text = address.test(value) ? value.toLowerCase() : personMembers.includes(member) ? value : undefined
    return text !== undefined && texts.has(text) ? replace(text) : value
  }
  if (Array.isArray(value)) return value.map((each) => eraseTexts(each, texts, replace, member))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, eraseTexts(each, texts, replace, name)]))
}
