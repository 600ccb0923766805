import type { PastRequest } from '../../workspace/traffic/import-traffic.ts'
import type { DemoPerson } from './people.ts'
import type { Random } from './random.ts'

/** Of so many requests of the shop, one reads or is refused. */
const readShare = 0.2
const refusedShare = 0.01

/** Returns the requests by which the shop has told what its people did, and some others. `shiftMs` leads to machine time. Pure. */
export function requestsOf(
  people: readonly DemoPerson[],
  random: Random,
  nowMs: number,
  shiftMs: number,
): PastRequest[] {
  const requests: PastRequest[] = []
  for (const { events, purchases } of people) {
    for (const timeMs of [...events, ...purchases].map((each) => each.timeMs)) {
      if (timeMs >= nowMs) continue
      const atMs = timeMs + shiftMs
      requests.push({ atMs, route: 'POST /users/track', class: 2, items: 1, ms: random.whole(2, 9) })
      if (random.happens(readShare))
        requests.push({ atMs, route: 'POST /users/export/ids', class: 2, items: 0, ms: random.whole(3, 14) })
      if (random.happens(refusedShare))
        requests.push({ atMs, route: 'POST /users/track', class: 4, items: 0, ms: random.whole(1, 3) })
    }
  }
  return requests
}
