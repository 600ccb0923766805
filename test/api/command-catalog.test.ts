import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { guessFields, mapCatalogColumns } from '../../cli/catalog-columns.ts'
import { Catalogs, everyType } from '../support/catalogs.ts'
import { easel, folderWith, keysOf, typeEasel } from '../support/command-line.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'

test('columns are mapped to fields of the catalog, and an impossible mapping is refused with the reason', () => {
  const fields = [
    { name: 'id', type: 'string' },
    { name: 'Zip', type: 'string' },
    { name: 'Price', type: 'number' },
  ] as const
  const columns = (headers: string[], given: Record<string, string> = {}) =>
    mapCatalogColumns(headers, new Map(Object.entries(given)), fields)
  assert.deepEqual(columns(['Key', 'Price', 'Note'], { Key: 'id', Note: '-' }), [
    { header: 'Key', field: fields[0] },
    { header: 'Price', field: fields[2] },
    { header: 'Note', field: undefined },
  ])
  const wrong: [ReturnType<typeof columns>, RegExp][] = [
    [columns(['id', 'Open Time']), /^"Open Time" is not a field of the catalog, which has id, Zip, Price: /],
    [columns(['id', 'Zip', 'Price'], { Zip: 'Price' }), /^two columns are mapped to Price$/],
    [columns(['id'], { id: '-' }), /^no column is mapped to id: map one with --map HEADER=id$/],
    [columns(['id'], { Nope: 'Zip' }), /^--map: there is no column "Nope"; there are id$/],
  ]
  for (const [found, text] of wrong) assert.match(String(found), text)
  const guess = (header: string, ...cells: string[]) =>
    guessFields(
      ['id', header],
      new Map(),
      cells.map((cell, i) => ({ line: i + 2, fields: ['x', cell], text: '' })),
    )
  assert.match(String(guess('a b')), /^"a b" cannot be the name of a field/)
  const guessed: [string[], string][] = [
    [[], 'string'],
    [['', ''], 'string'],
    [['1', '', '-2.5'], 'number'],
    [['1', '02'], 'string'],
    [['true', 'FALSE'], 'boolean'],
    [['true', '1'], 'string'],
    [['2024-01-01', '2024-01-01T00:00Z'], 'time'],
    [['["a"]', '[]'], 'array'],
    [['{}', '{"a":[1]}'], 'object'],
    [['{}', '[]'], 'string'],
  ]
  for (const [cells, type] of guessed) assert.deepEqual(guess('A', ...cells), [fields[0], { name: 'A', type }])
})

for (const database of drawDatabases('command-catalog')) {
  describe(`easel catalog (${database})`, () => {
    test('a file fills a catalog with values of the right types, and can be imported again', async () => {
      await using service = await startService({
        database,
        workspace: { catalogs: [{ name: 'shop', fields: everyType }] },
      })
      const catalogs = new Catalogs(() => service)
      const lines = [
        'Key,Name,Rating,Open,Created_At,Location,Tags,Place,Note',
        'one,"Tea, green",4.50,TRUE,2024-05-31,"{""a"":1}","[""x"",""y""]","[8.5,47.3]",-',
        'two,7,,,,,,,',
        ',x,,,,,,,',
        'three,x,many,,,,,,',
        'four,x,,,,{},x;y,,',
        'a b,x',
        `five,${'n'.repeat(5_001)},,,,,,,`,
        'two,8,,false,,,,,',
        ...many(120, (n) => `i-${n},Item ${n},${n},,,,,,`),
      ]
      using folder = folderWith({ 'shop.csv': `\ufeff${lines.join('\r\n')}\r\n` })
      const args = ['catalog', 'shop', folder.path('shop.csv'), '--map', 'Key=id,Note=-']
      const refused = [
        'line 4: Key must have 1 to 250 letters, digits, hyphens or underscores',
        'line 5: Rating must be a number',
        'line 6: Tags must be a JSON list of at most 100 texts',
        'line 7: has 2 fields where the first line has 9',
        'line 8: has more than 5,000 characters',
      ]
      const planned = await easel([...args, '--plan'], keysOf(service))
      assert.equal(planned.code, 1)
      assert.equal(planned.err, `${refused.join('\n')}\n`)
      assert.match(planned.out, /^ {2}Key +id \(string\) +"one" "two" "i-0"\n/)
      assert.match(planned.out, /\n {2}Created_At +Created_At \(time\) +"2024-05-31T00:00:00.000Z"\n/)
      assert.match(planned.out, /\n {2}Note +ignored\n128 lines, 5 of them cannot be used\.\n$/)
      assert.equal((await catalogs.shown('shop')).num_items, 0)
      for (let round = 0; round < 2; round++) {
        const ran = await easel(args, keysOf(service))
        assert.deepEqual([ran.code, ran.out], [1, ''])
        assert.equal(ran.err, `${refused.join('\n')}\n123 of 128 lines written, 5 refused.\n`)
      }
      const items = await catalogs.items('shop')
      assert.equal(items.length, 122)
      assert.deepEqual(await catalogs.item('shop', 'one'), {
        id: 'one',
        Name: 'Tea, green',
        Rating: 4.5,
        Open: true,
        Created_At: '2024-05-31T00:00:00.000Z',
        Location: { a: 1 },
        Tags: ['x', 'y'],
        Place: [8.5, 47.3],
      })
      const two = await catalogs.item('shop', 'two')
      assert.deepEqual([two?.Name, two?.Rating, two?.Open], ['8', null, false])
    })

    test('a catalog is created from a file with fitting types, and refused rows are listed with their lines', async () => {
      await using service = await startService({ database })
      const catalogs = new Catalogs(() => service)
      const csv =
        'id,Zip,Price,Open,At,Tags,Extra\na,08001,1.5,true,2024-01-01T00:00Z,[],{}\nb,12345,2,FALSE,,"[""x""]",\n'
      using folder = folderWith({
        'new.csv': csv,
        'bad.csv': 'id,Open Time\na,1\n',
        'empty.csv': '',
        'semi.csv': 'id;a\n1;2\n',
      })
      const file = folder.path('new.csv')
      const unknown = await easel(['catalog', 'new', file], keysOf(service))
      assert.deepEqual([unknown.code, unknown.err.split('\n')[0]], [2, 'there is no catalog new; --create creates it.'])
      const planned = await easel(['catalog', 'new', file, '--create', '--plan'], keysOf(service))
      assert.deepEqual([planned.code, await catalogs.shown('new')], [0, undefined])
      const made = await typeEasel(['catalog', 'new', '-', '--create'], keysOf(service), gzipSync(csv))
      assert.deepEqual([made.code, made.err], [0, '+ catalogs new\n2 of 2 lines written, 0 refused.\n'])
      const { fields } = await catalogs.shown('new')
      assert.deepEqual(
        fields.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
        ['id string', 'Zip string', 'Price number', 'Open boolean', 'At time', 'Tags array', 'Extra object'],
      )
      const rest = await easel(['catalog', 'new', file, '--from', '3'], keysOf(service))
      assert.equal(rest.err, '1 of 1 lines written, 0 refused.\n')

      const wrong = await easel(['catalog', 'new', folder.path('semi.csv')], keysOf(service))
      assert.equal(wrong.code, 2)
      assert.match(wrong.err, /^"a" is not a field of the catalog, which has id, Zip/)
      const key = await service.key(['catalogs.get'])
      const forbidden = await easel(['catalog', 'new', file], { ...keysOf(service), EASEL_API_KEY: key })
      assert.equal(forbidden.code, 1)
      assert.match(forbidden.err, /answered 403: You do not have permission to access this resource\n$/)
    })
  })
}
