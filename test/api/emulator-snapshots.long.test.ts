import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { EmulatorError } from '../../client/src/testing/testing.ts'
import { snapshotBytesMax, snapshotsMax } from '../../src/emulator/state/schema.ts'
import { joinEmulator } from '../support/emulators.ts'

test('all snapshots together have a limit of bytes, and a deleted one makes room', async () => {
  await using easel = await joinEmulator({ isolated: true })
  // Random texts do not become smaller when they are stored.
  const text = () => randomBytes(120).toString('hex')
  for (let i = 0; i < 16; i++) {
    const attributes = Array.from({ length: 50 }, (_, n) => {
      return {
        external_id: `p${i}-${n}`,
        ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`t${at}`, text()])),
      }
    })
    await easel.send('POST', '/users/track', { attributes })
  }
  const sizes: number[] = []
  const save = async (name: string) => {
    const { snapshot } = await easel.admin<{ snapshot: { bytes: number } }>('POST', '/emulator/snapshots', { name })
    sizes.push(snapshot.bytes)
  }
  await save('first')
  const fitting = Math.floor(snapshotBytesMax / sizes[0]!)
  assert.ok(fitting > 2 && fitting < snapshotsMax, `${fitting} snapshots of ${sizes[0]} bytes`)
  for (let i = 1; i < fitting; i++) await save(`s${i}`)
  const tooLarge = (error: unknown) => error instanceof EmulatorError && error.status === 413
  await assert.rejects(save('more'), tooLarge)
  await assert.rejects(save('more'), tooLarge, 'the refused one is not kept')
  await easel.admin('DELETE', '/emulator/snapshots/first')
  await save('more')
})
