import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { deleteEndedLinks } from '../sessions/link-store.ts'
import { deleteEndedSessions } from '../sessions/session-store.ts'
import { idleMs } from '../sessions/sessions.ts'
import { deleteOldAttempts } from './attempt-store.ts'
import { windowMs } from './limit-attempts.ts'

/** Deletes ended sessions, expired links, and attempts whose window has ended. */
export async function forgetSignIns(db: Db, clock: Clock): Promise<void> {
  const nowMs = clock.elapsed()
  await deleteEndedSessions(db, nowMs, nowMs - idleMs)
  await deleteEndedLinks(db, nowMs)
  await deleteOldAttempts(db, nowMs - windowMs)
}
