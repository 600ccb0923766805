import { isMembers, type Members, renamed } from './members.ts'

/** What people do so that something happens. `opened` and `clicked` are about a mail of the flow. */
export type TriggerKind = 'event' | 'purchase' | 'opened' | 'clicked'

/** Where a trigger stands: the first one of a flow, a later one, or that of a conversion. */
export type TriggerPlace = 'first' | 'next' | 'conversion'

export type Trigger = {
  readonly kind: TriggerKind
  /** The member with the name; undefined when the trigger is a text, which is the name itself. */
  readonly member: string | undefined
  readonly name: string
}

/** Reads a trigger. Without one, it is an event without a name. Pure. */
export function triggerIn(value: unknown, place: TriggerPlace): Trigger {
  if (typeof value === 'string') return { kind: 'event', member: undefined, name: value }
  const members = isMembers(value) ? value : {}
  const member = memberOf(members, place)
  const kind = member === 'name' ? 'event' : (member as TriggerKind)
  const name = members[member]
  return { kind, member, name: typeof name === 'string' ? name : '' }
}

function memberOf(members: Members, place: TriggerPlace): string {
  if (place === 'conversion' && 'opened' in members) return 'opened'
  if (place === 'conversion' && 'clicked' in members) return 'clicked'
  if ('purchase' in members) return 'purchase'
  return place === 'first' && 'name' in members && !('event' in members) ? 'name' : 'event'
}

/** Returns a trigger of another kind. What is beside the name stays, as far as the new kind has it. Pure. */
export function withKind(value: unknown, place: TriggerPlace, kind: TriggerKind): unknown {
  const { member } = triggerIn(value, place)
  if (kind === 'opened' || kind === 'clicked') return { [kind]: 'email' }
  const first = kind === 'event' ? '' : 'any'
  if (!isMembers(value) || member === undefined) return { [kind]: first }
  if (member === 'opened' || member === 'clicked') return { [kind]: first }
  const next = member in value ? renamed(value, member, kind) : { [kind]: first, ...value }
  return { ...next, [kind]: first }
}

/** Returns a trigger with a member besides its name, such as `properties`; undefined removes it. Pure. */
export function withBeside(value: unknown, member: string, beside: unknown): unknown {
  const members = isMembers(value) ? value : { event: typeof value === 'string' ? value : '' }
  if (beside !== undefined) return { ...members, [member]: beside }
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== member))
}

/** A comparison of one property, as a line of fields. */
export type PropertyLine = { readonly name: string; readonly comparison: string; readonly value?: unknown }

/** Returns the comparisons of properties in their order; undefined when one of them has a form that lines cannot show. Pure. */
export function linesOf(properties: unknown): PropertyLine[] | undefined {
  if (properties === undefined) return []
  if (!isMembers(properties)) return undefined
  const lines = Object.entries(properties).map(([name, given]) => {
    if (!isMembers(given) || 'rawJSON' in given) return { name, comparison: 'equals', value: given }
    const { comparison, value, ...others } = given
    if (typeof comparison !== 'string' || Object.keys(others).length > 0) return undefined
    return { name, comparison, ...('value' in given && { value }) }
  })
  return lines.some((line) => line === undefined) ? undefined : (lines as PropertyLine[])
}

/** Returns the properties of lines; undefined without any. Of two lines with one name the later counts. Pure. */
export function propertiesOf(lines: readonly PropertyLine[], before: unknown): Members | undefined {
  if (lines.length === 0) return undefined
  return Object.fromEntries(lines.map((line) => [line.name, testOf(line, before)]))
}

/** A test that was written in the long form stays in it. */
function testOf({ name, comparison, value }: PropertyLine, before: unknown): unknown {
  const written = isMembers(before) && Object.hasOwn(before, name) ? before[name] : undefined
  const isLong = isMembers(written) && !('rawJSON' in written)
  if (comparison === 'equals' && !isLong) return value
  return { comparison, ...(value !== undefined && { value }) }
}
