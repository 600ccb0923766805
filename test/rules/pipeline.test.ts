import assert from 'node:assert/strict'
import test from 'node:test'
import type { DeliveryItem, ReadyItem } from '../../src/messaging/delivery/delivery-item.ts'
import { Pipeline } from '../../src/messaging/delivery/pipeline.ts'

const turn = () => new Promise<void>((resume) => setImmediate(resume))
const kind = 'marketing'

/** A pipeline with so many mails in the air. */
function flyingWith(count: number): { pipeline: Pipeline; flying: readonly ReadyItem[] } {
  const pipeline = new Pipeline(count)
  const items = Array.from(
    { length: count },
    (_, i) => ({ message: { message_id: `${i}`, class: kind } }) as DeliveryItem,
  )
  pipeline.addPreparing(items)
  for (const item of items)
    pipeline.setReady(item, Object.assign(item, { prepared: { raw: Buffer.from('x') } }) as ReadyItem)
  const underway = pipeline.begin({ transactional: count, marketing: count })
  pipeline.done(underway, underway.next)
  return { pipeline, flying: underway.next }
}

test('who waits for mails to land is called when as many have landed as was asked for', async () => {
  const { pipeline, flying } = flyingWith(4)
  let called = false
  void pipeline.untilInFlight(2).then(() => {
    called = true
  })
  for (const [i, item] of flying.entries()) {
    await turn()
    assert.equal(called, i >= 2, `${i} have landed`)
    pipeline.complete(item, { message: item.message, outcome: { ends: false, state: 'queued', attempts: 0, room: 0 } })
  }
})

test('nobody waits for mails to land where few are in the air', async () => {
  const { pipeline } = flyingWith(2)
  await pipeline.untilInFlight(2)
})
