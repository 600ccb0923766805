import { isObject } from '../../people/values/values.ts'

/** Members of a definition, of any object in it, in the order in which people write them. */
const order = [
  ...['id', 'name', 'type', 'percent', 'by', 'event', 'purchase', 'opened', 'clicked', 'properties', 'same'],
  ...['schedule', 'at', 'days', 'zone', 'app_id', 'from', 'for', 'until', 'weekdays', 'again', 'after'],
  ...['on', 'within', 'events', 'segment', 'segment_id', 'audience', 'custom_attribute_name', 'comparison', 'value'],
  ...['paths', 'attributes', 'url', 'method', 'headers', 'channel', 'message', 'email', 'sms'],
  ...['web_push', 'apple_push', 'android_push', 'webhook', 'title', 'alert'],
  ...['reply_to', 'subject', 'preheader', 'body', 'first', 'yes', 'no', 'otherwise', 'next'],
]
const ranks = new Map(order.map((name, i) => [name, i]))

/**
 * Returns a definition with its members in the order of a file, because the database keeps none: the members of the definition by `names`,
 * those of objects in it by `order`. Other members come last. Pure.
 */
export function inWrittenOrder(
  names: readonly string[],
  definition: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = names.filter((name) => Object.hasOwn(definition, name))
  return Object.fromEntries(known.map((name) => [name, sorted(definition[name])]))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const rankOf = ([name]: readonly [string, unknown]) => ranks.get(name) ?? order.length
  const members = Object.entries(value).toSorted((a, b) => rankOf(a) - rankOf(b))
  return Object.fromEntries(members.map(([name, item]) => [name, sorted(item)]))
}
