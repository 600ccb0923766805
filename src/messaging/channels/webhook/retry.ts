import type { ChannelRetry } from '../channel.ts'

/** A webhook is given up after this number of calls. A call that the receiver refused because it gets too many does not count. */
export const callsMax = 5
/** The pause after the first failed call. Each pause is four times as long as the one before. */
const pauseMs = 60_000
const growth = 4
/** A webhook whose receiver has taken no call for so long is given up, when it was planned as long ago; by business time. */
export const busyForMs = 24 * 3_600_000

/** When a webhook is called again. */
export const webhookRetry: ChannelRetry = {
  at({ plannedMs, attempts }, kind, nowMs, askedMs, busyMs) {
    // A message that only waits for many others before it is never given up.
    const isLong = Math.min(nowMs - plannedMs, busyMs) >= busyForMs
    if (kind === 'busy') return isLong ? undefined : nowMs + askedMs
    if (attempts >= callsMax) return undefined
    return nowMs + Math.max(pauseMs * growth ** Math.max(attempts - 1, 0), askedMs)
  },
  givenUp: ({ attempts }, kind) =>
    kind === 'busy'
      ? `its receiver took no call for ${busyForMs / 3_600_000} hours`
      : `the webhook was called ${attempts} times`,
}
