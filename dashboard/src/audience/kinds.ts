import type { Choice, Compared } from './comparisons.ts'

/** Where the suggestions for a name come from. */
export type NamesOf = 'attribute' | 'event' | 'product'
/** Things that a condition names by their id. */
export type ReferenceKind = 'segment' | 'subscription_group' | 'app' | 'partner' | 'cohort'

/** A member of a condition besides `comparison` and `value`, and how it is edited. */
export type Field = { readonly member: string; readonly label: string; readonly isOptional?: true } & (
  | { readonly control: 'name'; readonly names: NamesOf; readonly any?: string }
  | { readonly control: 'reference'; readonly to: ReferenceKind; readonly any?: string }
  | { readonly control: 'choice'; readonly choices: readonly Choice[]; readonly any?: string }
  | { readonly control: 'keys' }
  | { readonly control: 'days'; readonly max: number }
  | { readonly control: 'flag' }
  | { readonly control: 'properties'; readonly ofEvent: boolean }
)

/** How a condition compares: the comparison, which may be left out where `isOptional`, and a value. */
export type Test =
  | { readonly of: 'compared'; readonly compared: Compared | ((members: Members) => Compared) }
  /** `is` or `is_not` with one of a few values. */
  | { readonly of: 'state'; readonly choices: readonly Choice[] }
  /** `is` or `is_not`, which may be absent. */
  | { readonly of: 'membership' }

export type Members = Readonly<Record<string, unknown>>

/** A kind of condition, as it is offered, edited and begun. */
export type Kind = {
  readonly name: string
  readonly label: string
  readonly group: string
  readonly before: readonly Field[]
  readonly test: Test
  readonly after: readonly Field[]
  /** What a new condition has. */
  readonly begin: Members
}

const texts = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'gender',
  'dob',
  'country',
  'home_city',
  'language',
  'time_zone',
]
const times = ['created_at', 'marked_email_as_spam_at', 'date_of_first_session', 'date_of_last_session']
const fieldLabels: Readonly<Record<string, string>> = {
  external_id: 'external id',
  email: 'e-mail address',
  phone: 'phone number',
  first_name: 'first name',
  last_name: 'last name',
  dob: 'date of birth',
  home_city: 'city',
  time_zone: 'time zone',
  created_at: 'created',
  marked_email_as_spam_at: 'marked mail as spam',
  date_of_first_session: 'first session',
  date_of_last_session: 'last session',
}

function choicesOf(values: readonly string[], labels: Readonly<Record<string, string>> = {}): Choice[] {
  return values.map((value) => ({ value, label: labels[value] ?? value.replaceAll('_', ' ') }))
}

const states = choicesOf(['opted_in', 'subscribed', 'unsubscribed'])
const windowDaysMax = 30

const app: Field = { member: 'app_id', label: 'App', control: 'reference', to: 'app', any: 'any app', isOptional: true }
const lately = { comparison: 'less_than_x_days_ago', value: 30 }

function eventName(names: 'event' | 'product'): Field {
  const [member, label, any] =
    names === 'event' ? ['name', 'Event', 'any event'] : ['product_id', 'Product', 'any product']
  return { member: member!, label: label!, control: 'name', names, any: any!, isOptional: true }
}

function properties(ofEvent: boolean): Field {
  return { member: 'properties', label: 'Properties', control: 'properties', ofEvent, isOptional: true }
}

function countedKind(name: string, label: string, names: 'event' | 'product'): Kind {
  const days: Field = {
    member: 'days',
    label: 'In the last days',
    control: 'days',
    max: windowDaysMax,
    isOptional: true,
  }
  return {
    ...{ name, label, group: 'What they did' },
    before: [eventName(names)],
    test: { of: 'compared', compared: 'times' },
    after: [days, properties(names === 'event')],
    begin: { comparison: 'greater_than_or_equal_to', value: 1, days: 30 },
  }
}

function momentKind(name: string, label: string, names: 'event' | 'product'): Kind {
  return {
    ...{ name, label, group: 'What they did' },
    before: [eventName(names)],
    test: { of: 'compared', compared: 'moment' },
    after: [properties(names === 'event')],
    begin: lately,
  }
}

function usedKind(name: string, label: string): Kind {
  const test: Test = { of: 'compared', compared: 'time' }
  return { ...{ name, label, group: 'What they did' }, before: [app], test, after: [], begin: lately }
}

function statusKind(name: string, label: string): Kind {
  const test: Test = { of: 'state', choices: states }
  return {
    ...{ name, label, group: 'What they may be sent' },
    before: [],
    test,
    after: [],
    begin: { comparison: 'is', value: 'subscribed' },
  }
}

function numberKind(name: string, label: string, group: string, after: readonly Field[] = []): Kind {
  const test: Test = { of: 'compared', compared: 'number' }
  return { ...{ name, label, group }, before: [], test, after, begin: { comparison: 'greater_than', value: 0 } }
}

const cohortFields: readonly Field[] = [
  { member: 'partner', label: 'Partner', control: 'reference', to: 'partner' },
  { member: 'cohort_id', label: 'Cohort', control: 'reference', to: 'cohort' },
]

/** The kinds of conditions of a segment, in the order in which they are offered. */
export const kinds: readonly Kind[] = [
  {
    ...{ name: 'custom_attribute', label: 'Custom attribute', group: 'Who they are' },
    before: [
      { member: 'custom_attribute_name', label: 'Attribute', control: 'name', names: 'attribute' },
      { member: 'path', label: 'Keys below it', control: 'keys', isOptional: true },
    ],
    test: { of: 'compared', compared: 'any' },
    after: [],
    begin: { custom_attribute_name: '', comparison: 'equals', value: '' },
  },
  {
    ...{ name: 'standard_attribute', label: 'Name, address, country ...', group: 'Who they are' },
    before: [
      { member: 'name', label: 'Field', control: 'choice', choices: choicesOf([...texts, ...times], fieldLabels) },
    ],
    test: { of: 'compared', compared: ({ name }) => (times.includes(String(name)) ? 'time' : 'text') },
    after: [],
    begin: { name: 'country', comparison: 'equals', value: '' },
  },
  {
    ...{ name: 'device', label: 'Device', group: 'Who they are' },
    before: [
      { member: 'name', label: 'Of the device', control: 'choice', choices: choicesOf(['model', 'os', 'carrier']) },
    ],
    test: { of: 'compared', compared: 'text' },
    after: [],
    begin: { name: 'os', comparison: 'equals', value: '' },
  },
  {
    ...{ name: 'segment', label: 'Segment', group: 'Who they are' },
    before: [{ member: 'segment_id', label: 'Segment', control: 'reference', to: 'segment' }],
    test: { of: 'membership' },
    after: [],
    begin: { segment_id: '' },
  },
  {
    ...{ name: 'cohort', label: 'Cohort of a partner', group: 'Who they are' },
    before: cohortFields,
    test: { of: 'membership' },
    after: [],
    begin: { partner: '', cohort_id: '' },
  },
  numberKind('random_bucket', 'Random number, 0 to 9,999', 'Who they are'),
  countedKind('custom_event', 'Event', 'event'),
  countedKind('purchase', 'Purchase', 'product'),
  momentKind('first_custom_event', 'First time of an event', 'event'),
  momentKind('last_custom_event', 'Last time of an event', 'event'),
  momentKind('first_purchase', 'First purchase', 'product'),
  momentKind('last_purchase', 'Last purchase', 'product'),
  numberKind('total_revenue', 'Revenue', 'What they did'),
  usedKind('first_used_app', 'First used the app'),
  usedKind('last_used_app', 'Last used the app'),
  numberKind('session_count', 'Number of sessions', 'What they did', [
    { member: 'only_with_sessions', label: 'Only people with a session', control: 'flag', isOptional: true },
  ]),
  statusKind('email_subscription_status', 'Mail'),
  statusKind('push_subscription_status', 'Push'),
  {
    ...{ name: 'subscription_group', label: 'Subscription group', group: 'What they may be sent' },
    before: [{ member: 'subscription_group_id', label: 'Group', control: 'reference', to: 'subscription_group' }],
    test: { of: 'state', choices: states.slice(1) },
    after: [],
    begin: { subscription_group_id: '', comparison: 'is', value: 'subscribed' },
  },
  {
    ...{ name: 'last_received_message', label: 'Last received message', group: 'What they were sent' },
    before: [
      {
        ...{ member: 'channel', label: 'Channel', control: 'choice', any: 'any channel', isOptional: true },
        choices: choicesOf(['email', 'webhook'], { email: 'e-mail' }),
      },
    ],
    test: { of: 'compared', compared: 'time' },
    after: [],
    begin: lately,
  },
]
