import assert from 'node:assert/strict'
import test from 'node:test'
import type { DeliveryItem, ReadyItem } from '../../src/messaging/delivery/delivery-item.ts'
import { Pipeline } from '../../src/messaging/delivery/pipeline.ts'

const turn = () => new Promise<void>((resume) => setImmediate(resume))
const kind = 'marketing'

/** Returns a pipeline with this many mails in flight. */
function pipelineWith(count: number): { pipeline: Pipeline; inFlight: readonly ReadyItem[] } {
  const pipeline = new Pipeline(count)
  const items = Array.from(
    { length: count },
    (_, i) => ({ message: { message_id: `${i}`, class: kind } }) as DeliveryItem,
  )
  pipeline.addPreparing(items)
  for (const item of items) pipeline.setReady(item, Object.assign(item, { prepared: { bytes: 1 } }) as ReadyItem)
  const underway = pipeline.begin({ transactional: count, marketing: count })
  pipeline.done(underway, underway.next)
  return { pipeline, inFlight: underway.next }
}

test('a wait for a number of mails in flight ends when enough mails are completed', async () => {
  const { pipeline, inFlight } = pipelineWith(4)
  let called = false
  void pipeline.untilInFlight(2).then(() => {
    called = true
  })
  for (const [i, item] of inFlight.entries()) {
    await turn()
    assert.equal(called, i >= 2, `${i} are completed`)
    pipeline.complete(item, {
      message: item.message,
      outcome: { ends: false, state: 'queued', attempts: 0, rates_granted: 0 },
    })
  }
})

test('a wait for a number of mails in flight ends at once when no more are in flight', async () => {
  const { pipeline } = pipelineWith(2)
  await pipeline.untilInFlight(2)
})

test('so many messages of one workspace are in flight, and those of others pass the ones that wait', () => {
  const max = 3
  const pipeline = new Pipeline(100, max)
  const add = (workspace_id: number, count: number) => {
    const items = Array.from(
      { length: count },
      (_, i) => ({ message: { message_id: `${workspace_id} ${i}`, workspace_id, class: kind } }) as DeliveryItem,
    )
    pipeline.addPreparing(items)
    for (const item of items) pipeline.setReady(item, Object.assign(item, { prepared: { bytes: 1 } }) as ReadyItem)
  }
  const free = { transactional: 10, marketing: 10 }
  const taken = () => {
    const batch = pipeline.begin(free)
    pipeline.done(batch, batch.next)
    return batch.next
  }
  const namesOf = (items: readonly ReadyItem[]) => items.map(({ message: { message_id } }) => message_id)
  add(1, max - 1)
  const first = taken()
  assert.deepEqual(namesOf(first), ['1 0', '1 1'])
  add(1, max)
  add(2, 1)
  assert.deepEqual(namesOf(taken()), ['1 0', '2 0'])
  assert.ok(pipeline.isIdle(free))
  pipeline.complete(first[0]!, {
    message: first[0]!.message,
    outcome: { ends: false, state: 'queued', attempts: 0, rates_granted: 0 },
  })
  assert.deepEqual(namesOf(taken()), ['1 1'])
  assert.deepEqual(namesOf(pipeline.takeWaiting() as ReadyItem[]), ['1 2'])
})
