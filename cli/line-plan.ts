import { Failure } from '../src/base/errors.ts'
import { type SplitTrack, splitTrack, type TrackRules } from '../src/people/intake/split-track.ts'
import type { GroupRef } from '../src/people/profile/group-states.ts'
import { formatCount } from './progress.ts'
import type { SendableItem, TrackItem } from './track-batches.ts'

/** The most different reasons that a plan lists, and the lines that it names for each. */
export const reasonsMax = 50
const examplesMax = 3
/** Objects that are checked together. */
const checkedTogether = 500
/** The speed that an estimate assumes. A usual machine reaches it with an idle server. */
const linesPerMinute = 100_000
/** The most ids that a plan looks up. */
export const idsMax = 500

type Reason = { count: number; readonly lines: number[] }

/** A set with all texts: which apps and groups there are is known only to the server. */
class EverySet extends Set<string> {
  override has(): boolean {
    return true
  }
}

class EveryGroup extends Map<string, GroupRef> {
  override get(): GroupRef {
    return { group_id: 0, channel: 'email', archived: false }
  }

  override has(): boolean {
    return true
  }
}

/** Which lines of a file the server would refuse, as far as this is known without it, and how long an import takes. */
export class LinePlan {
  readonly #rules: TrackRules
  readonly #reasons = new Map<string, Reason>()
  #unchecked: SendableItem[] = []
  #ids: string[] = []
  #idsBefore = 0
  #step = 1
  lines = 0
  refused = 0
  /** Reasons beyond the most that are listed. */
  #unlisted = 0

  constructor(serviceName: string, nowMs: number) {
    this.#rules = {
      nowMs,
      suspicious: true,
      isLarge: true,
      batchMax: Number.POSITIVE_INFINITY,
      batchMaxPerArray: null,
      perPersonMax: null,
      reservedExternalIds: new Set(),
      reservedIdsPartial: true,
      appIds: new EverySet(),
      groups: new EveryGroup(),
      localEmails: true,
      serviceName,
    }
  }

  add(item: TrackItem): void {
    this.lines++
    if (item.problem !== undefined) {
      this.#refuse(item.problem, item.number)
      return
    }
    this.#sample(item.fields.external_id)
    this.#unchecked.push(item)
    if (this.#unchecked.length === checkedTogether) this.#check()
  }

  /** Checks what is left. Returns external_ids that are taken evenly from the file. */
  end(): readonly string[] {
    this.#check()
    return this.#ids
  }

  get result(): object {
    const reasons = [...this.#reasons].map(([reason, { count, lines }]) => ({ reason, count, lines }))
    return { refused: this.refused, reasons: reasons.sort((a, b) => b.count - a.count), minutes: this.#minutes }
  }

  get text(): string {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b.count - a.count)
    const reasons = sorted.map(([reason, { count, lines }]) => {
      const examples = `line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}${count > lines.length ? ', ...' : ''}`
      return `  ${formatCount(count)}  ${reason} (${examples})`
    })
    if (this.#unlisted > 0) reasons.push(`  ${formatCount(this.#unlisted)}  for other reasons`)
    const minutes = this.#minutes
    const time = minutes < 1 ? 'less than a minute' : `about ${formatCount(minutes)} min`
    return [
      `${formatCount(this.refused)} lines would be refused, as far as this is known without the server${this.refused > 0 ? ':' : '.'}`,
      ...reasons,
      `At ${formatCount(linesPerMinute)} lines a minute the import takes ${time}.`,
    ].join('\n')
  }

  get #minutes(): number {
    return Math.round(this.lines / linesPerMinute)
  }

  #check(): void {
    const items = this.#unchecked
    this.#unchecked = []
    if (items.length === 0) return
    const listed = { attributes: [] as SendableItem[], events: [] as SendableItem[], purchases: [] as SendableItem[] }
    for (const item of items) listed[item.array].push(item)
    const body = Object.fromEntries(
      Object.entries(listed).map(([name, own]) => [name, own.map(({ fields }) => fields)]),
    )
    for (const { input_array, index, type } of errorsOf(body, this.#rules))
      this.#refuse(type, listed[input_array][index]!.number)
  }

  #refuse(reason: string, line: number): void {
    this.refused++
    let known = this.#reasons.get(reason)
    if (known === undefined) {
      if (this.#reasons.size === reasonsMax) {
        this.#unlisted++
        return
      }
      known = { count: 0, lines: [] }
      this.#reasons.set(reason, known)
    }
    known.count++
    if (known.lines.length < examplesMax) known.lines.push(line)
  }

  /** Keeps every n-th id. When there are too many, it drops every second one and doubles n. */
  #sample(id: unknown): void {
    if (typeof id !== 'string' || id === '' || this.#idsBefore++ % this.#step !== 0) return
    this.#ids.push(id)
    if (this.#ids.length <= idsMax) return
    this.#ids = this.#ids.filter((_, i) => i % 2 === 0)
    this.#step *= 2
  }
}

/** Returns the objects of a request that are refused, by the rules of the server. */
function errorsOf(body: object, rules: TrackRules): SplitTrack['errors'] {
  try {
    return splitTrack(body, rules).errors
  } catch (error) {
    // No object of the request can be accepted.
    if (error instanceof Failure && error.details.errors) return error.details.errors as SplitTrack['errors']
    throw error
  }
}
