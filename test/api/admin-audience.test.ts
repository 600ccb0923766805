import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { partsMax } from '../../src/audience/builder/schema.ts'
import { audienceLeavesMax, mistakesMax } from '../../src/audience/conditions/parse-condition.ts'
import { audienceBytesMax, levelsMax } from '../../src/audience/segments/schema.ts'
import type { Db } from '../../src/base/db/db.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, newEmail, newId, peopleOf } from '../support/people.ts'

const attribute = (custom_attribute_name: string, value: unknown) => {
  return { custom_attribute: { custom_attribute_name, comparison: 'equals', value } }
}
const plan = (value: unknown) => attribute('plan', value)
const named = (segment_id: string) => ({ segment: { segment_id } })
const permitted = (...appGroupPermissions: string[]) => {
  return { appGroup: [{ appGroupName: 'Default', appGroupPermissions }] }
}

for (const database of drawDatabases('admin-audience')) {
  describe(`conditions that are not stored (${database})`, () => {
    let db: Db
    const people = peopleOf(database, {
      opened(opened) {
        db = opened
      },
    })
    const send = (verb: string, body: unknown) => {
      const { service } = people
      return service.send('POST', `/admin/audience/${verb}`, body, { key: service.adminToken })
    }
    const ask = async (verb: string, body: unknown) => {
      const { status, text, body: answer } = await send(verb, body)
      assert.equal(status, 200, text)
      return answer
    }
    const check = (audience: unknown) => ask('check', { audience })
    const make = async (audience: object, more: object = {}): Promise<string> => {
      const given = { name: newId('Segment'), audience, ...more }
      return (await people.service.admin('POST', '/admin/segments', given)).body.segment.id
    }
    const firstMistake = async (audience: unknown) => (await check(audience)).mistakes[0]

    test('a check says what each part of the conditions means', async () => {
      const city = attribute('city', 'Paris')
      const answer = await check({ AND: [plan('gold'), { NOT: { OR: [city, plan(3)] } }] })
      const inner = '`city` is `Paris` or `plan` equals 3'
      assert.equal(answer.is_valid, true)
      assert.deepEqual(answer.mistakes, [])
      assert.deepEqual(
        answer.parts.map(({ path }: { path: string }) => path),
        [
          'audience',
          'audience.AND[0]',
          'audience.AND[1]',
          'audience.AND[1].NOT',
          'audience.AND[1].NOT.OR[0]',
          'audience.AND[1].NOT.OR[1]',
        ],
      )
      const words = answer.parts.map((part: { words: string }) => part.words)
      assert.equal(words[0], answer.words)
      assert.equal(words[1], '`plan` is `gold`')
      assert.ok(words[0].startsWith(`${words[1]} and `), words[0])
      assert.ok(words[2].includes(words[3]), inner)
      assert.equal(words[4], '`city` is `Paris`')
      const { body } = await people.service.get(`/segments/details?segment_id=${await make(plan('gold'))}`)
      assert.equal(words[1], body.text_description)
    })

    test('mistakes are an answer: each condition has its own', async () => {
      const audience = {
        AND: [plan('gold'), { plan: 'gold' }, { OR: [{ random_bucket: { comparison: 'exists' } }, plan([])] }, {}],
      }
      const { is_valid, words, parts, mistakes } = await check(audience)
      assert.deepEqual([is_valid, words], [false, null])
      assert.deepEqual(parts, [{ path: 'audience.AND[0]', words: '`plan` is `gold`' }])
      assert.deepEqual(
        mistakes.map(({ path }: { path: string }) => path),
        [
          'audience.AND[1].plan',
          'audience.AND[2].OR[0].random_bucket.comparison',
          'audience.AND[2].OR[1].custom_attribute.value',
          'audience.AND[3]',
        ],
      )
      for (const value of [undefined, null, 5, 'x', [], {}, { AND: [] }]) {
        const answer = await check(value)
        assert.deepEqual([answer.is_valid, answer.words, answer.parts, answer.mistakes.length], [false, null, [], 1])
      }
      for (const body of [null, 5, [], 'x']) assert.equal((await send('check', body)).status, 400)
    })

    test('the mistakes of a check are those with which a segment would be refused', async () => {
      const deep = (levels: number): object => (levels === 0 ? plan('x') : { NOT: { AND: [deep(levels - 1)] } })
      const wrong = [
        { AND: [plan('x'), { OR: [] }] },
        deep(11),
        { custom_attribute: { custom_attribute_name: 'plan', comparison: 'matches_regex', value: '(' } },
        { AND: many(audienceLeavesMax + 1, () => plan('x')) },
        { AND: many(201, (i) => ({ custom_event: { name: `e${i}`, comparison: 'exists' } })) },
      ]
      for (const audience of wrong) {
        const { path, message } = await firstMistake(audience)
        const given = { name: newId(), audience }
        const { status, text } = await people.service.send('POST', '/admin/segments', given, {
          key: people.service.adminToken,
        })
        assert.equal(status, 400, text)
        assert.ok(JSON.parse(text).message.includes(`${path} ${message}`), `${text} ${path} ${message}`)
      }
    })

    test('a nested segment is known by its name, and an unknown one is a mistake', async () => {
      const id = await make(plan('gold'), { name: 'Gold people' })
      const { words, is_valid } = await check({ OR: [named(id), named('Gold people')] })
      assert.deepEqual([is_valid, words], [true, 'is in the segment `Gold people` or is in the segment `Gold people`'])
      const { path, message } = await firstMistake({ AND: [plan('x'), { NOT: named('nothing like it') }] })
      assert.equal(path, 'audience.AND[1].NOT.segment.segment_id')
      assert.equal(message, 'names a segment that does not exist: "nothing like it"')
      const not = { segment: { segment_id: 'nothing', comparison: 'is_not' } }
      assert.equal((await firstMistake(not)).path, 'audience.segment.segment_id')
    })

    test('the limits of a check', async () => {
      const names = (count: number) => many(count, (i) => attribute(`a${i}`, 1))
      for (const count of [partsMax - 2, partsMax - 1, partsMax]) {
        const { parts } = await check({ OR: names(count) })
        assert.equal(parts.length, Math.min(partsMax, count + 1))
      }
      for (const count of [mistakesMax - 1, mistakesMax, mistakesMax + 1]) {
        const { mistakes } = await check({ OR: many(count, () => ({})) })
        assert.equal(mistakes.length, Math.min(count, mistakesMax))
      }
      const valid = async (count: number) => (await check({ OR: names(count) })).is_valid
      assert.deepEqual(await Promise.all([-1, 0, 1].map((more) => valid(audienceLeavesMax + more))), [
        true,
        true,
        false,
      ])
      const list = (count: number) => ({ OR: many(120, () => plan('x'.repeat(count))) })
      const bytes = (audience: object) => JSON.stringify(audience).length
      const padded = (size: number) => {
        const audience = list(700)
        const rest = size - bytes(audience)
        const each = many(120, (i) => plan('x'.repeat(700 + Math.floor(rest / 120) + (i < rest % 120 ? 1 : 0))))
        return { OR: each }
      }
      assert.deepEqual(
        await Promise.all([-1, 0, 1].map(async (more) => (await check(padded(audienceBytesMax + more))).is_valid)),
        [true, true, false],
      )
      let id = await make(plan('x'))
      for (let level = 2; level < levelsMax; level++) id = await make(named(id))
      assert.equal((await check(named(id))).is_valid, true)
      const last = await make(named(id))
      assert.match((await firstMistake(named(last))).message, /11 levels deep; at most 10/)
    })

    test('a sample has the people of a stored segment with the same conditions', async () => {
      const value = newId('plan')
      await people.set(...many(15, () => ({ external_id: newId(), plan: value })))
      const { people: sample } = await ask('sample', { audience: plan(value) })
      assert.equal(sample.length, 10)
      const stored = await people.service.admin('GET', `/admin/segments/${await make(plan(value))}/sample`)
      assert.deepEqual(sample, stored.body.people)
      const others = await ask('sample', { audience: plan(value), seed: 3 })
      assert.equal(others.people.length, 10)
      assert.notDeepEqual(others.people, sample)
      const nested = await ask('sample', { audience: { AND: [named(await make(plan(value))), plan(newId())] } })
      assert.deepEqual(nested.people, [])
    })

    test('why explains the same as for a stored segment', async () => {
      const [external_id, email, value] = [newId(), newEmail(), newId('plan')]
      await people.set({ external_id, email, plan: value })
      const audience = { AND: [plan(value), attribute('city', 'Rome')] }
      const stored = await people.service.admin('GET', `/admin/segments/${await make(audience)}/why?email=${email}`)
      const { segment, sentence, ...expected } = stored.body
      const { words, sentence: said, ...answer } = await ask('why', { audience, person: { email } })
      assert.deepEqual(answer, expected)
      assert.equal(words, segment.words)
      assert.match(said, /^The person is not in this audience: the rule is "`city` is `Rome`", the person has /)
      const { service_id } = answer.person
      for (const person of [service_id, { external_id }]) {
        assert.deepEqual((await ask('why', { audience, person })).because, answer.because)
      }
      const nobody = await ask('why', { audience, person: { external_id: newId() } })
      assert.deepEqual([nobody.in, nobody.reason, nobody.person], [false, 'no_such_user', null])
    })

    test('a bad request is refused with the name of the member', async () => {
      const audience = plan('x')
      const mistake = 'audience.plan is not known here; '
      for (const verb of ['count', 'sample', 'why']) {
        const { status, body } = await send(verb, { audience: { plan: 'x' }, person: 'x' })
        assert.equal(status, 400)
        assert.ok(body.message.startsWith(mistake), body.message)
        assert.equal((await send(verb, {})).status, 400)
        assert.equal((await send(verb, [])).status, 400)
      }
      const cases: readonly [string, object, RegExp][] = [
        ['count', { audience, exact: 'yes' }, /^'exact' must be true or false$/],
        ['sample', { audience, seed: -1 }, /^'seed' must be a whole number of at most 9 digits$/],
        ['why', { audience }, /^'person' must be the id of a person, or an object with one identifier$/],
        ['why', { audience, person: 5 }, /^'person' must be /],
        ['why', { audience, person: {} }, /^Exactly one of external_id, /],
        ['why', { audience, person: { external_id: 5 } }, /^'person.external_id' must be text$/],
        ['why', { audience, person: { external_id: 'x', email: 'x@example.com' } }, /^Exactly one of /],
      ]
      for (const [verb, body, message] of cases) {
        const answer = await send(verb, body)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.message, message)
      }
    })

    test('each question takes its ability', async () => {
      const body = { audience: plan('x'), person: { external_id: 'x' } }
      const statuses = async (...permissions: string[]) => {
        const account = await makeAccount(db, permitted(...permissions))
        const one = await signIn(people.service, db, account)
        const verbs = ['check', 'count', 'sample', 'why']
        return Promise.all(verbs.map(async (verb) => (await one.send('POST', `/admin/audience/${verb}`, body)).status))
      }
      assert.deepEqual(await statuses('view_campaigns'), [403, 403, 403, 403])
      assert.deepEqual(await statuses('view_segments'), [200, 403, 403, 403])
      assert.deepEqual(await statuses('edit_segments'), [200, 200, 403, 403])
      assert.deepEqual(await statuses('view_segments', 'view_user_profile', 'view_pii'), [200, 200, 200, 200])
    })
  })
}
