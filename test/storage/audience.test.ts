import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { explain } from '../../src/audience/conditions/explain.ts'
import { type Facts, needsOf } from '../../src/audience/conditions/facts.ts'
import { eachFacts, loadedMax, loadFacts, weightMax } from '../../src/audience/conditions/load-facts-store.ts'
import { audienceDepthMax, audienceLeavesMax } from '../../src/audience/conditions/parse-condition.ts'
import { countPeople, filterPeople, pagePeople, samplePeople } from '../../src/audience/conditions/select-people.ts'
import type { Leaf, Tree, ValueTest } from '../../src/audience/conditions/tree.ts'
import { levelsMax } from '../../src/audience/segments/schema.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { mergeProfiles } from '../../src/people/merge/merge-profiles.ts'
import { moveHistory } from '../../src/people/merge/move-history.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { onBothDatabases } from '../support/databases.ts'
import { add, at, blank, hashAddress, hidden, insert, personOf, workspace_id } from './crowd.ts'

const clock = systemClock()
const nowMs = Date.parse(at(30))
/** The longest time for the largest tree, on a very busy machine. A plan that grows with the square of the tree takes longer on any. */
const patienceMs = 240_000
const attribute = (name: string, test: ValueTest, ...below: string[]): Leaf => {
  return { kind: 'custom_attribute', path: [name, ...below], test }
}
const opened = (name: string | undefined, number: number, days?: number): Leaf => {
  const times = { comparison: 'greater_than_or_equal_to', number } as const
  return { kind: 'occurrences', what: { of: 'event', name, days, properties: [] }, times }
}

async function idsOf(db: Db, tree: Tree): Promise<string[]> {
  const startMs = clock.elapsed()
  const { people } = await pagePeople(db, workspace_id, tree, nowMs, { limit: 1000 })
  assert.equal(await countPeople(db, workspace_id, tree, nowMs), people.length)
  assert.ok(clock.elapsed() - startMs < patienceMs, 'within bounds')
  return people.map(({ profile_id }) => profile_id)
}

async function named(db: Db, names: readonly string[]): Promise<void> {
  const rows = names.map((name, i) => ({ name_id: i + 1, workspace_id, kind: 'event', name }))
  await insert(db, 'public.name', rows)
}

onBothDatabases(
  'trees with the most conditions, each of another kind and name, are evaluated in time',
  async (open) => {
    const db = await open()
    await ensureWeeks(db, nowMs)
    await insertInstallation(db, Buffer.from('a secret of the tests'), new Date(nowMs))
    const names = Array.from({ length: audienceLeavesMax }, (_, i) => `event ${i}`)
    await named(db, names)
    const groups = Array.from({ length: 100 }, (_, i) => `group-${i}`)
    const group = { workspace_id, channel: 'email', archived: false, created_at: at(0) }
    await insert(
      db,
      'subscription_group',
      groups.map((id, i) => ({ ...group, group_id: i + 1, id, name: id })),
    )
    const [one, other] = [personOf(1), personOf(2)]
    const state = { state: 'subscribed', stamp: at(1) }
    await add(db, one, {
      profile: { email: 'one@example.com' },
      event: [{ time: at(1), name_id: 7 }],
      membership: [{ group_id: 99, ...state }],
    })
    await add(db, other, { profile: { email: 'other@example.com' } })
    await insert(db, 'address_state', [{ ...hidden('email', 'other@example.com'), group_id: 98, ...state }])

    const events = { any: names.map((name, i) => opened(name, 1, (i % 30) + 1)) }
    assert.deepEqual(await idsOf(db, events), [one.profile_id])
    const inGroups = {
      any: groups.map(
        (subscription_group_id): Leaf => ({ kind: 'subscription_group', subscription_group_id, state: 'subscribed' }),
      ),
    }
    assert.deepEqual(await idsOf(db, inGroups), [one.profile_id, other.profile_id])
    const cohorts = Array.from({ length: 100 }, (_, i) => `cohort-${i}`)
    const cohort = { workspace_id, partner: 'acme', name: 'n', created_at: at(0), updated_at: at(0) }
    await insert(
      db,
      'cohort',
      cohorts.map((id, i) => ({ ...cohort, cohort_id: i + 1, id })),
    )
    const { bucket, profile_id } = other
    await insert(db, 'cohort_member', [{ bucket, profile_id, cohort_id: 99, added_at: at(0) }])
    const inCohorts = { any: cohorts.map((cohort_id): Leaf => ({ kind: 'cohort', partner: 'acme', cohort_id })) }
    assert.deepEqual(await idsOf(db, inCohorts), [other.profile_id])
    const attributes = {
      all: names.map((name) => attribute(name, { comparison: 'less_than', number: 1 }, 'below', name)),
    }
    assert.equal((await idsOf(db, attributes)).length, 2)
    let deep: Tree = opened('event 7'.slice(0, 7), 1)
    for (let level = 0; level < audienceDepthMax * levelsMax; level++) {
      deep =
        level % 3 === 0
          ? { not: { not: deep } }
          : level % 3 === 1
            ? { all: [deep, { all: [] }] }
            : { any: [deep, { any: [] }] }
    }
    assert.deepEqual(await idsOf(db, deep), await idsOf(db, opened('event 7', 1)))
  },
)

onBothDatabases('names of attributes may have any text', async (open) => {
  const db = await open()
  const names = [
    '"',
    "'",
    '\\',
    '$',
    '$."a"',
    'a b',
    '__proto__',
    'constructor',
    '\u{1f600}',
    '\n',
    '%s',
    '@',
    '{}',
    '?',
  ]
  const people = names.map((_, i) => personOf(i + 1))
  for (const [i, name] of names.entries()) {
    await add(db, people[i]!, {
      profile: {
        custom: JSON.parse(`{${JSON.stringify(name)}:"${i}","deep":{${JSON.stringify(name)}:[{"x":"${i}"}]}}`),
      },
    })
  }
  for (const [i, name] of names.entries()) {
    const only = [people[i]!.profile_id]
    const text = { comparison: 'equals', text: `${i}` } as const
    assert.deepEqual(await idsOf(db, attribute(name, text)), only, name)
    assert.deepEqual(await idsOf(db, attribute('deep', text, name, 'x')), only, name)
    const tree = {
      all: [
        attribute(name, { comparison: 'exists' }),
        attribute('deep', { comparison: 'matches_regex', text: '.' }, name, 'x'),
      ],
    }
    assert.deepEqual(await idsOf(db, tree), only, name)
    assert.deepEqual([...(await filterPeople(db, workspace_id, tree, nowMs, people))], only, name)
  }
})

onBothDatabases('history of a merged profile counts for the kept one, before and after it is moved', async (open) => {
  const db = await open()
  await ensureWeeks(db, nowMs)
  await named(db, ['opened'])
  const [kept, merged] = [personOf(1), personOf(2)]
  const event = [
    { time: at(1), name_id: 1 },
    { time: at(2), name_id: 1 },
  ]
  await add(db, kept, { event })
  await add(db, merged, { event, last_received: [{ channel: 'email', at: at(3) }] })
  const tree = {
    all: [opened('opened', 4, 1), { kind: 'last_message', channel: 'email', test: { comparison: 'exists' } } as const],
  }
  assert.deepEqual(await idsOf(db, tree), [])
  await db.transaction((tx) =>
    mergeProfiles(tx, [{ from: merged, into: kept, sdkActivity: 'kept' }], { clock, hashAddress, ownedRules: [] }),
  )
  assert.deepEqual(await idsOf(db, tree), [kept.profile_id])
  await moveHistory(db, [{ from: merged, into: kept }])
  assert.deepEqual(await idsOf(db, tree), [kept.profile_id])
  assert.deepEqual([...(await filterPeople(db, workspace_id, tree, nowMs, [kept, merged]))], [kept.profile_id])
})

onBothDatabases('the explanation has the result of each condition, with the values of the person', async (open) => {
  const db = await open()
  await named(db, ['opened'])
  const who = personOf(1)
  await add(db, who, {
    profile: {
      custom: { plan: 'silver', since: '2026-01-02', cars: [{ make: 'a' }, { make: 'b' }] },
      typed: { since: 1_767_312_000_000 },
    },
    event: [{ time: at(1), name_id: 1 }],
  })
  const tree: Tree = {
    any: [
      attribute('plan', { comparison: 'equals', text: 'gold' }),
      { not: attribute('since', { comparison: 'after', ms: 0 }) },
      attribute('cars', { comparison: 'equals', text: 'b' }, 'make'),
      attribute('gone', { comparison: 'exists' }),
      { kind: 'segment', segment_id: 's', name: 'Openers', tree: opened('opened', 2) },
      { kind: 'subscription_group', subscription_group_id: 'g', state: 'subscribed' },
    ],
  }
  const facts = await loadFacts(db, workspace_id, who, needsOf(tree), nowMs)
  const explained = explain(tree, facts!, nowMs) as unknown as {
    holds: boolean
    any: { holds: boolean; has?: string }[]
  }
  assert.equal(explained.holds, true)
  assert.deepEqual(
    explained.any.map(({ holds, has }) => [holds, has]),
    [
      [false, '"silver"'],
      [false, undefined],
      [true, '"a", "b"'],
      [false, 'not set'],
      [false, undefined],
      [false, 'no state'],
    ],
  )
  const [, since, , , openers] = explained.any as unknown as {
    not: { has: string }
    segment: { has: string; condition: string }
  }[]
  assert.equal(since!.not.has, '"2026-01-02", which is 2026-01-02T00:00:00.000Z')
  assert.match(openers!.segment.has, /^once, last on 2026-05-01T00:00:01.000Z$/)
})

onBothDatabases('pages and samples have each person once', async (open) => {
  const db = await open()
  const people = Array.from({ length: 50 }, (_, i) => personOf(i * 83))
  for (const [i, who] of people.entries()) await add(db, who, { profile: { custom: { even: i % 2 === 0 } } })
  const tree = attribute('even', { comparison: 'equals', flag: true })
  for (const limit of [1, 24, 25, 26, 1000]) {
    const page = await pagePeople(db, workspace_id, tree, nowMs, { limit })
    assert.equal(page.people.length, Math.min(limit, 25))
    assert.equal(page.next === undefined, limit >= 25)
    const sample = await samplePeople(db, workspace_id, tree, nowMs, { limit, seed: limit })
    assert.equal(new Set(sample.map(({ profile_id }) => profile_id)).size, Math.min(limit, 25))
    assert.deepEqual(await samplePeople(db, workspace_id, tree, nowMs, { limit, seed: limit }), sample)
  }
  const drawn = new Set<string>()
  for (let seed = 0; seed < 30; seed++) {
    const [one] = await samplePeople(db, workspace_id, tree, nowMs, { limit: 1, seed })
    drawn.add(one!.profile_id)
  }
  assert.ok(drawn.size > 10, `30 seeds draw different people, not ${drawn.size}`)
  assert.deepEqual(await filterPeople(db, workspace_id, tree, nowMs, []), new Set())
})

onBothDatabases('a segment of patterns only is not evaluated a page at a time', async (open) => {
  const db = await open()
  const people = Array.from({ length: 1000 }, (_, i) => personOf(i))
  const rows = people.map(({ bucket, profile_id }, i) => {
    return { ...blank, bucket, profile_id, custom: { plan: i === 999 ? 'gold' : 'silver' } }
  })
  await insert(db, 'profile', rows)
  let sweeps = 0
  const counting: Db = {
    ...{
      backend: db.backend,
      log: db.log,
      query: (statement) => db.query(statement),
      execute: (text) => db.execute(text),
    },
    close: () => db.close(),
    transaction(work, options) {
      sweeps++
      return db.transaction(work, options)
    },
  }
  // Only JavaScript reads a quotation.
  const tree = attribute('plan', { comparison: 'matches_regex', text: '^\\Qgold\\E$' })
  const page = await pagePeople(counting, workspace_id, tree, nowMs, { limit: 1 })
  assert.deepEqual(page, { people: [people[999]], next: undefined })
  assert.ok(sweeps < 20, `a page of one takes few statements, not ${sweeps}`)
  sweeps = 0
  assert.deepEqual(await samplePeople(counting, workspace_id, tree, nowMs, { limit: 1, seed: 1 }), [people[999]])
  assert.ok(sweeps < 60, `so does a sample of one, not ${sweeps}`)
})

onBothDatabases('people are checked in pages of 8 MB of attributes and 4,000 people', async (open) => {
  const db = await open()
  const tree = attribute('note', { comparison: 'equals', text: 'none' })
  const pages = async (people: readonly Person[], of: Tree = tree) => {
    const found = await Array.fromAsync(eachFacts(db, workspace_id, people, needsOf(of), nowMs))
    assert.deepEqual(
      found.flat().map(({ person }) => person),
      people.filter(({ profile_id }) => !gone.has(profile_id)),
    )
    return found.map((page: Facts[]) => page.length)
  }
  const gone = new Set<string>()
  const many = Array.from({ length: loadedMax + 1 }, (_, i) => personOf(i))
  await insert(
    db,
    'profile',
    many.map(({ bucket, profile_id }) => ({ ...blank, bucket, profile_id })),
  )
  assert.deepEqual(await pages([]), [])
  assert.deepEqual(await pages(many.slice(0, loadedMax)), [loadedMax])
  assert.deepEqual(await pages(many), [loadedMax, 1])

  // Random text is not stored compressed, so its weight is its size.
  const large = many.slice(0, 9)
  const note = () =>
    randomBytes(weightMax / 8)
      .toString('base64')
      .slice(0, weightMax / 8 - 1_000)
  for (const { bucket, profile_id } of large) {
    await db.query(sql`update profile set custom = ${JSON.stringify({ note: note() })}::jsonb
      where bucket = ${bucket} and profile_id = ${profile_id}::int8`)
  }
  assert.deepEqual(await pages(large.slice(0, 8)), [8])
  assert.deepEqual(await pages(large), [8, 1])
  assert.deepEqual(await pages(large.toReversed()), [8, 1])
  assert.deepEqual(await pages(large, { all: [] }), [9], 'attributes that are not read have no weight')
  assert.deepEqual(
    await filterPeople(db, workspace_id, { not: tree }, nowMs, large),
    new Set(large.map((one) => one.profile_id)),
  )

  // A person whose attributes weigh more than a page is read alone, and people who were removed do not count.
  const [heavy, removed] = [many[1]!, many[2]!]
  const halves = note().replace(/.{1,500}/g, '$&$&')
  await db.query(sql`update profile set custom = ${JSON.stringify({ note: halves })}::jsonb
    where bucket = ${heavy.bucket} and profile_id = ${heavy.profile_id}::int8`)
  await db.query(sql`delete from profile where bucket = ${removed.bucket} and profile_id = ${removed.profile_id}::int8`)
  gone.add(removed.profile_id)
  assert.deepEqual(await pages(large), [1, 1, 6])
  assert.deepEqual(await pages([removed]), [])
  assert.deepEqual(await pages([many[0]!, removed]), [1])
})
