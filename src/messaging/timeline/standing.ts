import type { FlowKind } from '../flows/flow.ts'

const dayMs = 86_400_000

type Standing = {
  /** The kinds of the flows in which the person stands, one for each entry. */
  readonly open: readonly FlowKind[]
  /** There are more entries than were looked at. */
  readonly hasMore: boolean
  readonly lastMailMs: number | undefined
  readonly nowMs: number
}

/** Says in how many canvases and campaigns a person stands, and when the last mail was sent. Pure. */
export function standingSentence({ open, hasMore, lastMailMs, nowMs }: Standing): string {
  return `${standsIn(open, hasMore)} ${lastMail(lastMailMs, nowMs)}`
}

function standsIn(open: readonly FlowKind[], hasMore: boolean): string {
  const canvases = open.filter((kind) => kind === 'canvas').length
  const campaigns = open.length - canvases
  const parts = [counted(canvases, 'canvas', 'canvases'), counted(campaigns, 'campaign', 'campaigns')].filter(
    (part) => part !== '',
  )
  if (parts.length === 0) return 'Stands in no canvas.'
  return `Stands in ${hasMore ? 'at least ' : ''}${parts.join(' and ')}.`
}

function counted(count: number, one: string, several: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : several}`
}

function lastMail(lastMs: number | undefined, nowMs: number): string {
  if (lastMs === undefined) return 'No mail was sent yet.'
  const days = Math.floor((nowMs - lastMs) / dayMs)
  if (days < 1) return 'The last mail was sent less than a day ago.'
  return `The last mail was sent ${days === 1 ? '1 day' : `${days} days`} ago.`
}
