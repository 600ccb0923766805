import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { partsOf } from '../../dashboard/src/pages/catalogs/csv-parts.ts'
import { readCsv } from '../../src/content/catalogs/csv-records.ts'
import { seed, sizes } from '../sizes.ts'

const separators = [',', ';', '\t'] as const

const partsIn = async (text: string, separator: string, partBytesMax: number, partRecordsMax: number) =>
  Array.fromAsync(partsOf(new Blob([text]), separator, { partBytesMax, partRecordsMax }))

test('a file is cut into parts of whole records that together are the file, whatever is in it', async () => {
  const unit = fc.constantFrom(...['a', 'é', '😀', '"', ',', ';', '\t', '\n', '\r', '\r\n', '""'])
  const given = fc.record({
    text: fc.string({ unit, maxLength: 60 }),
    separator: fc.constantFrom(...separators),
    bytesMax: fc.integer({ min: 1, max: 30 }),
    recordsMax: fc.integer({ min: 1, max: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ text, separator, bytesMax, recordsMax }) => {
      const parts = await partsIn(text, separator, bytesMax, recordsMax)
      assert.equal(parts.map(({ csv }) => csv).join(''), text)
      assert.equal(parts.at(-1)?.bytesRead ?? 0, Buffer.byteLength(text))
      const whole = [...readCsv(text, separator, 1)]
      if (whole.some(({ mistake }) => mistake !== undefined)) return
      let line = 1
      const cut = parts.flatMap(({ csv }) => {
        const records = [...readCsv(csv, separator, line)]
        line += csv.match(/\r\n|\n|\r/g)?.length ?? 0
        return records
      })
      assert.deepEqual(cut, whole)
    }),
    { seed, numRuns: sizes.propertyRuns },
  )
})

test('a part has at most the records and about the bytes that it may have', async () => {
  const lines = Array.from({ length: 10 }, (_, i) => `i${i},"x\ny"\n`)
  const byRecords = await partsIn(lines.join(''), ',', 1_000, 4)
  assert.deepEqual(
    byRecords.map(({ csv }) => csv),
    [lines.slice(0, 4), lines.slice(4, 8), lines.slice(8)].map((some) => some.join('')),
  )
  const byBytes = await partsIn(lines.join(''), ',', 20, 100)
  assert.deepEqual(new Set(byBytes.map(({ csv }) => csv.length)), new Set([18]))
})

test('a file that is not UTF-8 is refused', async () => {
  const file = new Blob([new Uint8Array([0x61, 0xe9, 0x0a])])
  await assert.rejects(Array.fromAsync(partsOf(file, ',')), TypeError)
})
