import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { differences } from '../../dashboard/src/canvas/edit/differences.ts'
import { drawingOf } from '../../dashboard/src/canvas/edit/drawing.ts'
import { merged } from '../../dashboard/src/canvas/edit/merge.ts'
import { newPath, newStep, stepKinds } from '../../dashboard/src/canvas/edit/new-step.ts'
import {
  freeId,
  lostBy,
  withLink,
  withMovedPath,
  withMovedStep,
  withoutPath,
  withoutStep,
  withoutUnreached,
  withPath,
  withStep,
  withStepId,
} from '../../dashboard/src/canvas/edit/steps.ts'
import {
  type Definition,
  type GivenStep,
  reachedIn,
  stepById,
  stepsIn,
  waysFrom,
  waysIn,
} from '../../dashboard/src/canvas/edit/ways.ts'
import { begin, step as done, redo, undo } from '../../dashboard/src/draft/history.ts'
import { many } from '../support/people.ts'

/** Returns a canvas of messages that begins with the first one: each is its id and where it leads. */
const chain = (...steps: readonly (readonly [id: string, next?: string])[]): Definition => ({
  first: steps[0]![0],
  steps: steps.map(([id, next]) => ({ id, type: 'message', ...(next !== undefined && { next }) })),
})
const toOf = (document: Definition, id: string) => waysFrom(stepById(document, id)!).map(({ to }) => to)
const idsOf = (document: Definition) => stepsIn(document).map(({ id }) => id)

describe('editing a canvas', () => {
  test('a step on a way leads to where the way led', () => {
    const { document, id } = withStep(chain(['a', 'b'], ['b']), { from: 'a', at: 0 }, newStep('delay'))
    assert.deepEqual([id, toOf(document, 'a'), toOf(document, id)], ['delay', ['delay'], ['b']])
    assert.deepEqual(idsOf(document), ['a', 'delay', 'b'])
  })

  test('a split on a way leads to where the way led by its first path', () => {
    const { document, id } = withStep(chain(['a', 'b'], ['b']), { from: undefined, at: 0 }, newStep('decision'))
    assert.deepEqual([document.first, toOf(document, id)], ['decision', ['a', undefined]])
  })

  test('a step at an end is the new end, and the first step of an empty canvas is its first', () => {
    const { document } = withStep({}, { from: undefined, at: 0 }, newStep('message'))
    assert.deepEqual([document.first, idsOf(document)], ['message', ['message']])
    const again = withStep(document, { from: 'message', at: 0 }, newStep('message'))
    assert.deepEqual([again.id, toOf(again.document, 'message')], ['message_2', ['message_2']])
  })

  test('the step before a removed one leads to the one after it', () => {
    const document = withoutStep(chain(['a', 'b'], ['b', 'c'], ['c']), 'b')
    assert.deepEqual([toOf(document, 'a'), idsOf(document)], [['c'], ['a', 'c']])
    const first = withoutStep(chain(['a', 'b'], ['b']), 'a')
    assert.equal(first.first, 'b')
    assert.deepEqual(withoutStep(chain(['a']), 'a'), { steps: [] })
  })

  test('a step that would lead to itself ends', () => {
    const document = withoutStep(chain(['a', 'b'], ['b', 'a']), 'b')
    assert.deepEqual(document, { first: 'a', steps: [{ id: 'a', type: 'message' }] })
  })

  test('what only a removed split led to is left without a way, and can be removed', () => {
    const before: Definition = {
      first: 'ask',
      steps: [{ id: 'ask', type: 'decision', yes: 'a', no: 'b' }, { id: 'a' }, { id: 'b', next: 'c' }, { id: 'c' }],
    }
    const after = withoutStep(before, 'ask')
    assert.equal(after.first, 'a')
    assert.equal(lostBy(before, after), 2)
    assert.deepEqual(idsOf(withoutUnreached(after)), ['a'])
  })

  test('a step moves up and down its branch', () => {
    const before = chain(['a', 'b'], ['b', 'c'], ['c'])
    const up = withMovedStep(before, 'c', -1)
    assert.deepEqual(
      ['a', 'c', 'b'].map((id) => toOf(up, id)[0]),
      ['c', 'b', undefined],
    )
    assert.deepEqual(withMovedStep(up, 'c', 1), before)
    assert.equal(withMovedStep(before, 'a', -1), before)
    assert.equal(withMovedStep(before, 'c', 1), before)
    const first = withMovedStep(before, 'b', -1)
    assert.deepEqual([first.first, toOf(first, 'b'), toOf(first, 'a')], ['b', ['a'], ['c']])
  })

  test('another id is led to by the same ways, unless it is used', () => {
    const before = chain(['a', 'b'], ['b', 'a'])
    const after = withStepId(before, 'a', 'x')
    assert.deepEqual([after.first, toOf(after, 'b')], ['x', ['x']])
    assert.equal(withStepId(before, 'a', 'b'), before)
  })

  test('an end that is written as null stays so, and is drawn as an end', () => {
    const before: Definition = { first: 'a', steps: [{ id: 'a', type: 'message', next: null }] }
    assert.equal(withLink(before, { from: 'a', at: 0 }, undefined), before)
    assert.equal(drawingOf(before, { entry: '', steps: {} }).steps[0]!.paths[0]!.next, null)
  })

  test('an id is free when no step has it and no way leads to it', () => {
    const document = chain(['a', 'gone'])
    assert.deepEqual(
      ['a', 'b', 'gone', '__proto__', ' ', 'é'].map((id) => freeId(document, id)),
      ['a_2', 'b', 'gone_2', 'proto__', 'step', 'step'],
    )
    assert.equal(freeId(chain(['x'.repeat(64)]), 'x'.repeat(70)), `${'x'.repeat(62)}_2`)
  })
})

const runs = { numRuns: 60 }

type Edit = (document: Definition) => Definition

/** Any edit that the editor offers, at any step. */
const edits: fc.Arbitrary<Edit> = fc
  .tuple(fc.nat(10), fc.nat(), fc.nat(), fc.constantFrom(...stepKinds))
  .map(([what, one, other, kind]) => (document) => {
    const steps = stepsIn(document)
    const ways = waysIn(document)
    const way = ways[one % ways.length]!
    if (what <= 3 || steps.length === 0) return withStep(document, way, newStep(kind)).document
    const { id, step } = steps[one % steps.length]!
    const to = steps[other % steps.length]!.id
    switch (what) {
      case 4:
        return withLink(document, way, other % 4 === 0 ? undefined : to)
      case 5:
        return withoutStep(document, id)
      case 6:
        return withMovedStep(document, id, other % 2 === 0 ? 1 : -1)
      case 7:
        return withStepId(document, id, `n${other % 50}`)
      case 8:
        return withPath(document, id, newPath(step.type, `P${other}`))
      case 9:
        return withoutPath(document, id, other % 3)
      default:
        return withMovedPath(document, id, one % 3, other % 3)
    }
  })

const canvases = fc.array(edits, { maxLength: 30 }).map((list) => list.reduce((each, edit) => edit(each), start))
const start: Definition = { name: 'Canvas', first: 'hello', steps: [{ id: 'hello', type: 'message' }], x: { y: [1] } }

const json = fc.jsonValue({ maxDepth: 3 })
/** Something like a canvas, with mistakes of all sorts. */
const oddDocuments = fc.record(
  {
    first: fc.oneof(fc.constantFrom('a', 'b', null), json),
    variants: fc.oneof(fc.array(fc.record({ first: fc.constantFrom('a', 'gone', null) })), json),
    steps: fc.oneof(
      fc.array(
        fc.oneof(
          fc.record(
            {
              ...{ id: fc.constantFrom('a', 'b', 'c', '', 7), type: fc.oneof(fc.constantFrom(...stepKinds), json) },
              ...{ next: fc.constantFrom('a', 'b', 'gone', null), yes: fc.constantFrom('a', 'b'), no: json },
              paths: fc.oneof(fc.array(fc.oneof(fc.record({ next: fc.constantFrom('a', 'c') }), json)), json),
              other: json,
            },
            { requiredKeys: [] },
          ),
          json,
        ),
      ),
      json,
    ),
    other: json,
  },
  { requiredKeys: [] },
)

function dangling(document: Definition): string[] {
  const known = new Set(idsOf(document))
  return waysIn(document).flatMap(({ to }) => (to === undefined || known.has(to) ? [] : [to]))
}

describe('every edit', () => {
  test('leaves a canvas in which each id is one step and each way leads to a step', () => {
    fc.assert(
      fc.property(canvases, edits, (document, edit) => {
        const after = edit(document)
        assert.deepEqual(dangling(after), [])
        const ids = (after.steps as GivenStep[]).map(({ id }) => id)
        assert.equal(new Set(ids).size, ids.length)
      }),
      runs,
    )
  })

  test('leads to no missing step that was not led to before, whatever the document is', () => {
    fc.assert(
      fc.property(oddDocuments, edits, (document, edit) => {
        // A step with an id that is used before is hidden, until the other one is gone.
        const hidden = (Array.isArray(document.steps) ? document.steps : []).flatMap((step) =>
          dangling({ steps: [step] }),
        )
        const before = new Set([...dangling(document), ...hidden])
        const after = edit(document)
        const gone = dangling(after).filter((id) => !before.has(id))
        assert.deepEqual(gone, [])
        assert.deepEqual(after.other, document.other)
        drawingOf(after, { entry: '', steps: {} })
        differences(document, after)
      }),
      runs,
    )
  })

  test('leaves what the editor does not know as it is', () => {
    const odd = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(odd)
      if (typeof value !== 'object' || value === null) return value
      return { ...Object.fromEntries(Object.entries(value).map(([name, each]) => [name, odd(each)])), 'x y': [null, 1] }
    }
    fc.assert(
      fc.property(canvases, edits, (document, edit) => {
        const before = odd(document) as Definition
        const after = edit(before)
        assert.deepEqual(after['x y'], [null, 1])
        for (const { step } of stepsIn(after)) if (!isNew(before, step)) assert.deepEqual(step['x y'], [null, 1])
      }),
      runs,
    )
  })

  test('is undone and done again exactly', () => {
    fc.assert(
      fc.property(oddDocuments, fc.array(edits, { maxLength: 12 }), (document, list) => {
        const text = JSON.stringify(document)
        const after = list.reduce((history, edit) => done(history, edit(history.document)), begin<Definition>(document))
        const last = JSON.stringify(after.document)
        const back = list.reduce((history) => undo(history), after)
        assert.equal(back.document, document)
        assert.equal(JSON.stringify(back.document), text)
        assert.equal(JSON.stringify(list.reduce((history) => redo(history), back).document), last)
      }),
      runs,
    )
  })

  test('that adds or moves a step leaves no step without a way that had one', () => {
    fc.assert(
      fc.property(canvases, fc.nat(), fc.constantFrom(...stepKinds), fc.boolean(), (document, chance, kind, isMove) => {
        const ways = waysIn(document)
        const steps = stepsIn(document)
        const moved = () => withMovedStep(document, steps[chance % steps.length]!.id, chance % 2 === 0 ? 1 : -1)
        const added = () => withStep(document, ways[chance % ways.length]!, newStep(kind)).document
        const after = isMove && steps.length > 0 ? moved() : added()
        assert.equal(lostBy(document, after), 0)
      }),
      runs,
    )
  })
})

function isNew(before: Definition, step: GivenStep): boolean {
  return stepById(before, step.id as string) === undefined && step['x y'] === undefined
}

describe("two people's edits", () => {
  const lists = fc.array(edits, { maxLength: 5 })
  const apply = (document: Definition, list: readonly Edit[]) => list.reduce((each, edit) => edit(each), document)

  test('are those of one when the other one changed nothing', () => {
    fc.assert(
      fc.property(canvases, lists, (from, list) => {
        const mine = apply(from, list)
        assert.deepEqual(sorted(merged(mine, from, from).document), sorted(mine))
        assert.deepEqual(sorted(merged(from, from, mine).document), sorted(mine))
        assert.deepEqual(merged(mine, from, mine).both, [])
      }),
      runs,
    )
  })

  test('lose no step that either of them added or changed, and lead to no missing step', () => {
    fc.assert(
      fc.property(canvases, lists, lists, (from, own, others) => {
        const [mine, theirs] = [apply(from, own), apply(from, others)]
        const { document } = merged(mine, from, theirs)
        assert.deepEqual(dangling(document), [])
        const known = new Set(idsOf(document))
        for (const each of [mine, theirs]) {
          for (const { id, step } of stepsIn(each)) {
            const old = stepById(from, id)
            const isChanged = JSON.stringify(old?.step) !== JSON.stringify(step)
            assert.ok(!isChanged || known.has(id), `${id} is lost`)
          }
        }
      }),
      runs,
    )
  })

  test('stand beside each other, and what both changed is mine and is named', () => {
    const from = {
      name: 'A',
      rate: '1/day',
      steps: [
        { id: 'a', name: 'a', next: 'b' },
        { id: 'b', name: 'b' },
      ],
    }
    const mine = {
      ...from,
      name: 'Mine',
      steps: [
        { id: 'a', name: 'mine', next: 'b' },
        { id: 'b', name: 'b' },
      ],
    }
    const theirs = {
      ...from,
      rate: '2/day',
      steps: [
        { id: 'a', name: 'theirs', next: 'c' },
        { id: 'c', name: 'c' },
      ],
    }
    const { document, both } = merged(mine, from, theirs)
    assert.deepEqual(document, {
      ...{ name: 'Mine', rate: '2/day' },
      steps: [
        { id: 'a', name: 'mine', next: 'c' },
        { id: 'c', name: 'c' },
      ],
    })
    assert.deepEqual(both, ['steps.a'])
  })

  test('an odd document merges without a failure', () => {
    fc.assert(
      fc.property(oddDocuments, oddDocuments, oddDocuments, (one, two, three) => {
        merged(one, two, three)
      }),
      runs,
    )
  })
})

/** Members in the order of their names, and steps by id. */
function sorted(document: Definition): unknown {
  const steps = (document.steps as GivenStep[]).toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1))
  return { ...document, steps }
}

test('what differs is said in words', () => {
  const from: Definition = { name: 'A', steps: [{ id: 'a', type: 'message' }, { id: 'b' }] }
  const to: Definition = {
    name: 'B',
    steps: [
      { id: 'a', type: 'message', next: 'c' },
      { id: 'c', name: 'New' },
    ],
  }
  assert.deepEqual(differences(from, to), [
    'The name was changed.',
    'The step "a" (message) was changed: next.',
    'The step "b" was removed.',
    'The step "New" was added.',
  ])
  assert.deepEqual(differences(from, from), [])
})

test('an edit of two hundred steps takes a small part of the time that a key has', (t) => {
  const steps = many(200, (i) => ({ id: `s${i}`, type: 'message', ...(i < 199 && { next: `s${i + 1}` }) }))
  const document: Definition = { first: 's0', steps }
  const from = performance.now()
  for (let i = 0; i < 20; i++) {
    drawingOf(withoutStep(withStep(document, { from: `s${i}`, at: 0 }, newStep('delay')).document, `s${i + 3}`), {
      ...{ entry: '', steps: {} },
    })
  }
  const ms = (performance.now() - from) / 20
  t.diagnostic(`an edit: ${ms.toFixed(1)} ms`)
  assert.ok(reachedIn(document).size === 200)
})
