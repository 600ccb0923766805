import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { countedPeopleMax, partsMax } from '../../src/audience/builder/schema.ts'
import type { Db } from '../../src/base/db/db.ts'
import { addCrowd } from '../support/crowds.ts'
import { drawDatabases, type Service } from '../support/harness.ts'
import { many, newId, peopleOf } from '../support/people.ts'

const crowdSize = 60_000
const treeCount = 10
const workspace_id = 1

type Part = { readonly path: string; readonly count: number | null; readonly error: number | null }

const attribute = (custom_attribute_name: string, comparison: string, value: unknown) => {
  return { custom_attribute: { custom_attribute_name, comparison, value } }
}
const plan = (value: string) => attribute('plan', 'equals', value)
const score = (below: number) => attribute('score', 'less_than', below)
const unsubscribed = { email_subscription_status: { comparison: 'is', value: 'unsubscribed' } }

const inGroup = (subscription_group_id: string) => {
  return { subscription_group: { subscription_group_id, comparison: 'is', value: 'subscribed' } }
}

async function addGroup(service: Service): Promise<string> {
  const { body } = await service.admin('POST', '/admin/subscription_groups', { name: newId('group'), channel: 'email' })
  return body.subscription_group.id
}

/** Draws a tree over what the people of the crowd have. */
function drawTree(random: Random, depth: number): object {
  const drawn = random.below(depth === 0 ? 3 : 6)
  if (drawn === 0) return plan(random.pick(['gold', 'free']))
  if (drawn === 1) return score(random.below(101))
  if (drawn === 2) return unsubscribed
  const children = many(1 + random.below(3), () => drawTree(random, depth - 1))
  return drawn === 3 ? { AND: children } : drawn === 4 ? { OR: children } : { NOT: children[0] }
}

for (const database of drawDatabases('admin-audience-count')) {
  describe(`the count of conditions (${database})`, () => {
    let db: Db
    const people = peopleOf(database, {
      opened(opened) {
        db = opened
      },
    })
    const count = async (audience: object, more: object = {}) => {
      const { status, text, body } = await people.service.send(
        'POST',
        '/admin/audience/count',
        { audience, ...more },
        { key: people.service.adminToken },
      )
      assert.equal(status, 200, text)
      return body
    }
    const stored = async (audience: object): Promise<number> => {
      const { body } = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
      return (await people.service.admin('GET', `/admin/segments/${body.segment.id}/count`)).body.count
    }

    test('few people are counted one by one, with each part', async () => {
      const [value, city] = [newId('plan'), newId('city')]
      await people.set(...many(7, (i) => ({ external_id: newId(), plan: value, ...(i < 3 && { city }) })))
      const inCity = attribute('city', 'equals', city)
      const answer = await count({ AND: [plan(value), { NOT: inCity }] })
      assert.deepEqual([answer.count, answer.error, answer.is_exact], [4, 0, true])
      assert.equal(
        answer.words,
        `\`plan\` is \`${value}\` and not (\`city\` is \`${city}\`) (also when \`city\` is not set)`,
      )
      assert.ok(Date.parse(answer.at) > 0)
      assert.deepEqual(
        answer.parts
          .map((part: Part) => [part.path, part.count, part.error])
          .filter(([path]: [string]) => !path.endsWith('1]')),
        [
          ['audience', 4, 0],
          ['audience.AND[0]', 7, 0],
          ['audience.AND[1].NOT', 3, 0],
        ],
      )
      const pattern = attribute('city', 'matches_regex', `^${city}$`)
      const evaluated = await count({ AND: [plan(value), pattern] })
      assert.deepEqual(
        [evaluated.count, evaluated.is_exact, evaluated.parts.map((part: Part) => part.count)],
        [3, true, [3, 7, 3]],
      )
    })

    test('the parts after the first hundred are not counted', async () => {
      for (const conditions of [partsMax - 2, partsMax - 1, partsMax]) {
        const { parts } = await count({ OR: many(conditions, (i) => attribute(`a${i}`, 'exists', undefined)) })
        assert.equal(parts.length, conditions + 1)
        const missing = parts.filter((part: Part) => part.count === null && part.error === null)
        assert.equal(missing.length, Math.max(0, conditions + 1 - partsMax))
      }
    })

    test('more people are estimated, and the true number is within the error', async () => {
      const everybody = { random_bucket: { comparison: 'greater_than_or_equal_to', value: 0 } }
      let size: number = (await count(everybody)).count
      const grow = async (to: number) => {
        await addCrowd(db, workspace_id, size, to)
        size = to
      }
      for (const [to, isExact] of [
        [countedPeopleMax - 1, true],
        [countedPeopleMax, true],
        [countedPeopleMax + 1, false],
      ] as const) {
        await grow(to)
        const answer = await count(everybody)
        assert.equal(answer.is_exact, isExact, String(to))
        if (isExact) assert.equal(answer.count, to)
        assert.ok(Math.abs(answer.count - to) <= answer.error * 2, `${answer.count} of ${to}`)
      }
      await grow(crowdSize)
      if (database === 'postgres') await db.execute('analyze')

      const random = new Random(4)
      let within = 0
      for (let i = 0; i < treeCount; i++) {
        const tree = drawTree(random, 2)
        const [estimated, exact] = [await count(tree), await count(tree, { exact: true })]
        assert.deepEqual([estimated.is_exact, exact.is_exact, exact.error], [false, true, 0])
        assert.deepEqual(exact.parts[0], { path: 'audience', count: exact.count, error: 0 })
        assert.deepEqual(exact.parts.slice(1), estimated.parts.slice(1), 'the parts come from the same sample')
        if (i === 0) assert.equal(exact.count, await stored(tree))
        if (Math.abs(estimated.count - exact.count) <= estimated.error) within++
      }
      assert.ok(within >= treeCount * 0.9, `${within} of ${treeCount}`)

      const pattern = attribute('plan', 'matches_regex', '^gold$')
      // A condition on a group gives both the same sample.
      const notInGroup = { NOT: inGroup(await addGroup(people.service)) }
      const evaluated = await count({ AND: [pattern, score(50), notInGroup] })
      const compared = await count({ AND: [plan('gold'), score(50), notInGroup] })
      assert.deepEqual(evaluated.parts, compared.parts)
    })
  })
}
