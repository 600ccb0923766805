import { flowShapes } from '../../api/flow-shapes.ts'
import { isMembers, type Members } from './members.ts'

export const ways = flowShapes.flow_entry.by.choices
export type Way = (typeof ways)[number]

/** Returns how people enter. Without `by` they enter by the event and the schedule that are given, or by the API. Pure. */
export function waysOf(entry: Members): readonly Way[] {
  const { by } = entry
  if (Array.isArray(by)) return ways.filter((way) => by.includes(way))
  return impliedWays(entry)
}

function impliedWays(entry: Members): readonly Way[] {
  const given = ways.filter((way) => way !== 'api' && (entry[way] ?? undefined) !== undefined)
  return given.length === 0 ? ['api'] : given
}

const begin: Readonly<Record<'event' | 'schedule', unknown>> = { event: { event: '' }, schedule: { at: '09:00' } }

/**
 * Returns an entry with a way added or taken away, and what it needs. `kept` has the event or the schedule that were taken away before.
 * `by` is written only where the rest does not say the same. Pure.
 */
export function withWay(entry: Members, way: Way, isOn: boolean, kept: Members = {}): Members {
  const wanted = ways.filter((each) => (each === way ? isOn : waysOf(entry).includes(each)))
  const { by, ...rest } = entry
  const next: Record<string, unknown> = { ...rest }
  if (way !== 'api') {
    if (isOn) next[way] = entry[way] ?? kept[way] ?? begin[way]
    else delete next[way]
  }
  const implied = impliedWays(next)
  const isSaid = implied.length === wanted.length && implied.every((each) => wanted.includes(each))
  // No way at all is a mistake that the server names.
  return isSaid && !Array.isArray(by) ? next : { by: inOrder(by, wanted), ...next }
}

/** Keeps the order in which the ways were written. */
function inOrder(by: unknown, wanted: readonly Way[]): Way[] {
  const before = Array.isArray(by) ? by.filter((each): each is Way => wanted.includes(each)) : []
  return [...before, ...wanted.filter((way) => !before.includes(way))]
}

/** Returns how often people may enter as one word. Pure. */
export function againOf(again: unknown, otherwise: string): string {
  if (again === undefined) return otherwise
  return isMembers(again) ? 'after' : String(again)
}
