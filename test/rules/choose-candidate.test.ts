import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { person } from '../../src/people/identity/person.ts'
import type { Priority } from '../../src/people/identity/prioritization.ts'
import { chooseCandidate, searchFor } from '../../src/people/merge/choose-candidate.ts'
import { independentItems } from '../../src/people/merge/independent-items.ts'

type Word = 'identified' | 'unidentified' | 'latest' | 'earliest'

const priorityOf: Readonly<Record<Word, Priority>> = {
  identified: 'identified',
  unidentified: 'unidentified',
  latest: 'most_recently_updated',
  earliest: 'least_recently_updated',
}

/** Reads `2i` as person 2 with an external_id and `2` as the one without. The number is also the time of the last update. */
function candidate(text: string) {
  const id = Number.parseInt(text, 10)
  return { person: person(0, String(id)), identified: text.includes('i'), updatedUs: text.includes('=') ? 7 : id }
}

function chosen(candidates: string, prioritization: string): string {
  const words = prioritization.split(' ').map((word) => priorityOf[word as Word])
  const found = chooseCandidate(candidates.split(' ').filter(Boolean).map(candidate), words)
  return typeof found === 'string' ? found : found.profile_id
}

describe('prioritization', () => {
  const table: readonly [candidates: string, prioritization: string, chosen: string][] = [
    // No person has the address.
    ['', 'identified', 'nobody_matched'],
    ['', 'latest', 'nobody_matched'],
    ['', 'unidentified earliest', 'nobody_matched'],
    // One person has the address, and a filter may still exclude it.
    ['1', 'identified', 'nobody_matched'],
    ['1i', 'identified', '1'],
    ['1', 'unidentified', '1'],
    ['1i', 'unidentified', 'nobody_matched'],
    ['1', 'latest', '1'],
    ['1', 'earliest', '1'],
    // Several people have the address.
    ['1 2', 'unidentified', 'several_matched'],
    ['1 2', 'unidentified latest', '2'],
    ['1 2', 'unidentified earliest', '1'],
    ['1 2i', 'identified', '2'],
    ['1i 2i', 'identified', 'several_matched'],
    ['1i 2i 3', 'identified latest', '2'],
    ['1i 2i 3', 'identified earliest', '1'],
    ['1 2', 'identified latest', 'nobody_matched'],
    ['1 2 3', 'latest', '3'],
    ['1 2 3', 'earliest', '1'],
    ['3 1 2', 'latest', '3'],
    // The order matters: a filter after a time sees only the candidates with that time.
    ['1i 2', 'latest identified', 'nobody_matched'],
    ['1i 2', 'identified latest', '1'],
    ['1 2i', 'latest identified', '2'],
    ['1 2i', 'earliest identified', 'nobody_matched'],
    ['1 2i', 'earliest unidentified', '1'],
    ['1 2 3', 'latest earliest', '3'],
    ['1 2 3', 'earliest latest', '1'],
    // Two people with the same time are ambiguous, unless another word distinguishes them.
    ['1= 2=', 'latest', 'several_matched'],
    ['1= 2=', 'earliest', 'several_matched'],
    ['1i= 2=', 'latest identified', '1'],
    ['1i= 2=', 'latest unidentified', '2'],
    ['1i= 2=', 'identified latest', '1'],
  ]
  for (const [candidates, prioritization, expected] of table) {
    test(`of "${candidates}", ${prioritization.replace(' ', ', then ')} chooses ${expected}`, () => {
      assert.equal(chosen(candidates, prioritization), expected)
    })
  }
})

describe('the query for a large number of candidates', () => {
  const table: readonly [prioritization: string, identified: boolean | null, first: string][] = [
    ['identified', true, 'any'],
    ['unidentified', false, 'any'],
    ['latest', null, 'latest'],
    ['earliest', null, 'earliest'],
    ['identified latest', true, 'latest'],
    ['unidentified earliest', false, 'earliest'],
    ['latest identified', null, 'latest'],
    ['earliest unidentified', null, 'earliest'],
    ['latest earliest', null, 'latest'],
  ]
  for (const [prioritization, identified, first] of table) {
    test(`${prioritization} looks for ${first}, with external_id ${identified}`, () => {
      const words = prioritization.split(' ').map((word) => priorityOf[word as Word])
      assert.deepEqual(searchFor(words), { identified, first })
    })
  }
})

describe('a round of items that run at once', () => {
  /** Reads items from their keys. An item in brackets changes nothing. */
  const round = (...items: string[]) => {
    const keyed = items.map((text) => ({ text, keys: text.match(/\w/g) ?? [], changesPeople: !text.startsWith('(') }))
    return independentItems(keyed).map(({ text }) => text)
  }

  test('has all items without common keys', () => {
    assert.deepEqual(round('ab', 'cd', 'ef'), ['ab', 'cd', 'ef'])
    assert.deepEqual(round(), [])
  })

  test('leaves out an item that shares a key with an earlier item', () => {
    assert.deepEqual(round('ab', 'bc', 'de'), ['ab', 'de'])
    assert.deepEqual(round('ab', 'cb', 'db'), ['ab'])
  })

  test('leaves out an item that shares a key with an item that is left out', () => {
    assert.deepEqual(round('ab', 'bc', 'cd', 'ef'), ['ab', 'ef'])
  })

  test('has items that share a key with an item that changes nothing, unless that one is left out', () => {
    assert.deepEqual(round('(ab)', '(bc)', 'cd', 'ef'), ['(ab)', '(bc)', 'cd', 'ef'])
    assert.deepEqual(round('ab', '(bc)', 'cd', 'ef'), ['ab', 'ef'])
    assert.deepEqual(round('ab', '(cd)', 'de'), ['ab', '(cd)', 'de'])
  })

  test('has an item that repeats its own key', () => {
    assert.deepEqual(round('aa', 'b'), ['aa', 'b'])
  })
})
