import Type, { type TObject, type TSchema } from 'typebox'
import { type SettingsGiven, SettingsShape, settingDefaults } from './settings.ts'

/** The pages of the dashboard on which settings stand, and the headings below which they stand there. */
export const settingPages = ['general', 'sending', 'retention'] as const

/** What a person reads of a setting: its label, what it does, and where it stands. */
type SettingWords = {
  readonly page: (typeof settingPages)[number]
  readonly group: string
  readonly label: string
  readonly meaning: string
}

const at = (page: SettingWords['page'], group: string) => (label: string, meaning: string) => ({
  page,
  group,
  label,
  meaning,
})
const time = at('general', 'Time')
const data = at('general', 'Data from systems')
const audience = at('general', 'Audience')
const accounts = at('general', 'Accounts')
const mail = at('sending', 'Mail')
const texts = at('sending', 'Text messages')
const tracking = at('sending', 'Opens and clicks')
const rules = at('sending', 'When messages are not sent')
const rates = at('sending', 'Speed')
const files = at('sending', 'Attachments')
const answers = at('sending', 'Answers of mail providers')
const retention = at('retention', 'How long data is kept')

/** Every setting in words, in the order in which pages show them. */
export const settingWords: Readonly<Record<keyof SettingsGiven, SettingWords>> = {
  time_zone: time(
    'Time zone',
    'Lists of the dashboard show times in it, and people without a time zone of their own have it.',
  ),
  strict: data(
    'Strict requests',
    'An object of a request is refused when a part of it would not be kept as it was sent. Otherwise the answer names that part.',
  ),
  reserved_external_ids: data(
    'Reserved ids',
    'External ids that no person may have. A request that tracks one is refused.',
  ),
  reserved_ids_partial: data(
    'Refuse only the object',
    'Only the object with a reserved id is refused, and the rest of the request goes on.',
  ),
  attribute_blocklist: data('Blocked attributes', 'Custom attributes whose new values are not stored.'),
  nested_nulls: data(
    'Nulls inside attributes',
    'What happens to a null inside a custom attribute: its key is dropped, the attribute is refused, or the null is stored.',
  ),
  local_email_domains: data(
    'Mail addresses without a dot',
    'Addresses such as a@localhost are accepted. This is for tests.',
  ),
  export_all_fields: data(
    'Export everything by default',
    'An export that names no fields has all of them. Otherwise it is refused.',
  ),
  api_log: data('API log', 'Requests and answers of the last hour are kept in memory and shown under API log.'),
  feed: data(
    'Feed of events',
    'Messages, subscriptions and people are reported to programs, which read the feed in order. It is also on while there is a webhook.',
  ),
  rate_limits: data(
    'Limits of requests',
    'How many requests a workspace may make, by group of endpoints. What is not set has the limit of the product.',
  ),
  regex_characters_max: audience(
    'Longest regular expression',
    'Characters that a regular expression in a condition may have.',
  ),
  global_control_group: audience(
    'Global control group',
    'These people get no marketing message, so that you can compare. Each person has a random number from 0 to 9999; ' +
      'a range of 500 numbers is 5% of all people.',
  ),
  departments: accounts(
    'Departments',
    'Departments that accounts of the dashboard may have. Those of the default workspace count.',
  ),
  default_department: accounts(
    'Department when none is given',
    'The department of accounts that come without one. It must be one of the departments.',
  ),
  scim: accounts(
    'Identity provider (SCIM)',
    'How accounts that an identity provider sends are answered and understood.',
  ),
  mail_delivery: mail(
    'Where mail goes',
    'server: to the mail server. inbox: each message is kept in the inbox; nobody gets mail, texts or pushes, and no webhook is called.',
  ),
  from_name: mail('Sender name', 'The name beside the sender when a mail gives an address alone.'),
  reply_to: mail('Reply address', 'Where answers go when a mail names no reply address.'),
  bcc: mail('Blind copies', 'Addresses that a mail may name as blind copy (bcc).'),
  should_inline_css: mail(
    'Inline styles',
    'Styles are written into the elements of a mail, unless the mail says otherwise. Some mail programs need this.',
  ),
  extras_header: mail('Header of extras', 'The mail header in which your mail provider finds the extras of a mail.'),
  track_opens: tracking('Count opens', 'Mails get an invisible picture that counts opens.'),
  track_clicks: tracking('Count clicks', 'Links in mails lead over this server, which counts clicks.'),
  quiet_hours: rules(
    'Quiet hours',
    'In these hours of the day of each person no marketing message is sent. Each canvas and campaign says what happens then.',
  ),
  frequency_cap: rules(
    'Frequency caps',
    'The most marketing messages that a person gets in any period of this length, from all canvases, campaigns and sends.',
  ),
  local_time_delay_max: rules(
    'Late by at most',
    'How late a message at a local time is still sent when the service was down at that time. A later one is not sent.',
  ),
  sms: texts(
    'Text messages',
    'What texts come from, for all groups and for single ones, how many are sent a second, and what answers to STOP, START and HELP say.',
  ),
  email_rates: rates('Mails a second', 'The most mails a second, for all mail and for domains of recipients.'),
  attachments_max: files('Files of a mail', 'How many files a mail may have.'),
  attachments_bytes_max: files('Size of files', 'Bytes of all files of a mail together. Many mail servers take less.'),
  webhooks: answers(
    'Bounces and complaints',
    'What proves that a report of a bounce or complaint comes from your mail provider.',
  ),
  transactional_status_url: answers(
    'Status of transactional sends',
    'The address that receives the status of each transactional send.',
  ),
  event_retention: retention(
    'Events and purchases',
    'Older ones are deleted. All workspaces share storage, so the longest time of any workspace holds.',
  ),
  ledger_retention: retention(
    'Decisions',
    'How long it is kept why each message was sent or not. Older decisions are deleted.',
  ),
  feed_retention: retention(
    'Events of the feed',
    'How long programs can read them, also those that a webhook could not deliver. Older ones are deleted.',
  ),
}

/** The settings as `/openapi.json` describes them: each with its default, and its words in `x-form`. */
export const DescribedSettings: TObject = Type.Object(
  Object.fromEntries(
    Object.entries(SettingsShape.properties).map(([name, shape]) => {
      const key = name as keyof SettingsGiven
      const preset = key in settingDefaults ? { default: settingDefaults[key as keyof typeof settingDefaults] } : {}
      return [name, Type.Optional({ ...(shape as TSchema), ...preset, 'x-form': settingWords[key] })]
    }),
  ),
  { additionalProperties: false, description: 'an object of settings' },
)
