import assert from 'node:assert/strict'
import test from 'node:test'
import { unavailable } from '../../src/base/errors.ts'
import { OpenRenderings } from '../../src/content/rendering/open-renderings.ts'

test('renders as many at a time as a workspace may, and as many again when they have ended', async () => {
  const open = new OpenRenderings(2, () => unavailable('too many'))
  for (const _ of [1, 2]) {
    const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = held.map(({ promise }) => open.run(1, () => promise))
    await assert.rejects(
      open.run(1, async () => {}),
      /too many/,
    )
    assert.equal(await open.run(2, async () => 'other workspace'), 'other workspace')
    held[0]!.resolve()
    await running[0]
    assert.equal(await open.run(1, async () => 'room'), 'room')
    held[1]!.reject(new Error('failed'))
    await assert.rejects(running[1]!, /failed/)
  }
})
