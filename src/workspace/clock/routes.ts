import { defineRoute, type Route } from '../../base/http/route.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import { openClockMover, type RunDue } from './move-clock.ts'
import { ClockMove, ClockReading } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

export type ClockServices = {
  readonly runDue: RunDue
  /** The work of this process that becomes due by business time. */
  readonly dueWorks: readonly DueWork[]
}

export function clockRoutes({ runDue, dueWorks }: ClockServices): Route[] {
  const path = '/admin/clock'
  const { readClock, moveClock } = openClockMover(runDue, dueWorks)
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Read the business time of the service, and what becomes due next.',
      ability: 'clock.read',
      reply: { 200: ClockReading },
      handle: readClock,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Move the virtual clock and do the work that becomes due.',
      ability: 'clock.move',
      body: ClockMove,
      reply: { 200: ClockReading },
      refusals: {
        409: 'The clock is not virtual or would go back, nothing becomes due, or one call does not do all work on the way.',
      },
      handle: moveClock,
    }),
  ]
}
