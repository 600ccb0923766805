import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeCohort, cohortsOf, listedCohorts, makeCohort, membersOf, partnerSends } from '../support/cohorts.ts'
import { newDevice, tell } from '../support/devices.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { type Item, isNow, many, newAlias, newId, only, peopleOf } from '../support/people.ts'
import { linesOf, peopleIn, restore } from '../support/people-lines.ts'

const texts = {
  partner: "'partner' must be 1 to 64 lower-case letters, digits, dashes and underscores",
  id: "'cohort_id' must be a text of 1 to 255 characters",
  name: "'name' must be a text of 1 to 255 characters",
  createdAt: "'created_at' must be a time in ISO 8601",
  changes: "'cohort_changes' must be an array of objects",
  manyChanges: "'cohort_changes' may have at most 1000 objects",
  manyPeople: "'cohort_changes' may name at most 1000 people",
  manyCohorts: 'There are at most 1000 cohorts in a workspace',
  unknown: "'cohort_id' is the id of no cohort of this partner: create the cohort first",
}
const isNobody = 'matches nobody: it was left out'
const at = '2026-01-15T12:00:00.000Z'

/** Returns a line of a backup about a person who is in these cohorts. */
function lineIn(external_id: string, ids: readonly string[]): object {
  const cohorts = ids.map((id) => ({ cohort_id: { partner: 'acme', id, name: `Cohort ${id}` }, added_at: at }))
  return { profile: { external_id }, cohorts }
}

for (const database of drawDatabases('cohorts')) {
  describe(`cohorts (${database})`, () => {
    const people = peopleOf(database)

    const newPerson = async (): Promise<string> => {
      const external_id = newId()
      await people.set({ external_id, plan: 'gold' })
      return external_id
    }
    const newCohort = async (): Promise<string> => {
      const id = newId('cohort')
      await makeCohort(people, id)
      return id
    }
    const refused = async (path: string, body: Item, message: string): Promise<void> => {
      const answer = await partnerSends(people, path, body)
      assert.deepEqual([answer.status, answer.body.message], [400, message], JSON.stringify(body).slice(0, 200))
    }

    test('a cohort is created once, and created again it gets another name', async () => {
      const cohort_id = newId('cohort')
      const body = { cohort_id, name: 'Likes tea', created_at: '2026-01-15T12:00:00Z' }
      for (const name of ['Likes tea', 'Likes tea', 'Likes mint']) {
        const { status, body: answer } = await partnerSends(people, 'acme/cohorts', { ...body, name })
        assert.deepEqual([status, answer], [201, { message: 'success' }])
      }
      const found = (await listedCohorts(people)).filter((cohort) => cohort.cohort_id === cohort_id)
      const { updated_at, ...cohort } = only(found)
      assert.deepEqual(cohort, { partner: 'acme', cohort_id, name: 'Likes mint', members: 0, created_at: at })
      assert.ok(isNow(updated_at))
    })

    test('partners have ids of their own', async () => {
      const [id, external_id] = [await newCohort(), await newPerson()]
      await makeCohort(people, id, 'Theirs', 'other-1_x')
      await changeCohort(people, id, { user_ids: [external_id] })
      const own = (await listedCohorts(people)).filter((cohort) => cohort.cohort_id === id)
      assert.deepEqual(
        own.map(({ partner, members }) => [partner, members]),
        [
          ['acme', 1],
          ['other-1_x', 0],
        ],
      )
    })

    test('people join and leave by external id, device and alias, and the last change of a person counts', async () => {
      const cohort = await newCohort()
      const [ann, bob, cid] = [await newPerson(), await newPerson(), await newPerson()]
      const alias = newAlias()
      await people.send('/users/alias/new', { user_aliases: [{ external_id: bob, ...alias }] })
      const device = newDevice()
      await tell(people, device, { identifier: { external_id: cid } })
      const all = { user_ids: [ann], aliases: [alias], device_ids: [device] }
      assert.deepEqual(await changeCohort(people, cohort, all), [])
      for (const each of [ann, bob, cid]) assert.deepEqual(await cohortsOf(people, each), [cohort])
      await changeCohort(people, cohort, all)
      assert.equal(await membersOf(people, cohort), 3)
      await changeCohort(people, cohort, { aliases: [alias], should_remove: true }, { user_ids: [bob, ann] })
      assert.equal(await membersOf(people, cohort), 3)
      await changeCohort(people, cohort, { user_ids: [bob, ann] }, { user_ids: [ann], should_remove: true })
      assert.deepEqual(await cohortsOf(people, ann), [])
      await changeCohort(people, cohort, { ...all, should_remove: 'true' })
      assert.equal(await membersOf(people, cohort), 0)
    })

    test('identifiers of nobody create nobody, and the answer names them', async () => {
      const [cohort, external_id, nobody] = [await newCohort(), await newPerson(), newId()]
      const notices = await changeCohort(
        people,
        cohort,
        { user_ids: [external_id, nobody] },
        { device_ids: [newDevice()], should_remove: true },
      )
      assert.deepEqual(notices, [
        { index: 1, input_array: 'cohort_changes[0].user_ids', member: 'user_ids', reason: isNobody },
        { index: 0, input_array: 'cohort_changes[1].device_ids', member: 'device_ids', reason: isNobody },
      ])
      assert.equal(await membersOf(people, cohort), 1)
      assert.deepEqual(await people.find({ external_ids: [nobody] }), [])
    })

    test('a strict key refuses a request with an identifier of nobody', async () => {
      const [cohort, external_id] = [await newCohort(), await newPerson()]
      const given = { name: newId('key'), permissions: ['partners.cohorts'], strict: true }
      const { key } = (await people.service.admin('POST', '/admin/keys', given)).body.key
      const cohort_changes = [{ user_ids: [external_id, newId()] }]
      const { status } = await partnerSends(people, 'acme/cohorts/users', { cohort_id: cohort, cohort_changes }, key)
      assert.equal(status, 400)
      assert.equal(await membersOf(people, cohort), 0)
    })

    test('bad input is refused, and nothing changes', async () => {
      const cohort_id = await newCohort()
      const [person, long] = [await newPerson(), 'x'.repeat(256)]
      const good = { cohort_id, name: 'n' }
      for (const partner of ['A', 'a.b', 'a%20b', 'x'.repeat(65)]) {
        await refused(`${partner}/cohorts`, good, texts.partner)
        await refused(`${partner}/cohorts/users`, { cohort_id, cohort_changes: [] }, texts.partner)
      }
      await makeCohort(people, newId(), 'n', 'x'.repeat(64))
      for (const id of [undefined, null, '', ' ', {}, [], true, long, 'a\0']) {
        await refused('acme/cohorts', { ...good, cohort_id: id }, texts.id)
        await refused('acme/cohorts/users', { cohort_id: id, cohort_changes: [{}] }, texts.id)
      }
      for (const name of [undefined, null, '', ' ', {}, 5, long]) {
        await refused('acme/cohorts', { ...good, name }, texts.name)
      }
      for (const created_at of ['yesterday', 5, {}]) {
        await refused('acme/cohorts', { ...good, created_at }, texts.createdAt)
      }
      for (const cohort_changes of [undefined, null, {}, 'a', [5], [[]]]) {
        await refused('acme/cohorts/users', { cohort_id, cohort_changes }, texts.changes)
      }
      const change = (more: Item) => ({ cohort_id, cohort_changes: [{ user_ids: [person] }, more] })
      const list = "'cohort_changes[1].user_ids' must be an array"
      await refused('acme/cohorts/users', change({ user_ids: person }), list)
      for (const should_remove of [5, '', 'yes']) {
        const message = "'cohort_changes[1].should_remove' is not valid"
        await refused('acme/cohorts/users', change({ should_remove }), message)
      }
      for (const bad of [{ user_ids: [''] }, { device_ids: [5] }, { aliases: [{ alias_name: 'a' }] }]) {
        const { status } = await partnerSends(people, 'acme/cohorts/users', change(bad))
        assert.equal(status, 400, JSON.stringify(bad))
      }
      const body = { cohort_id: newId(), cohort_changes: [{ user_ids: [person] }] }
      await refused('acme/cohorts/users', body, texts.unknown)
      assert.equal(await membersOf(people, cohort_id), 0)
    })

    test('a request names at most 1,000 people, in at most 1,000 changes', async () => {
      const cohort_id = await newCohort()
      const ids = many(1001, () => newId())
      for (const count of [999, 1000]) {
        const half = count >> 1
        const changes = [{ user_ids: ids.slice(0, half) }, { device_ids: ids.slice(half, count), should_remove: true }]
        assert.equal((await changeCohort(people, cohort_id, ...changes)).length, 100)
        assert.deepEqual(await changeCohort(people, cohort_id, ...many(count, () => ({ user_ids: [] }))), [])
      }
      const halves = [{ user_ids: ids.slice(0, 500) }, { device_ids: ids.slice(500) }]
      await refused('acme/cohorts/users', { cohort_id, cohort_changes: halves }, texts.manyPeople)
      await refused('acme/cohorts/users', { cohort_id, cohort_changes: many(1001, () => ({})) }, texts.manyChanges)
    })

    test('a person is in at most 100 cohorts', async () => {
      const external_id = newId()
      const held = many(98, () => newId('cohort'))
      await restore(people.service, [lineIn(external_id, held)])
      assert.equal((await cohortsOf(people, external_id)).length, 98)
      const further = await Promise.all(many(3, newCohort))
      const reasons: (string | undefined)[] = []
      for (const id of further) reasons.push((await changeCohort(people, id, { user_ids: [external_id] }))[0]?.reason)
      const reason = 'has a person who is in 100 cohorts already: the person was not added'
      assert.deepEqual(reasons, [undefined, undefined, reason])
      assert.deepEqual(await changeCohort(people, held[0]!, { user_ids: [external_id] }), [])
      assert.equal((await cohortsOf(people, external_id)).length, 100)
    })

    test('a workspace has at most 1,000 cohorts, also when people are imported', async () => {
      await using service = await startService({ database })
      const own = { service } as typeof people
      await restore(service, [
        lineIn(
          'first',
          many(998, (n) => `c${n}`),
        ),
      ])
      const make = (id: string) => partnerSends(own, 'acme/cohorts', { cohort_id: id, name: id })
      assert.equal((await make('x1')).status, 201)
      assert.equal((await make('x2')).status, 201)
      const { status, body } = await make('x3')
      assert.deepEqual([status, body.message], [400, texts.manyCohorts])
      assert.equal((await make('x1')).status, 201)
      for (const query of ['?plan=true', '']) {
        const reply = await restore(service, [lineIn('second', ['c0', 'x4'])], query)
        assert.deepEqual([reply.imported, reply.cohorts_left_out], [1, ['acme:x4']])
      }
      assert.equal((await listedCohorts(own)).find(({ cohort_id }) => cohort_id === 'c0')?.members, 2)
    })

    test('a merge unites the cohorts of both people, and a deletion empties them', async () => {
      const [kept, gone] = [await newPerson(), await newPerson()]
      const [both, first, second] = [await newCohort(), await newCohort(), await newCohort()]
      await changeCohort(people, both, { user_ids: [kept, gone] })
      await changeCohort(people, first, { user_ids: [kept] })
      await changeCohort(people, second, { user_ids: [gone] })
      await people.merge({ external_id: gone }, { external_id: kept })
      assert.deepEqual((await cohortsOf(people, kept)).toSorted(), [both, first, second].toSorted())
      assert.equal(await membersOf(people, both), 1)
      await people.delete({ external_ids: [kept] })
      for (const id of [both, first, second]) assert.equal(await membersOf(people, id), 0)
      await people.set({ external_id: kept })
      assert.deepEqual(await cohortsOf(people, kept), [])
    })

    test('people who are merged meanwhile are in the cohort once, and nobody else is', async () => {
      const cohort = await newCohort()
      const pairs = await Promise.all(many(6, async () => [await newPerson(), await newPerson()] as const))
      await Promise.all(
        pairs.flatMap(([kept, gone]) => [
          people.merge({ external_id: gone }, { external_id: kept }),
          changeCohort(people, cohort, { user_ids: [gone, kept] }),
        ]),
      )
      for (const [kept] of pairs) assert.deepEqual(await cohortsOf(people, kept), [cohort])
      assert.equal(await membersOf(people, cohort), pairs.length)
    })

    test('concurrent requests about the same people are all applied, and none exceeds the limit of a person', async () => {
      const [first, second] = [newId(), newId()]
      const held = many(97, () => newId('cohort'))
      await restore(people.service, [lineIn(first, held), lineIn(second, held)])
      const further = await Promise.all(many(6, newCohort))
      const answers = await Promise.all(
        further.map((id, i) => changeCohort(people, id, { user_ids: i % 2 === 0 ? [first, second] : [second, first] })),
      )
      assert.equal(answers.filter(({ length }) => length === 0).length, 3)
      for (const external_id of [first, second]) assert.equal((await cohortsOf(people, external_id)).length, 100)
    })

    test('a person with another external id stays in the cohort', async () => {
      const [cohort, current_external_id, new_external_id] = [await newCohort(), await newPerson(), newId()]
      await changeCohort(people, cohort, { user_ids: [current_external_id] })
      const renames = [{ current_external_id, new_external_id }]
      await people.send('/users/external_ids/rename', { external_id_renames: renames })
      assert.deepEqual(await cohortsOf(people, new_external_id), [cohort])
      await changeCohort(people, cohort, { user_ids: [current_external_id], should_remove: true })
      assert.equal(await membersOf(people, cohort), 0)
    })

    test('an administrator deletes a cohort that no segment names, and its people stay', async () => {
      const [id, other, external_id] = [await newCohort(), await newCohort(), await newPerson()]
      for (const cohort of [id, other]) await changeCohort(people, cohort, { user_ids: [external_id] })
      const path = `/admin/cohorts/acme/${encodeURIComponent(id)}`
      const remove = (of: string) => people.service.send('DELETE', of, undefined, { key: people.service.adminToken })
      const audience = { cohort: { partner: 'acme', cohort_id: id, comparison: 'is_not' } }
      const segment = (await people.service.admin('POST', '/admin/segments', { name: newId('S'), audience })).body
        .segment
      const refused = await remove(path)
      assert.deepEqual(
        [refused.status, refused.body.message],
        [409, `The cohort is named by the segment "${segment.name}": change or delete it first`],
      )
      assert.equal(await membersOf(people, id), 1)
      await people.service.admin('DELETE', `/admin/segments/${segment.id}`)
      assert.equal((await remove(path)).status, 204)
      assert.equal(await membersOf(people, id), undefined)
      assert.deepEqual(await cohortsOf(people, external_id), [other])
      assert.equal((await remove(path)).status, 404)
      const [{ action, target }] = (await people.service.admin('GET', '/admin/audit?limit=1')).body.audit
      assert.deepEqual([action, target.id], ['cohort.delete', `acme:${id}`])
      const answer = await partnerSends(people, 'acme/cohorts/users', {
        cohort_id: id,
        cohort_changes: [{ user_ids: [external_id] }],
      })
      assert.deepEqual([answer.status, answer.body.message], [400, texts.unknown])
      // The same names are a new cohort without people.
      await makeCohort(people, id)
      assert.equal(await membersOf(people, id), 0)
    })

    test('people who are added while their cohort is deleted are in no cohort', async () => {
      const id = await newCohort()
      const added = await Promise.all(many(4, newPerson))
      const remove = () =>
        people.service.send('DELETE', `/admin/cohorts/acme/${id}`, undefined, { key: people.service.adminToken })
      const add = (person: string) =>
        partnerSends(people, 'acme/cohorts/users', { cohort_id: id, cohort_changes: [{ user_ids: [person] }] })
      const [removed, ...answers] = await Promise.all([remove(), ...added.map(add)])
      assert.equal(removed.status, 204)
      for (const { status } of answers) assert.ok(status === 201 || status === 400)
      await makeCohort(people, id)
      assert.equal(await membersOf(people, id), 0)
      for (const person of added) assert.deepEqual(await cohortsOf(people, person), [])
    })

    test('an export has all cohorts with their times, and an import creates them', async () => {
      await using source = await startService({ database })
      await using target = await startService({ database })
      const [from, to] = [{ service: source } as typeof people, { service: target } as typeof people]
      await partnerSends(from, 'acme/cohorts', {
        cohort_id: 'empty',
        name: 'Empty',
        created_at: '2020-01-15T12:00:00Z',
      })
      await makeCohort(from, 'second', 'Second', 'other')
      const lines = await linesOf(source)
      for (const query of ['?plan=true', '']) {
        assert.deepEqual(await listedCohorts(to), [])
        assert.deepEqual((await restore(target, lines, query)).left_out, [])
      }
      assert.deepEqual(await listedCohorts(to), await listedCohorts(from))
      assert.equal((await listedCohorts(to))[0]!.created_at, at.replace('2026', '2020'))
      // Cohorts that exist do not change.
      await makeCohort(to, 'empty', 'Renamed')
      const renamed = await listedCohorts(to)
      await restore(target, lines)
      assert.deepEqual(await listedCohorts(to), renamed)
      const [{ cohorts, ...head }] = lines
      const bad = [{ ...head, cohorts: [{ ...cohorts[0], partner: 'A' }] }, { ...head, cohorts: 5 }, head]
      assert.deepEqual((await restore(target, bad)).left_out, [
        { index: 0, reason: 'cohorts[0].partner is not valid' },
        { index: 1, reason: 'cohorts is not a list' },
      ])
    })

    test('an export has the cohorts of people, and an import creates them', async () => {
      await using source = await startService({ database })
      await using target = await startService({ database })
      const from = { service: source } as typeof people
      await source.post('/users/track', { attributes: [{ external_id: 'ann' }, { external_id: 'bob' }] })
      for (const id of ['b', 'a']) {
        await makeCohort(from, id, `Cohort ${id}`)
        await changeCohort(from, id, { user_ids: ['ann'] })
      }
      const lines = await linesOf(source)
      const { cohorts } = peopleIn(lines).find(({ profile }) => profile.external_id === 'ann')
      const names = ['a', 'b'].map((id) => ({ partner: 'acme', id, name: `Cohort ${id}` }))
      assert.deepEqual(
        cohorts.map((each: { cohort_id: unknown }) => each.cohort_id),
        names,
      )
      assert.deepEqual((await restore(target, lines)).cohorts_left_out, [])
      assert.deepEqual(peopleIn(await linesOf(target)), peopleIn(lines))
      assert.deepEqual(
        (await listedCohorts({ service: target } as typeof people)).map(({ cohort_id, name, members }) => [
          ...[cohort_id, name, members],
        ]),
        [
          ['a', 'Cohort a', 1],
          ['b', 'Cohort b', 1],
        ],
      )
    })
  })
}
