import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { easel, folderWith, typeEasel } from '../support/command-line.ts'
import { spawnService } from '../support/harness.ts'
import { many } from '../support/people.ts'

const workspace = 'apps: [{name: Web, platform: web}]\n'

test('a data directory is backed up and restored without a server', async () => {
  using folder = folderWith({ 'shop.yaml': workspace })
  const env = { EASEL_DATA: folder.path('data') }
  const file = folder.path('easel.tar.zst')
  const missing = await easel(['backup', file], env)
  assert.deepEqual([missing.code, /there is no database in .* yet/.test(missing.err)], [1, true], missing.err)
  assert.equal((await easel(['apply', folder.path('shop.yaml')], env)).code, 0)
  const written = await typeEasel(['backup', file], env)
  assert.equal(written.code, 0, written.err)
  assert.match(written.err, /^Written to .*easel\.tar\.zst, \d+ MB\. 0 people were read again\.\n$/m)
  assert.match((await easel(['backup', file], env)).err, /exists already: name another file/)
  assert.match((await easel(['restore', file], env)).err, /data is not empty: name another directory/)

  const other = { EASEL_DATA: folder.path('other') }
  const restored = await typeEasel(['restore', file], other)
  assert.equal(restored.code, 0, restored.err)
  assert.match(
    restored.err,
    /^Restored to .*other: the backup of \S+, written by Easel \S+\. 0 people were read again\.\n$/m,
  )
  assert.equal((await easel(['pull'], other)).out, (await easel(['pull'], env)).out)
  assert.deepEqual(
    readdirSync(folder.path('.')).filter((name) => /draft|check/.test(name)),
    [],
  )
})

test('a running server writes the backup, which has what was answered before', async () => {
  using folder = folderWith()
  const file = folder.path('easel.tar.zst')
  await using service = await spawnService({ dataDir: folder.path('data') })
  const env = { EASEL_DATA: service.dataDir, PORT: new URL(service.url).port }
  const attributes = many(30, (i) => ({ external_id: `p${i}`, plan: 'gold' }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const refused = await easel(['backup', file], env)
  assert.deepEqual([refused.code, /set EASEL_ADMIN_TOKEN/.test(refused.err)], [1, true], refused.err)
  const written = await easel(['backup', file], { ...env, EASEL_ADMIN_TOKEN: service.adminToken })
  assert.equal(written.code, 0, written.err)
  assert.match(written.err, /30 people were read again\.\n$/)
  assert.deepEqual((await service.admin('GET', '/admin/backups')).body.backups, [], 'the file was moved')
  const { audit } = (await service.admin('GET', '/admin/audit?action=backup.create')).body
  assert.deepEqual([audit.length, audit[0].target.kind], [1, 'backup'])
  assert.match((await easel(['restore', file], env)).err, /in use by another process/)
})

test('a backup or a restore that is not possible is refused, and writes nothing', async () => {
  using folder = folderWith()
  const file = folder.path('easel.tar.zst')
  const postgres = { DATABASE_URL: 'postgres://easel@127.0.0.1:1/easel' }
  assert.match((await easel(['backup', file], postgres)).err, /pg_dump or pg_basebackup/)
  assert.match((await easel(['restore', file], postgres)).err, /DATABASE_URL is set/)
  assert.match((await easel(['backup', file], { EASEL_DATA: 'memory' })).err, /in memory/)
  assert.match((await easel(['restore', file], { EASEL_DATA: 'memory' })).err, /EASEL_DATA is memory/)
  const env = { EASEL_DATA: folder.path('data') }
  assert.match((await easel(['restore', file], env)).err, /easel\.tar\.zst/)
  writeFileSync(file, 'a text')
  mkdirSync(folder.path('data'))
  assert.match((await easel(['restore', file], env)).err, /is not a complete backup/)
  assert.deepEqual(readdirSync(folder.path('data')), [])
})
