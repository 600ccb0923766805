import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  filterCharactersMax,
  filterDepthMax,
  filterTermsMax,
  parseFilter,
  type ScimFilter,
} from '../../src/accounts/scim/filter.ts'
import { matchesFilter } from '../../src/accounts/scim/filter-match.ts'
import { groupResource } from '../../src/accounts/scim/schema.ts'
import { seed, sizes } from '../sizes.ts'
import { filters, printFilter } from '../support/scim-filters.ts'

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

function parsed(text: string): ScimFilter {
  const filter = parseFilter(text)
  assert.ok(!('mistake' in filter), `${text}: ${JSON.stringify(filter)}`)
  return filter
}

/** Filters and how they are printed. One text when both are equal. */
const good: readonly (readonly [string, string?])[] = [
  ['userName eq "a@example.com"'],
  ['USERNAME EQ "a@example.com"', 'userName eq "a@example.com"'],
  ['username Eq "A@Example.com"', 'userName eq "A@Example.com"'],
  ["userName eq 'a@example.com'", 'userName eq "a@example.com"'],
  ["userName eq 'o\\'brien says \"hi\"'", 'userName eq "o\'brien says \\"hi\\""'],
  ["userName eq 'back\\\\\"slash'", 'userName eq "back\\\\\\"slash"'],
  ['userName eq a@example.com', 'userName eq "a@example.com"'],
  ['externalId eq 701984', 'externalId eq "701984"'],
  ['externalId eq true', 'externalId eq "true"'],
  ['userName eq"a"', 'userName eq "a"'],
  ['  userName   eq\t"a"\n', 'userName eq "a"'],
  ['userName eq "\\u0041\\n\\/"', 'userName eq "A\\n/"'],
  ['userName eq "😀"'],
  ['userName eq ""'],
  ['userName ne "a"'],
  ['userName co "a"'],
  ['userName sw "a"'],
  ['userName ew "a"'],
  ['userName gt "a"'],
  ['userName ge "a"'],
  ['userName lt "a"'],
  ['userName le "a"'],
  ['userName pr'],
  ['userName PR', 'userName pr'],
  ['displayName eq null'],
  ['displayName ne null'],
  ['id eq "2819c223-7f76-453a-919d-413861904646"'],
  ['id sw "28"'],
  ['externalId eq "701984"'],
  ['name.givenName sw "B"'],
  ['NAME.FAMILYNAME co "O\'Malley"', 'name.familyName co "O\'Malley"'],
  ['name pr'],
  ['meta pr'],
  ['emails pr'],
  ['active eq true'],
  ['active eq false'],
  ['active eq "True"', 'active eq true'],
  ['active eq False', 'active eq false'],
  ['active ne true'],
  ['active pr'],
  ['active eq null'],
  ['locale eq "de"'],
  ['department eq "finance"'],
  [`${enterprise}:department eq "finance"`, 'department eq "finance"'],
  [`${enterprise.toUpperCase()}:DEPARTMENT eq "finance"`, 'department eq "finance"'],
  [`${core}:userName eq "a"`, 'userName eq "a"'],
  [`${core}:name.givenName eq "a"`, 'name.givenName eq "a"'],
  [`${core}:emails[type eq "work"]`, 'emails[type eq "work"]'],
  ['meta.created gt "2026-01-31T10:00:00Z"'],
  ['meta.lastModified ge "2026-01-31T10:00:00.123+01:00"'],
  ['meta.lastModified lt 2026-01-31T10:00:00Z', 'meta.lastModified lt "2026-01-31T10:00:00Z"'],
  ['meta.created le "2026-01-31"'],
  ['meta.created eq "2024-02-29T00:00:00Z"'],
  ['meta.resourceType eq "User"'],
  ['createdAt ne "2026-01-31T10:00:00Z"'],
  ['lastSignInAt pr'],
  ['lastSignInAt eq null'],
  ['emails eq "a@example.com"', 'emails.value eq "a@example.com"'],
  ['emails co "example.com"', 'emails.value co "example.com"'],
  ['emails.value sw "a"'],
  ['emails.type eq "work"'],
  ['emails.type pr'],
  ['emails.primary eq true'],
  ['emails.display eq null'],
  ['emails[type eq "work"]'],
  ['emails[type eq "work" and value co "@example.com"]'],
  ['emails[type eq "work"].value eq "a"', 'emails[type eq "work" and value eq "a"]'],
  [
    'emails[type eq "work" and primary eq true].value eq "a"',
    'emails[type eq "work" and primary eq true and value eq "a"]',
  ],
  ['emails[type eq "work" or type eq "home"].value pr', 'emails[(type eq "work" or type eq "home") and value pr]'],
  ['emails[not (type eq "work")]'],
  ['userName eq "a" and active eq true'],
  ['userName eq "a" or active eq true and name pr'],
  ['userName eq "a" AND active eq true OR name pr', 'userName eq "a" and active eq true or name pr'],
  ['(userName eq "a" or active eq true) and name pr'],
  ['(userName eq "a")', 'userName eq "a"'],
  ['(((userName eq "a")))', 'userName eq "a"'],
  ['not (userName eq "a")'],
  ['NOT(userName eq "a")', 'not (userName eq "a")'],
  ['not (userName eq "a") and not (active eq true or name pr)'],
  ['not (not (userName pr))'],
  ['userName eq "a" and (userName eq "b" and userName eq "c")'],
  ['userName eq "a" or (userName eq "b" or userName eq "c")'],
  ['userName eq "(" or userName eq "]"'],
  [
    'userName eq "and" and userName eq or or userName eq "not"',
    'userName eq "and" and userName eq "or" or userName eq "not"',
  ],
]

/** Invalid filters, with a caret before the character of the mistake. */
const bad: readonly (readonly [string, RegExp])[] = [
  ['^', /name of an attribute/],
  ['   ^', /name of an attribute/],
  ['userName^', /operator is expected/],
  ['userName ^is "a"', /operator is expected/],
  ['userName ^= "a"', /operator is expected/],
  ['userName ^"a"', /operator is expected/],
  ['userName eq^', /value is expected/],
  ['userName eq ^(', /value is expected/],
  ['userName eq and ^active eq', /the end is expected/],
  ['userName eq "a" ^"b"', /"and", "or" or the end/],
  ['userName eq a ^b', /"and", "or" or the end/],
  ['userName eq ^"a', /not closed/],
  ["userName eq ^'a", /not closed/],
  ['userName eq ^"a\\x"', /not closed, or has an escape/],
  ['userName eq ^"\\u12"', /not closed, or has an escape/],
  ['userName eq ^"a\nb"', /not closed/],
  ['userName eq ^"a\\"', /not closed/],
  ['userName eq ^"\\u0000"', /not allowed in text/],
  ['userName eq ^"\\ud800"', /not allowed in text/],
  ['userName eq ^a\0', /not allowed in text/],
  ['userName eq^\u00a0"a"', /not known/],
  ['userName ne ^a', /quotation marks/],
  ['userName co ^a', /quotation marks/],
  ['userName gt ^5', /quotation marks/],
  ['userName co ^null', /null can be compared/],
  ['active ^gt null', /true or false/],
  ['userName pr ^"a"', /"and", "or" or the end/],
  ['userName eq "a" and^', /name of an attribute/],
  ['userName eq "a" or^', /name of an attribute/],
  ['^and userName eq "a"', /./],
  ['^or', /./],
  ['not ^userName eq "a"', /parenthesis is expected/],
  ['not^', /parenthesis is expected/],
  ['(userName eq "a"^', /"\)" is expected/],
  ['(userName eq "a"^]', /"\)" is expected/],
  ['userName eq "a"^)', /the end is expected/],
  ['(^)', /name of an attribute/],
  ['^"userName" eq "a"', /name of an attribute/],
  ['^nothing eq "a"', /no attribute/],
  ['^userNam eq "a"', /no attribute/],
  ['^name.nothing eq "a"', /no attribute/],
  ['^name..givenName eq "a"', /no attribute/],
  ['^.userName eq "a"', /no attribute/],
  ['^userName.value eq "a"', /no attribute/],
  ['^nickName eq "a"', /is not stored/],
  ['^name.middleName pr', /is not stored/],
  [`^${enterprise}:employeeNumber eq "1"`, /is not stored/],
  [`^${enterprise}:userName eq "1"`, /no attribute/],
  [`^${enterprise} eq "1"`, /no attribute/],
  ['^urn:example:User:userName eq "a"', /no attribute/],
  ['^permissions pr', /permissions cannot be searched/],
  ['^permissions.companyPermissions eq "admin"', /cannot be searched/],
  ['^permissions.appGroup[appGroupName eq "a"]', /cannot be searched/],
  ['^password eq "a"', /password cannot be searched/],
  ['^schemas eq "a"', /cannot be searched/],
  ['^meta.location eq "a"', /cannot be searched/],
  ['^meta.version eq "a"', /cannot be searched/],
  ['name eq ^"a"', /has sub-attributes/],
  ['meta gt ^"a"', /has sub-attributes/],
  ['active ^gt true', /true or false/],
  ['active ^co "t"', /true or false/],
  ['emails.primary ^sw "t"', /true or false/],
  ['active eq ^"yes"', /true or false is expected/],
  ['active eq ^1', /true or false is expected/],
  ['meta.created ^co "2026"', /is a time/],
  ['meta.created gt ^"yesterday"', /time is expected/],
  ['meta.created gt ^"2026-02-30T00:00:00Z"', /time is expected/],
  ['meta.created gt ^"2026-01-31T10:00:00"', /time is expected/],
  ['meta.created gt ^"2026-01-31T25:00:00Z"', /time is expected/],
  ['meta.created gt ^5', /time is expected/],
  ['emails[^]', /name of an attribute/],
  ['emails[type eq "work"^', /"\]" is expected/],
  ['emails[type eq "work"^)', /"\]" is expected/],
  ['emails[^userName eq "work"]', /emails have no attribute/],
  ['emails[^emails[type eq "work"]]', /emails have no attribute/],
  ['emails[type eq "work"]^.nothing eq "a"', /emails have no attribute/],
  ['emails[type eq "work"].value^', /operator is expected/],
  ['emails[type eq "work"] ^value eq "a"', /the end is expected/],
  ['userName^[type eq "work"]', /is not a list/],
  ['^[type eq "work"]', /name of an attribute/],
  ['^__proto__ eq "a"', /no attribute/],
  ['^constructor.name eq "a"', /no attribute/],
  ['^name.__proto__ pr', /no attribute/],
  ['^toString pr', /no attribute/],
  ['emails[^constructor pr]', /no attribute/],
  ['^user_name eq "a"', /no attribute/],
  ['userName eq "a"^; drop table account', /the end is expected|not known/],
  ['^1=1', /no attribute/],
]

describe('filters', () => {
  test(`${good.length} valid ones are parsed, printed, and parsed to the same filter`, () => {
    for (const [text, printed = text] of good) {
      assert.equal(printFilter(parsed(text)), printed, text)
      assert.deepEqual(parsed(printed), parsed(text))
    }
  })

  test(`${bad.length} invalid ones have the first mistake and its position`, () => {
    for (const [marked, message] of bad) {
      const at = marked.indexOf('^')
      const text = marked.replace('^', '')
      const read = parseFilter(text)
      assert.ok('mistake' in read, text)
      assert.deepEqual({ text, at: read.mistake.at }, { text, at })
      assert.match(read.mistake.message, message, text)
    }
  })

  test('of groups use the attributes of groups', () => {
    assert.ok(!('mistake' in parseFilter('displayName eq "a" and members.value eq "b"', groupResource)))
    assert.ok('mistake' in parseFilter('userName eq "a"', groupResource))
  })

  test('are the same after they are printed and parsed', () => {
    const property = fc.property(filters, (filter) => assert.deepEqual(parseFilter(printFilter(filter)), filter))
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })

  test('of any text are parsed without an exception', () => {
    const pieces = fc.constantFrom(
      ...'()[]"\'\\ .:,^'.split(''),
      'userName',
      'emails',
      'eq',
      'and',
      'not',
      'pr',
      '"a"',
      'true',
    )
    const property = fc.property(
      fc.oneof(
        fc.string({
          unit: fc.oneof(
            fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
            fc.constantFrom('é', '\u00a0', '\ud800', '\u{1f600}'),
          ),
        }),
        fc.array(pieces).map((all) => all.join(' ')),
      ),
      (text) => {
        const read = parseFilter(text)
        if ('mistake' in read) assert.ok(read.mistake.at >= 0 && read.mistake.at <= text.length)
        else matchesFilter(read, {})
      },
    )
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})

describe('limits of filters', () => {
  const mistakeOf = (text: string) => {
    const read = parseFilter(text)
    return 'mistake' in read ? read.mistake : undefined
  }
  const nested = (depth: number) => `${'('.repeat(depth)}userName pr${')'.repeat(depth)}`
  const many = (terms: number) => Array.from({ length: terms }, () => 'userName pr').join(' or ')
  const long = (characters: number) => `userName eq "${'a'.repeat(characters - 14)}"`

  test(`${filterDepthMax} parentheses inside each other are allowed`, () => {
    assert.equal(mistakeOf(nested(filterDepthMax - 1)), undefined)
    assert.equal(mistakeOf(nested(filterDepthMax)), undefined)
    const message = `a filter is nested at most ${filterDepthMax} deep`
    for (const depth of [filterDepthMax + 1, 900]) assert.deepEqual(mistakeOf(nested(depth)), { at: 8, message })
    assert.equal(mistakeOf(`${'not ('.repeat(8)}emails[type pr]${')'.repeat(8)}`)?.message, message)
    assert.equal(mistakeOf(`${'('.repeat(1500)}`)?.message, message)
  })

  test(`${filterTermsMax} comparisons are allowed`, () => {
    assert.equal(mistakeOf(many(filterTermsMax - 1)), undefined)
    assert.equal(mistakeOf(many(filterTermsMax)), undefined)
    assert.match(mistakeOf(many(filterTermsMax + 1))!.message, /at most 50 comparisons/)
  })

  test(`${filterCharactersMax} characters are allowed`, () => {
    assert.equal(mistakeOf(long(filterCharactersMax - 1)), undefined)
    assert.equal(mistakeOf(long(filterCharactersMax)), undefined)
    assert.match(mistakeOf(long(filterCharactersMax + 1))!.message, /at most 2000 characters/)
  })
})

describe('matches of filters', () => {
  const user = {
    id: 'f0000000-0000-4000-8000-000000000001',
    userName: 'Ann@Example.com',
    externalId: 'A-1',
    name: { givenName: 'Ann', familyName: 'Élan' },
    active: true,
    emails: [
      { value: 'ann@example.com', type: 'work', primary: true },
      { value: 'ann@home.example', type: 'home', display: '' },
    ],
    lastSignInAt: null,
    meta: { resourceType: 'User', created: '2026-01-31T10:00:00.000Z' },
  }
  const matching: readonly string[] = [
    'userName eq "ann@EXAMPLE.com"',
    'userName co "@EX"',
    'userName sw ""',
    'externalId eq "A-1"',
    'externalId ne "a-1"',
    'name.familyName eq "Élan"',
    'name.familyName ne "élan"',
    'name.familyName gt "z"',
    'displayName ne "a"',
    'displayName eq null',
    'not (displayName pr)',
    'not (displayName sw "")',
    'active eq true and active ne false',
    'emails[type eq "work" and value ew "@example.com"]',
    'emails.value ew "@home.example"',
    'emails.value ne "ann@example.com"',
    'emails[type eq "home"].primary ne true',
    'not (emails[type eq "home"].primary eq false)',
    'not (emails.display pr)',
    'emails.display eq ""',
    'lastSignInAt eq null',
    'lastSignInAt ne "2026-01-31T10:00:00Z"',
    'not (lastSignInAt lt "2026-01-31T10:00:00Z")',
    'meta.created eq "2026-01-31T11:00:00+01:00"',
    'meta.created ge "2026-01-31"',
    'meta.created lt "2026-02-01"',
    'meta.resourceType eq "User"',
  ]
  const others: readonly string[] = [
    'userName eq "ann@example.co"',
    'externalId eq "a-1"',
    'name.familyName eq "élan"',
    'emails[type eq "home" and value ew "@example.com"]',
    'displayName co ""',
    'active eq null',
    'meta.resourceType eq "Group"',
  ]

  test('on texts, dates, lists and absent values', () => {
    for (const text of matching) assert.equal(matchesFilter(parsed(text), user), true, text)
    for (const text of others) assert.equal(matchesFilter(parsed(text), user), false, text)
  })
})
