import assert from 'node:assert/strict'
import test from 'node:test'
import { type CellOptions, formatTarget, guessValue, mapColumns, objectOf, readMap } from '../../cli/mapping.ts'

function columnsOf(headers: readonly string[], map: readonly string[] = []) {
  const given = readMap(map)
  assert.ok(typeof given !== 'string', String(given))
  return mapColumns(headers, given)
}

/** Returns the attributes object of a row, or the text of the refusal. */
function objectFrom(
  headers: readonly string[],
  cells: readonly string[],
  map: readonly string[] = [],
  options: CellOptions = {},
) {
  const columns = columnsOf(headers, map)
  assert.ok(typeof columns !== 'string', String(columns))
  return objectOf(columns, cells, options)
}

test('A column becomes what it is mapped to, else the field of its name, else a custom attribute.', () => {
  const columns = columnsOf(
    ['Email', 'first_name', 'plan', 'created_at', '_x', 'Notes', '', 'custom.first', 'group.news'],
    ['Email=email', 'Notes=-'],
  )
  assert.ok(typeof columns !== 'string')
  assert.deepEqual(
    columns.map(({ target }) => formatTarget(target)),
    [
      'email',
      'first_name',
      'custom.plan',
      'ignored: it cannot be set',
      'ignored: it cannot be set',
      'ignored',
      'ignored: it has no name',
      'custom.first',
      'group.news',
    ],
  )
})

test('An invalid mapping is refused.', () => {
  assert.match(String(readMap(['Email'])), /^--map takes HEADER=TARGET, not "Email"$/)
  assert.match(String(columnsOf(['a', 'email'], ['b=email'])), /^--map: there is no column "b"; there are a, email$/)
  assert.match(String(columnsOf(['a', 'email'], ['a=name'])), /^--map: a=name is not a target: /)
  assert.match(String(columnsOf(['a', 'email'], ['a=custom.email'])), /cannot be a custom attribute: the name is taken/)
  assert.match(String(columnsOf(['a', 'b', 'email'], ['a=custom.b'])), /^two columns are mapped to custom.b: /)
  assert.match(String(columnsOf(['alias.a', 'alias.b'])), /^two columns are mapped to alias.b: /)
  assert.match(String(columnsOf(['plan'])), /^no column identifies a person: /)
})

test('A row becomes an attributes object, and an empty cell is left out.', () => {
  const headers = ['external_id', 'alias.shop', 'email', 'plan', 'longitude', 'latitude', 'group.news']
  assert.deepEqual(objectFrom(headers, ['7', 'x', 'a@b.c', '', '2.5', '48', 'subscribed']), {
    external_id: '7',
    email: 'a@b.c',
    current_location: { longitude: 2.5, latitude: 48 },
    subscription_groups: [{ subscription_group_id: 'news', subscription_state: 'subscribed' }],
  })
  assert.deepEqual(objectFrom(headers, ['', 'x', '', '12', '', '', '']), {
    user_alias: { alias_label: 'shop', alias_name: 'x' },
    plan: 12,
    _update_existing_only: false,
  })
  assert.equal(objectFrom(headers, ['7']), 'has 1 fields where the first line has 7')
  assert.equal(objectFrom(['email', 'longitude'], ['a@b.c', 'x']), 'longitude must be a number')
  assert.equal(
    objectFrom(['email', 'email_open_tracking_disabled'], ['a@b.c', 'yes']),
    'email_open_tracking_disabled must be true or false',
  )
  assert.deepEqual(objectFrom(['email', 'n'], ['a@b.c', '1'], [], { textOnly: true }), { email: 'a@b.c', n: '1' })
})

test('Only unambiguous cells become numbers or booleans.', () => {
  for (const [cell, value] of [
    ['0', 0],
    ['-12', -12],
    ['1.50', 1.5],
    ['123456789012345', 123456789012345],
    ['true', true],
    ['FALSE', false],
  ] as const) {
    assert.equal(guessValue(cell), value, cell)
  }
  for (const cell of [
    '',
    ' 1',
    '007',
    '+1',
    '1e5',
    '1.',
    '.5',
    '1,5',
    '1234567890123456',
    '-',
    'yes',
    '2024-01-01',
    '0x1',
  ]) {
    assert.equal(guessValue(cell), cell)
  }
})

test('National phone numbers become international with a country, which a row may have itself.', () => {
  const phoneOf = (cell: string, own: string, options: CellOptions = { country: 'DE' }) => {
    const object = objectFrom(['external_id', 'phone', 'country'], ['ada', cell, own], [], options)
    return typeof object === 'string' ? object : object.phone
  }
  assert.equal(phoneOf('030 123456', ''), '+4930123456')
  assert.equal(phoneOf('(212) 555-0123', 'US'), '+12125550123')
  assert.equal(phoneOf('212 555 0123', 'United States'), '+12125550123')
  assert.equal(phoneOf('030 123456', 'Atlantis'), '+4930123456')
  assert.equal(phoneOf('+44 20 7946 0958', ''), '+442079460958')
  for (const other of ['12', 'ask Bo', '030 123456 or 030 654321 or 030 111111'])
    assert.equal(phoneOf(other, ''), other)
  assert.equal(phoneOf('030 123456', 'DE', {}), '030 123456')
})
