import { pino } from 'pino'
import type { Clock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { Wakeups } from '../../src/base/work/wakeups.ts'
import type { ExpandServices } from '../../src/messaging/expansion/expand.ts'
import { moveServices } from './journeys.ts'

/** Returns the services of an expander for orders that change no attributes, in a workspace whose time zone is UTC. */
export function expandServices(db: Db, clock: Clock): ExpandServices {
  return {
    log: pino({ level: 'silent' }),
    wakeups: new Wakeups(),
    ...moveServices(db, clock),
  }
}
