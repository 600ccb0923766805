import type { OpenMessageRow, OpenSlotRow } from './why-store.ts'

/** What something waits for, and until when as far as that is known. */
export type Wait = { readonly waits_for: string; readonly until: string | null }

/** Returns what an open message waits for. `mailTrouble` says what is wrong with the mail server. Pure. */
export function messageWait(
  { state, due_at, response }: Pick<OpenMessageRow, 'state' | 'due_at' | 'response'>,
  nowMs: number,
  mailTrouble?: string,
): Wait {
  if (state === 'held') return { waits_for: 'the order to be resumed', until: null }
  const until = state !== 'queued' || due_at.getTime() <= nowMs ? null : due_at.toISOString()
  // A message that was never tried and is not due waits for its rate.
  if (mailTrouble !== undefined && (until === null || response !== null)) {
    return { waits_for: `the mail server: ${mailTrouble}`, until }
  }
  switch (state) {
    case 'leased':
      return { waits_for: 'its mail, which is being prepared', until: null }
    case 'handed_over':
      return { waits_for: 'the answer of the mail server', until: null }
    default:
  }
  if (until === null) return { waits_for: 'its turn', until: null }
  // `attempts` does not show it: attempts that the server throttled do not count.
  if (response !== null) return { waits_for: `the next try: the mail server said "${response}"`, until }
  return { waits_for: 'the sending rate, or the time when it is due', until }
}

const slotWaits: Readonly<Record<OpenSlotRow['state'], string>> = {
  waiting: 'the time that it was scheduled for',
  held: 'the order to be resumed',
  running: 'the recipients, who are being looked up',
}

/** Returns what an open slot waits for. Pure. */
export function slotWait({ state, due_at }: OpenSlotRow): Wait {
  return { waits_for: slotWaits[state], until: state === 'waiting' ? due_at.toISOString() : null }
}
