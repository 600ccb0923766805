import assert from 'node:assert/strict'
import test from 'node:test'
import { type Spawned, spawnService, startService } from '../support/harness.ts'

const env = { EASEL_CLOCK: 'virtual' }
const email = 'shared@example.com'

type Asked = Pick<Spawned, 'post' | 'get' | 'adminToken'>

async function set(service: Asked, attributes: object): Promise<void> {
  const { status, text } = await service.post('/users/track', { attributes: [attributes] })
  assert.equal(status, 201, text)
}

async function customOf(service: Asked, external_id: string): Promise<unknown> {
  const asked = { external_ids: [external_id], fields_to_export: ['custom_attributes'] }
  const { body } = await service.post('/users/export/ids', asked)
  return body.users[0].custom_attributes
}

async function clockOf(service: Asked): Promise<string> {
  return (await service.get('/admin/clock', { key: service.adminToken })).body.now
}

test('a virtual clock keeps its time after a kill, and later rows have newer stamps than earlier ones', async () => {
  await using service = await spawnService({ database: 'pglite', env })
  await set(service, { external_id: 'later', email })
  for (let i = 0; i < 20; i++) await set(service, { external_id: 'earlier', email, i })
  const now = await clockOf(service)
  await service.kill('SIGKILL')
  await using again = await startService({ env: { ...env, EASEL_DATA: service.dataDir } })
  assert.equal(await clockOf(again), now)
  await set(again, { external_id: 'later', seen: true })
  await set(again, { email, chosen: true })
  assert.deepEqual(await customOf(again, 'later'), { seen: true, chosen: true })
})
