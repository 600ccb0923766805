import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../src/base/db/sql.ts'
import { importBytesMax, importLinesMax } from '../../src/content/catalogs/admin-schema.ts'
import { itemCharactersMax, itemsMax } from '../../src/content/catalogs/schema.ts'
import { seed, sizes } from '../sizes.ts'
import { Catalogs, everyType, fullItem } from '../support/catalogs.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const idField = { name: 'id', type: 'string' }
const priced = [idField, { name: 'price', type: 'number' }, { name: 'name', type: 'string' }]
const separators = [',', ';', '\t'] as const

for (const database of drawDatabases('admin-catalog-import')) {
  describe(`importing a CSV file into a catalog (${database})`, () => {
    const people = mailedOf(database)
    const catalogs = new Catalogs(() => people.service)
    const send = (method: string, path: string, body?: unknown) =>
      people.service.send(method, `/admin/catalogs${path}`, body, { key: people.service.adminToken })
    const made = async (fields: readonly Item[] = priced): Promise<string> => {
      const id = newId('catalog')
      const { status, text } = await send('POST', '', { id, name: id, fields })
      assert.equal(status, 201, text)
      return id
    }
    const importInto = async (catalog: string, body: Item, plan = ''): Promise<Any> => {
      const { status, body: answer, text } = await send('POST', `/${catalog}/import${plan}`, body)
      assert.equal(status, 200, text)
      return answer
    }
    /** Plans and imports. The two answers must be the same, and the plan must write nothing. */
    const imported = async (catalog: string, body: Item): Promise<Any> => {
      const before = [await catalogs.shown(catalog), await catalogs.items(catalog)]
      const planned = await importInto(catalog, body, '?plan=true')
      assert.deepEqual([await catalogs.shown(catalog), await catalogs.items(catalog)], before)
      assert.deepEqual(await importInto(catalog, body), planned)
      return planned
    }
    const refusedLines = ({ refused }: Any) => refused.map(({ line, message }: Any) => `${line}: ${message}`)

    test('items are made and replaced as the plan says, and fields without a column keep their values', async () => {
      const catalog = await made()
      const first = await imported(catalog, { csv: 'id,price,name\na,1.5,Tea\nb,,\n' })
      const { made: makes, replaced, refused, separator, header, kept_fields, unknown_columns, ids, next_line } = first
      assert.deepEqual([makes, replaced, refused, separator, next_line], [2, 0, [], ',', 4])
      assert.deepEqual([header, kept_fields, unknown_columns], [['id', 'price', 'name'], [], []])
      assert.deepEqual(ids, [
        { id: 'a', line: 2 },
        { id: 'b', line: 3 },
      ])
      const second = await imported(catalog, { csv: 'price,id\n2,a\n3,c' })
      assert.deepEqual([second.made, second.replaced, second.kept_fields, second.next_line], [1, 1, ['name'], 4])
      assert.deepEqual(await catalogs.items(catalog), [
        { id: 'a', price: 2, name: 'Tea' },
        { id: 'b', price: null, name: null },
        { id: 'c', price: 3, name: null },
      ])
      const shown = await catalogs.shown(catalog)
      assert.equal(shown.num_items, 3)
      assert.equal(shown.storage_size, ['a{"0":2,"1":"Tea"}', 'b{}', 'c{"0":3}'].join('').length)
    })

    test('values of every type are read, and an empty cell is no value', async () => {
      const catalog = await made(everyType)
      const { id: _, ...types } = Object.fromEntries(everyType.map(({ name, type }) => [name, type]))
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
      const values = Object.keys(types).map((name) => {
        const value = fullItem[name as keyof typeof fullItem]
        return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))
      })
      const header = ['id', ...Object.keys(types)].join(',')
      const empty = many(7, () => '').join(',')
      const big = 'big,,12345678901234567890.5,TRUE, 2022-11-01T10:03:19.967+01:00 ,,,'
      const { refused } = await imported(catalog, { csv: `${header}\nfull,${values.join(',')}\nnone,${empty}\n${big}` })
      assert.deepEqual(refused, [])
      assert.deepEqual(await catalogs.item(catalog, 'full'), { id: 'full', ...fullItem })
      assert.deepEqual(
        Object.values((await catalogs.item(catalog, 'none'))!).slice(1),
        many(7, () => null),
      )
      const { text } = await people.service.get(`/catalogs/${catalog}/items/big`)
      assert.match(text, /"Rating":12345678901234567890.5,"Open":true,"Created_At":"2022-11-01T09:03:19.967Z"/)
    })

    test('lines that are no items are named with the reason, and the others are written', async () => {
      const catalog = await made([...priced, { name: 'tags', type: 'array' }])
      const lines = [
        'id,price,name,tags',
        'a,dear,"two\r\nlines",',
        ',1,,',
        'a b,1,,',
        `${'n'.repeat(251)},1,,`,
        'b,1',
        'c,1,,,',
        'd,1,5" pipe,',
        'e,1,"x" y,',
        'f,1,,[1',
        '',
        'fine,1,,"[""x""]"',
        'fine,2,,',
        `g,1,${'n'.repeat(itemCharactersMax)},`,
        'h,"1,,',
        'i,1,,',
      ]
      const answer = await imported(catalog, { csv: lines.join('\r\n') })
      assert.deepEqual(refusedLines(answer), [
        '2: \'price\' must be a number, such as 1.5; the line has "dear"',
        '4: The id is empty',
        '5: Item ids can only contain letters, numbers, hyphens, and underscores',
        '6: Item ids can not be larger than 250 characters',
        '7: The line has 2 cells, and the header has 4 columns',
        '8: The line has 5 cells, and the header has 4 columns',
        '9: A cell with quotes in it must stand in quotes, and its own quotes must be doubled',
        '10: After the closing quotes of a cell there must be a separator or the end of the line',
        '11: \'tags\' must be a list of at most 100 texts, such as ["a", "b"]; the line has "[1"',
        "14: The id 'fine' is on line 13 already",
        '15: The values of an item can not exceed 5000 characters',
        '16: The quotes of a cell that begins here are not closed',
      ])
      assert.deepEqual([answer.made, answer.replaced], [1, 0])
      assert.deepEqual(await catalogs.items(catalog), [{ id: 'fine', price: 1, name: null, tags: ['x'] }])
    })

    test('the header says which columns there are; with a mistake in it nothing is read', async () => {
      const catalog = await made()
      for (const [csv, messages] of [
        ['', ["The header has no column 'id'"]],
        ['price,name\n1,x', ["The header has no column 'id'"]],
        ['id,price,price\na,1,1', ["The header has the column 'price' more than once"]],
        ['id,,name\na,1,x', ['A column of the header has no name']],
        [
          'id,colour\na,red',
          ["The catalog has no field 'colour'. Make this field, or remove the column from the file"],
        ],
      ] as const) {
        const answer = await imported(catalog, { csv })
        assert.deepEqual(
          refusedLines(answer),
          messages.map((message) => `1: ${message}`),
          csv,
        )
        assert.deepEqual([answer.made, answer.ids], [0, []])
      }
    })

    test('an import makes the fields that it is asked to, of a type that the plan proposes', async () => {
      const catalog = await made([idField])
      const csv = [
        'id;n;yes;at;where;list;more;text;none',
        'a;1,5;true;2030-01-31T09:00:00Z;[1,2];"[""x""]";"{""a"":1}";1;',
        'b;2;FALSE;2030-01-31;[3,4];[];{};x;',
      ]
        .join('\n')
        .replace('1,5', '1.5')
      const planned = await importInto(catalog, { csv }, '?plan=true')
      const new_fields = planned.unknown_columns
      assert.deepEqual(
        new_fields.map(({ type }: Item) => type),
        ['number', 'boolean', 'time', 'geo', 'array', 'object', 'string', 'string'],
      )
      assert.equal(planned.separator, ';')
      const answer = await imported(catalog, { csv, new_fields })
      assert.deepEqual([answer.made, answer.refused, answer.unknown_columns], [2, [], []])
      const { fields } = await catalogs.shown(catalog)
      assert.deepEqual(
        fields.slice(1).map(({ name, type }: Item) => ({ name, type })),
        new_fields,
      )
      assert.equal((await imported(catalog, { csv, new_fields })).replaced, 2)
      const other = await imported(catalog, { csv, new_fields: [{ name: 'n', type: 'string' }] })
      assert.deepEqual(refusedLines(other), ["1: The catalog has a field 'n' already, of type number"])
      const { status, body } = await send('POST', `/${catalog}/import`, {
        csv,
        new_fields: [{ name: 'a b', type: 'x' }],
      })
      assert.deepEqual([status, body.errors.length], [400, 2])
    })

    test('parts go on where the part before ended, and an id of an earlier part is refused', async () => {
      const catalog = await made()
      const first = await imported(catalog, { csv: '\ufeffid\tprice\tname\r\na\t1\t"x\ty\nz"\r\n' })
      assert.deepEqual([first.separator, first.next_line, first.made], ['\t', 4, 1])
      const rest = { header: first.header, separator: first.separator, first_line: first.next_line }
      const earlier = { made: first.made, ids: first.ids }
      const second = await imported(catalog, { ...rest, csv: 'b\t2\t\r\na\t3\t\r\n', earlier })
      assert.deepEqual(refusedLines(second), ["5: The id 'a' is on line 2 already"])
      assert.deepEqual([second.made, second.next_line], [1, 6])
      const names = (await catalogs.items(catalog)).map(({ name }) => name)
      assert.deepEqual(names, ['x\ty\nz', null])
      // A part that is sent again after a lost answer changes nothing.
      const again = await importInto(catalog, { ...rest, csv: 'b\t2\t\r\n', earlier: { ids: second.ids } })
      assert.deepEqual([again.replaced, again.refused], [1, []])
    })

    test('a part has at most a megabyte and 5000 lines', async () => {
      const catalog = await made()
      const sized = (bytes: number) => `id,price,name\na,1,${'é'.repeat((bytes - 18) / 2)}`
      for (const bytes of [importBytesMax - 2, importBytesMax]) {
        const { refused } = await importInto(catalog, { csv: sized(bytes) })
        assert.deepEqual(refused, [{ line: 2, message: 'The values of an item can not exceed 5000 characters' }])
      }
      const large = await send('POST', `/${catalog}/import`, { csv: sized(importBytesMax + 2) })
      assert.deepEqual([large.status, /at most 1000000 bytes/.test(large.body.message)], [400, true])
      const long = (lines: number) => ['id', ...many(lines, (i) => `i${i}`)].join('\n')
      for (const lines of [importLinesMax - 1, importLinesMax]) {
        assert.equal((await importInto(catalog, { csv: long(lines) }, '?plan=true')).made, lines)
      }
      const { status, body } = await send('POST', `/${catalog}/import`, { csv: long(importLinesMax + 1) })
      assert.deepEqual([status, /at most 5000 lines/.test(body.message)], [400, true])
      const some = 1_001
      assert.equal((await importInto(catalog, { csv: long(some) })).made, some)
      assert.equal((await catalogs.shown(catalog)).num_items, some)
    })

    test('a catalog has at most a million items', async () => {
      const catalog = await made()
      await people.db.query(sql`update catalog set num_items = ${itemsMax - 1} where name = ${catalog}`)
      // Reading all items would take as many pages as there are said to be.
      for (const query of ['?plan=true', '']) {
        const answer = await importInto(catalog, { csv: 'id\na\nb' }, query)
        assert.deepEqual(refusedLines(answer), ['3: The catalog has as many items as it can have'])
      }
      await people.db.query(sql`update catalog set num_items = ${itemsMax - 3} where name = ${catalog}`)
      const plan = { csv: 'c\nd\ne', header: ['id'], separator: ',', first_line: 3, earlier: { made: 1 } }
      const { made: makes, refused } = await importInto(catalog, plan, '?plan=true')
      assert.deepEqual([makes, refused.length], [2, 1])
    })

    test('a request that cannot be read is refused as a whole', async () => {
      const catalog = await made()
      const csv = 'id\na'
      for (const body of [
        ...[undefined, [], {}, { csv: 1 }, { csv, first_line: 0 }, { csv, first_line: 1.5 }, { csv, separator: '|' }],
        ...[
          { csv, header: [] },
          { csv, header: [1] },
          { csv, header: ['id'] },
          { csv, new_fields: 'a' },
        ],
        ...[
          { csv, earlier: 1 },
          { csv, earlier: { made: -1 } },
          { csv, earlier: { ids: [{ id: 'a' }] } },
        ],
      ]) {
        for (const plan of ['', '?plan=true']) {
          const { status, text } = await send('POST', `/${catalog}/import${plan}`, body)
          assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`)
        }
      }
      assert.equal((await send('POST', `/${catalog}/import?plan=maybe`, { csv })).status, 400)
      assert.deepEqual(await catalogs.items(catalog), [])
    })

    test('each part has an audit row with counts, and a plan has none', async () => {
      const catalog = await made()
      await importInto(catalog, { csv: 'id\na\nb c' }, '?plan=true')
      await importInto(catalog, { csv: 'id\na\nb c', new_fields: [{ name: 'n', type: 'number' }] })
      const { body } = await people.service.admin('GET', `/admin/audit?target=catalog:${catalog}`)
      assert.deepEqual(
        body.audit.map(({ action }: Item) => action),
        ['catalog_items.import', 'catalog.update', 'catalog.create'],
      )
      assert.deepEqual(body.audit[0].after, { made: 1, replaced: 0, refused: 1, first_line: 1, next_line: 4 })
    })

    test('any list of items is imported as it is, with any quotes and in any parts', async () => {
      await fc.assert(
        fc.asyncProperty(fileGiven, async ({ items, separator, lineBreak, quotes, cuts, mark }) => {
          const catalog = await made([idField, ...['text', 'other'].map((name) => ({ name, type: 'string' }))])
          const line = (cells: readonly (string | null)[], at: number) =>
            cells.map((cell, i) => written(cell, separator, quotes[(at + i) % quotes.length]!)).join(separator)
          const lines = items.map(({ id, text, other }, at) => `${line([id, text, other], at)}${lineBreak}`)
          const parts = partsOf(lines, cuts)
          let next: Item = {}
          for (const [i, part] of parts.entries()) {
            const csv = i === 0 ? `${mark}${line(['id', 'text', 'other'], 0)}${lineBreak}${part}` : part
            const { refused, header, next_line } = await importInto(catalog, { csv, ...next })
            assert.deepEqual(refused, [])
            next = { header, separator, first_line: next_line }
          }
          const sorted = items.map((item) => ({ ...item })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
          assert.deepEqual(await catalogs.items(catalog), sorted)
        }),
        { seed, numRuns: sizes.databasePropertyRuns },
      )
    })
  })
}

const value = fc.oneof(
  fc.constant(null),
  fc.string({ unit: fc.constantFrom(...['a', 'é', '😀', '"', ',', ';', '\t', '\n', '\r', ' ', '\\', '\ufeff']) }),
)
const fileGiven = fc.record({
  items: fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[A-Za-z0-9_-]{1,4}$/), text: value, other: value }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 12,
  }),
  separator: fc.constantFrom(...separators),
  lineBreak: fc.constantFrom('\n', '\r\n', '\r'),
  quotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  cuts: fc.array(fc.nat(12), { maxLength: 3 }),
  mark: fc.constantFrom('', '\ufeff'),
})

/** Writes a cell. No value is an empty cell without quotes, a text without characters has quotes. */
function written(cell: string | null, separator: string, isQuoted: boolean): string {
  if (cell === null) return ''
  const needsQuotes = cell === '' || /["\r\n]/.test(cell) || cell.includes(separator)
  return isQuoted || needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Joins lines to parts that begin at some of them. */
function partsOf(lines: readonly string[], cuts: readonly number[]): string[] {
  const starts = [...new Set([0, ...cuts.filter((cut) => cut < lines.length)])].toSorted((a, b) => a - b)
  return starts.map((start, i) => lines.slice(start, starts[i + 1]).join(''))
}
