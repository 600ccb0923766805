import type { Log } from '../../base/log.ts'
import type { MailTrouble } from './breaker.ts'

/** A server that fails now and then is logged at most this often while the breaker is closed. */
const failingEveryMs = 60_000

type Told = 'none' | 'failing' | 'open'

/**
 * Returns a function that logs one line for each change of the breaker: a first failure, its opening, and that the server is reached again.
 * It is called after each delivery. `server` names the server, and `elapsed` is machine time.
 */
export function openTroubleLog(log: Log, server: string, elapsed: () => number) {
  let told: Told = 'none'
  let failingMs = Number.NEGATIVE_INFINITY
  return (trouble: MailTrouble | undefined): void => {
    const now: Told = trouble === undefined ? 'none' : trouble.isOpen ? 'open' : 'failing'
    if (now === told) return
    if (now === 'failing') {
      if (elapsed() < failingMs + failingEveryMs) return
      failingMs = elapsed()
    }
    told = now
    if (trouble === undefined) log.info({ server }, `The mail server ${server} is reached again`)
    else log.warn({ server, cause: trouble.cause }, `The mail server ${server} was not reached: ${textOf(trouble)}`)
  }
}

function textOf({ cause, isOpen }: MailTrouble): string {
  return isOpen
    ? `${cause}. Mails wait, and one at a time tests the server, at least once a minute`
    : `${cause}. The mail is tried again`
}
