import type { ChannelRetry } from '../channel.ts'

const hourMs = 3_600_000
/** A webhook is given up after this number of calls. A call that the receiver refused because it gets too many does not count. */
export const callsMax = 5
/** The pause after the first failed call. Each pause is four times as long as the one before. */
const pauseMs = 60_000
const growth = 4
/** A webhook whose receiver has taken no call for so long is given up, when it was planned as long ago; by business time. */
export const busyForMs = 24 * hourMs
/** A webhook that its receiver puts off is given up so long after it was planned, although the receiver takes other calls. */
export const putOffForMs = 72 * hourMs

/** When a webhook is called again. */
export const webhookRetry: ChannelRetry = {
  at({ plannedMs, attempts }, kind, nowMs, askedMs, busyMs) {
    if (kind === 'busy' || kind === 'waiting') {
      const lateMs = nowMs - plannedMs
      // A message that only waits for many others before it is never given up.
      const isLong = Math.min(lateMs, busyMs) >= busyForMs || (kind === 'busy' && lateMs >= putOffForMs)
      return isLong ? undefined : nowMs + askedMs
    }
    if (attempts >= callsMax) return undefined
    return nowMs + Math.max(pauseMs * growth ** Math.max(attempts - 1, 0), askedMs)
  },
  givenUp({ attempts }, kind) {
    if (kind === 'waiting') return `its receiver took no call for ${busyForMs / hourMs} hours`
    if (kind !== 'busy') return `the webhook was called ${attempts} times`
    return `its receiver took no call for ${busyForMs / hourMs} hours, or put this one off for ${putOffForMs / hourMs}`
  },
}
