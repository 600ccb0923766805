import assert from 'node:assert/strict'
import fc from 'fast-check'
import { countEach } from '../../src/audience/conditions/count-parts.ts'
import { evaluate } from '../../src/audience/conditions/evaluate.ts'
import { explain } from '../../src/audience/conditions/explain.ts'
import { needsOf } from '../../src/audience/conditions/facts.ts'
import { eachFacts } from '../../src/audience/conditions/load-facts-store.ts'
import { countPeople, filterPeople, pagePeople, samplePeople } from '../../src/audience/conditions/select-people.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'
import type { Db } from '../../src/base/db/db.ts'
import { byBucketAndId, type Person } from '../../src/people/identity/person.ts'
import { seed, sizes } from '../sizes.ts'
import { workspace_id } from '../storage/crowd.ts'
import { onBothDatabases } from '../support/databases.ts'
import { single, trees } from './audience-arbitrary.ts'
import { isSelected } from './audience-model.ts'
import { type Crowd, crowdOf, nowMs, writeCrowd } from './audience-people.ts'

const peopleCount = 60

/** Texts that differ only in letters outside A to Z. Such texts are rarely drawn. */
const letters = ['\u00c9', '\u00e9', 'K', '\u212a'].flatMap((text): Tree[] => [
  { kind: 'custom_attribute', path: ['plan'], test: { comparison: 'not_equal', text } },
  { kind: 'standard_attribute', field: 'first_name', test: { comparison: 'not_equal', text } },
])

async function allPages(db: Db, tree: Tree, limit: number): Promise<Person[]> {
  const found: Person[] = []
  let after: Person | undefined
  do {
    const page = await pagePeople(db, workspace_id, tree, nowMs, { ...(after && { after }), limit })
    assert.ok(page.people.length <= limit)
    assert.ok(page.next === undefined || page.people.length === limit, 'a page before the last one is full')
    found.push(...page.people)
    after = page.next
  } while (after)
  return found
}

async function agree(db: Db, crowd: Crowd, tree: Tree, limit: number): Promise<void> {
  const people = crowd.people.map(({ who }) => who)
  const expected = crowd.people.filter((one) => isSelected(tree, one, crowd)).map(({ who }) => ({ person: who }))
  const ids = expected.sort(byBucketAndId).map(({ person }) => person.profile_id)
  const facts = (await Array.fromAsync(eachFacts(db, workspace_id, people, needsOf(tree), nowMs))).flat()
  assert.equal(facts.length, people.length)
  const held = facts.filter((one) => evaluate(tree, one, nowMs)).map(({ person }) => person.profile_id)
  assert.deepEqual(new Set(held), new Set(ids), 'the predicate and the model agree')
  for (const one of facts) assert.equal(explain(tree, one, nowMs).holds, evaluate(tree, one, nowMs))
  assert.deepEqual(await filterPeople(db, workspace_id, tree, nowMs, people), new Set(ids))
  const paged = await allPages(db, tree, limit)
  assert.deepEqual(
    paged.map(({ profile_id }) => profile_id),
    ids,
    'SQL finds the same people as the model, in the same order',
  )
  assert.equal(await countPeople(db, workspace_id, tree, nowMs), ids.length)
  const counts = await countEach(db, workspace_id, [tree, { not: tree }, { any: [tree, { not: tree }] }], nowMs)
  assert.deepEqual(counts, [ids.length, people.length - ids.length, people.length])
  const sample = await samplePeople(db, workspace_id, tree, nowMs, { limit, seed: limit })
  assert.equal(sample.length, Math.min(limit, ids.length))
  for (const { profile_id } of sample) assert.ok(ids.includes(profile_id))
  assert.equal(new Set(sample.map(({ profile_id }) => profile_id)).size, sample.length, 'a person is drawn twice')
}

onBothDatabases('SQL, the predicate and a plain model mean the same people by every tree', async (open) => {
  for (let round = 0; round < sizes.audienceCrowds; round++) {
    const db = await open()
    const [crowd] = fc.sample(crowdOf(peopleCount), { seed: seed + round, numRuns: 1 }) as [Crowd]
    await writeCrowd(db, crowd)
    for (const one of letters) await agree(db, crowd, one, peopleCount)
    const tree = fc.oneof({ weight: 2, arbitrary: trees }, single)
    const property = fc.asyncProperty(tree, fc.integer({ min: 1, max: 70 }), (one, limit) =>
      agree(db, crowd, one, limit),
    )
    await fc.assert(property, { seed: seed + round, numRuns: sizes.audienceTrees, endOnFailure: false })
  }
})
