import assert from 'node:assert/strict'
import test from 'node:test'
import { ConfigError } from '../../src/base/config.ts'
import { newDatabase } from '../servers/template.ts'
import { databases, spawnService, startService } from '../support/harness.ts'

const skip = databases.includes('postgres') ? false : 'no PostgreSQL: only one process can open the embedded database'

const kinds = ['system', 'virtual'] as const

for (const first of kinds) {
  for (const second of kinds) {
    const isRefused = first === 'virtual' || second === 'virtual'
    test(`a ${second} clock beside a ${first} clock ${isRefused ? 'refuses to start' : 'starts'}`, {
      skip,
    }, async () => {
      const DATABASE_URL = await newDatabase('clocks')
      await using running = await startService({ env: { DATABASE_URL, EASEL_CLOCK: first } })
      const starting = startService({ env: { DATABASE_URL, EASEL_CLOCK: second } })
      if (isRefused) {
        await assert.rejects(starting, (error) => {
          assert.ok(error instanceof ConfigError)
          assert.match(
            error.message,
            new RegExp(`^EASEL_CLOCK: "${second}" was given, but the process ${process.pid} on .*${first} clock`),
          )
          return true
        })
      } else {
        await using other = await starting
        assert.equal((await other.get('/health')).status, 200)
      }
      const answer = await running.post('/users/track', { attributes: [{ external_id: 'somebody' }] })
      assert.equal(answer.status, 201, answer.text)
    })
  }
}

test('a virtual clock starts at once after a process that has ended in order', { skip }, async () => {
  const DATABASE_URL = await newDatabase('clocks')
  for (const kind of ['system', 'virtual', 'virtual', 'system'] as const) {
    await using service = await startService({ env: { DATABASE_URL, EASEL_CLOCK: kind } })
    assert.equal((await service.admin('GET', '/admin/clock')).body.clock, kind)
  }
})

test('a virtual clock starts after a process that was killed', { skip }, async () => {
  const DATABASE_URL = await newDatabase('clocks')
  const env = { DATABASE_URL, EASEL_CLOCK: 'virtual' }
  await using killed = await spawnService({ env })
  await killed.kill('SIGKILL')
  await using service = await startService({ env })
  assert.equal((await service.admin('GET', '/admin/clock')).body.clock, 'virtual')
})
