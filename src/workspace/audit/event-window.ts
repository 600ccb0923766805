import type { ObservedEvent } from './observed-rules.ts'

/** The length of a window in machine time: a minute. */
export const eventWindowMs = 60_000
/** The most different events of one known caller in a window. A stranger's budget is shared by all strangers, for each action. */
export const callerEventsMax = 120
export const strangerEventsMax = 30
/** The most budgets in a window: more than there are credentials in use. */
export const eventBudgetsMax = 1_000

/** Equal events: how many requests, and the first of them. */
export type CountedEvent = { readonly event: ObservedEvent; readonly requests: number }

/** How many requests were left out of the audit in a window, by action. */
export type OmittedEvents = ReadonlyMap<string, number>

/**
 * Bounds the events of a window. Each different event is written once at once; repetitions are counted, and written together at the end.
 * What exceeds a budget is only counted.
 */
export class EventWindow {
  readonly #seen = new Map<string, { readonly event: ObservedEvent; repeated: number }>()
  readonly #used = new Map<string, number>()
  readonly #omitted = new Map<string, number>()

  /** Returns whether the event must be written now. */
  add(event: ObservedEvent): boolean {
    const key = keyOf(event)
    const seen = this.#seen.get(key)
    if (seen) {
      seen.repeated++
      return false
    }
    const [budget, max] = budgetOf(event)
    const used = this.#used.get(budget) ?? 0
    if (used >= max || (used === 0 && this.#used.size >= eventBudgetsMax)) {
      this.omit(event.action, 1)
      return false
    }
    this.#used.set(budget, used + 1)
    this.#seen.set(key, { event, repeated: 0 })
    return true
  }

  /** Counts requests that are left out. */
  omit(action: string, requests: number): void {
    this.#omitted.set(action, (this.#omitted.get(action) ?? 0) + requests)
  }

  /** Returns what is to be written at the end of the window. */
  summary(): { readonly repeated: readonly CountedEvent[]; readonly omitted: OmittedEvents } {
    const repeated = [...this.#seen.values()].filter((each) => each.repeated > 0)
    return {
      repeated: repeated.map(({ event, repeated: requests }) => ({ event, requests })),
      omitted: this.#omitted,
    }
  }
}

function keyOf({ kind, actor, action, target, workspace_id, details }: ObservedEvent): string {
  return JSON.stringify([kind, actor.kind, actor.id, actor.from.ip, action, target, workspace_id, details])
}

function budgetOf({ actor, action, kind }: ObservedEvent): [string, number] {
  return actor.kind === 'anonymous'
    ? [`${kind} ${action}`, strangerEventsMax]
    : [`${actor.kind}:${actor.id}`, callerEventsMax]
}
