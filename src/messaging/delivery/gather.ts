import { setTimeout as pause } from 'node:timers/promises'
import type { Pipeline } from './pipeline.ts'

/** How long a hand-over waits for more free connections while most are busy: many messages cost little more than one. */
const gatherMsDefault = 5
/** While at most this share of the connections is busy, a hand-over does not wait. */
const busyShare = 1 / 4

/** Waits until most connections are free, for `waitMs` at most. */
export async function gather(
  pipeline: Pick<Pipeline, 'untilInFlight'>,
  connections: number,
  waitMs = gatherMsDefault,
): Promise<void> {
  await Promise.race([pipeline.untilInFlight(Math.floor(connections * busyShare)), pause(waitMs)])
}
