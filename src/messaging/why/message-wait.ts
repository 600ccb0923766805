import type { ChannelWords } from '../channels/channel.ts'
import { findChannel } from '../channels/channels.ts'
import type { OpenMessageRow, OpenSlotRow } from './why-store.ts'

/** What something waits for, and until when as far as that is known. */
export type Wait = { readonly waits_for: string; readonly until: string | null }

/** Returns what an open message waits for. `trouble` says what is wrong with the server of its channel. Pure. */
export function messageWait(
  { channel, state, due_at, response }: Pick<OpenMessageRow, 'channel' | 'state' | 'due_at' | 'response'>,
  nowMs: number,
  trouble?: (channel: string) => string | undefined,
): Wait {
  if (state === 'held') return { waits_for: 'the order to be resumed', until: null }
  const until = state !== 'queued' || due_at.getTime() <= nowMs ? null : due_at.toISOString()
  // A message that was never tried and is not due waits for its rate.
  const { server, preparing, postponed } = wordsOf(channel)
  const unreached = trouble?.(channel)
  if (unreached !== undefined && (until === null || response !== null || postponed !== undefined)) {
    return { waits_for: `the ${server}: ${unreached}`, until }
  }
  switch (state) {
    case 'leased':
      return { waits_for: preparing, until: null }
    case 'handed_over':
      return { waits_for: `the answer of the ${server}`, until: null }
    default:
  }
  if (until === null) return { waits_for: 'its turn', until: null }
  // `attempts` does not show it: attempts that the server throttled do not count.
  if (response !== null) return { waits_for: `the next try: the ${server} said "${response}"`, until }
  return { waits_for: postponed ?? 'the sending rate, or the time when it is due', until }
}

type WaitWords = Pick<ChannelWords, 'server' | 'preparing' | 'postponed'>

/** Words for a message of a channel that is not delivered any more. */
const otherWords: WaitWords = { server: 'server', preparing: 'being prepared' }

function wordsOf(channel: string): WaitWords {
  return findChannel(channel)?.words ?? otherWords
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
