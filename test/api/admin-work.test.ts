import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases, drawDatabases } from '../support/harness.ts'
import {
  dayMs,
  type Item,
  isNow,
  many,
  newAlias,
  newEmail,
  newId,
  only,
  peopleOf,
  type WorkEntry,
} from '../support/people.ts'

const pageMax = 100
const prioritization = ['unidentified']

for (const database of drawDatabases('admin-work')) {
  describe(`GET /admin/work (${database})`, () => {
    const people = peopleOf(database)
    const read = (query: string, key: string | null = people.service.adminToken) =>
      people.service.get(`/admin/work?${query}`, { key })
    const refusal = async (query: string) => {
      const { status, body, text } = await read(query)
      assert.equal(status, 400, text)
      return body.message as string
    }
    const merge = async (...pairs: [Item, Item][]) => {
      const merge_updates = pairs.map(([from, into]) => ({ identifier_to_merge: from, identifier_to_keep: into }))
      const answer = await people.send('/users/merge', { merge_updates })
      assert.equal(answer.status, 202, answer.text)
      return answer
    }
    const nobody = () => ({ external_id: newId('nobody') })

    test('an item has its request and its outcome', async () => {
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone }, { external_id: kept })
      const ids = await Promise.all([gone, kept].map(async (id) => (await people.person(id)).service_id))
      const item = await people.merge({ external_id: gone }, { external_id: kept })
      const { request_id, accepted_at, finished_at, ...rest } = item
      assert.match(request_id, /^[0-9a-f-]{36}$/)
      assert.ok(isNow(accepted_at) && isNow(finished_at!) && accepted_at <= finished_at!)
      assert.deepEqual(rest, {
        position: 0,
        kind: 'merge',
        state: 'done',
        outcome: 'done',
        asked: { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } },
        kept: ids[1],
        merged: ids[0],
        who: `external id ${gone} into external id ${kept}`,
        sentence: 'The two people are one now.',
        family: 'sent',
        actions: [],
      })
    })

    test('an item returns its request in the form in which it was sent', async () => {
      const user_alias = newAlias()
      const address = { email: newEmail(), prioritization }
      const [merged] = await people.done(await merge([{ user_alias }, address]))
      assert.deepEqual(merged?.asked, { identifier_to_merge: { user_alias }, identifier_to_keep: address })
      const external_id = newId()
      const identified = await people.send('/users/identify', {
        aliases_to_identify: [{ external_id, user_alias }],
        phone_numbers_to_identify: [{ external_id, phone: '+1 (555) 000-0001', prioritization }],
        merge_behavior: 'none',
      })
      const asked = (await people.done(identified)).map((item) => item.asked)
      assert.deepEqual(asked, [
        { external_id, user_alias, merge_behavior: 'none' },
        { external_id, phone: '+15550000001', prioritization, merge_behavior: 'none' },
      ])
    })

    test('a deletion does not return its request, whatever its outcome', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const items = await people.delete({ external_ids: [external_id, external_id] })
      const shown = items.map(({ asked, kept, merged, outcome }) => [asked, kept, merged, outcome])
      assert.deepEqual(shown, [
        [null, null, null, 'done'],
        [null, null, null, 'nobody_matched'],
      ])
    })

    test('a request is found by the id of its answer, and its items by their positions', async () => {
      const answer = await merge(...many(5, (): [Item, Item] => [nobody(), nobody()]))
      const id = String(answer.headers['x-request-id'])
      await people.settled()
      for (const request_id of [id, id.toUpperCase()]) {
        const { work, counts } = await people.work(`request_id=${request_id}`)
        assert.deepEqual(
          work.map(({ position }) => position),
          [4, 3, 2, 1, 0],
        )
        assert.ok(work.every((item) => item.request_id === id))
        assert.equal(counts.nobody_matched, 5)
      }
      assert.deepEqual((await people.work('request_id=00000000-0000-4000-8000-000000000000')).work, [])
      assert.match(await refusal('request_id=x'), /^'request_id' must be a UUID/)
    })

    test('items are filtered by kind, state and outcome; counts cover all outcomes of the kind', async () => {
      const external_id = newId()
      await people.set({ external_id })
      await people.merge({ external_id }, { external_id })
      await people.send('/users/identify', { aliases_to_identify: [{ external_id, user_alias: newAlias() }] })
      await people.settled()
      const chosen = async (query: string) => {
        const { work } = await people.work(`limit=${pageMax}&${query}`)
        assert.ok(work.length > 0, query)
        return work
      }
      assert.ok((await chosen('kind=merge')).every(({ kind }) => kind === 'merge'))
      assert.ok((await chosen('kind=identify')).every(({ kind }) => kind === 'identify'))
      assert.ok((await chosen('outcome=same_person')).every(({ outcome }) => outcome === 'same_person'))
      assert.ok((await chosen('state=done&outcome=nobody_matched&kind=identify')).length > 0)
      assert.deepEqual((await people.work('state=waiting')).work, [])
      const { counts } = await people.work('kind=merge&outcome=same_person&limit=1')
      const all = await people.work('limit=1')
      const sum = (some: Readonly<Record<string, number>>) => Object.values(some).reduce((a, b) => a + b)
      assert.equal(counts.waiting, 0)
      assert.ok(counts.same_person! > 0 && counts.nobody_matched! > 0)
      assert.ok(sum(all.counts) > sum(counts))
      assert.deepEqual(Object.keys(counts), [
        'waiting',
        ...['done', 'nobody_matched', 'several_matched', 'same_person', 'already_identified', 'label_taken'],
        ...['discarded', 'failed'],
      ])
    })

    test('pages run from the newest to the oldest item and miss none, also when new items arrive', async () => {
      const requests = await Promise.all(many(4, () => merge(...many(5, (): [Item, Item] => [nobody(), nobody()]))))
      await people.settled()
      const all: WorkEntry[] = []
      let cursor: string | undefined
      do {
        const page = await people.work(`kind=merge&limit=7${cursor ? `&cursor=${cursor}` : ''}`)
        assert.ok(page.work.length === 7 || page.cursor === undefined)
        all.push(...page.work)
        cursor = page.cursor
        if (all.length === 14) await merge([nobody(), nobody()])
      } while (cursor)
      const places = all.map(({ request_id, position }) => `${request_id} ${position}`)
      assert.equal(new Set(places).size, places.length)
      for (const { headers } of requests) {
        for (const position of many(5, (i) => i)) assert.ok(places.includes(`${headers['x-request-id']} ${position}`))
      }
      const times = all.map(({ accepted_at }) => accepted_at)
      assert.deepEqual(times, times.toSorted().reverse())
    })

    test('a limit of 1 or 100 is accepted, 0 and 101 are refused', async () => {
      await merge(...many(50, (): [Item, Item] => [nobody(), nobody()]))
      await merge(...many(50, (): [Item, Item] => [nobody(), nobody()]))
      await people.settled()
      for (const [limit, count] of Object.entries({ 1: 1, 99: 99, 100: 100 })) {
        assert.equal((await people.work(`limit=${limit}`)).work.length, count)
      }
      assert.equal((await people.work()).work.length, 50)
      for (const limit of ['0', '101', '-1', '1.5', 'x', '1e1', '99999999999']) {
        assert.equal(await refusal(`limit=${limit}`), "'limit' must be a whole number from 1 to 100")
      }
    })

    test('an invalid filter is refused', async () => {
      assert.equal(await refusal('kind=move'), "'kind' must be one of merge, delete, identify")
      assert.equal(await refusal('state=gone'), "'state' must be one of waiting, moving, done")
      assert.match(await refusal('outcome=x'), /^'outcome' must be one of done, nobody_matched, /)
      assert.equal(await refusal('kind=merge&kind=delete'), "'kind' may be given once")
      const bad = [
        'x',
        'MTIz',
        Buffer.from('1.0.x').toString('base64url'),
        Buffer.from('9'.repeat(30)).toString('base64url'),
      ]
      for (const cursor of bad) assert.equal(await refusal(`cursor=${cursor}`), "'cursor' is not valid")
      assert.equal((await read('kind=&state=&outcome=&request_id=&limit=&cursor=')).status, 200)
    })

    test('a workspace lists its own work, and merges its own people only', async () => {
      const made = await people.service.admin('POST', '/admin/workspace', { name: newId('workspace') })
      const { id } = made.body.workspace
      const keyed = { name: newId('key'), permissions: ['users.merge', 'users.track', 'users.delete'], allowed_ips: [] }
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${id}`, keyed)
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone, here: 1 }, { external_id: kept })
      const merge_updates = [{ identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }]
      const { status } = await people.service.post('/users/merge', { merge_updates }, { key: body.key.key })
      assert.equal(status, 202)
      const { service_id } = await people.person(gone)
      await people.service.post('/users/delete', { service_ids: [service_id] }, { key: body.key.key })
      await people.settled(id)
      const theirs = await people.work(`workspace=${id}`)
      assert.deepEqual(
        theirs.work.map(({ kind, outcome }) => `${kind} ${outcome}`),
        ['delete nobody_matched', 'merge nobody_matched'],
      )
      assert.equal((await people.find({ external_ids: [gone, kept] })).length, 2)
      assert.equal((await read('workspace=nowhere')).status, 404)
    })

    test('metrics count the waiting items and the outcomes of the others', async () => {
      await people.settled()
      const text = (await people.service.get('/metrics')).text
      assert.match(text, /^easel_work_waiting_items 0$/m)
      assert.match(text, /^easel_work_items_total\{kind="merge",outcome="nobody_matched"\} \d+$/m)
      assert.match(text, /^easel_work_bisects_total 0$/m)
    })
  })
}

describe('GET /admin/work without background work', {
  skip: databases.includes('postgres') ? false : 'PostgreSQL is not here',
}, () => {
  const people = peopleOf('postgres', { env: { EASEL_ROLE: 'http' } })
  const nobody = { external_id: 'nobody' }

  test('a deletion also removes people from waiting items', async () => {
    const external_id = newId()
    await people.set({ external_id })
    const merge_updates = [{ identifier_to_merge: { external_id }, identifier_to_keep: nobody }]
    const deleting = await people.send('/users/delete', { external_ids: [external_id] })
    const merging = await people.send('/users/merge', { merge_updates })
    const [merge, deletion] = (await people.work()).work
    assert.deepEqual([merge?.state, merge?.outcome, merge?.finished_at], ['waiting', null, null])
    assert.deepEqual([merge?.asked, deletion?.asked], [merge_updates[0], { external_id }])
    // A request that waits for its outcome waits for all items about the same people that were accepted before it.
    await people.send('/users/identify', { aliases_to_identify: [{ external_id, user_alias: newAlias() }] })
    const found = async ({ headers }: typeof merging) =>
      only((await people.work(`request_id=${headers['x-request-id']}`)).work)
    const outcomesOf = async (answer: typeof merging) => {
      const { state, outcome, asked, kept, merged } = await found(answer)
      return [state, outcome, asked, kept, merged]
    }
    assert.deepEqual(await outcomesOf(deleting), ['moving', 'done', null, null, null])
    assert.deepEqual(await outcomesOf(merging), ['done', 'nobody_matched', null, null, null])
  })
})

describe('GET /admin/work by a virtual clock', () => {
  const people = peopleOf('pglite', { env: { EASEL_CLOCK: 'virtual' } })

  test('work is done while the virtual clock does not move, and has its time', async () => {
    const now = async (): Promise<string> => (await people.service.admin('GET', '/admin/clock')).body.now
    const before = await now()
    const [gone, kept] = [newId(), newId()]
    await people.set({ external_id: gone }, { external_id: kept })
    const first = await people.merge({ external_id: gone }, { external_id: kept })
    assert.equal(first.outcome, 'done')
    await people.service.advance('P1D')
    const second = await people.merge({ external_id: gone }, { external_id: kept })
    assert.equal(second.outcome, 'nobody_matched')
    const after = await now()
    assert.equal(Date.parse(after) - Date.parse(before), dayMs)
    const moments = [first, second].map(({ accepted_at, finished_at }) => [accepted_at, finished_at])
    assert.deepEqual(moments, [
      [before, before],
      [after, after],
    ])
  })
})
