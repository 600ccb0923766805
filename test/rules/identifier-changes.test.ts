import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { IdentifierChanges, type PersonIdentifiers } from '../../src/people/aliases/identifier-changes.ts'
import { identityKey } from '../../src/people/identity/directory.ts'
import { aliasIdentifier, type Identifier } from '../../src/people/identity/identifier.ts'
import { person } from '../../src/people/identity/person.ts'

const workspace_id = 1
const labels = ['shop', 'till']
const names = ['a', 'b', 'c', 'd']
const ids = ['i', 'j', 'k', 'l', 'm']

const label = fc.constantFrom(...labels)
const name = fc.constantFrom(...names)
const id = fc.constantFrom(...ids)

type Move =
  | { add: [id: string, label: string, name: string] }
  | { update: [label: string, before: string, after: string] }
  | { rename: [before: string, after: string] }
  | { remove: string }

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ add: fc.tuple(id, label, name) }),
    fc.record({ update: fc.tuple(label, name, name) }),
    fc.record({ rename: fc.tuple(id, id) }),
    fc.record({ remove: id }),
  ),
  { maxLength: 30 },
)

/** A person of the simple model, which scans a list of people. */
type Plain = { external_id: string; former: string[]; aliases: Record<string, string> }

function playPlain(people: readonly Plain[], move: Move): unknown {
  const byId = (wanted: string) => people.find((each) => each.external_id === wanted || each.former.includes(wanted))
  const byAlias = (label: string, name: string) => people.find((each) => each.aliases[label] === name)
  if ('add' in move) {
    const [wanted, label, name] = move.add
    const owner = byId(wanted)
    if (!owner) return 'unknown'
    if (owner.aliases[label] === name) return undefined
    if (label in owner.aliases) return 'label'
    if (byAlias(label, name)) return 'taken'
    owner.aliases[label] = name
    return undefined
  }
  if ('update' in move) {
    const [label, before, after] = move.update
    const owner = byAlias(label, before)
    if (!owner) return 'unknown'
    if (before === after) return undefined
    if (byAlias(label, after)) return 'taken'
    owner.aliases[label] = after
    return undefined
  }
  if ('rename' in move) {
    const [before, after] = move.rename
    const owner = byId(before)
    if (!owner) return 'unknown'
    if (owner.external_id !== before) return 'deprecated'
    if (before === after) return 'same'
    if (byId(after)) return 'taken'
    owner.former.push(before)
    owner.external_id = after
    return undefined
  }
  const owner = byId(move.remove)
  if (!owner) return 'unknown'
  if (owner.external_id === move.remove) return 'primary'
  owner.former = owner.former.filter((each) => each !== move.remove)
  return undefined
}

function play(naming: IdentifierChanges, move: Move): unknown {
  if ('add' in move) return naming.addAlias(...move.add)
  if ('update' in move) {
    const [alias_label, old_alias_name, new_alias_name] = move.update
    return naming.updateAlias({ alias_label, old_alias_name, new_alias_name })
  }
  if ('remove' in move) return naming.removeFormer(move.remove)
  const [current_external_id, new_external_id] = move.rename
  return naming.rename({ current_external_id, new_external_id })
}

const everything: readonly Identifier[] = [
  ...ids.map((value): Identifier => ({ kind: 'external_id', value })),
  ...labels.flatMap((label) => names.map((name) => aliasIdentifier(label, name))),
]

function identifiersOf({ external_id, former, aliases }: Plain): Identifier[] {
  return [
    ...[external_id, ...former].map((value): Identifier => ({ kind: 'external_id', value })),
    ...Object.entries(aliases).map(([label, name]) => aliasIdentifier(label, name)),
  ]
}

/** Returns changes for these people, to which all other identifiers are free. */
function namingOf(people: readonly Plain[]): IdentifierChanges {
  const keyOf = (who: Identifier) => identityKey(workspace_id, who)
  const owners = new Map<string, PersonIdentifiers>()
  for (const [i, plain] of people.entries()) {
    const { external_id, former, aliases } = plain
    const named: PersonIdentifiers = {
      person: person(0, String(i + 1)),
      external_id,
      former: new Set(former),
      aliases: new Map(Object.entries(aliases)),
    }
    for (const who of identifiersOf(plain)) owners.set(keyOf(who), named)
  }
  return new IdentifierChanges(workspace_id, owners, new Set(everything.map(keyOf).filter((key) => !owners.has(key))))
}

function seed(): Plain[] {
  return [
    { external_id: 'i', former: [], aliases: { shop: 'a' } },
    { external_id: 'j', former: ['k'], aliases: { shop: 'b', till: 'a' } },
  ]
}

describe('identifiers', () => {
  test('change as in the simple model, and every identifier finds its owner', () => {
    const property = fc.property(moves, (program) => {
      const plain = seed()
      const naming = namingOf(plain)
      for (const move of program) assert.equal(play(naming, move), playPlain(plain, move), JSON.stringify(move))
      for (const who of everything) {
        const owner = plain.findIndex((each) =>
          identifiersOf(each).some(({ kind, value }) => kind === who.kind && value === who.value),
        )
        const found = naming.ownerOf(who)
        assert.equal(found?.person.profile_id, owner < 0 ? undefined : String(owner + 1))
        if (!found) continue
        const { external_id, former, aliases } = plain[owner]!
        assert.deepEqual(
          [found.external_id, [...found.former], Object.fromEntries(found.aliases)],
          [external_id, former, aliases],
        )
      }
    })
    fc.assert(property, { numRuns: 500 })
  })

  test('that do not change leave no changed person', () => {
    const idle: Move[] = [
      { add: ['i', 'shop', 'c'] },
      { add: ['i', 'till', 'a'] },
      { add: ['m', 'till', 'c'] },
      { update: ['shop', 'a', 'b'] },
      { update: ['shop', 'a', 'a'] },
      { update: ['till', 'b', 'c'] },
      { rename: ['k', 'm'] },
      { rename: ['i', 'k'] },
      { remove: 'i' },
    ]
    const naming = namingOf(seed())
    for (const move of idle) play(naming, move)
    assert.deepEqual(naming.changed(), [])
  })

  test('are not given when the request has not locked them', () => {
    const keyOf = (who: Identifier) => identityKey(workspace_id, who)
    const named: PersonIdentifiers = { person: person(0, '1'), external_id: 'i', former: new Set(), aliases: new Map() }
    const naming = new IdentifierChanges(
      workspace_id,
      new Map([[keyOf({ kind: 'external_id', value: 'i' }), named]]),
      new Set(),
    )
    naming.addAlias('i', 'shop', 'a')
    assert.equal(naming.rename({ current_external_id: 'i', new_external_id: 'j' }), 'taken')
    assert.deepEqual(naming.changed(), [])
  })
})
