import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { postgresPattern } from '../../src/audience/conditions/postgres-pattern.ts'
import { matchesPattern, patternMistake } from '../../src/audience/conditions/regex.ts'
import { memberCondition } from '../../src/audience/conditions/value-to-sql-store.ts'
import { textArray } from '../../src/base/db/arrays.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases } from '../support/databases.ts'

const translated = [
  'gold',
  '7@example\\.(com|org)$',
  '^G.LD$',
  '[^a-z]',
  '[]a]',
  '[a-]',
  '^[^]a]$',
  '[\\w.-]+@\\w+',
  '\\d{2}|true',
  'a{2,}?b*?',
  '\\S\\s\\D\\W',
  '(?:ab)?c+',
  '\\x41|\\t|\\103',
  '^$',
  'a^b|a$b',
  '{,2}',
  'x{1,100}',
]

/** What RE2 and PostgreSQL may read differently, or what PostgreSQL would compile slowly. */
const left = [
  ...[
    '',
    'é',
    '[é]',
    '[[:alpha:]]',
    '\\bx',
    '\\pL',
    '\\Qa.b\\E',
    '(?i)a',
    '(?s).',
    '(?m)^a',
    'a|',
    '(|a)',
    '()',
    '(?P<name>x)y',
  ],
  ...['^*', 'x{1,101}', '(?:x{1,100}){1,100}', '\\x00', '\\zx', '\\Aa', '[\\D]'],
]

const texts = [
  ...[
    '',
    'gold',
    'GOLDEN',
    'a',
    'A',
    'b',
    ']',
    '^',
    '-',
    '\\',
    '.',
    'ab',
    'aab',
    'c',
    'ABC',
    'xy',
    '{,2}',
    'a\nb',
    '\n',
    'G\nld',
  ],
  ...[
    '12',
    'true',
    'x1 -',
    'é',
    '\u{1f600}',
    'K',
    '\u212a',
    '\u017f',
    'me7@EXAMPLE.com',
    'me7@example.com\n',
    '\t',
    '\u000b',
    '\u00a0',
    '٣',
  ],
]

async function agree(db: Db, pattern: string): Promise<void> {
  const found = await db.query<{ matches: boolean }>(sql`
    select t.text collate "C" ~ ${postgresPattern(pattern)!}::text as matches
    from unnest(${textArray(texts)}::text[]) with ordinality t(text, n) order by t.n`)
  for (const [i, { matches }] of found.entries())
    assert.equal(matches, matchesPattern(pattern, texts[i]!), `${pattern} in ${JSON.stringify(texts[i])}`)
}

onBothDatabases('a translated pattern matches the same texts as RE2', async (open) => {
  const db = await open()
  for (const pattern of translated) {
    assert.notEqual(postgresPattern(pattern), undefined, pattern)
    await agree(db, pattern)
  }
  for (const pattern of left) assert.equal(postgresPattern(pattern), undefined, pattern)
  const pieces = fc.constantFrom(
    ...[
      'a',
      'B',
      'k',
      '1',
      '@',
      '.',
      '\\.',
      '\\d',
      '\\W',
      '\\s',
      '[a-c]',
      '[^b-]',
      '[]A]',
      '[\\w.]',
      '[^\\n]',
      '-',
      ']',
    ],
    ...['(', ')', '(?:', '|', '*', '+', '?', '{2,3}', '^', '$', '{', ',', '\\n', '\\x41'],
  )
  let count = 0
  const property = fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 9 }), async (some) => {
    const pattern = some.join('')
    if (patternMistake(pattern, 1000) !== undefined || postgresPattern(pattern) === undefined) return
    count++
    await agree(db, pattern)
  })
  await fc.assert(property, { seed, numRuns: sizes.propertyRuns, endOnFailure: false })
  assert.ok(count > 0)
})

test('a pattern for a property, whose text may be longer than what a pattern reads, is left to RE2', () => {
  const matchesEnd = { comparison: 'matches_regex', text: 'x$' } as const
  const isExact = (texts: 'short' | 'long') => memberCondition(raw('o.object'), 'member', matchesEnd, texts).isExact
  assert.deepEqual([isExact('short'), isExact('long')], [true, false])
})

onBothDatabases('the largest translated patterns are quick', async (open) => {
  const db = await open()
  const text = `${'x'.repeat(254)}!`
  for (const pattern of ['(x+x+)+y', '(x*)*y', '(?:x?){30}y', '(.*)(.*)(.*)(.*)(.*)[^x]y', '(?:[a-z]{1,10}){1,10}!y']) {
    const asPostgres = postgresPattern(pattern)
    assert.notEqual(asPostgres, undefined, pattern)
    const [row] = await db.query<{ matches: boolean }>(sql`
      select bool_or(t.text collate "C" ~ ${asPostgres!}::text) as matches
      from (select ${text}::text || n as text from generate_series(1, 100) n) t`)
    assert.equal(row!.matches, false)
  }
})
