import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { easel, folderWith, typeEasel } from '../support/command-line.ts'
import { databases, spawnService } from '../support/harness.ts'
import { many } from '../support/people.ts'

const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }

async function read(path: string): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
}

for (const database of databases) {
  test(`the views are exported while a server runs (${database})`, async () => {
    await using service = await spawnService({ database })
    const env = {
      PORT: new URL(service.url).port,
      EASEL_ADMIN_TOKEN: service.adminToken,
      ...(database === 'postgres' ? { DATABASE_URL: service.databaseUrl } : { EASEL_DATA: service.dataDir }),
    }
    const attributes = many(30, (i) => ({
      external_id: `p${i}`,
      first_name: `Żółć ${i}`,
      exact: '12345678901234567890',
    }))
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    using folder = folderWith()
    const all = await typeEasel(['export', folder.path('views'), '--parquet'], env)
    assert.equal(all.code, 0, all.err)
    assert.match(all.err, /\d+ rows of 23 views written to /)
    const files = readdirSync(folder.path('views'))
    assert.equal(files.length, 23)
    assert.ok(files.every((file) => /^easel_\w+\.parquet$/.test(file)))
    const people = await read(folder.path('views/easel_people.parquet'))
    assert.deepEqual(
      people.map(({ external_id, first_name }) => [external_id, first_name]).sort(),
      attributes.map(({ external_id, first_name }) => [external_id, first_name]).sort(),
    )
    assert.ok(people.every(({ custom_attributes }) => custom_attributes === '{"exact": "12345678901234567890"}'))
    assert.ok(people.every(({ created_at }) => created_at instanceof Date))
    const one = folder.path('people.parquet')
    assert.equal((await easel(['export', one, '--parquet', '--view', 'easel_people'], env)).code, 0)
    assert.deepEqual(await read(one), people)
    const unknown = await easel(['export', one, '--parquet', '--view', 'profile'], env)
    assert.deepEqual([unknown.code, /there is no view profile: there are easel_addresses/.test(unknown.err)], [1, true])
  })
}

test('options that do not fit are refused', async () => {
  for (const args of [
    ['views', '--parquet', '--ids', 'ids.txt'],
    ['views', '--parquet', '--workspace', 'default'],
    ['-', '--parquet'],
    ['people.jsonl', '--view', 'easel_people'],
    ['people.jsonl', '--fresh'],
  ])
    assert.equal((await easel(['export', ...args], { EASEL_DATA: 'memory' })).code, 2, args.join(' '))
})
