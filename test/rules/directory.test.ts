import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Directory, type Lookup } from '../../src/people/identity/directory.ts'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { Identities } from '../../src/people/identity/identities.ts'
import { type Person, person } from '../../src/people/identity/person.ts'

const workspace_id = 1

/** A profile of the naive model, which keeps all people in one list and scans it. */
type Someone = { id: string; external_id?: string; email?: string; updatedUs: number }

/** `event`: the item is not an attributes object, so it writes no existing profile. */
type Move = { who: Identifier; create: boolean; event: boolean; email?: string | null }

const externalIds = ['a', 'b', 'c', 'd']
const emails = ['x@y.z', 'p@q.r']

const moves = fc.array(
  fc.record(
    {
      who: fc.oneof(
        fc.constantFrom(...externalIds).map((value): Identifier => ({ kind: 'external_id', value })),
        fc.constantFrom(...emails).map((value): Identifier => ({ kind: 'email', value })),
      ),
      create: fc.boolean(),
      event: fc.boolean(),
      email: fc.option(fc.constantFrom(...emails), { nil: null }),
    },
    { requiredKeys: ['who', 'create', 'event'] },
  ),
  { maxLength: 40 },
)

const stored = fc.uniqueArray(
  fc.record({
    external_id: fc.option(fc.constantFrom(...externalIds), { nil: undefined }),
    email: fc.option(fc.constantFrom(...emails), { nil: undefined }),
  }),
  { maxLength: 6, selector: (each) => each.external_id ?? Symbol('none') },
)

/** The rules of section 4.1 of the specification, as simply as possible. */
function expectedOf(people: Someone[], move: Move, newId: () => string, nowUs: number): Someone | undefined {
  const { kind, value } = move.who
  const matches =
    kind === 'external_id'
      ? people.filter((each) => each.external_id === value)
      : people.filter((each) => each.email === value)
  matches.sort(
    (a, b) => Number(b.external_id !== undefined) - Number(a.external_id !== undefined) || b.updatedUs - a.updatedUs,
  )
  if (matches[0] || !move.create) return matches[0]
  const made: Someone = {
    id: newId(),
    updatedUs: nowUs,
    ...(kind === 'external_id' ? { external_id: value } : { email: value }),
  }
  people.push(made)
  return made
}

test('a directory finds the same person as a naive model after each move', () => {
  fc.assert(
    fc.property(stored, moves, (before, sequence) => {
      let count = 0
      let stampUs = 100
      const newId = () => String(1000 + count++)
      const model: Someone[] = before.map((each, i) => ({
        id: String(i + 1),
        updatedUs: i + 1,
        ...(each.external_id && { external_id: each.external_id }),
        ...(each.email && { email: each.email }),
      }))
      const directory = new Directory(new Identities(), newId, () => ++stampUs)
      const mentions = sequence.map((move) => directory.lookUp(workspace_id, move.who, move.create))
      fill(directory, model, newId)
      const alike = new Map<string, string>()
      for (const [i, move] of sequence.entries()) {
        const got = directory.assign(mentions[i]!, move.create)
        const expected = expectedOf(model, move, () => `new ${model.length}`, stampUs)
        assert.equal(got === undefined, expected === undefined)
        if (!got || !expected) continue
        if (alike.has(expected.id)) assert.equal(alike.get(expected.id), got.profile_id)
        else if (!expected.id.startsWith('new')) assert.equal(got.profile_id, expected.id)
        alike.set(expected.id, got.profile_id)
        if (move.event) continue
        expected.updatedUs = ++stampUs
        directory.touch(got, stampUs)
        if (move.email === undefined) continue
        directory.changeAddress(workspace_id, move.who, got, 'email', move.email)
        if (move.email === null) delete expected.email
        else expected.email = move.email
      }
    }),
    { numRuns: 3000 },
  )
})

/** Does from the model what `resolve.ts` does from storage. */
function fill(directory: Directory, model: readonly Someone[], newId: () => string): void {
  const refs = new Map<string, Person>(model.map((each) => [each.id, person(0, each.id)]))
  for (const named of directory.lookups()) {
    const { kind, value } = named.identifier
    const owners = model.filter((each) => (kind === 'email' ? each.email : each.external_id) === value)
    if (kind === 'email') {
      const candidates = owners.map(({ id, external_id, updatedUs }) => {
        return { person: refs.get(id)!, identified: external_id !== undefined, updatedUs }
      })
      directory.setCandidates(named, candidates)
    } else if (owners[0]) directory.resolve(named, refs.get(owners[0].id)!)
    else if (named.create) directory.reserve(named, person(0, newId()), 1)
  }
}

test('an imported push token that is already stored is ignored', () => {
  const directory = new Directory(
    new Identities(),
    () => '7',
    () => 1,
  )
  const token = directory.lookUp(workspace_id, { kind: 'push_token', value: 'app\u001ftoken' }, true)
  directory.reserve(token as Lookup, person(0, '7'), 1)
  assert.equal(directory.assign(token, true)?.profile_id, '7')
  assert.equal(directory.assign(token, true), undefined)
})
