import Type, { type TObject, type TSchema } from 'typebox'
import { orderings, presences } from '../../audience/conditions/parse-comparisons.ts'
import { SegmentSchema } from '../../audience/conditions/schema.ts'
import { type PushName, pushNames } from '../channels/push/push-message.ts'
import { pushMembers } from '../channels/push/schema.ts'
import {
  headerCharactersMax,
  headerSchemes,
  headersMax,
  urlCharactersMax,
  webhookMethods,
} from '../channels/webhook/content.ts'
import {
  attributesMax,
  conversionsMax,
  exitsMax,
  headMembers,
  pathsMax,
  rateMax,
  stepsMax,
  testsMax,
  variantsMax,
  waitDaysMax,
  weekdays,
} from './schema.ts'

// Shapes for `/openapi.json`, the schema of the workspace file and the forms that are made of them. They only describe: the readers of this
// room judge a definition, and have better errors than those of a shape.

const exact = { additionalProperties: false }
const titled = (title: string) => ({ ...exact, title })
const nameMax = 255

const Line = Type.String({ minLength: 1, maxLength: nameMax, description: 'One line' })
const Name = Type.String({ minLength: 1, maxLength: nameMax })
const StepId = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  description: '1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first',
})
const Next = Type.Optional(Type.String({ description: 'The id of the next step; absent: the canvas ends there' }))
const durationText = `A length of time from PT1S to P${waitDaysMax}D without months and years, such as P3D or PT30M`
const Duration = Type.String({ pattern: '^P', description: durationText })
const ClockTime = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'A time of day such as 09:00' })
const Weekdays = Type.Array(Type.Enum([...weekdays]), { minItems: 1, maxItems: weekdays.length, uniqueItems: true })
const Percent = Type.Integer({ minimum: 0, maximum: 100 })
const CalendarDate = Type.String({ format: 'date' })
const Scalar = Type.Union([Type.String({ maxLength: nameMax }), Type.Number(), Type.Boolean()])

const StoredSegment = Type.Object(
  { segment_id: Type.String({ minLength: 1, maxLength: nameMax, description: 'The id or the name of a segment' }) },
  titled('stored_segment'),
)
const Audience = Type.Union([SegmentSchema, StoredSegment], { description: 'Conditions, or a stored segment' })
const condition = {
  segment: Type.Optional(Audience),
  audience: Type.Optional({ ...Audience, description: 'The same as `segment`. Only one of them is given' }),
}

const PropertyTest = Type.Union([
  Scalar,
  Type.Object(
    {
      comparison: Type.Enum(['equals', 'not_equal', ...orderings, ...presences]),
      value: Type.Optional(Scalar),
    },
    titled('property_test'),
  ),
])
const compared = {
  properties: Type.Optional(
    Type.Record(Type.String(), PropertyTest, {
      maxProperties: testsMax,
      description: 'What the properties of the event or purchase must be: a value, or a comparison',
    }),
  ),
  same: Type.Optional(
    Type.Array(Name, {
      minItems: 1,
      maxItems: testsMax,
      description: 'Properties that must have the values of the event that began the entry',
    }),
  ),
}
const Event = Type.String({ minLength: 1, maxLength: nameMax, description: 'The name of an event' })
const Product = Type.String({ minLength: 1, maxLength: nameMax, description: 'The id of a product, or any' })
const triggers = [
  Type.Object({ event: Event, ...compared }, titled('event_trigger')),
  Type.Object({ purchase: Product, ...compared }, titled('purchase_trigger')),
]
const Trigger = Type.Union([Event, ...triggers], { title: 'flow_trigger' })
const Engagement = (name: string) => Type.Object({ [name]: Type.Literal('email') }, titled(`${name}_trigger`))

const Attachment = Type.Object(
  { file_name: Type.String(), url: Type.String(), basic_auth_credential: Type.Optional(Type.String()) },
  titled('flow_attachment'),
)
const Email = Type.Object(
  {
    app_id: Type.String({ description: 'The id of an app of the workspace' }),
    from: Type.String({
      description: 'Display Name <address>; an address alone where `settings.from_name` has the name',
    }),
    subject: Type.Optional(Type.String()),
    reply_to: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'NO_REPLY_TO: none. Absent: the address of the workspace',
      }),
    ),
    bcc: Type.Optional(Type.String({ description: 'One of `settings.bcc`' })),
    body: Type.Optional(Type.String({ description: 'HTML. Required without `email_template_id`' })),
    plaintext_body: Type.Optional(Type.String()),
    preheader: Type.Optional(Type.String()),
    email_template_id: Type.Optional(Type.String({ description: 'The id of an e-mail template of the workspace' })),
    message_variation_id: Type.Optional(Type.String()),
    extras: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    should_inline_css: Type.Optional(Type.Boolean()),
    attachments: Type.Optional(Type.Array(Attachment)),
  },
  { ...titled('flow_email'), description: 'Texts may contain Liquid' },
)

const Text = Type.Object(
  {
    body: Type.String({ description: 'The text. Long ones are sent in several segments' }),
    subscription_group_id: Type.String({ description: 'The id of a subscription group for text messages' }),
    from: Type.Optional(Type.String({ description: 'The sender. Absent: that of the group or of the workspace' })),
    app_id: Type.Optional(Type.String({ description: 'The id of an app of the workspace' })),
    message_variation_id: Type.Optional(Type.String()),
  },
  { ...titled('flow_text'), description: 'May contain Liquid' },
)

const push = (name: PushName) =>
  Type.Object(pushMembers[name], { ...titled(`flow_${name}`), description: 'Texts may contain Liquid' })

const Header = Type.Union([
  Type.String({ maxLength: headerCharactersMax }),
  Type.Object(
    { credential: Type.String(), scheme: Type.Optional(Type.Enum([...headerSchemes])) },
    titled('credential_header'),
  ),
  Type.Object(
    { sealed: Type.Literal(true) },
    { ...titled('sealed_header'), description: 'Stands for a secret text. Sent back, the stored text is kept' },
  ),
])
const webhookMembers = {
  url: Type.String({ maxLength: urlCharactersMax, description: 'May contain Liquid' }),
  method: Type.Optional(Type.Enum([...webhookMethods], { default: 'POST' })),
  headers: Type.Optional(Type.Record(Type.String(), Header, { maxProperties: headersMax })),
  body: Type.Optional(Type.Unknown({ description: 'A text, or JSON whose texts are rendered one by one' })),
}
const Webhook = Type.Object(
  { ...webhookMembers, message_variation_id: Type.Optional(Type.String()) },
  { ...titled('flow_webhook'), description: 'A request to another server' },
)

/** What a message of a campaign sends: one of these. */
const contents = {
  email: Type.Optional(Email),
  sms: Type.Optional(Text),
  web_push: Type.Optional(push('web_push')),
  apple_push: Type.Optional(push('apple_push')),
  android_push: Type.Optional(push('android_push')),
  webhook: Type.Optional(Webhook),
}

const Recurrence = Type.Object(
  {
    at: ClockTime,
    days: Type.Optional(Weekdays),
    zone: Type.Optional(Type.String({ default: 'local', description: 'local, or a time zone such as Europe/Paris' })),
    from: Type.Optional(CalendarDate),
    until: Type.Optional(CalendarDate),
  },
  titled('flow_recurrence'),
)
const Entry = Type.Object(
  {
    by: Type.Optional(
      Type.Array(Type.Enum(['api', 'event', 'schedule']), {
        minItems: 1,
        maxItems: 3,
        description: 'Absent: by the event and the schedule that are given, or by the API when there are none',
      }),
    ),
    event: Type.Optional(
      Type.Union([
        Event,
        ...triggers,
        Type.Object({ name: Event, properties: compared.properties }, titled('entry_event')),
      ]),
    ),
    schedule: Type.Optional(Recurrence),
    again: Type.Optional(
      Type.Union([Type.Enum(['never', 'always']), Type.Object({ after: Duration }, titled('entry_again_after'))], {
        description: 'How often a person may enter. Absent: never for a canvas, always for a campaign',
      }),
    ),
  },
  titled('flow_entry'),
)
const Exit = Type.Object(
  { events: Type.Optional(Type.Array(Trigger, { minItems: 1, maxItems: exitsMax })), ...condition },
  titled('flow_exit'),
)
const Conversion = Type.Object(
  {
    name: Type.Optional(Line),
    on: Type.Union([Event, ...triggers, Engagement('opened'), Engagement('clicked')]),
    within: Duration,
  },
  titled('flow_conversion'),
)

const common = {
  class: Type.Optional(Type.Enum(['marketing', 'transactional'], { default: 'marketing' })),
  segment: Type.Optional({ ...Audience, description: 'Who may enter; all people when absent' }),
  audience: condition.audience,
  entry: Type.Optional({ ...Entry, description: 'When people enter, and how often they may' }),
  exit: Type.Optional({ ...Exit, description: 'What makes a person leave early' }),
  conversions: Type.Optional(Type.Array(Conversion, { maxItems: conversionsMax })),
  control_percent: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, default: 0, description: 'People who enter and get nothing' }),
  ),
  recipient_subscription_state: Type.Optional(
    Type.Enum(['opted_in', 'subscribed', 'all'], {
      description: 'Who gets the messages; `all` only with the class transactional, where it is the default',
    }),
  ),
  quiet_hours: Type.Optional(Type.Enum(['hold', 'skip', 'ignore'], { default: 'hold' })),
  rate: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,6}/(second|min|minute|hour|day)$',
      description: `1 to ${rateMax} messages in a second, min, hour or day, such as 500/min`,
    }),
  ),
}

const step = <T extends string>(type: T, members: Record<string, TSchema>): TObject =>
  Type.Object({ id: StepId, name: Type.Optional(Line), type: Type.Literal(type), ...members }, titled(`${type}_step`))
const path = (title: string, members: Record<string, TSchema>): TSchema =>
  Type.Object({ name: Type.Optional(Line), ...members, next: Next }, titled(title))
const Paths = (item: TSchema): TSchema => Type.Array(item, { minItems: 1, maxItems: pathsMax })

/** A step of a canvas, by its `type`. */
const Step = Type.Union(
  [
    step('message', {
      channel: Type.Optional(Type.Enum(['email', 'sms', ...pushNames, 'webhook'])),
      message: Type.Union([Email, Text, ...pushNames.map(push), Webhook]),
      next: Next,
    }),
    step('delay', {
      for: Type.Optional({ ...Duration, description: `${durationText}. Not with \`until\`` }),
      until: Type.Optional({ ...ClockTime, description: 'The next time of day in the time zone of the person' }),
      weekdays: Type.Optional({ ...Weekdays, description: 'Only with `until`' }),
      next: Next,
    }),
    step('decision', { ...condition, yes: Next, no: Next }),
    step('paths', { paths: Paths(path('condition_path', condition)), otherwise: Next }),
    step('action_paths', {
      within: Duration,
      paths: Paths(path('action_path', { event: Type.Optional(Event), purchase: Type.Optional(Product), ...compared })),
      otherwise: Next,
    }),
    step('experiment', { paths: Paths(path('experiment_path', { percent: Percent })) }),
    step('update_user', {
      attributes: Type.Record(Type.String(), Type.Unknown(), {
        minProperties: 1,
        maxProperties: attributesMax,
        description: 'As in /users/track, without identifiers and addresses',
      }),
      next: Next,
    }),
    step('webhook', {
      ...webhookMembers,
      next: Next,
    }),
  ],
  { title: 'flow_step' },
)

const Variant = Type.Object(
  { name: Type.Optional(Line), percent: Type.Optional(Percent), first: StepId },
  titled('flow_variant'),
)
const Message = Type.Object(
  { id: Type.Optional(StepId), name: Type.Optional(Line), percent: Type.Optional(Percent), ...contents },
  titled('campaign_message'),
)

/** The members of the definition of a canvas, described. */
const canvasMembers: Readonly<Record<string, TSchema>> = {
  ...common,
  variants: Type.Optional(
    Type.Array(Variant, { minItems: 1, maxItems: variantsMax, description: 'Where people begin; percents add to 100' }),
  ),
  first: Type.Optional({ ...StepId, description: 'The id of the first step, when there are no variants' }),
  steps: Type.Array(Step, { minItems: 1, maxItems: stepsMax }),
}

/** The members of the definition of a campaign, described. */
const campaignMembers: Readonly<Record<string, TSchema>> = {
  ...common,
  messages: Type.Array(Message, {
    minItems: 1,
    maxItems: variantsMax,
    description: 'The variants; percents add to 100',
  }),
}

/** The shapes of canvases and campaigns, described. */
export const describedFlows = { canvas: describe(canvasMembers), campaign: describe(campaignMembers) } as const

/** A flow as it is given, and a change of it: null removes a member of the definition. */
function describe(members: Readonly<Record<string, TSchema>>): { readonly whole: TObject; readonly change: TObject } {
  const removable = Object.entries(members).map(([name, schema]) => {
    return [name, Type.Optional(Type.Union([schema, Type.Null()]))] as const
  })
  const head = { ...headMembers, name: { ...headMembers.name, maxLength: nameMax } }
  return {
    whole: Type.Object({ ...head, ...members }, exact),
    change: Type.Partial(Type.Object({ ...head, ...Object.fromEntries(removable) }, exact)),
  }
}
