import type { Log } from '../../base/log.ts'
import type { ChannelWords } from '../channels/channel.ts'
import type { TransportTrouble } from '../messages/transport-outcome.ts'

/** A server that fails now and then is logged at most this often while the breaker is closed. */
const failingEveryMs = 60_000

/** The words of the channel of a server. */
export type TroubleWords = Pick<ChannelWords, 'one' | 'many' | 'server'>
type Told = 'none' | 'failing' | 'open'

/**
 * Returns a function that logs one line for each change of the breaker: a first failure, its opening, and that the server is reached again.
 * It is called after each delivery. `server` names the server, and `elapsed` is machine time.
 */
export function openTroubleLog(log: Log, server: string, words: TroubleWords, elapsed: () => number) {
  let told: Told = 'none'
  let failingMs = Number.NEGATIVE_INFINITY
  return (trouble: TransportTrouble | undefined): void => {
    const now: Told = trouble === undefined ? 'none' : trouble.isOpen ? 'open' : 'failing'
    if (now === told) return
    if (now === 'failing') {
      if (elapsed() < failingMs + failingEveryMs) return
      failingMs = elapsed()
    }
    told = now
    if (trouble === undefined) log.info({ server }, `The ${words.server} ${server} is reached again`)
    else
      log.warn(
        { server, cause: trouble.cause },
        `The ${words.server} ${server} was not reached: ${textOf(trouble, words)}`,
      )
  }
}

function textOf({ cause, isOpen }: TransportTrouble, { one, many }: TroubleWords): string {
  return isOpen
    ? `${cause}. ${capital(many)} wait, and one at a time tests the server, at least once a minute`
    : `${cause}. The ${one} is tried again`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
