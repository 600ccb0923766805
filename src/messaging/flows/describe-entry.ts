import type { Conversion, FlowKind, Graph, Recurrence, ReentryRule, Trigger } from './flow.ts'

export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const units = [
  ['week', 7 * 24 * 60 * 60_000],
  ['day', 24 * 60 * 60_000],
  ['hour', 60 * 60_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Returns in one sentence how people enter a flow, and how often they may. Pure. */
export function describeEntry({ entry, segment }: Pick<Graph, 'entry' | 'segment'>): string {
  const { by, on, schedule, again } = entry
  const ways = [
    ...(by.has('event') && on ? [triggerWords(on)] : []),
    ...(by.has('schedule') && schedule ? [scheduleWords(schedule)] : []),
    ...(by.has('api') ? ['when the API says so'] : []),
  ]
  const who = segment === undefined ? 'People' : 'People of its audience'
  return `${who} enter ${joined(ways, 'or')}, ${againWords(again)}.`
}

/** Returns in one sentence what counts as a conversion of a flow, and how long after a message. Pure. */
export function describeConversion({ on, withinMs }: Pick<Conversion, 'on' | 'withinMs'>, kind: FlowKind): string {
  const within = `within ${spanWords(withinMs)}`
  if (on.kind === 'engagement') {
    const verb = on.name === 'opened' ? 'open' : 'click a link in'
    return `People convert when they ${verb} an e-mail of the ${kind} ${within}.`
  }
  return `People convert ${triggerWords(on)} ${within} after a message of the ${kind}.`
}

export function triggerWords({ kind, name, tests, same }: Trigger): string {
  const what =
    kind === 'event' ? `do ${JSON.stringify(name)}` : name === undefined ? 'buy' : `buy ${JSON.stringify(name)}`
  return `when they ${what}${tests.length + same.length > 0 ? ' with certain properties' : ''}`
}

function scheduleWords({ at, days, zone, from, until }: Recurrence): string {
  const on =
    days.length === 0 || days.length === 7
      ? 'every day'
      : `every ${joined(
          days.map((day) => dayNames[day - 1]!),
          'and',
        )}`
  const where = zone === 'local' ? 'in their own time zone' : `in ${zone}`
  const limits = `${from === undefined ? '' : ` from ${from}`}${until === undefined ? '' : ` until ${until}`}`
  return `${on} at ${at} ${where}${limits}`
}

function againWords(again: ReentryRule): string {
  if (again === 'never') return 'once each'
  return again === 'always' ? 'as often as that happens' : `and again after ${spanWords(again.afterMs)} at the earliest`
}

/** Returns a duration in the largest unit of which it is a whole number. */
export function spanWords(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms >= each && ms % each === 0) ?? (['millisecond', 1] as const)
  const count = ms / unitMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export function joined(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? (words[0] ?? 'in no way') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
