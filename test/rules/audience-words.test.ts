import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import { numberHolds, valueHolds } from '../../src/audience/conditions/evaluate-value.ts'
import { parseSegment, withSegments } from '../../src/audience/conditions/parse-condition.ts'
import { segmentLeaves } from '../../src/audience/conditions/parse-leaves.ts'
import { quoted } from '../../src/audience/conditions/phrases.ts'
import { SegmentSchema } from '../../src/audience/conditions/schema.ts'
import { describeLeaf, describeMembership, describeTree } from '../../src/audience/conditions/sentence.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'
import { comparesAttribute } from '../../src/audience/conditions/unset-attributes.ts'
import { seed, sizes } from '../sizes.ts'
import { canonical, jsonOf, leaves, trees } from './audience-trees.ts'

/** Pairs of lines: the JSON of a segment's tree, and its text. */
const golden = readFileSync(join(import.meta.dirname, 'audience-golden.txt'), 'utf8')
  .trimEnd()
  .split('\n\n')
  .map((pair) => pair.split('\n') as [json: string, words: string])

/** The children of groups refer to the whole schema by its name in `/openapi.json`. */
const described = Compile({ ...SegmentSchema, components: { schemas: { Condition: SegmentSchema } } })

const quotations = /`[^`]*`|"(?:\\.|[^"\\])*"/g

describe('a tree in words', () => {
  for (const [json, words] of golden) {
    test(`${json} has the expected text`, () =>
      assert.equal(describeTree(parseSegment(JSON.parse(json), 'audience')), words))
  }

  test('the table has more than a hundred trees, and only equivalent trees have the same text', () => {
    assert.ok(golden.length > 100)
    assert.equal(new Set(golden.map(([, words]) => words)).size, golden.length)
  })

  /** Draws trees and fails when two different trees have the same text. */
  function assertTold(drawn: readonly Tree[]): void {
    const treeOf = new Map<string, string>()
    for (const tree of drawn) {
      const canonicalTree = JSON.stringify(canonical(tree))
      const words = describeTree(tree)
      assert.equal(treeOf.get(words) ?? canonicalTree, canonicalTree, words)
      treeOf.set(words, canonicalTree)
    }
  }

  const draws = Math.min(20 * sizes.propertyRuns, 300_000)

  test('two different trees never have the same text', () => {
    assertTold(fc.sample(trees, { seed, numRuns: draws }))
  })

  test('two different conditions never have the same text', () => {
    assertTold(fc.sample(leaves, { seed, numRuns: draws }))
  })

  test('two different trees over two conditions never have the same text', () => {
    const pair = [leaf('a'), leaf('b')]
    const small = fc.letrec<{ tree: Tree }>((tie) => {
      const children = fc.array(tie('tree'), { minLength: 1, maxLength: 3 })
      return {
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.constantFrom(...pair),
          children.map((all) => ({ all })),
          children.map((any) => ({ any })),
          tie('tree').map((not) => ({ not })),
        ),
      }
    }).tree
    assertTold(fc.sample(small, { seed, numRuns: draws }))
  })

  test('people without a value are mentioned only when they are included', () => {
    fc.assert(
      fc.property(leaves, (leaf) => {
        const words = describeLeaf(leaf).replace(quotations, '_')
        if (leaf.kind === 'custom_attribute' || leaf.kind === 'standard_attribute' || leaf.kind === 'device') {
          const included = / (?:is not|none is) set\)?$|^no .* is set$/.test(words)
          assert.equal(included, valueHolds(leaf.test, [], 0), words)
        }
        if (comparesAttribute(leaf)) {
          const negated = describeTree({ not: leaf }).replace(quotations, '_')
          const isCreation = leaf.kind === 'standard_time' && leaf.field === 'created_at'
          const isNamed = /\(also when .* is not set\)$/.test(negated)
          assert.equal(isNamed, !isCreation && !valueHolds(leaf.test, [], 0), negated)
        }
        if (leaf.kind === 'occurrences') assert.equal(/\bnever\b/.test(words), numberHolds(leaf.times, [0]), words)
      }),
      { seed, numRuns: 10 * sizes.propertyRuns },
    )
  })

  test('brackets outside quotations are balanced', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        let open = 0
        for (const mark of describeTree(tree).replace(quotations, '').matchAll(/[()]/g)) {
          open += mark[0] === '(' ? 1 : -1
          assert.ok(open >= 0)
        }
        assert.equal(open, 0)
      }),
      { seed, numRuns: sizes.propertyRuns },
    )
  })

  test('a sentence says who is in a segment', () => {
    const gold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
    assert.equal(
      describeMembership(parseSegment(gold, 'audience')),
      'People are in this segment when: `plan` is `gold`.',
    )
    assert.equal(describeMembership({ all: [] }), 'Everybody is in this segment.')
    assert.equal(describeMembership({ any: [] }), 'Nobody is in this segment.')
    assert.equal(describeMembership({ not: { any: [] } }), 'People are in this segment when: not (nobody).')
  })

  test('empty groups are described as everybody and nobody', () => {
    assert.equal(describeTree({ all: [] }), 'everybody')
    assert.equal(describeTree({ any: [] }), 'nobody')
    assert.equal(describeTree({ not: { any: [] } }), 'not (nobody)')
    assert.equal(describeTree({ not: { not: { any: [leaf('a'), leaf('b')] } } }), '`a` is set or `b` is set')
  })

  test('a nested segment is described by its name', () => {
    const tree = parseSegment({ NOT: { segment: { segment_id: 'b4' } } }, 'audience')
    const whole = withSegments(tree, () => ({ name: 'Gold `members`', tree: leaf('a') }))
    assert.equal(describeTree(whole), 'is not in the segment "Gold `members`"')
  })

  test('segments and subscription groups have their names where these are known, and else their ids', () => {
    const segment = (segment_id: string) => ({ segment: { segment_id } })
    const group = (subscription_group_id: string) => ({
      subscription_group: { subscription_group_id, comparison: 'is', value: 'subscribed' },
    })
    const said = (audience: object) =>
      describeTree(parseSegment(audience, 'audience'), {
        segmentName: (id) => (id === 'gold' ? 'Gold members' : undefined),
        groupName: (id) => (id === 'news' ? 'Newsletter' : undefined),
      })
    assert.equal(
      said({ AND: [segment('gold'), group('news')] }),
      'is in the segment `Gold members` and is `subscribed` in subscription group `Newsletter`',
    )
    assert.equal(
      said({ AND: [{ NOT: segment('gone') }, { NOT: group('gone') }] }),
      'is not in the segment with the id or name `gone` and is not `subscribed` in subscription group `gone`',
    )
  })
})

describe('times in words', () => {
  const after = (value: string): Tree => parseSegment({ last_used_app: { comparison: 'after', value } }, 'audience')

  test('are in the given time zone', () => {
    const said = (value: string, zone: string) => describeTree(after(value), { zone })
    assert.equal(said('2026-03-03T00:00+01:00', 'Europe/Berlin'), 'last used the app after the start of 3 March 2026')
    assert.equal(said('2026-03-03', 'Europe/Berlin'), 'last used the app after 3 March 2026 at 01:00 UTC+01:00')
    assert.equal(said('2026-03-03', 'America/New_York'), 'last used the app after 2 March 2026 at 19:00 UTC-05:00')
    assert.equal(said('2026-03-03', 'Asia/Kolkata'), 'last used the app after 3 March 2026 at 05:30 UTC+05:30')
  })

  test('distinguish a repeated hour, and midnights that occur twice or not at all', () => {
    const said = (value: string, zone: string) => describeTree(after(value), { zone })
    assert.match(said('2026-10-25T00:30Z', 'Europe/Berlin'), /at 02:30 UTC\+02:00$/)
    assert.match(said('2026-10-25T01:30Z', 'Europe/Berlin'), /at 02:30 UTC\+01:00$/)
    assert.match(said('2026-11-01T04:00Z', 'America/Havana'), /after the start of 1 November 2026$/)
    assert.match(said('2026-11-01T05:00Z', 'America/Havana'), /after 1 November 2026 at 00:00 UTC-05:00$/)
    assert.match(said('2026-03-08T05:00Z', 'America/Havana'), /after the start of 8 March 2026$/)
  })

  test('no two instants have the same text in a zone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Africa/Monrovia', 'Pacific/Apia']
    const instants = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) })
    const step = fc.constantFrom(1, 1000, 60_000, 1_800_000, 3_600_000, 86_400_000)
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, step, (zone, ms, more) => {
        const [one, other] = [ms, ms + more].map((at) =>
          describeTree(
            { kind: 'used_app', which: 'last', app_id: undefined, test: { comparison: 'after', ms: at } },
            { zone },
          ),
        )
        assert.notEqual(one, other)
      }),
      { seed, numRuns: 5 * sizes.propertyRuns },
    )
  })
})

describe('quoted text', () => {
  test('has no escapes unless it would be ambiguous', () => {
    assert.equal(quoted('gold (or is not set)'), '`gold (or is not set)`')
    assert.equal(quoted('"gold"'), '`"gold"`')
    assert.equal(quoted('`'), '"`"')
    assert.equal(quoted('a\tb'), '"a\\tb"')
    assert.equal(quoted('a\u00a0b'), '"a\\u{a0}b"')
    assert.equal(quoted('a\u200bb\u202ec'), '"a\\u{200b}b\\u{202e}c"')
    assert.equal(quoted(''), 'empty text')
  })

  test('can be parsed to the original text', () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom('`', '"', '\\', 'u', '{', '\u202e', '\u00a0'), fc.string()),
    })
    fc.assert(
      fc.property(texts, (text) => {
        const words = quoted(text)
        if (text === '') return
        if (words.startsWith('`')) return assert.equal(words.slice(1, -1), text)
        const json = words.replace(/\\(?:u\{([0-9a-f]+)\}|.)/g, (part, code) =>
          code === undefined ? part : JSON.stringify(String.fromCodePoint(Number.parseInt(code, 16))).slice(1, -1),
        )
        assert.equal(JSON.parse(json), text)
      }),
      { seed, numRuns: 5 * sizes.propertyRuns },
    )
  })
})

describe('documentation of trees', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/segments.md'), 'utf8')

  test('docs/segments.md has every condition, and its examples are valid', () => {
    for (const name of segmentLeaves.keys()) assert.ok(page.includes(`\`${name}\``), name)
    const examples = [...page.matchAll(/```json\n(.*?)```/gs)]
    assert.equal(examples.length, 3)
    for (const [, json] of examples) parseSegment(JSON.parse(json!), 'audience')
    const [, yaml] = /```yaml\n(.*?)```/s.exec(page)!
    const [{ audience }] = (parse(yaml!) as { segments: [{ audience: unknown }] }).segments
    assert.ok(
      page
        .replaceAll(/\s+/g, ' ')
        .includes(describeTree(parseSegment(audience, 'a')).replace('with the id or name ', '')),
    )
  })

  test('accepted trees match the OpenAPI schema, for random trees', () => {
    fc.assert(
      fc.property(trees, leaves, (tree, one) => {
        const json = JSON.parse(JSON.stringify(jsonOf(tree)))
        parseSegment(json, 'audience')
        assert.ok(described.Check(json), JSON.stringify(json))
        const leafJson = JSON.parse(JSON.stringify(jsonOf(one)))
        assert.ok(described.Check(leafJson), JSON.stringify(leafJson))
      }),
      { seed, numRuns: sizes.propertyRuns },
    )
  })
})

function leaf(name: string): Tree {
  return { kind: 'custom_attribute', path: [name], test: { comparison: 'exists' } }
}
