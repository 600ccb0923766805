import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { delimiterOf, fieldsMax, readCsv, recordBytesMax } from '../../cli/csv.ts'
import { seed, sizes } from '../sizes.ts'

type Found = { readonly line: number; readonly fields?: readonly string[]; readonly problem?: string | undefined }

/** Returns the records of a text that arrives in chunks of `size` characters. */
async function read(text: string, size = text.length || 1): Promise<Found[]> {
  async function* pieces() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }
  return (await Array.fromAsync(readCsv(pieces()))).map(({ text: _, ...found }) => found)
}

const table: Readonly<Record<string, readonly Found[]>> = {
  '': [],
  'a,b': [{ line: 1, fields: ['a', 'b'] }],
  'a,b\n': [{ line: 1, fields: ['a', 'b'] }],
  'a,b\r\nc,d\r\n': [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, fields: ['c', 'd'] },
  ],
  ',': [{ line: 1, fields: ['', ''] }],
  'a,\n,b': [
    { line: 1, fields: ['a', ''] },
    { line: 2, fields: ['', 'b'] },
  ],
  '"a"': [{ line: 1, fields: ['a'] }],
  '""': [{ line: 1, fields: [''] }],
  '"a,b","c ""d"" e",""""': [{ line: 1, fields: ['a,b', 'c "d" e', '"'] }],
  '"a\nb\r\nc",d\ne': [
    { line: 1, fields: ['a\nb\r\nc', 'd'] },
    { line: 4, fields: ['e'] },
  ],
  '\n\na\n\r\nb': [
    { line: 3, fields: ['a'] },
    { line: 5, fields: ['b'] },
  ],
  ' a , b ': [{ line: 1, fields: [' a ', ' b '] }],
  'a\u2028b\tc': [{ line: 1, fields: ['a\u2028b\tc'] }],
  'a"b\nc': [
    { line: 1, problem: 'has a quote in a field that does not begin with one' },
    { line: 2, fields: ['c'] },
  ],
  '"a"b\nc': [
    { line: 1, problem: 'has text between a closing quote and the next delimiter' },
    { line: 2, fields: ['c'] },
  ],
  'a\rb\nc': [
    { line: 1, fields: ['a\rb'] },
    { line: 2, fields: ['c'] },
  ],
  'c\n"a\n,b': [
    { line: 1, fields: ['c'] },
    { line: 2, problem: 'has a quote that is not closed' },
  ],
}

test('CSV is read by RFC 4180, in chunks of any size.', async () => {
  for (const [text, records] of Object.entries(table)) {
    for (const size of [text.length || 1, 1, 2, 3]) {
      assert.deepEqual(await read(text, size), records, JSON.stringify({ text, size }))
    }
  }
})

test('A record above the limit of characters or fields is an error, and the next record is read.', async () => {
  const long = 'x'.repeat(recordBytesMax)
  assert.deepEqual(await read(`${long.slice(1)}\na`), [
    { line: 1, fields: [long.slice(1)] },
    { line: 2, fields: ['a'] },
  ])
  assert.deepEqual(await read(`${long}y\na`), [
    { line: 1, problem: 'has more than 1048576 bytes' },
    { line: 2, fields: ['a'] },
  ])
  const [full, over] = await read(`${','.repeat(fieldsMax - 1)}\n${','.repeat(fieldsMax)}`)
  assert.equal(full?.problem, undefined)
  assert.equal(over?.problem, 'has more than 1000 fields')
})

test('Any records are the same after they are written as CSV and read.', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '\u2028') })
  const sheet = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(sheet, fc.integer({ min: 1, max: 7 }), async (rows, size) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
      const text = rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
      const records = await read(text, size)
      assert.deepEqual(
        records.map((record) => record.problem ?? record.fields),
        rows,
      )
    }),
    { seed, numRuns: sizes.propertyRuns },
  )
})

test('Malformed records cost no other record, and each has the number of its line.', async () => {
  const lines: Readonly<Record<string, boolean>> = {
    'a,b': true,
    '"a\r\nb\nc",d': true,
    '': true,
    'a"b,c': false,
    '"a"b,c': false,
    '"a\r\nb"c,d': false,
  }
  const file = fc.array(fc.tuple(fc.constantFrom(...Object.keys(lines)), fc.constantFrom('\n', '\r\n')), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(file, fc.integer({ min: 1, max: 30 }), async (rows, size) => {
      const text = rows.map((parts) => parts.join('')).join('')
      let line = 1
      const expected: [number, boolean][] = []
      for (const [row] of rows) {
        if (row !== '') expected.push([line, lines[row]!])
        line += row.split('\n').length
      }
      const records = await read(text, size)
      assert.deepEqual(
        records.map((record) => [record.line, record.problem === undefined]),
        expected,
      )
    }),
    { seed, numRuns: sizes.propertyRuns },
  )
})

test('The delimiter is the one that the first line has most often outside quotes.', () => {
  const delimiters = {
    'a,b': ',',
    'a;b;c,d': ';',
    'a\tb': '\t',
    'a|b': '|',
    a: ',',
    '': ',',
    '"a;b;c",d': ',',
    '"a,b";c': ';',
  }
  for (const [line, delimiter] of Object.entries(delimiters)) assert.equal(delimiterOf(line), delimiter, line)
})
