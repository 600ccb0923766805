import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeCohort, makeCohort } from '../support/cohorts.ts'
import { download, type Entry, filesIn, overOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, newId, only, peopleOf } from '../support/people.ts'

for (const database of drawDatabases('cohorts-segments')) {
  describe(`segments of cohorts (${database})`, () => {
    const people = peopleOf(database)

    const get = async (path: string) => (await people.service.admin('GET', path)).body
    const inCohort = (cohort_id: string, more: Item = {}) => ({ cohort: { partner: 'acme', cohort_id, ...more } })
    const make = async (audience: object) => {
      const { body } = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
      return body.segment as { readonly id: string; readonly sentence: string }
    }
    const count = async (audience: object): Promise<number> =>
      (await get(`/admin/segments/${(await make(audience)).id}/count`)).count

    /** Creates two people with an attribute of their own, the first of them in a new cohort. */
    const pair = async () => {
      const [member, other, cohort, plan] = [newId(), newId(), newId('cohort'), newId('plan')]
      await people.set({ external_id: member, plan }, { external_id: other, plan })
      await makeCohort(people, cohort)
      await changeCohort(people, cohort, { user_ids: [member] })
      return {
        member,
        other,
        cohort,
        ofPair: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: plan } },
      }
    }

    test('a segment has the people of a cohort, or those who are not in it', async () => {
      const { member, other, cohort, ofPair } = await pair()
      const listed = async (audience: object) => {
        const { id } = await make(audience)
        const page = await get(`/admin/segments/${id}/people`)
        return page.people.map(({ external_id }: Item) => external_id)
      }
      assert.deepEqual(await listed(inCohort(cohort)), [member])
      assert.deepEqual(await listed(inCohort(cohort, { comparison: 'is' })), [member])
      assert.deepEqual(await listed({ AND: [ofPair, inCohort(cohort, { comparison: 'is_not' })] }), [other])
      assert.deepEqual(await listed({ AND: [ofPair, { NOT: inCohort(cohort) }] }), [other])
      await changeCohort(people, cohort, { user_ids: [other] }, { user_ids: [member], should_remove: true })
      assert.deepEqual(await listed(inCohort(cohort)), [other])
    })

    test('nobody is in a cohort that does not exist, nor in one of another partner with the same id', async () => {
      const { cohort, ofPair } = await pair()
      await makeCohort(people, cohort, 'Theirs', 'other')
      for (const nowhere of [
        { partner: 'other', cohort_id: cohort },
        { partner: 'acme', cohort_id: newId('cohort') },
      ]) {
        assert.equal(await count({ cohort: nowhere }), 0)
        assert.equal(await count({ AND: [ofPair, { NOT: { cohort: nowhere } }] }), 2)
      }
    })

    test('a segment says why a person is in it or not', async () => {
      const { member, other, cohort } = await pair()
      const { id } = await make(inCohort(cohort))
      const why = async (external_id: string) =>
        (await get(`/admin/segments/${id}/why?external_id=${external_id}`)).because
      const condition = `is in the cohort \`${cohort}\` of \`acme\``
      assert.deepEqual(await why(member), { holds: true, condition, has: 'in the cohort' })
      assert.deepEqual(await why(other), { holds: false, condition, has: 'not in the cohort' })
    })

    test('the people of a cohort are exported by their segment', async () => {
      const { member, cohort } = await pair()
      const { id } = await make(inCohort(cohort))
      const answer = await people.send('/users/export/segment', { segment_id: id, fields_to_export: ['external_id'] })
      assert.equal(answer.status, 201, answer.text)
      const { object_prefix } = answer.body as unknown as Entry
      const entry = await overOf(object_prefix, async () => (await get('/admin/exports?limit=100')).exports)
      assert.equal(entry.people, 1)
      const { bytes } = await download(people.service.url, entry.url!)
      assert.deepEqual(only(Object.values(filesIn(bytes))), [{ external_id: member }])
    })

    test('a condition that is not valid is refused by its path', async () => {
      const mistakes: readonly [object, RegExp][] = [
        [{ cohort_id: 'a' }, /cohort\.partner/],
        [{ partner: 'acme' }, /cohort\.cohort_id/],
        [{ partner: 'A b', cohort_id: 'a' }, /cohort\.partner/],
        [{ partner: 'acme', cohort_id: 'a', comparison: 'has' }, /cohort\.comparison/],
        [{ partner: 'acme', cohort_id: 'a', value: 1 }, /value/],
      ]
      for (const [cohort, expected] of mistakes) {
        const body = { name: newId('Segment'), audience: { cohort } }
        const { status, body: answer } = await people.service.post('/admin/segments', body, {
          key: people.service.adminToken,
        })
        assert.equal(status, 400, JSON.stringify(cohort))
        assert.match(answer.message, expected)
      }
    })
  })
}
