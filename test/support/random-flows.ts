import fc, { type Arbitrary } from 'fast-check'
import { mail } from './messages.ts'
import type { Item } from './people.ts'

/** How many steps a random canvas has at most. */
const stepsMax = 8

const gold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
const condition: Arbitrary<Item> = fc.letrec<{ node: Item }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Item>(
      gold,
      { custom_event: { name: 'bought', comparison: 'greater_than', value: 2, days: 7 } },
      { random_bucket: { comparison: 'less_than', value: 4000 } },
      { standard_attribute: { name: 'country', comparison: 'exists' } },
      { email_subscription_status: { comparison: 'is', value: 'opted_in' } },
      { last_used_app: { comparison: 'less_than_x_days_ago', value: 30 } },
    ),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((AND) => ({ AND })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((OR) => ({ OR })),
    tie('node').map((NOT) => ({ NOT })),
  ),
})).node
const audience: Arbitrary<Item> = fc
  .tuple(fc.constantFrom('segment', 'audience'), condition)
  .map(([name, tree]) => ({ [name]: tree }))
const duration = fc.constantFrom('PT1S', 'PT30M', 'P3D', 'P2W', 'P730D')
const line = fc.stringMatching(/^[A-Za-z{} é☃]{0,20}$/).map((text) => `L${text}`)
const value = fc.oneof(fc.boolean(), fc.integer(), fc.constantFrom('', 'é', 1.5, 1e20))
const test: Arbitrary<unknown> = fc.oneof(
  value,
  fc.constantFrom(
    { comparison: 'exists' },
    { comparison: 'greater_than', value: 3 },
    { comparison: 'not_equal', value: 'x' },
  ),
)
const properties = fc.dictionary(fc.constantFrom('total', 'kind', 'Zählung', 'a b'), test, { maxKeys: 3 })
const trigger: Arbitrary<Item> = fc
  .tuple(
    fc.constantFrom<Item>({ event: 'signed_up' }, { purchase: 'any' }, { purchase: 'hat' }),
    fc.option(properties, { nil: undefined }),
  )
  .map(([of, tests]) => ({ ...of, ...(tests && { properties: tests }) }))
const weekdays = fc.uniqueArray(fc.constantFrom('mon', 'tue', 'wed', 'sun'), { minLength: 1 })

/** Returns random conversions, entry rules and what else stands beside the steps, for people who enter by the API. */
const rules: Arbitrary<Item> = fc.record(
  {
    class: fc.constantFrom('marketing', 'transactional'),
    segment: condition,
    exit: fc.record({ events: fc.array(fc.oneof(fc.constant('left'), trigger), { minLength: 1, maxLength: 3 }) }),
    conversions: fc
      .array(fc.record({ on: fc.oneof(trigger, fc.constant({ opened: 'email' })), within: duration }), { maxLength: 4 })
      .map((all) => all.map((one, i) => ({ name: `Conversion ${i}`, ...one }))),
    control_percent: fc.integer({ min: 0, max: 100 }),
    quiet_hours: fc.constantFrom('hold', 'skip', 'ignore'),
    rate: fc.constantFrom('1/second', '500/min', '1000000/day'),
    entry: fc.record(
      {
        by: fc.constant(['api', 'schedule']),
        schedule: fc.record({ at: fc.constantFrom('00:00', '23:59'), days: weekdays }, { requiredKeys: ['at'] }),
        again: fc.constantFrom('never', 'always', { after: 'P7D' }),
      },
      { requiredKeys: ['by', 'schedule'] },
    ),
  },
  { requiredKeys: [] },
)

/** Divides 100 into so many parts. */
function sharesOf(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 100 - (count - 1) : 1))
}

/** Returns the body of a random step; `next` names one of the steps that follow, or the end. */
function stepBody(next: Arbitrary<Item>, to: Arbitrary<string | undefined>): Arbitrary<Item> {
  const named = (name: string) => to.map((id) => (id === undefined ? {} : { [name]: id }))
  const joined = (...parts: Arbitrary<Item>[]) => fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Item)
  const paths = (item: Arbitrary<Item>) =>
    fc
      .array(joined(item, next), { minLength: 1, maxLength: 3 })
      .map((all) => ({ paths: all.map((one, i) => ({ name: `P${i}`, ...one })) }))
  const of = (type: string, ...parts: Arbitrary<Item>[]) => joined(fc.constant({ type }), ...parts)
  return fc.oneof(
    of(
      'message',
      line.map((subject) => ({ channel: 'email', message: mail({ subject: subject.replaceAll(/[{}]/g, '') }) })),
      next,
    ),
    of(
      'delay',
      duration.map((time) => ({ for: time })),
      next,
    ),
    of(
      'delay',
      weekdays.map((days) => ({ until: '09:00', weekdays: days })),
      next,
    ),
    of('decision', audience, named('yes'), named('no')),
    of('paths', paths(audience), named('otherwise')),
    of(
      'action_paths',
      duration.map((within) => ({ within })),
      paths(trigger),
      named('otherwise'),
    ),
    of(
      'experiment',
      paths(fc.constant({})).map(({ paths: all }) => {
        const shares = sharesOf((all as Item[]).length)
        return { paths: (all as Item[]).map((one, i) => ({ ...one, percent: shares[i] })) }
      }),
    ),
    of(
      'update_user',
      fc
        .dictionary(fc.constantFrom('plan', 'n', 'é'), fc.jsonValue({ maxDepth: 1 }), { minKeys: 1 })
        .map((attributes) => ({ attributes })),
      next,
    ),
    of(
      'webhook',
      fc.record({
        url: fc.constant('https://hooks.example.com/a'),
        headers: fc.constant({ 'X-Kind': 'a' }),
        body: fc.constantFrom('x', { a: [1, null] }),
      }),
      next,
    ),
  )
}

/** Random valid canvases without id and name. Each step leads to later ones, and the one before leads to it, so that all are reached. */
export const randomCanvases: Arbitrary<Item> = fc.integer({ min: 1, max: stepsMax }).chain((count) => {
  const steps = Array.from({ length: count }, (_, i) => {
    const to = i + 1 < count ? fc.integer({ min: i + 1, max: count - 1 }).map((at) => `s${at}`) : fc.constant(undefined)
    const next = to.map((id) => (id === undefined ? {} : { next: id }))
    return stepBody(next, to).map((body) => leadOn({ id: `s${i}`, ...body }, i + 1 < count ? `s${i + 1}` : undefined))
  })
  return fc.tuple(rules, ...steps).map(([more, ...all]) => ({ ...more, first: 's0', steps: all }))
})

/** What a mail may have beside its texts. */
const email: Arbitrary<Item> = fc
  .record(
    {
      subject: line.map((text) => text.replaceAll(/[{}]/g, '')),
      preheader: fc.constantFrom('Before the text', 'For {{${first_name}}}'),
      plaintext_body: fc.constantFrom('Plain\ntext', 'For {{${first_name}}}'),
      reply_to: fc.constantFrom('NO_REPLY_TO', 'Help <help@example.com>'),
      message_variation_id: fc.constantFrom('variation', 'v-2'),
      headers: fc.dictionary(fc.constantFrom('X-Kind', 'X-Source'), fc.constantFrom('a', 'b c'), { minKeys: 1 }),
      extras: fc.dictionary(fc.constantFrom('kind', 'é'), fc.constantFrom<unknown>('x', 'y z'), { minKeys: 1 }),
      should_inline_css: fc.boolean(),
      attachments: fc.constant([{ file_name: 'terms.pdf', url: 'https://files.example.com/terms.pdf' }]),
    },
    { requiredKeys: [] },
  )
  .map((members) => mail(members))

/** Random valid campaigns without id and name. */
export const randomCampaigns: Arbitrary<Item> = fc.integer({ min: 1, max: 4 }).chain((count) => {
  const shares = sharesOf(count)
  const messages = shares.map((percent, i) =>
    fc
      .record({ id: fc.constant(`m${i}`), name: fc.constant(`Message ${i}`), email }, { requiredKeys: ['email'] })
      .map((one) => ({ ...one, ...(count > 1 && { percent }) })),
  )
  return fc.tuple(rules, ...messages).map(([more, ...all]) => ({ ...more, messages: all }))
})

/** Returns the step with a reference to the next one. */
function leadOn(step: Item, to: string | undefined): Item {
  if (to === undefined) return step
  if (step.type === 'decision') return { ...step, yes: to }
  if (!Array.isArray(step.paths)) return { ...step, next: to }
  const [first, ...others] = step.paths as Item[]
  return { ...step, paths: [{ ...first, next: to }, ...others] }
}
