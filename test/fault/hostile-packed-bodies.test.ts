import assert from 'node:assert/strict'
import test from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { attackedService } from '../support/attacked.ts'
import { peakMemoryOf } from '../support/peak-memory.ts'
import { many } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const unpackedBytes = 64 * 2 ** 20
const bombsPerAttack = 20
/** Unpacked, the bombs of one attack would have 1.3 GB. */
const grownMbMax = 200

const zeros = Buffer.alloc(unpackedBytes)
/** The largest window makes the decoder use as much memory for itself as it can. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 }
const bombs = {
  gzip: gzipSync(zeros, { level: 1 }),
  br: brotliCompressSync(zeros, { params: brotliParams }),
}

for (const [coding, bomb] of Object.entries(bombs)) {
  test(`bodies of ${coding} that would unpack to 64 MB are refused early, and others are served`, async (t) => {
    const attacked = await attackedService()
    const key = await attacked.key(['users.track'])
    const packed = gzipSync(JSON.stringify({ attributes: [{ external_id: 'packed' }] }))
    const attack = async () => {
      const sent = many(bombsPerAttack, () =>
        attacked.post('/users/track', bomb, { key, headers: { 'content-encoding': coding } }),
      )
      const { status, text } = await attacked.post('/users/track', packed, { headers: { 'content-encoding': 'gzip' } })
      assert.equal(status, 201, text)
      for (const { status, text } of await Promise.all(sent)) assert.equal(status, 413, text)
    }
    await attack()
    const before = peakMemoryOf(attacked.pid)
    await assertServed(t, attacked, attack)
    const grownMb = (peakMemoryOf(attacked.pid)?.own ?? 0) - (before?.own ?? 0)
    assert.ok(grownMb < grownMbMax, `memory grew by ${grownMb} MB`)
  })
}
