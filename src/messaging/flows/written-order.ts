/** Members of a definition in the order in which somebody would write them, whichever object they are in. */
const order = [
  ...['id', 'name', 'type', 'percent', 'by', 'event', 'purchase', 'opened', 'clicked', 'properties', 'same'],
  ...['schedule', 'at', 'days', 'zone', 'app_id', 'from', 'for', 'until', 'weekdays', 'again', 'after'],
  ...['on', 'within', 'events', 'segment', 'segment_id', 'audience', 'custom_attribute_name', 'comparison', 'value'],
  ...['paths', 'attributes', 'url', 'method', 'headers', 'channel', 'message', 'email'],
  ...['reply_to', 'subject', 'preheader', 'body', 'first', 'yes', 'no', 'otherwise', 'next'],
]
const places = new Map(order.map((name, i) => [name, i]))

/**
 * A definition in the order in which it is written in a file, because storage keeps none: its own members by `names`, and what is in them
 * as people would write it; what is called otherwise stays as it is, after the rest. Pure.
 */
export function inWrittenOrder(
  names: readonly string[],
  definition: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = names.filter((name) => Object.hasOwn(definition, name))
  return Object.fromEntries(known.map((name) => [name, arranged(definition[name])]))
}

function arranged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(arranged)
  if (value === null || typeof value !== 'object') return value
  const placeOf = ([name]: readonly [string, unknown]) => places.get(name) ?? order.length
  const members = Object.entries(value).toSorted((a, b) => placeOf(a) - placeOf(b))
  return Object.fromEntries(members.map(([name, item]) => [name, arranged(item)]))
}
