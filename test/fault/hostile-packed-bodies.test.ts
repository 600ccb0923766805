import assert from 'node:assert/strict'
import test from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { long } from '../sizes.ts'
import { type Service, startService } from '../support/harness.ts'
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

let tracked = 0

async function track(service: Service, coding?: 'gzip'): Promise<void> {
  const body = Buffer.from(JSON.stringify({ attributes: [{ external_id: `neighbour-${tracked++ % 50}` }] }))
  const sent = coding === undefined ? body : gzipSync(body)
  const options = coding === undefined ? {} : { headers: { 'content-encoding': coding } }
  const { status, text } = await service.post('/users/track', sent, options)
  assert.equal(status, 201, text)
}

for (const [coding, bomb] of Object.entries(bombs)) {
  test(`bodies of ${coding} that would unpack to 64 MB are refused early, and others are served`, async (t) => {
    await using service = await startService()
    const key = await service.key(['users.track'])
    const attack = async () => {
      const answers = await Promise.all(
        many(bombsPerAttack, () =>
          service.post('/users/track', bomb, { key, headers: { 'content-encoding': coding } }),
        ),
      )
      for (const { status, text } of answers) assert.equal(status, 413, text)
    }
    await attack()
    const before = process.memoryUsage().rss
    await attack()
    const grownMb = (process.memoryUsage().rss - before) / 2 ** 20
    assert.ok(grownMb < grownMbMax, `memory grew by ${grownMb.toFixed(0)} MB`)
    for (const ask of [() => track(service), () => track(service, 'gzip')]) {
      // Comparing waits needs several rounds and a machine that does nothing else.
      if (long) t.diagnostic(await assertServed(ask, attack))
      else await Promise.all([attack(), ask()])
    }
  })
}
