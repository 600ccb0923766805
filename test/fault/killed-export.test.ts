import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { download, filesIn, objectsAmong, openListener, overOf, segmentOf } from '../support/exports.ts'
import { drawDatabases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const crowd = sizes.peopleAtExport
/** The kill comes within this time after the answer; an export takes about as long. */
const killMsMax = crowd * 0.15

for (const database of drawDatabases('kills at an export')) {
  test(`each export is written once and completely when the service is killed ${sizes.killsAtExport} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const listener = await openListener()
    stack.defer(() => listener.close())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_export') : undefined
    const env = {
      EASEL_FETCH_ALLOW: `127.0.0.1:${listener.port}`,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    }
    // A separate process costs three times as much, so only services that are killed have one.
    const start = (isKilled: boolean): Promise<Spawned | Service> =>
      isKilled ? spawnService({ dataDir, env }) : startService({ database, env: { EASEL_DATA: dataDir, ...env } })
    let service = stack.use(await start(true))
    await prepare(service)
    // The last service shuts down in order.
    for (let kill = 0; kill <= sizes.killsAtExport; kill++) {
      const format = kill % 2 === 0 ? 'zip' : 'gzip'
      const asked = {
        segment_id: 'everybody',
        callback_endpoint: `http://127.0.0.1:${listener.port}/${kill}`,
        fields_to_export: ['external_id', 'custom_attributes'],
        output_format: format,
      }
      const { status, text, body } = await service.post('/users/export/segment', asked)
      assert.equal(status, 201, text)
      await pause(chance.below(killMsMax))
      await ('kill' in service ? service.kill('SIGKILL') : service[Symbol.asyncDispose]())
      const left = objectsIn(dataDir)
      service = stack.use(await start(kill + 1 < sizes.killsAtExport))
      const entry = await overOf(body.object_prefix, async () => {
        const { body } = await service.get('/admin/exports', { key: service.adminToken })
        return body.exports
      })
      t.diagnostic(
        `kill ${kill}: ${left.length - kill} files were there, ${left.filter(isUnfinished).length} unfinished`,
      )
      assert.deepEqual([entry.state, entry.people, entry.files], ['done', crowd, 1])
      const lines = Object.values(filesIn((await download(service.url, body.url)).bytes, format)).flat()
      assert.equal(new Set(lines.map(({ external_id }) => external_id)).size, crowd)
      assert.equal(lines.length, crowd)
      assert.equal(objectsAmong(filesOf(dataDir)).length, kill + 1)
      const calls = listener.to(`/${kill}`)
      assert.ok(calls.length > 0)
      for (const { body } of calls) assert.deepEqual(body, { success: true, url: entry.url })
    }
  })
}

async function prepare(service: Spawned | Service): Promise<void> {
  const segments = [segmentOf('everybody', 'place', -1, 'greater_than')]
  const applied = await service.post('/admin/apply', { segments }, { key: service.adminToken })
  assert.equal(applied.status, 200, applied.text)
  for (let from = 0; from < crowd; from += 1_000) {
    const attributes = many(1_000, (i) => ({ external_id: `p${from + i}`, place: from + i, text: 'words '.repeat(40) }))
    const { status, text } = await service.post('/users/track/bulk', { attributes })
    assert.equal(status, 201, text)
  }
}

/** Returns the names of export files, finished or not. */
function objectsIn(dataDir: string): string[] {
  return filesOf(dataDir).filter((name) => !name.endsWith('.ids'))
}

function filesOf(dataDir: string): string[] {
  return readdirSync(dataDir).includes('exports') ? readdirSync(join(dataDir, 'exports')) : []
}

function isUnfinished(name: string): boolean {
  return name.endsWith('.part')
}
