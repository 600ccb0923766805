import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Arrangement, arrange, type Box, type Drawing, stepKey } from '../../dashboard/src/canvas/arrange.ts'

type Steps = Drawing['steps']

/** Returns a drawing that begins with its first step. A step is its id and the ids of the next steps; `-` is the end. */
function drawing(...steps: readonly (readonly [id: string, ...next: string[]])[]): Drawing {
  const idOf = (next: string) => (next === '-' ? null : next)
  return {
    starts: [{ name: 'All', next: steps[0]![0] }],
    steps: steps.map(([id, ...next]) => {
      return { id, paths: next.map((each, i) => ({ name: `Path ${i + 1}`, next: idOf(each) })) }
    }),
  }
}

function boxOf({ boxes }: Arrangement, id: string): Box {
  return boxes.find(({ key }) => key === stepKey(id))!
}

/** Returns the ids of the steps of each row, from the left. */
function rowsOf({ boxes }: Arrangement): string[] {
  const rows: string[][] = []
  for (const { kind, id, row } of boxes) {
    rows[row] ??= []
    rows[row].push(kind === 'step' ? id : kind)
  }
  return Array.from(rows, (row = []) => row.join(' '))
}

const middleOf = ({ x, width }: Box) => x + width / 2

describe('the picture of a canvas', () => {
  test('steps without splits stand straight below one another', () => {
    const picture = arrange(drawing(['a', 'b'], ['b', 'c'], ['c', '-']))
    assert.deepEqual(rowsOf(picture), ['start', 'a', 'b', 'c'])
    assert.equal(new Set(picture.boxes.map(middleOf)).size, 1)
    for (const { points } of picture.lines) assert.equal(points.length, 2)
  })

  test('paths are side by side in their order, and a join is below the split', () => {
    const picture = arrange(drawing(['split', 'a', 'b'], ['a', 'join'], ['b', 'more'], ['more', 'join'], ['join', '-']))
    assert.deepEqual(rowsOf(picture), ['start', 'split', 'a b', 'more', 'join'])
    assert.equal(middleOf(boxOf(picture, 'join')), middleOf(boxOf(picture, 'split')))
    assert.ok(boxOf(picture, 'a').x < boxOf(picture, 'b').x)
  })

  test('a path to the end of the canvas has an end of its own, and paths to the same step are one line', () => {
    const picture = arrange(drawing(['split', 'a', '-', 'a', '-'], ['a', '-']))
    assert.deepEqual(rowsOf(picture), ['start', 'split', 'a end'])
    const paths = picture.lines.filter(({ from }) => from === stepKey('split')).map((line) => line.paths)
    assert.deepEqual(paths, [
      [0, 2],
      [1, 3],
    ])
  })

  test('a way back runs at the side', () => {
    const picture = arrange(drawing(['a', 'b'], ['b', 'c', 'a'], ['c', '-']))
    const [back] = picture.lines.filter(({ isReturn }) => isReturn)
    assert.deepEqual([back!.from, back!.to], [stepKey('b'), stepKey('a')])
    const xs = back!.points.map(({ x }) => x)
    const left = Math.min(...picture.boxes.map(({ x }) => x))
    const right = Math.max(...picture.boxes.map(({ x, width }) => x + width))
    assert.ok(xs.some((x) => x < left || x > right))
  })

  test('a step may lead to itself', () => {
    assert.equal(arrange(drawing(['a', 'a', '-'])).lines.filter(({ isReturn }) => isReturn).length, 1)
  })

  test('variants have a first step each', () => {
    const { steps } = drawing(['a', 'c'], ['b', 'c'], ['c', '-'])
    const starts = ['a', 'b'].map((next) => ({ name: next, next }))
    assert.deepEqual(rowsOf(arrange({ starts, steps })), ['start', 'a b', 'c'])
  })

  test('what is not reached stands below everything else', () => {
    const picture = arrange(
      drawing(['a', '-'], ['lost', 'more', 'a'], ['more', '-'], ['loop', 'pool'], ['pool', 'loop']),
    )
    assert.deepEqual(rowsOf(picture), ['start', 'a', '', 'lost loop', 'more pool'])
  })

  test('an empty canvas, the id of no step, and an id that is there twice can be drawn', () => {
    assert.deepEqual(rowsOf(arrange({ starts: [], steps: [] })), ['start'])
    assert.deepEqual(rowsOf(arrange(drawing(['a', 'gone'], ['a', 'a']))), ['start', 'a'])
  })
})

const stepsMax = 200

/** A canvas that grew step by step: splits, joins of open paths, and ways back. `jumps` are ways to anywhere. */
const drawings: fc.Arbitrary<Drawing> = fc
  .array(fc.tuple(fc.nat(), fc.nat(9), fc.nat()), { minLength: 1, maxLength: stepsMax })
  .map((moves) => {
    type Path = { name: string; next: string | null }
    const starts: Path[] = [{ name: 'All', next: null }]
    const steps: { id: string; paths: Path[] }[] = []
    const open: Path[] = [...starts]
    const take = (chance: number) => open.splice(chance % open.length, 1)[0]!
    for (const [chance, what, other] of moves) {
      if (open.length === 0) break
      const id = `s${steps.length}`
      const width = what === 9 ? 12 : what >= 6 ? 2 + (what % 2) : 1
      const paths = Array.from({ length: width }, (_, i): Path => ({ name: `Path ${i + 1}`, next: null }))
      take(chance).next = id
      if (what === 5 && open.length > 0) take(other).next = id
      if (what === 4 && open.length > 1) for (let i = 0; i < 3 && open.length > 1; i++) take(other + i).next = id
      if (what === 8 && steps.length > 0) paths[0]!.next = steps[other % steps.length]!.id
      steps.push({ id, paths })
      open.push(...paths.filter(({ next }) => next === null))
    }
    return { starts, steps }
  })

/** Any graph at all, also with steps that are not reached. */
const graphs: fc.Arbitrary<Drawing> = fc.integer({ min: 1, max: 40 }).chain((count) => {
  const next = fc.option(fc.nat(count).map((i) => `s${i}`))
  const paths = fc.array(
    next.map((to) => ({ name: 'Path', next: to })),
    { maxLength: 5 },
  )
  return fc.record({
    starts: fc.array(
      next.map((to) => ({ name: 'Variant', next: to })),
      { maxLength: 3 },
    ),
    steps: fc
      .array(paths, { minLength: count, maxLength: count })
      .map((all) => all.map((own, i) => ({ id: `s${i}`, paths: own }))),
  })
})
const any = fc.oneof(drawings, graphs)
const runs = { numRuns: 150 }

describe('every picture', () => {
  test('has each step once, and no two boxes touch', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { boxes } = arrange(given)
        const ids = boxes.filter(({ kind }) => kind === 'step').map(({ id }) => id)
        assert.deepEqual(ids.sort(), given.steps.map(({ id }) => id).sort())
        for (const [i, one] of boxes.entries()) {
          for (const other of boxes.slice(i + 1)) assert.ok(!touches(one, other), `${one.key} and ${other.key}`)
        }
      }),
      runs,
    )
  })

  test('has lines of right angles that go through no box, and begin and end at theirs', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { boxes, lines } = arrange(given)
        const byKey = new Map(boxes.map((box) => [box.key, box]))
        for (const { from, to, points } of lines) {
          const [first, last] = [points[0]!, points.at(-1)!]
          const [source, target] = [byKey.get(from)!, byKey.get(to)!]
          assert.deepEqual([first.x, first.y], [middleOf(source), source.y + source.height])
          assert.deepEqual([last.x, last.y], [middleOf(target), target.y])
          for (const [i, point] of points.slice(1).entries()) {
            const before = points[i]!
            assert.ok(point.x === before.x || point.y === before.y, `${from} to ${to} is oblique`)
            const part = boxAround(before, point)
            for (const box of boxes) {
              const isOwn = box.key === from || box.key === to
              assert.ok(isOwn || !touches(part, box), `${from} to ${to} goes through ${box.key}`)
            }
          }
        }
      }),
      runs,
    )
  })

  test('has a line for every way, down to a lower row unless it goes back at the side', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { boxes, lines } = arrange(given)
        const byKey = new Map(boxes.map((box) => [box.key, box]))
        const left = Math.min(...boxes.map(({ x }) => x))
        const right = Math.max(...boxes.map(({ x, width }) => x + width))
        for (const { from, to, isReturn, points } of lines) {
          if (!isReturn) assert.ok(byKey.get(to)!.row > byKey.get(from)!.row, `${from} to ${to}`)
          else
            assert.ok(
              points.some(({ x }) => x < left || x > right),
              `${from} to ${to} is not at the side`,
            )
        }
        const drawn = new Set(lines.map(({ from, to }) => `${from} > ${to}`))
        for (const [from, to] of waysOf(given)) assert.ok(drawn.has(`${stepKey(from)} > ${stepKey(to)}`))
      }),
      runs,
    )
  })

  test('goes back only where a way leads to a step from which it comes, or from an unreached step', () => {
    fc.assert(
      fc.property(any, (given) => {
        const reached = reachedFrom(
          given,
          given.starts.flatMap(({ next }) => next ?? []),
        )
        for (const { from, to, isReturn } of arrange(given).lines) {
          if (!isReturn) continue
          const [source, target] = [from, to].map((key) => key.slice(stepKey('').length)) as [string, string]
          const comesFrom = reachedFrom(given, [target]).has(source)
          assert.ok(comesFrom || (reached.has(target) && !reached.has(source)), `${from} to ${to}`)
        }
      }),
      runs,
    )
  })

  test('has what is not reached below everything else', () => {
    fc.assert(
      fc.property(graphs, (given) => {
        const reached = reachedFrom(
          given,
          given.starts.flatMap(({ next }) => next ?? []),
        )
        const steps = arrange(given).boxes.filter(({ kind }) => kind === 'step')
        const rows = (isReached: boolean) => {
          return steps.filter(({ id }) => reached.has(id) === isReached).map(({ row }) => row)
        }
        assert.ok(Math.max(...rows(true)) < Math.min(...rows(false)))
      }),
      runs,
    )
  })

  test('is the same for the same canvas', () => {
    fc.assert(
      fc.property(any, (given) => assert.deepEqual(arrange(given), arrange(structuredClone(given)))),
      runs,
    )
  })

  test('keeps everything above a step that is added, on any path', () => {
    fc.assert(
      fc.property(any, fc.nat(), fc.nat(), fc.boolean(), (given, step, path, splits) => {
        const after = step % given.steps.length
        const { steps, added } = withStep(given.steps, after, path, splits)
        const [before, now] = [arrange(given), arrange({ ...given, steps })]
        const there = boxOf(now, added)
        const above = now.boxes.filter(({ row }) => row < there.row)
        const known = new Map(before.boxes.map((box) => [box.key, box]))
        for (const box of above) assert.deepEqual(box, known.get(box.key), `${box.key} moved for ${added}`)
        const keys = new Set(above.map(({ key }) => key))
        for (const { key, row } of before.boxes) assert.ok(row >= there.row || keys.has(key), `${key} left its place`)
      }),
      { numRuns: 300 },
    )
  })
})

/** Puts a step on a path of another one, between it and the step that comes next there. */
function withStep(steps: Steps, after: number, path: number, splits: boolean): { steps: Steps; added: string } {
  const added = 'added'
  const own = steps[after]!.paths
  const at = own.length === 0 ? 0 : path % own.length
  const next = own[at]?.next ?? null
  const more = splits ? [{ name: 'no', next: null }] : []
  const changed = own.length === 0 ? [{ name: '', next: added }] : own.with(at, { ...own[at]!, next: added })
  return {
    added,
    steps: [
      ...steps.slice(0, after),
      { ...steps[after]!, paths: changed },
      { id: added, paths: [{ name: 'yes', next }, ...more] },
      ...steps.slice(after + 1),
    ],
  }
}

type Area = Pick<Box, 'x' | 'y' | 'width' | 'height'>

function touches(one: Area, other: Area): boolean {
  const apart = one.x + one.width < other.x || other.x + other.width < one.x
  return !apart && !(one.y + one.height < other.y || other.y + other.height < one.y)
}

function boxAround(one: { x: number; y: number }, other: { x: number; y: number }): Area {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) }
}

function waysOf({ steps }: Drawing): [string, string][] {
  const ids = new Set(steps.map(({ id }) => id))
  return steps.flatMap(({ id, paths }) =>
    paths.flatMap(({ next }): [string, string][] => (next !== null && ids.has(next) ? [[id, next]] : [])),
  )
}

function reachedFrom(given: Drawing, from: readonly string[]): Set<string> {
  const ids = new Set(given.steps.map(({ id }) => id))
  const reached = new Set(from.filter((id) => ids.has(id)))
  const ways = waysOf(given)
  // The iteration includes what is added to the set meanwhile.
  for (const id of reached) for (const [source, target] of ways) if (source === id) reached.add(target)
  return reached
}
