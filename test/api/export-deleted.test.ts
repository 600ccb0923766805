import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { temporaryFolder } from '../fault/folders.ts'
import { lendDatabase } from '../servers/spare.ts'
import { eventually } from '../support/eventually.ts'
import { download, filesIn, segmentOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { newId, People } from '../support/people.ts'

for (const database of drawDatabases('export-deleted')) {
  describe(`a deletion reaches exports on disk (${database})`, () => {
    test('an export with the person is written again under its link, and others stay as they are', async () => {
      const place = await lendDatabase(database)
      using folder = temporaryFolder()
      const people = new People()
      await people.start({ on: place, env: { EASEL_DATA: folder.path } })
      try {
        const [gone, merged, kept] = [newId('gone'), newId('merged'), newId('kept')]
        for (const external_id of [gone, merged, kept]) await people.set({ external_id, team: 'red' })
        const other = newId('other')
        await people.set({ external_id: other, team: 'blue' })
        const export_ = async (team: string) => {
          const id = newId('segment')
          await people.service.admin('POST', '/admin/segments', segmentOf(id, 'team', team))
          const { body } = await people.service.post('/users/export/segment', {
            segment_id: id,
            fields_to_export: ['external_id'],
            output_format: 'gzip',
          })
          const read = () => download(people.service.url, body.url)
          await eventually('the export is there', async () => (await read()).status === 200)
          return read
        }
        const idsIn = (bytes: Buffer) =>
          filesIn(bytes, 'gzip')
            .all!.map(({ external_id }) => external_id)
            .toSorted()
        const [red, blue] = [await export_('red'), await export_('blue')]
        const before = await blue()
        assert.deepEqual(idsIn((await red()).bytes), [gone, merged, kept].toSorted())

        await people.merge({ external_id: merged }, { external_id: gone })
        await people.delete({ external_ids: [gone] })
        await eventually('the export is written again', async () => {
          const { status, bytes } = await red()
          if (status !== 200) return false
          assert.deepEqual(idsIn(bytes), [kept])
          return true
        })
        await eventually('the other export is there', async () => (await blue()).status === 200)
        assert.deepEqual((await blue()).bytes, before.bytes, 'it was not written again')
        for (const { name, text } of exportedTexts(folder.path)) {
          for (const id of [gone, merged]) assert.ok(!text.includes(id), `${id} in ${name}`)
        }
        const { exports } = (await people.service.admin('GET', '/admin/exports')).body
        assert.deepEqual(
          exports.map(({ state, people: count }: { state: string; people: number }) => [state, count]),
          [
            ['done', 1],
            ['done', 1],
          ],
        )
      } finally {
        await people.stop()
        await place.db.close()
      }
    })
  })
}

function exportedTexts(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name))
      return { name: entry.name, text: (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1') }
    })
}
