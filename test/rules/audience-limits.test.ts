import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { patternCharactersMax, patternsMax } from '../../src/audience/conditions/parse-comparisons.ts'
import {
  audienceDepthMax,
  audienceLeavesMax,
  parseAudience,
  parseSegment,
  tryParseSegment,
} from '../../src/audience/conditions/parse-condition.ts'
import { propertiesMax, timesMax, windowDaysMax } from '../../src/audience/conditions/parse-history.ts'
import { pathKeysMax } from '../../src/audience/conditions/parse-leaves.ts'
import { textCharactersMax } from '../../src/audience/conditions/parse-members.ts'
import { charactersMax } from '../../src/people/values/values.ts'
import { patternCharactersCeiling, settingDefaults } from '../../src/workspace/settings/settings.ts'

import { attribute, event, gold, refusal } from './audience-values.ts'

const cpuUsMax = 2_000_000

describe('limits', () => {
  /** Returns a tree of this depth, of groups that are not joined with each other. */
  function deep(nodes: number): unknown {
    let tree: unknown = gold
    for (let i = 1; i < nodes; i++) tree = { [i % 2 ? 'OR' : 'AND']: [tree, ...(nodes < 100 ? [gold] : [])] }
    return tree
  }

  test(`a tree is at most ${audienceDepthMax} nodes deep`, () => {
    parseAudience(deep(audienceDepthMax - 1), 'audience')
    parseAudience(deep(audienceDepthMax), 'audience')
    assert.match(refusal(deep(audienceDepthMax + 1)), /is nested more than 20 deep$/)
  })

  test(`a tree has at most ${audienceLeavesMax} leaves in all groups together, and a property counts as a leaf`, () => {
    const wide = (count: number) => ({ OR: Array.from({ length: count }, () => gold) })
    parseAudience(wide(audienceLeavesMax - 1), 'audience')
    parseAudience(wide(audienceLeavesMax), 'audience')
    assert.match(refusal(wide(audienceLeavesMax + 1)), /^audience\.OR has too many conditions; at most 500/)
    const halves = (more: number) => ({ AND: [wide(audienceLeavesMax / 2), wide(audienceLeavesMax / 2 + more)] })
    parseAudience(halves(-1), 'audience')
    parseAudience(halves(0), 'audience')
    assert.match(refusal(halves(1)), /^audience\.AND\[1\]\.OR has too many conditions/)
    const withProperties = (count: number) => {
      const properties = Array.from({ length: count }, (_, i) => ({ name: `p${i}`, comparison: 'exists' }))
      return { AND: [{ OR: Array.from({ length: audienceLeavesMax - 4 }, () => gold) }, event({ properties })] }
    }
    parseSegment(withProperties(2), 'audience')
    parseSegment(withProperties(3), 'audience')
    assert.match(refusal(withProperties(4), parseSegment), /is one condition too many/)
  })

  const bounded: readonly [string, number, (size: number) => unknown][] = [
    [
      'characters of a name',
      charactersMax,
      (n) => ({ custom_attribute: { custom_attribute_name: '😀'.repeat(n), comparison: 'exists' } }),
    ],
    ['characters of a text', textCharactersMax, (n) => attribute('equals', '😀'.repeat(n))],
    ['characters of a pattern', textCharactersMax, (n) => attribute('matches_regex', 'a'.repeat(n))],
    [
      'items of a list of patterns',
      patternsMax,
      (n) => ({ OR: Array.from({ length: n }, () => attribute('matches_regex', 'a')) }),
    ],
    [
      'characters of all patterns',
      patternCharactersMax,
      (n) => ({
        OR: Array.from({ length: 5 }, (_, i) => attribute('matches_regex', 'a'.repeat(i === 0 ? n - 4 * 800 : 800))),
      }),
    ],
    [
      'keys of a path',
      pathKeysMax,
      (n) => ({ custom_attribute: { custom_attribute_name: 'a', path: Array(n).fill('k'), comparison: 'exists' } }),
    ],
    [
      'characters of a key',
      charactersMax,
      (n) => ({ custom_attribute: { custom_attribute_name: 'a', path: ['k'.repeat(n)], comparison: 'exists' } }),
    ],
    ['days of a window', windowDaysMax, (n) => event({ days: n })],
    ['times in a window', timesMax, (n) => event({ comparison: 'equals', value: n })],
    [
      'properties of an event',
      propertiesMax,
      (n) => event({ properties: Array.from({ length: n }, () => ({ name: 'p', comparison: 'exists' })) }),
    ],
    ['characters of an id', charactersMax, (n) => ({ segment: { segment_id: 's'.repeat(n) } })],
  ]
  for (const [what, max, make] of bounded) {
    test(`at most ${max} ${what}`, () => {
      const usual = (value: unknown) => tryParseSegment(value, 'audience', settingDefaults.regex_characters_max)
      assert.ok('tree' in usual(make(max - 1)) && 'tree' in usual(make(max)))
      const result = usual(make(max + 1))
      assert.match('mistake' in result ? result.mistake.message : '', /must be|too many/)
    })
  }

  test('regular expressions are as long as the workspace allows', () => {
    const tree = (characters: number) => attribute('matches_regex', 'a'.repeat(characters))
    for (const max of [10, 5000, patternCharactersCeiling]) {
      assert.ok('tree' in tryParseSegment(tree(max), 'audience', max))
      assert.ok('mistake' in tryParseSegment(tree(max + 1), 'audience', max))
      parseAudience(tree(max), 'audience', max)
      assert.throws(() => parseAudience(tree(max + 1), 'audience', max), /text of at most/)
    }
    // A stored segment is read even when the setting has become smaller.
    parseSegment(tree(patternCharactersCeiling), 'audience')
  })

  test('counts, days and lists have a smallest size', () => {
    for (const members of [
      { days: 0 },
      { comparison: 'equals', value: 0 },
      { properties: [] },
      { days: null },
      { days: '7' },
    ]) {
      refusal(event(members), parseSegment)
    }
    refusal({ custom_attribute: { custom_attribute_name: 'a', path: [], comparison: 'exists' } }, parseSegment)
  })

  test('a thousand or a million nodes, deep or wide, are refused within milliseconds', () => {
    const wide = { AND: Array.from({ length: 1_000_000 }, () => gold) }
    const bushy = { OR: Array.from({ length: 400 }, () => ({ AND: Array.from({ length: 2500 }, () => gold) })) }
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, gold]))
    const keys = {
      custom_attribute: { custom_attribute_name: 'a', path: Array(1_000_000).fill('k'), comparison: 'exists' },
    }
    let not: unknown = gold
    for (let i = 0; i < 1_000_000; i++) not = { NOT: not }
    const trees = [deep(1000), deep(1_000_000), wide, bushy, many, keys, not, { OR: [{ OR: wide.AND }] }]
    const before = process.cpuUsage()
    for (const tree of trees) refusal(tree, parseSegment)
    // Time of the processor, which is the same on a busy machine.
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < cpuUsMax, `${user + system} us`)
  })
})
