import type { Query } from '../../base/http/route.ts'
import type { SubscribeState } from '../../people/profile/standard.ts'
import type { Preferences, WantedPreferences } from './preferences.ts'

const mailField = 'email_global_state'
const fieldPattern = /\b(?:email_global_state|group_state_\d{1,9})\b/g
const groupPattern = /^group_state_(\d{1,9})$/

/** Returns `form_field_name` of a page: the names of fields, by what they set. */
export function fieldNamesOf({ choices }: Preferences): Readonly<Record<string, string>> {
  return {
    [mailField]: mailField,
    ...Object.fromEntries(choices.map(({ id, group_id }) => [id, `group_state_${group_id}`])),
  }
}

/**
 * Lists the fields in a rendered page, for the URL to which its form is sent. Browsers do not send unchecked boxes, so a field that was in
 * the page and is not in the form was unchecked.
 */
export function shownIn(html: string): string {
  return [...new Set(html.match(fieldPattern))].join('.')
}

const mailStates: ReadonlyMap<string, SubscribeState> = new Map([
  ['opted_in', 'opted_in'],
  ['subscribed', 'subscribed'],
  ['unsubscribed', 'unsubscribed'],
  // What browsers send for a checked box without a value.
  ['on', 'subscribed'],
])
const groupStates: ReadonlyMap<string, boolean> = new Map([
  ['subscribed', true],
  ['unsubscribed', false],
  ['on', true],
])

/** Reads a form. Of several values of a field the last one counts. Returns undefined if a value or the list of fields is not understood. */
export function readCenterForm(form: Query, shown = ''): WantedPreferences | undefined {
  const fields = new Map<string, string>()
  for (const name of shown === '' ? [] : shown.split('.')) fields.set(name, 'unsubscribed')
  for (const [name, values = []] of Object.entries(form)) {
    const last = values.at(-1)
    if (last !== undefined && (name === mailField || groupPattern.test(name))) fields.set(name, last)
  }
  const mailValue = fields.get(mailField)
  const mail = mailValue === undefined ? undefined : mailStates.get(mailValue)
  if (mailValue !== undefined && mail === undefined) return undefined
  fields.delete(mailField)
  const wanted = { mail, shown: new Set<number>(), chosen: new Set<number>() }
  for (const [name, value] of fields) {
    const [, digits] = groupPattern.exec(name) ?? []
    const isIn = groupStates.get(value)
    if (digits === undefined || isIn === undefined) return undefined
    wanted.shown.add(Number(digits))
    if (isIn) wanted.chosen.add(Number(digits))
  }
  return wanted
}
