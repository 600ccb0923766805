import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { scimPatch } from 'scim-patch'
import { filter as filterOfLibrary, parse } from 'scim2-parse-filter'
import { parseFilter } from '../../src/accounts/scim/filter.ts'
import { matchesFilter } from '../../src/accounts/scim/filter-match.ts'
import { applyPatch, patchSchema } from '../../src/accounts/scim/patch.ts'
import { userSchema } from '../../src/accounts/scim/schema.ts'
import { seed, sizes } from '../sizes.ts'

// What the standard leaves open is not drawn: letters in capitals, absent attributes, several primary addresses. Neither is `[a and b]`:
// one item must match both (RFC 7644, section 3.4.2.2), and the library is content with an item for each.
const plain = { noNullPrototype: true } as const
const words = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'work', 'home')
const emails = fc.uniqueArray(
  fc.record(
    { value: words.map((word) => `${word}@example.com`), type: fc.constantFrom('work', 'home', 'other') },
    plain,
  ),
  { selector: ({ value }) => value, minLength: 1, maxLength: 3 },
)
const users = fc.record(
  {
    schemas: fc.constant([userSchema]),
    id: fc.constant('1'),
    userName: fc.constant('ann@example.com'),
    name: fc.record({ givenName: words, familyName: words }, plain),
    displayName: words,
    locale: fc.constantFrom('de', 'en'),
    active: fc.boolean(),
    emails,
  },
  plain,
)

const texts = fc
  .tuple(
    fc.constantFrom('userName', 'displayName', 'name.givenName', 'name.familyName', 'locale'),
    fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
    words,
  )
  .map(([path, operator, value]) => `${path} ${operator} "${value}"`)
const ofItem = fc
  .tuple(fc.constantFrom('value', 'type'), fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew'), words)
  .map(([path, operator, value]) => `${path} ${operator} "${value}"`)
const items = fc.oneof(
  ofItem.map((term) => `emails[${term}]`),
  fc.tuple(fc.constantFrom('eq', 'co', 'sw'), words).map(([operator, word]) => `emails.value ${operator} "${word}"`),
)
const flags = fc
  .tuple(fc.constantFrom('eq', 'ne'), fc.boolean())
  .map(([operator, flag]) => `active ${operator} ${flag}`)
const present = fc.constantFrom('displayName pr', 'name pr', 'emails pr', 'title pr')
const terms = fc.oneof({ weight: 4, arbitrary: texts }, { weight: 2, arbitrary: items }, flags, present)
const filters = fc
  .tuple(terms, fc.array(fc.tuple(fc.constantFrom('and', 'or', 'and not'), terms), { maxLength: 3 }))
  .map(([first, rest]) => rest.reduce((text, [word, term]) => `${text} ${word} (${term})`, first))

test('filters find the same users as a library finds', () => {
  let found = 0
  const property = fc.property(filters, users, (text, user) => {
    const filter = parseFilter(text)
    assert.ok(!('mistake' in filter), `${text}: ${JSON.stringify(filter)}`)
    const isFound = filterOfLibrary(parse(text))(user)
    assert.equal(matchesFilter(filter, user), isFound, text)
    if (isFound) found++
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  assert.ok(found > sizes.propertyRuns / 10 && found < sizes.propertyRuns)
})

const newEmails = fc.array(
  words.map((word) => ({ value: `${word}@new.example`, type: 'other' })),
  { minLength: 1, maxLength: 1 },
)
const operations = fc.oneof(
  fc.record(
    {
      op: fc.constantFrom('add', 'replace'),
      path: fc.constantFrom('displayName', 'name.givenName', 'name.familyName'),
      value: words,
    },
    plain,
  ),
  fc.record({ op: fc.constantFrom('add', 'replace'), path: fc.constant('active'), value: fc.boolean() }, plain),
  fc.record(
    { op: fc.constantFrom('add', 'replace'), value: fc.record({ displayName: words, active: fc.boolean() }, plain) },
    plain,
  ),
  fc.record({ op: fc.constant('add'), path: fc.constant('emails'), value: newEmails }, plain),
  fc.record({ op: fc.constant('replace'), path: fc.constant('emails'), value: newEmails }, plain),
  fc.record({ op: fc.constant('remove'), path: fc.constantFrom('locale', 'displayName') }, plain),
)

test('a PATCH leaves the same user as a library leaves', () => {
  const property = fc.property(users, fc.array(operations, { minLength: 1, maxLength: 4 }), (user, Operations) => {
    const ours = applyPatch(structuredClone(user), { schemas: [patchSchema], Operations })
    assert.ok('resource' in ours, JSON.stringify(ours))
    const theirs = scimPatch(structuredClone(user) as never, structuredClone(Operations) as never)
    assert.deepEqual(ours.resource, theirs)
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
