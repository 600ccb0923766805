// Values that tests of unnamed losses send. Half of them are not what the interface describes.

import { ago, dayMs } from './people.ts'

declare global {
  interface JSON {
    /** Returns a value that `JSON.stringify` writes as this text. */
    rawJSON(text: string): object
  }
}

const { rawJSON } = JSON

/** JSON text as a value: a number that no double has, or a key that an object literal cannot have. */
export const raw = (text: string): unknown => (/^[{[]/.test(text) ? JSON.parse(text) : rawJSON(text))

export const long = (count: number) => 'v'.repeat(count)
const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
const unsafe = raw('{"__proto__": {"a": 1}, "constructor": 2, "size": 3}')

/** Numbers of more digits, or of another size, than a double has. */
export const oddNumbers = [
  '9007199254740991',
  '9007199254740993',
  '-9007199254740993',
  '1234567890123456',
  '12345678901234567890',
  '1234567890123456789012345',
  '1e21',
  '1.50',
  '0.12345678901234567890123',
  '-19.99999999999999999999',
  '1.234567890123456789e-400',
  '1e-400',
  '1e300',
  '2.5e-300',
  '1e400',
].map(raw)

export const scalars = [
  '',
  'gold',
  ' spaced out ',
  'Zoë 🦊 日本',
  'null',
  '12',
  long(255),
  long(256),
  '🦊'.repeat(255),
  '🦊'.repeat(256),
  'a\u0000b',
  raw('"\\ud800"'),
  '2024-02-29',
  '2023-02-29',
  '2024-01-02T03:04:05.678901Z',
  '24:00',
  0,
  -0,
  7,
  -1.5,
  1e-7,
  0.1,
  1e21,
  2 ** 53 - 1,
  true,
  false,
  null,
] as const

export const nested = [
  [],
  {},
  [1, 'a', true, null],
  [1, 'a', true],
  ['a', 'b', 'a'],
  [0, -0],
  [[1, 2], [3]],
  [{ a: 1 }, { a: 1 }],
  Array.from({ length: 501 }, (_, i) => i),
  Array.from({ length: 500 }, (_, i) => i),
  { a: 1 },
  { a: { b: null } },
  { a: { b: ['x', { c: 1.5 }] }, d: false },
  { 'a b': 1 },
  { 'a.b': 1 },
  { $a: 1 },
  { '': 1 },
  { toString: 1, hasOwnProperty: 'x' },
  { a: long(256) },
  { [long(256)]: 1 },
  { $time: '2024-02-29T10:00:00Z' },
  { $time: 'soon' },
  { $time: '2024-02-29', more: 1 },
  { at: { $time: '2024-02-29' } },
  unsafe,
  [unsafe],
  deep(50),
  deep(51),
] as const

/** A value of more than 100 KB. */
export const large = { long: Array.from({ length: 500 }, () => long(220)) }

export const instructions = [
  { inc: 1 },
  { inc: -3 },
  { inc: 1.5 },
  { inc: '1' },
  { inc: null },
  { inc: 1, more: 2 },
  { add: ['a', 'b'] },
  { add: ['a'], remove: ['b'] },
  { remove: ['a', 'zz'] },
  { add: [null] },
  { add: [long(256)] },
  { add: 'a' },
  { $add: ['c', 1], $remove: ['a'] },
  { $add: ['d'], remove: ['c'], add: ['e'] },
  { $add: [{ id: 1, size: 's' }, { id: 2 }] },
  { $update: [{ $identifier_key: 'id', $identifier_value: 1, $new_object: { size: 'm' } }] },
  { $update: [{ $identifier_key: 'id', $identifier_value: 9, $new_object: { size: 'm' } }] },
  { $remove: [{ $identifier_key: 'id', $identifier_value: 2 }], $update: [] },
  { $update: [{ $identifier_key: 'id', $new_object: {} }] },
  { $remove: [{ id: 1 }] },
  { $update: 'id' },
  { add: ['a'], other: 1 },
] as const

/** Names of custom attributes, odd ones included. */
export const names = [
  'plan',
  'score',
  'tags',
  'nested',
  'Email',
  'first name',
  'a.b',
  '$x',
  'ключ',
  'name',
  'time',
  'app_id',
  'device_id',
  'toString',
  'hasOwnProperty',
  '',
  long(255),
  long(256),
  'a\u0000b',
  '__proto__',
  'constructor',
] as const

/** Names of the export that are no custom attributes, and members that only Easel may use. */
export const exportedNames = [
  'purchases',
  'devices',
  'apps',
  'custom_events',
  'created_at',
  'random_bucket',
  'total_revenue',
  'last_coordinates',
  'bio',
  '_secret',
] as const

type Kept = readonly (readonly [sent: unknown, kept: unknown])[]

const texts = (text: string): Kept => [
  [text, text],
  [long(255), long(255)],
  [null, null],
  [long(256), undefined],
  [42, undefined],
  [{ text }, undefined],
]

const flags: Kept = [
  [true, true],
  [false, false],
  [null, false],
  ['true', undefined],
  [1, undefined],
]

const states: Kept = [
  ['opted_in', 'opted_in'],
  ['unsubscribed', 'unsubscribed'],
  ['subscribed', 'subscribed'],
  ['Subscribed', undefined],
  [true, undefined],
]

const times: Kept = [
  ['2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05.678Z'],
  ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05.000Z'],
  ['2024-01-02', '2024-01-02T00:00:00.000Z'],
  [null, null],
  ['02.01.2024', undefined],
  [1_704_164_645, undefined],
]

const place = { longitude: 2.5, latitude: 48.125 }

/** Values of standard fields with what a backup has of them; undefined: nothing, so an answer must name the field. */
export const standardValues: Readonly<Record<string, Kept>> = {
  current_location: [
    [place, place],
    [null, null],
    [{ longitude: 181, latitude: 1 }, undefined],
    [{ longitude: 1 }, undefined],
    [{ ...place, altitude: 9 }, undefined],
    ['2.5,48.1', undefined],
  ],
  first_name: texts('Zoë'),
  last_name: texts('van den "Berg"'),
  home_city: texts('São Paulo'),
  image_url: [
    ['https://example.com/a b.png', 'https://example.com/a b.png'],
    [null, null],
    [`https://example.com/${long(2028)}`, `https://example.com/${long(2028)}`],
    [`https://example.com/${long(2029)}`, undefined],
    [{}, undefined],
  ],
  gender: [
    ['F', 'F'],
    ['o', 'O'],
    [null, null],
    ['female', undefined],
    [1, undefined],
  ],
  dob: [
    ['1980-02-29', '1980-02-29'],
    [null, null],
    ['1981-02-29', undefined],
    ['29.02.1980', undefined],
    [19800229, undefined],
  ],
  country: [
    ['DE', 'DE'],
    ['de', 'DE'],
    ['Germany', 'DE'],
    ['DEU', 'DE'],
    [null, null],
    ['Atlantis', undefined],
    [['DE'], undefined],
  ],
  language: [
    ['en', 'en'],
    ['en-GB', 'en'],
    [null, null],
    ['klingon', undefined],
    [false, undefined],
  ],
  time_zone: [
    ['Europe/Berlin', 'Europe/Berlin'],
    [null, null],
    ['Mars/Base', undefined],
    [2, undefined],
  ],
  email_open_tracking_disabled: flags,
  email_click_tracking_disabled: flags,
  email_subscribe: states,
  push_subscribe: states,
  date_of_first_session: times,
  date_of_last_session: times,
  marked_email_as_spam_at: times,
  facebook: [
    [
      { id: 'f', likes: ['tea'], num_friends: 3 },
      { id: 'f', likes: ['tea'], num_friends: 3 },
    ],
    [null, null],
    ['f', undefined],
    [{ id: 'f', color: 'blue' }, undefined],
    [{ id: 5 }, undefined],
  ],
  twitter: [
    [
      { id: 5, screen_name: 's' },
      { id: 5, screen_name: 's' },
    ],
    [null, null],
    [[], undefined],
    [{ id: 'five' }, undefined],
  ],
}

/** A day in the retention of events. */
const day = ago(30 * dayMs).slice(0, 10)

/** Times of events with the moment that is kept; undefined: another one, so an answer must name the time. */
export const moments: Kept = [
  [`${day}T03:04:05.678Z`, `${day}T03:04:05.678Z`],
  [`${day}T03:04:05.678Z`, `${day}T03:04:05.678Z`],
  [`${day}T03:04:05+02:00`, `${day}T01:04:05.000Z`],
  [`${day.replaceAll('-', '')}T030405Z`, `${day}T03:04:05.000Z`],
  [day, `${day}T00:00:00.000Z`],
  ['2999-01-01T00:00:00Z', undefined],
  ['2024-02-30', undefined],
  ['', undefined],
  [1_704_164_645, undefined],
]
