import type { Attention, Due } from './schema.ts'

export type AttentionFacts = {
  /** What is wrong with the mail server; undefined when nothing is. */
  /** What is wrong with the servers of channels, and what waits because of it. */
  readonly troubles: readonly { readonly cause: string; readonly waiting: string }[]
  readonly due: readonly Due[]
  /** Answers from 500 in the last hours. */
  readonly failedRequests: number
  readonly hours: number
  readonly uncertain: number
  readonly setAside: number
  readonly pausedFlows: readonly { readonly kind: 'canvas' | 'campaign'; readonly id: string; readonly name: string }[]
  readonly pausedOrders: readonly { readonly dispatch_id: string; readonly what: string; readonly to_go: number }[]
}

/** Work that has been due for longer is late: workers are busy, or none is running. */
const lateMs = 60_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs

const workWords: Readonly<Record<Due['work'], string>> = {
  slots: 'Sends',
  entries: 'Steps of canvases',
  messages: 'Messages',
  people: 'Merges and deletions of people',
}
const flowWords = { canvas: 'The canvas', campaign: 'The campaign' } as const

/** Lists what an administrator should look at, the most urgent first. Pure. */
export function attentionOf(facts: AttentionFacts): Attention[] {
  const { troubles, due, failedRequests, hours, uncertain, setAside, pausedFlows, pausedOrders } = facts
  const found: Attention[] = []
  const add = (kind: Attention['kind'], sentence: string, id: string | null = null) => {
    found.push({ kind, sentence, id })
  }
  for (const { cause, waiting } of troubles) add('mail_server', `${cause}. ${waiting} until the server is reached.`)
  for (const { work, late_ms } of due) {
    if (late_ms < lateMs) continue
    add(
      'late',
      `${workWords[work]} are ${inWords(late_ms)} late. See whether a worker is running and has enough to run on.`,
    )
  }
  if (failedRequests > 0) {
    const what = failedRequests === 1 ? 'One request was' : `${grouped(failedRequests)} requests were`
    add('failed_requests', `${what} answered with an error of the server in the last ${inWords(hours * hourMs)}.`)
  }
  if (uncertain > 0) {
    const what = uncertain === 1 ? 'One message was' : `${grouped(uncertain)} messages were`
    add('uncertain', `${what} perhaps sent. Decide whether to send again.`)
  }
  if (setAside > 0) {
    const [what, them] = setAside === 1 ? ['One message was', 'it'] : [`${grouped(setAside)} messages were`, 'them']
    add('set_aside', `${what} set aside, because the process ended several times while it prepared ${them}.`)
  }
  for (const { kind, id, name } of pausedFlows) add(`paused_${kind}`, `${flowWords[kind]} "${name}" is paused.`, id)
  for (const { dispatch_id, what, to_go } of pausedOrders)
    add('paused_dispatch', `${what} is paused with ${grouped(to_go)} to go.`, dispatch_id)
  return found
}

const small = ['Nothing', 'One thing', 'Two things', 'Three things', 'Four things', 'Five things']

/** Returns whether all is well, in words. Pure. */
export function overviewSentence(count: number): string {
  if (count === 0) return 'All is well.'
  return `${small[count] ?? `${grouped(count)} things`} ${count === 1 ? 'needs' : 'need'} you.`
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}

function inWords(ms: number): string {
  if (ms < 2 * minuteMs) return 'one minute'
  if (ms < 2 * hourMs) return ms === hourMs ? 'hour' : `${Math.floor(ms / minuteMs)} minutes`
  if (ms <= 48 * hourMs) return `${Math.floor(ms / hourMs)} hours`
  return `${Math.floor(ms / 24 / hourMs)} days`
}
