import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type ActivityChange, countActivity, monthDays } from '../../src/people/devices/count-activity.ts'
import { seed } from '../sizes.ts'

const uses = fc.array(fc.record({ app_id: fc.constantFrom('phone', 'tablet'), day: fc.nat(100) }), { maxLength: 30 })

test('the changes of sessions that arrive in any order add up to who was active on each day and in each month', () => {
  fc.assert(
    fc.property(fc.array(uses, { maxLength: 6 }), (reports) => {
      const known: { app_id: string; day: number }[] = []
      const changes: ActivityChange[] = []
      for (const report of reports) {
        changes.push(...countActivity(known, report))
        known.push(...report)
      }
      for (const app_id of [null, 'phone', 'tablet']) {
        const days = new Set(known.filter((use) => app_id === null || use.app_id === app_id).map(({ day }) => day))
        const own = changes.filter((change) => change.app_id === app_id)
        for (let day = 0; day < 140; day++) {
          const sum = (isCounted: (change: ActivityChange) => boolean) =>
            own.filter(isCounted).reduce((total, { count }) => total + count, 0)
          const isActive = [...days].some((each) => each <= day && each > day - monthDays)
          assert.equal(
            sum((change) => change.measure === 'dau' && change.day === day),
            days.has(day) ? 1 : 0,
          )
          assert.equal(
            sum((change) => change.measure === 'mau' && change.day <= day),
            isActive ? 1 : 0,
          )
        }
      }
    }),
    { seed, numRuns: 300 },
  )
})
