import { defineRoute, type Route } from '../../base/http/route.ts'
import { openClockMover, type RunDue } from './move-clock.ts'
import { ClockMove, ClockReading } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

export type ClockServices = { readonly runDue: RunDue }

export function clockRoutes({ runDue }: ClockServices): Route[] {
  const path = '/admin/clock'
  const { readClock, moveClock } = openClockMover(runDue)
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Read the business time of the service.',
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
      refusals: { 409: 'The clock is not virtual, would go back, or has more work on the way than one call does.' },
      handle: (call, { body }) => moveClock(call, body),
    }),
  ]
}
