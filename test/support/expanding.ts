import { pino } from 'pino'
import type { Clock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { Wakeups } from '../../src/base/work/wakeups.ts'
import type { ExpandServices } from '../../src/messaging/expansion/expand.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'

/** The services of an expander for orders that change no attributes, in a workspace whose time zone is UTC. */
export function expandServices(db: Db, clock: Clock): ExpandServices {
  return {
    db,
    clock,
    log: pino({ level: 'silent' }),
    wakeups: new Wakeups(),
    graphs: new Graphs(),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
    zoneOf: () => 'UTC',
    applyChanges: async () => {},
  }
}
