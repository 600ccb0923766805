import type { OpenRow } from './why-store.ts'

/** What a message waits for that has not ended, and until when as far as that is known. */
export type Waits = { readonly waits_for: string; readonly until: string | null }

export function waitingFor(
  { state, due_at, response }: Pick<OpenRow, 'state' | 'due_at' | 'response'>,
  nowMs: number,
): Waits {
  switch (state) {
    case 'held':
      return { waits_for: 'somebody who resumes the dispatch', until: null }
    case 'leased':
      return { waits_for: 'its mail: it is being prepared', until: null }
    case 'handed_over':
      return { waits_for: 'the answer of the mail server', until: null }
    default:
  }
  if (due_at.getTime() <= nowMs) return { waits_for: 'its turn', until: null }
  const until = due_at.toISOString()
  // A try that the server throttled does not count as one.
  if (response !== null) return { waits_for: `the next try: the mail server said "${response}"`, until }
  return { waits_for: 'room in the rate at which mail goes out, or the time when it is due', until }
}
