import assert from 'node:assert/strict'
import { recordDailySizes } from '../../src/audience/segments/daily-sizes.ts'
import { listSizes } from '../../src/audience/segments/size-store.ts'
import { insertSegments, type SegmentFields } from '../../src/audience/segments/store.ts'
import { virtualClock } from '../../src/base/clock.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import { onBothDatabases } from '../support/databases.ts'

const here = { workspace_id: 1, settings: completeSettings({ time_zone: 'Pacific/Kiritimati' }) }
const startMs = Date.parse('2026-03-03T09:59:59Z')
const dayMs = 86_400_000

function segment(id: string, more: Partial<SegmentFields> = {}): SegmentFields {
  const audience = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } }
  return { id, name: id, description: '', tags: [], analytics_tracking_enabled: true, audience, ...more }
}

onBothDatabases('each tracked segment is counted once on every day of its workspace', async (open) => {
  const db = await open()
  const clock = virtualClock(startMs)
  const sizes = async (id: string) => {
    return (await listSizes(db, here.workspace_id, id, '2020-01-01', '2030-01-01')).map(({ time }) => time)
  }
  const unfollowed = segment('unfollowed', { analytics_tracking_enabled: false })
  await insertSegments(db, here.workspace_id, [segment('followed'), unfollowed], new Date(startMs))
  await recordDailySizes(db, clock, [here])
  await recordDailySizes(db, clock, [here])
  assert.deepEqual(await sizes('followed'), ['2026-03-03'])
  clock.moveTo(startMs + 1000)
  await recordDailySizes(db, clock, [here])
  assert.deepEqual(await sizes('followed'), ['2026-03-03', '2026-03-04'])
  assert.deepEqual(await sizes('unfollowed'), [])
  // Sizes are kept for 731 days.
  clock.moveTo(startMs + 731 * dayMs)
  await recordDailySizes(db, clock, [here])
  assert.deepEqual(await sizes('followed'), ['2026-03-03', '2026-03-04', '2028-03-03'])
  clock.moveTo(startMs + 732 * dayMs)
  await recordDailySizes(db, clock, [here])
  assert.deepEqual(await sizes('followed'), ['2026-03-04', '2028-03-03', '2028-03-04'])
})

onBothDatabases('a segment that cannot be counted is logged, and the others are counted', async (open) => {
  const db = await open()
  const clock = virtualClock(startMs)
  const cycle = segment('a cycle', { audience: { segment: { segment_id: 'a cycle' } } })
  await insertSegments(db, here.workspace_id, [cycle, segment('fine')], new Date(startMs))
  await assert.rejects(recordDailySizes(db, clock, [here]), /segment a cycle names itself/)
  assert.equal((await listSizes(db, here.workspace_id, 'fine', '2026-03-03', '2026-03-03')).length, 1)
})
