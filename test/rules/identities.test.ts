import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { bytesOfEntry, forgottenMax, Identities } from '../../src/people/identity/identities.ts'
import { type Person, person } from '../../src/people/identity/person.ts'

const who = (value: string): Identifier => ({ kind: 'external_id', value })
const names = ['a', 'b', 'c']
const ids = ['1', '2', '3']

const anyKey = fc.record({
  workspace_id: fc.constantFrom(1, 2),
  who: fc.record({ kind: fc.constantFrom('external_id' as const, 'alias' as const), value: fc.constantFrom(...names) }),
})
const fewKeys = fc.constantFrom(...names).map((value): Key => ({ workspace_id: 1, who: who(value) }))

type Key = { workspace_id: number; who: Identifier }
type Move = { keep: Key; id: string } | { find: Key } | { forget: string[] } | { clear: true }

const programs = (keys: fc.Arbitrary<Key>) =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ keep: keys, id: fc.constantFrom(...ids) }) },
      { weight: 6, arbitrary: fc.record({ find: keys }) },
      { weight: 3, arbitrary: fc.record({ forget: fc.subarray(ids) }) },
      { weight: 1, arbitrary: fc.constant({ clear: true as const }) },
    ) satisfies fc.Arbitrary<Move>,
    { maxLength: 60 },
  )

/** Runs the moves on a cache and on a plain map, and passes both answers of every look-up to `compare`. */
function play(cache: Identities, program: readonly Move[], compare: (known?: string, wanted?: string) => void): void {
  const plain = new Map<string, string>()
  // Each id has one object, so that the cache may return the same object again.
  const people = new Map(ids.map((id) => [id, person(7, id)]))
  const textOf = (key: Key) => `${key.workspace_id} ${key.who.kind} ${key.who.value}`
  for (const move of program) {
    const { epoch } = cache
    if ('keep' in move) {
      cache.keep(move.keep.workspace_id, move.keep.who, people.get(move.id)!)
      plain.set(textOf(move.keep), move.id)
    } else if ('find' in move) {
      compare(cache.find(move.find.workspace_id, move.find.who)?.profile_id, plain.get(textOf(move.find)))
    } else if ('forget' in move) {
      cache.forget(move.forget)
      for (const [key, id] of plain) if (move.forget.includes(id)) plain.delete(key)
    } else {
      cache.clear()
      plain.clear()
    }
    assert.equal(cache.epoch > epoch, 'forget' in move || 'clear' in move)
  }
}

const anna = person(1, '11')
const ben = person(2, '22')

/** Returns a cache with Anna and Ben, filled by a flush at version 5. */
function twoPeople(): Identities {
  const cache = new Identities()
  cache.refresh(5, undefined)
  cache.keep(1, who('anna'), anna)
  cache.keep(1, who('ben'), ben)
  return cache
}

const idOf = (found: Person | undefined) => found?.profile_id

describe('identities', () => {
  test('answer like a plain map from which forgotten people are deleted one by one', () => {
    fc.assert(fc.property(programs(anyKey), (program) => play(new Identities(), program, assert.equal.bind(assert))))
  })

  test('never answer with a forgotten or replaced person, however small the cache is', () => {
    const missedOrRight = (known?: string, wanted?: string) => assert.ok(known === undefined || known === wanted)
    fc.assert(
      fc.property(programs(fewKeys), (program) => play(new Identities(2 * bytesOfEntry('1')), program, missedOrRight)),
      { numRuns: 1_000 },
    )
  })

  test('hold the latest people when they are full', () => {
    const cache = new Identities(2 * bytesOfEntry('1'))
    const many = ['1', '2', '3', '4', '5']
    for (const name of many) cache.keep(1, who(name), person(1, name))
    assert.deepEqual(
      many.map((name) => cache.find(1, who(name)) !== undefined),
      [false, false, true, true, true],
    )
  })

  test('hold fewer people with longer identifiers', () => {
    const long = 'x'.repeat(900)
    const cache = new Identities(bytesOfEntry(long) + bytesOfEntry('1') - 1)
    for (const name of [long, '1', '2', '3']) cache.keep(1, who(name), person(1, '7'))
    assert.ok(cache.find(1, who(long)))
    for (const name of ['4', '5', '6', '7', '8', '9', '10', '11']) cache.keep(1, who(name), person(1, '7'))
    cache.keep(1, who(`${long}y`), person(1, '7'))
    assert.equal(cache.find(1, who(long)), undefined)
  })

  test('forget the announced people only', () => {
    const cache = twoPeople()
    cache.refresh(7, { number: 7, profile_ids: ['11', '33'] })
    assert.equal(cache.find(1, who('anna')), undefined)
    assert.equal(cache.find(1, who('ben')), ben)
    assert.equal(cache.version, 7)
  })

  test('keep a person again after it was forgotten', () => {
    const cache = twoPeople()
    cache.forget(['11'])
    cache.keep(1, who('anne'), anna)
    assert.equal(idOf(cache.find(1, who('anne'))), '11')
    assert.equal(cache.find(1, who('anna')), undefined)
    cache.forget(['11'])
    assert.equal(cache.find(1, who('anne')), undefined)
  })

  test('take the first version without forgetting anything', () => {
    const cache = new Identities()
    cache.keep(1, who('anna'), anna)
    const { epoch } = cache
    assert.equal(cache.version, undefined)
    cache.refresh(5, undefined)
    assert.deepEqual([cache.version, cache.epoch, cache.find(1, who('anna'))], [5, epoch, anna])
  })

  test('forget everybody when the changes are unknown or incomplete', () => {
    for (const changes of [undefined, { number: 6, profile_ids: ['33'] }]) {
      const cache = twoPeople()
      cache.refresh(7, changes)
      assert.deepEqual([cache.find(1, who('anna')), cache.find(1, who('ben'))], [undefined, undefined])
      assert.equal(cache.version, 7)
    }
  })

  test('forget everybody when the version has gone back, as in a restored database', () => {
    const cache = twoPeople()
    cache.refresh(3, undefined)
    assert.deepEqual([cache.find(1, who('ben')), cache.version], [undefined, 3])
  })

  test('take a version that another process has raised while the changes were read', () => {
    const cache = twoPeople()
    cache.refresh(6, { number: 8, profile_ids: ['11'] })
    assert.deepEqual([cache.version, cache.find(1, who('ben'))], [8, ben])
  })

  test('start empty after more people were forgotten one by one than they remember', () => {
    const cache = twoPeople()
    const unknownIds = Array.from({ length: forgottenMax }, (_, i) => String(1_000 + i))
    cache.forget(unknownIds)
    assert.equal(cache.find(1, who('ben')), ben)
    cache.forget(unknownIds)
    assert.equal(cache.find(1, who('ben')), ben)
    cache.forget(['11'])
    assert.equal(cache.find(1, who('ben')), undefined)
    cache.keep(1, who('ben'), ben)
    assert.equal(cache.find(1, who('ben')), ben)
  })
})
