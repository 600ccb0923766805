import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newEmail, newId } from '../support/people.ts'
import { campaign, canvas, audience as goldAudience } from '../support/triggers.ts'

type Count = { readonly count: number; readonly without_attribute: number }

const attribute = (custom_attribute_name: string, comparison: string, value?: unknown): Item => ({
  custom_attribute: { custom_attribute_name, comparison, ...(value !== undefined && { value }) },
})

for (const database of drawDatabases('conditions-unset')) {
  describe(`conditions and people who lack the attribute (${database})`, () => {
    const people = mailedOf(database, { workspace: sendingWorkspace })

    const make = async (audience: Item): Promise<string> => {
      const { body } = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
      return body.segment.id
    }
    const words = async (audience: Item): Promise<string> => {
      const { body } = await people.service.get(`/segments/details?segment_id=${await make(audience)}`)
      return body.text_description
    }

    /** Creates a person for each of these values of a new attribute; undefined: the person lacks it. */
    const crowd = async (...values: unknown[]) => {
      const [name, ring] = [newId('attribute'), newId('ring')]
      await people.set(
        ...values.map((value) => ({ external_id: newId(), ring, ...(value !== undefined && { [name]: value }) })),
      )
      const among = (condition: Item): Item => ({ AND: [attribute('ring', 'equals', ring), condition] })
      const count = async (condition: Item): Promise<Count> =>
        (await people.service.admin('GET', `/admin/segments/${await make(among(condition))}/count`)).body
      return { name, ring, among, count }
    }

    test('a count says how many people are selected only because they lack the attribute', async () => {
      const { name, count } = await crowd(0, 3, 9, 'text', undefined, undefined, null)
      const cases: readonly [condition: Item, count: number, without_attribute: number][] = [
        [attribute(name, 'less_than', 5), 5, 3],
        [attribute(name, 'less_than_or_equal_to', 3), 5, 3],
        [attribute(name, 'equals', 0), 4, 3],
        [attribute(name, 'not_equal', 0), 3, 0],
        [attribute(name, 'not_equal', 3), 6, 3],
        [attribute(name, 'not_equal', 'text'), 6, 3],
        [attribute(name, 'does_not_equal', true), 7, 3],
        [attribute(name, 'does_not_include_value', 'a'), 7, 3],
        [attribute(name, 'equals', 3), 1, 0],
        [attribute(name, 'greater_than', -1), 3, 0],
        [attribute(name, 'exists'), 4, 0],
        [attribute(name, 'does_not_exist'), 3, 0],
        [{ NOT: attribute(name, 'equals', 3) }, 6, 3],
        [{ NOT: attribute(name, 'less_than', 5) }, 2, 0],
        [{ NOT: attribute(name, 'matches_regex', 'e.t') }, 6, 3],
        [{ NOT: { AND: [attribute(name, 'greater_than', 2), attribute(name, 'less_than', 5)] } }, 6, 3],
        [{ OR: [attribute(name, 'equals', 9), attribute(name, 'less_than', 1)] }, 5, 3],
        [{ OR: [attribute(name, 'does_not_exist'), attribute(name, 'less_than', 1)] }, 4, 0],
      ]
      for (const [condition, selected, unset] of cases) {
        const what = JSON.stringify(condition)
        const { count: all, without_attribute } = await count(condition)
        assert.deepEqual([all, without_attribute], [selected, unset], what)
      }
      for (const [condition, selected, unset] of cases.slice(0, 2)) {
        const { count: rest } = await count({ AND: [condition, attribute(name, 'exists')] })
        assert.equal(rest, selected - unset, 'exists leaves them out')
      }
    })

    test('the words of a condition say so too', async () => {
      const cases: readonly [condition: Item, words: string][] = [
        [attribute('visits', 'less_than', 5), '`visits` is less than 5 (or is not set)'],
        [attribute('visits', 'equals', 0), '`visits` is 0 (or is not set)'],
        [attribute('plan', 'not_equal', 'gold'), '`plan` is not `gold` (or is not set)'],
        [{ NOT: attribute('plan', 'equals', 'gold') }, 'not (`plan` is `gold`) (also when `plan` is not set)'],
        [
          { AND: [attribute('plan', 'not_equal', 'gold'), attribute('plan', 'exists')] },
          '`plan` is not `gold` (or is not set) and `plan` is set',
        ],
      ]
      for (const [condition, expected] of cases) assert.equal(await words(condition), expected)
    })

    test('every person is either equal or not equal to a text, whatever the letter case', async () => {
      const values = ['gold', 'Gold', 'GOLD', 'göld', 'GÖLD', '', 'gold ', 5, true, ['gold'], undefined]
      const { name, count } = await crowd(...values)
      for (const value of ['gold', 'Gold', 'göld', '', 'silver']) {
        const equal = (await count(attribute(name, 'equals', value))).count
        const different = (await count(attribute(name, 'not_equal', value))).count
        assert.equal(equal, values.filter((each) => each === value).length, value)
        assert.equal(equal + different, values.length, value)
      }
    })

    test('the same holds for standard attributes, nested attributes and properties of events', async () => {
      const ring = newId('ring')
      const persons = ['Ann', 'ann', undefined].map((first_name) => ({
        external_id: newId(),
        ring,
        ...(first_name && { first_name, address: { city: first_name } }),
      }))
      await people.set(...persons)
      const time = new Date().toISOString()
      await people.happen(
        ...persons.map(({ external_id, first_name }) => ({
          external_id,
          name: ring,
          time,
          properties: { ...(first_name && { who: first_name }) },
        })),
      )
      const conditions = (comparison: string): Item[] => [
        { standard_attribute: { name: 'first_name', comparison, value: 'ann' } },
        { custom_attribute: { custom_attribute_name: 'address', path: ['city'], comparison, value: 'ann' } },
        {
          custom_event: {
            name: ring,
            comparison: 'greater_than_or_equal_to',
            value: 1,
            properties: [{ name: 'who', comparison, value: 'ann' }],
          },
        },
      ]
      for (const [comparison, expected] of [
        ['equals', 1],
        ['not_equal', 2],
      ] as const) {
        for (const condition of conditions(comparison)) {
          const id = await make({ AND: [attribute('ring', 'equals', ring), condition] })
          const { body } = await people.service.admin('GET', `/admin/segments/${id}/count`)
          assert.equal(body.count, expected, JSON.stringify(condition))
        }
      }
    })

    test('a dry run has the conditions in words, and says how many would enter only for lacking an attribute', async () => {
      const { name, among, ring } = await crowd(1, 9, undefined, undefined)
      const few = attribute(name, 'less_than', 5)
      const segment_id = await make(among(few))
      const flows = [
        ['canvas', '/admin/canvases', canvas(newId('canvas'), { segment: { segment_id } })],
        ['campaign', '/admin/campaigns', campaign(newId('campaign'), { segment: { segment_id } })],
      ] as const
      // Without an address nobody would get a mail.
      const all = await people.service.admin(
        'GET',
        `/admin/segments/${await make(attribute('ring', 'equals', ring))}/people`,
      )
      const ids: string[] = all.body.people.map(({ external_id }: Item) => external_id)
      await people.set(...ids.map((external_id) => ({ external_id, email: newEmail() })))
      for (const [kind, path, definition] of flows) {
        const { id } = (await people.service.admin('POST', path, definition)).body[kind]
        const run = async (body?: Item) => (await people.service.admin('POST', `${path}/${id}/dry_run`, body)).body
        const whole = await run()
        assert.deepEqual([whole.counts.would_enter, whole.without_attribute], [3, 2])
        assert.deepEqual(whole.words, {
          segment: `\`ring\` is \`${ring}\` and \`${name}\` is less than 5 (or is not set)`,
        })
        const both = await run({ audience: { AND: [attribute(name, 'exists')] } })
        assert.deepEqual([both.counts.would_enter, both.without_attribute], [1, 0])
        assert.equal(both.words.audience, `\`${name}\` is set`)
        const named = await run({ recipients: ids.map((external_user_id) => ({ external_user_id })) })
        assert.deepEqual([named.counts.would_enter, named.without_attribute], [3, 2])
        const gold = await run({ audience: goldAudience })
        assert.deepEqual([gold.counts.would_enter, gold.without_attribute], [0, 0])
      }
    })
  })
}
