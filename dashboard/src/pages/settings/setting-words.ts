import type { FormSchema } from '../../api/form-schema.ts'
import { settingsSchema } from '../../api/settings-schema.ts'

export type Setting = {
  readonly name: string
  readonly schema: FormSchema
  readonly label: string
  readonly meaning: string
}

/** Returns the settings of a page below their headings, in the order in which the server has them. Pure. */
export function settingsOf(page: string): ReadonlyMap<string, readonly Setting[]> {
  const all = Object.entries(settingsSchema.properties ?? {}).flatMap(([name, schema]) => {
    const words = schema['x-form']
    return words?.page === page ? [{ name, schema, ...words }] : []
  })
  return Map.groupBy(all, ({ group }) => group)
}

const words: Readonly<Record<string, string>> = {
  start: 'From',
  end: 'Until',
  count: 'Messages at most',
  per: 'In a period of',
  channel: 'Channel',
  from: 'From number',
  to: 'To number',
  ranges: 'Ranges of random numbers',
  per_second: 'Mails a second',
  domains: 'By domain of recipients',
  burst_per_second: 'A second',
  per_minute: 'A minute',
  per_hour: 'An hour',
  per_day: 'A day',
  amazon_ses: 'Amazon SES',
  sendgrid: 'SendGrid',
  mailgun: 'Mailgun',
  topic_arn: 'ARN of the topic',
  public_key: 'Public key',
  credential: 'Name of a credential',
  status: 'Status codes',
  unknown_permissions: 'Permissions that are not known',
  unknown_departments: 'Departments that are not known',
  default_role: 'Role of accounts without permissions',
}

/** Returns the label of a member of a setting: `per_hour` is `An hour`. Pure. */
export function memberLabel(name: string): string {
  const plain = name.replaceAll('_', ' ')
  return words[name] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Writes a value in a line: `Europe/Paris`, `on`, `none`. Pure. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueWords).join(', ')
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).map(([name, each]) => `${memberLabel(name).toLowerCase()} ${valueWords(each)}`)
  return members.length === 0 ? 'none' : members.join('; ')
}
