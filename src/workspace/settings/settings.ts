import Type, { type Static } from 'typebox'
import { isEndpoint } from '../../base/fetch/endpoint.ts'
import { defaultLimits, rateWindows } from '../../base/http/limits.ts'
import { elapsedMs, elapsedPattern, retentionPattern, roughDays } from './duration.ts'
import { SmsShape } from './sms-settings.ts'

const listMax = 1000
const externalIdBytesMax = 987
/** The most names of custom attributes that a workspace can block. */
export const attributeBlocklistMax = 300
/** Exports return 90 days of events (specification 8), so younger events must not be dropped. */
/** The shortest retention of events and purchases, in days. */
export const eventRetentionDaysMin = 90
/** The longest regular expression that the interface allows (contract 4.8). */
export const patternCharactersCeiling = 32_764
/** The most files of a mail that a workspace can allow, and their size together. A mail is composed in memory. */
export const attachmentsCeiling = 100
export const attachmentsBytesCeiling = 40 * 1024 * 1024
/** The longest time by which a message at a local time may be late. */
const localDelayDaysMax = 30
const retentionDaysMax = 36_500
const dayMs = 86_400_000

const exact = { additionalProperties: false }
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const address = Type.String({
  pattern: `^(?=[^@]{1,64}@)${atom}(\\.${atom})*@(?=.{1,253}$)(${label}\\.)+(?=[A-Za-z])${label}$`,
  description: 'an e-mail address',
})
const trueOrFalse = Type.Boolean({ description: 'true or false' })
const count = Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'a whole number from 1 to 1000000000' })
const name = Type.String({ minLength: 1, maxLength: 255, description: 'text of 1 to 255 characters' })
const displayName = Type.Refine(
  Type.String({ minLength: 1, maxLength: 255, description: 'a name of 1 to 255 characters in one line' }),
  (text) => text.trim() !== '' && !/\p{Cc}/u.test(text) && text.isWellFormed(),
)
const urlCharactersMax = 2_048
const statusUrl = Type.Refine(
  Type.String({
    maxLength: urlCharactersMax,
    description: `an http or https URL without credentials, of at most ${urlCharactersMax} characters`,
  }),
  isEndpoint,
)
const timeZone = Type.Refine(
  Type.String({ maxLength: 64, description: 'a time zone such as Europe/Paris' }),
  isTimeZone,
)

const externalId = Type.Refine(
  Type.String({ minLength: 1, description: `an external_id of 1 to ${externalIdBytesMax} bytes` }),
  (id) => Buffer.byteLength(id) <= externalIdBytesMax,
)

function retention(daysMin: number) {
  const description = `a length of time from ${daysMin} days to ${retentionDaysMax / 365} years, such as P90D, P6M or P2Y`
  const isWithin = (duration: string) => {
    if (!new RegExp(retentionPattern).test(duration)) return true
    const days = roughDays(duration)
    return days >= daysMin && days <= retentionDaysMax
  }
  return Type.Refine(Type.String({ pattern: retentionPattern, description }), isWithin)
}

/** The limits of one group of endpoints per window; `unlimited` removes the default limit. */
const RateLimit = Type.Union(
  [
    Type.Literal('unlimited'),
    Type.Object(
      mapKeys(rateWindows, () => Type.Optional(count)),
      { ...exact, minProperties: 1, title: 'rate_limit' },
    ),
  ],
  { description: `unlimited, or numbers for ${Object.keys(rateWindows).join(', ')}` },
)

const perSecond = Type.Number({
  minimum: 0.01,
  maximum: 100_000,
  description: 'a number of mails a second from 0.01 to 100000',
})

/** The limits of mail per second, for all mail and for each domain of recipients. */
const EmailRates = Type.Object(
  {
    per_second: Type.Optional(perSecond),
    domains: Type.Optional(
      Type.Refine(
        Type.Record(Type.String({ pattern: `^(?=[^A-Z]{1,253}$)(${label}\\.)+${label}$` }), perSecond, {
          ...exact,
          description: `an object of at most ${listMax} domains in lower case such as gmail.com, each with mails a second`,
        }),
        (domains) => Object.keys(domains).length <= listMax,
      ),
    ),
  },
  { ...exact, description: 'an object with per_second or domains' },
)

const clockTime = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'a time of day such as 21:30' })

/** Marketing messages are not sent from `start` until `end`, in the time zone of the person. */
const QuietHours = Type.Refine(
  Type.Object(
    { start: clockTime, end: clockTime },
    { ...exact, description: 'an object with start and end, two different times of day' },
  ),
  ({ start, end }) => start !== end,
)

const capsMax = 10
const capCountMax = 1000
const capDaysMax = 90

/** The most marketing messages that a person gets in any period of this length, from all canvases and campaigns. */
const FrequencyCap = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: capCountMax, description: `a whole number from 1 to ${capCountMax}` }),
    per: Type.Refine(
      Type.String({
        pattern: elapsedPattern,
        description: `a length of time of at most ${capDaysMax} days without months and years, such as P1D`,
      }),
      (per) => isBetween(elapsedMs(per), 1000, capDaysMax * dayMs),
    ),
    channel: Type.Optional(Type.Enum(['email', 'sms'], { description: 'email or sms' })),
  },
  { ...exact, description: 'an object with count and per' },
)

/** The most ranges of random buckets of the global control group. */
const controlRangesMax = 100
const randomBucketMax = 9_999

const randomBucket = Type.Integer({
  minimum: 0,
  maximum: randomBucketMax,
  description: `a whole number from 0 to ${randomBucketMax}`,
})

/** The people who get no marketing message, by their random bucket; both ends of a range are included. */
const GlobalControlGroup = Type.Object(
  {
    ranges: Type.Array(
      Type.Refine(
        Type.Object(
          { from: randomBucket, to: randomBucket },
          { ...exact, description: 'an object with from and to, where from is not above to' },
        ),
        ({ from, to }) => from <= to,
      ),
      { maxItems: controlRangesMax, description: `a list of at most ${controlRangesMax} ranges` },
    ),
  },
  { ...exact, description: 'an object with ranges' },
)

/** How webhooks of mail providers are authenticated. */
const Webhooks = Type.Object(
  {
    amazon_ses: Type.Optional(
      Type.Object(
        {
          topic_arn: Type.String({
            pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]{1,40}:[0-9]{12}:[A-Za-z0-9_.-]{1,256}$',
            description: 'the ARN of an SNS topic such as arn:aws:sns:eu-west-1:123456789012:bounces',
          }),
        },
        { ...exact, description: 'an object with topic_arn' },
      ),
    ),
    sendgrid: Type.Optional(
      Type.Object(
        {
          public_key: Type.String({
            pattern: '^[A-Za-z0-9+/]{40,1000}={0,2}$',
            description: 'the public key of the signed event webhook, in base64 as the provider shows it',
          }),
        },
        { ...exact, description: 'an object with public_key' },
      ),
    ),
    mailgun: Type.Optional(
      Type.Object(
        { credential: name },
        {
          ...exact,
          description: 'an object with credential, the name of a credential whose password is the signing key',
        },
      ),
    ),
  },
  { ...exact, description: 'an object with amazon_ses, sendgrid or mailgun' },
)

/** The settings in a workspace file. Each is optional; `null` resets one to its default. */
export const SettingsShape = Type.Object(
  {
    time_zone: Type.Optional(timeZone),
    reserved_external_ids: Type.Optional(
      Type.Array(externalId, { maxItems: listMax, description: `a list of at most ${listMax} external_ids` }),
    ),
    reserved_ids_partial: Type.Optional(trueOrFalse),
    attribute_blocklist: Type.Optional(
      Type.Array(name, {
        maxItems: attributeBlocklistMax,
        description: `a list of at most ${attributeBlocklistMax} names of custom attributes`,
      }),
    ),
    strict: Type.Optional(trueOrFalse),
    local_email_domains: Type.Optional(trueOrFalse),
    nested_nulls: Type.Optional(
      Type.Enum(['drop_key', 'refuse_attribute', 'store'], { description: 'drop_key, refuse_attribute or store' }),
    ),
    rate_limits: Type.Optional(
      Type.Object(
        mapKeys(defaultLimits, () => Type.Optional(RateLimit)),
        {
          ...exact,
          description: 'an object with a limit per group of endpoints',
        },
      ),
    ),
    event_retention: Type.Optional(retention(eventRetentionDaysMin)),
    export_all_fields: Type.Optional(trueOrFalse),
    regex_characters_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: patternCharactersCeiling,
        description: `a whole number from 1 to ${patternCharactersCeiling}`,
      }),
    ),
    from_name: Type.Optional(displayName),
    reply_to: Type.Optional(address),
    bcc: Type.Optional(Type.Array(address, { maxItems: listMax, description: 'a list of e-mail addresses' })),
    should_inline_css: Type.Optional(trueOrFalse),
    departments: Type.Optional(
      Type.Array(name, { minItems: 1, maxItems: listMax, description: 'a list of names, at least one' }),
    ),
    default_department: Type.Optional(name),
    ledger_retention: Type.Optional(retention(1)),
    feed: Type.Optional(trueOrFalse),
    feed_retention: Type.Optional(retention(1)),
    extras_header: Type.Optional(
      Type.String({
        pattern: '^[Xx]-[A-Za-z0-9-]{1,62}$',
        description: 'a header name that begins with X-, of letters, digits and dashes',
      }),
    ),
    attachments_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: attachmentsCeiling,
        description: `a whole number from 1 to ${attachmentsCeiling}`,
      }),
    ),
    attachments_bytes_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: attachmentsBytesCeiling,
        description: `a number of bytes from 1 to ${attachmentsBytesCeiling}`,
      }),
    ),
    track_opens: Type.Optional(trueOrFalse),
    track_clicks: Type.Optional(trueOrFalse),
    api_log: Type.Optional(trueOrFalse),
    email_rates: Type.Optional(EmailRates),
    sms: Type.Optional(SmsShape),
    mail_delivery: Type.Optional(Type.Enum(['server', 'inbox'], { description: 'server or inbox' })),
    quiet_hours: Type.Optional(QuietHours),
    local_time_delay_max: Type.Optional(
      Type.Refine(
        Type.String({
          pattern: elapsedPattern,
          description: `a length of time from 1 minute to ${localDelayDaysMax} days without months and years, such as PT6H`,
        }),
        (delay) => isBetween(elapsedMs(delay), 60_000, localDelayDaysMax * dayMs),
      ),
    ),
    frequency_cap: Type.Optional(
      Type.Array(FrequencyCap, { maxItems: capsMax, description: `a list of at most ${capsMax} caps` }),
    ),
    global_control_group: Type.Optional(GlobalControlGroup),
    webhooks: Type.Optional(Webhooks),
    transactional_status_url: Type.Optional(statusUrl),
    scim: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(Type.Enum(['number', 'string'], { description: 'number or string' })),
          unknown_permissions: Type.Optional(Type.Enum(['refuse', 'keep'], { description: 'refuse or keep' })),
          unknown_departments: Type.Optional(
            Type.Enum(['keep', 'default', 'refuse'], { description: 'keep, default or refuse' }),
          ),
          default_role: Type.Optional(name),
        },
        { ...exact, description: 'an object with status, unknown_permissions, unknown_departments or default_role' },
      ),
    ),
  },
  { ...exact, description: 'an object of settings' },
)
export type SettingsGiven = Static<typeof SettingsShape>

/** The defaults. A setting without a default is absent when it is not set. */
export const settingDefaults = {
  time_zone: 'UTC',
  reserved_external_ids: [],
  reserved_ids_partial: false,
  attribute_blocklist: [],
  strict: false,
  local_email_domains: false,
  nested_nulls: 'drop_key',
  rate_limits: {},
  event_retention: 'P2Y',
  export_all_fields: false,
  regex_characters_max: 1000,
  bcc: [],
  should_inline_css: false,
  ledger_retention: 'P1Y',
  feed: false,
  feed_retention: 'P30D',
  extras_header: 'X-Extras',
  attachments_max: 50,
  attachments_bytes_max: 25 * 1024 * 1024,
  track_opens: true,
  track_clicks: true,
  api_log: true,
  email_rates: {},
  sms: {},
  mail_delivery: 'server',
  local_time_delay_max: 'PT1H',
  frequency_cap: [],
  global_control_group: { ranges: [] },
  webhooks: {},
  departments: ['agency', 'bi', 'c_suite', 'engineering', 'finance', 'marketing', 'pm'],
  scim: { status: 'number', unknown_permissions: 'refuse', unknown_departments: 'keep' },
} satisfies SettingsGiven

type ScimGiven = NonNullable<SettingsGiven['scim']>
export type Settings = SettingsGiven &
  Required<Pick<SettingsGiven, keyof typeof settingDefaults>> & {
    scim: Required<Pick<ScimGiven, keyof typeof settingDefaults.scim>>
  }

/** Returns the settings in effect: those that are set, and the defaults of the others. */
export function completeSettings(given: SettingsGiven): Settings {
  return { ...settingDefaults, ...given, scim: { ...settingDefaults.scim, ...given.scim } }
}

/** Checks settings that depend on each other. */
export function checkRelatedSettings(settings: Settings): { path: string; message: string }[] {
  const { departments, default_department } = settings
  if (default_department === undefined || departments.includes(default_department)) return []
  return [{ path: 'default_department', message: `must be one of departments: ${departments.join(', ')}` }]
}

function isBetween(ms: number | undefined, min: number, max: number): boolean {
  return ms !== undefined && ms >= min && ms <= max
}

export function isTimeZone(zone: string): boolean {
  // The runtime accepts an offset such as +05:30, but it is not a time zone.
  if (/^[+-]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    // The runtime throws for a time zone that it does not know.
    return false
  }
}

function mapKeys<Names extends object, T>(names: Names, make: () => T): { [name in keyof Names]: T } {
  return Object.fromEntries(Object.keys(names).map((key) => [key, make()])) as { [name in keyof Names]: T }
}
