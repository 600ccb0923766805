import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newEmail, newId, only, peopleOf } from '../support/people.ts'

const plan = (value: string) => ({ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } })
const named = (segment_id: string) => ({ segment: { segment_id } })

const peopleMax = 500
const sampleMax = 100

type Person = { readonly external_id: string | null; readonly service_id: string }
type Page = { readonly people: readonly Person[]; readonly next: string | null }

for (const database of drawDatabases('admin-segments')) {
  describe(`who is in a segment (${database})`, () => {
    const people = peopleOf(database)

    const asAdmin = (path: string) => people.service.send('GET', path, undefined, { key: people.service.adminToken })
    const get = async (path: string) => (await people.service.admin('GET', path)).body
    const make = async (audience: object): Promise<string> => {
      const { body } = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
      return body.segment.id
    }
    /** Creates `count` people with an attribute that only they have, and a segment that selects them. */
    const crowd = async (count: number) => {
      const value = newId('plan')
      const ids = many(count, () => newId())
      for (let from = 0; from < count; from += 50) {
        await people.set(...ids.slice(from, from + 50).map((external_id) => ({ external_id, plan: value })))
      }
      return { value, ids, id: await make(plan(value)) }
    }
    const idsOf = (people: readonly Person[]) => people.map(({ external_id }) => external_id!)
    const count = async (id: string): Promise<number> => (await get(`/admin/segments/${id}/count`)).count
    const why = (id: string, who: Record<string, string>) =>
      get(`/admin/segments/${id}/why?${new URLSearchParams(who)}`)

    test('the size of a segment is counted when it is requested', async () => {
      const { id, ids, value } = await crowd(3)
      assert.equal(await count(id), 3)
      await people.set({ external_id: ids[0], plan: 'other' }, { external_id: newId(), plan: value.toUpperCase() })
      assert.equal(await count(id), 2)
      await people.delete({ external_ids: [ids[1]] })
      assert.equal(await count(id), 1)
      assert.equal(await count(await make({ AND: [plan(value), plan('other')] })), 0)
      assert.equal(await count(await make({ OR: [plan(value), { AND: [plan('other'), named(id)] }] })), 1)
    })

    test('people are listed page by page, each once, always in the same order', async () => {
      const { id, ids } = await crowd(23)
      const read = async (limit: number): Promise<string[]> => {
        const found: string[] = []
        let after: string | null = null
        do {
          const page: Page = await get(
            `/admin/segments/${id}/people?limit=${limit}${after === null ? '' : `&after=${after}`}`,
          )
          assert.ok(page.people.length <= limit)
          found.push(...idsOf(page.people))
          after = page.next
        } while (after !== null)
        return found
      }
      const all = await read(peopleMax)
      assert.deepEqual(all.toSorted(), ids.toSorted())
      for (const limit of [1, 5, 22, 23, 24]) assert.deepEqual(await read(limit), all, `pages of ${limit}`)
      const page: Page = await get(`/admin/segments/${id}/people`)
      assert.deepEqual([idsOf(page.people), page.next], [all, null])
    })

    test('a person is listed by their identifiers', async () => {
      const [external_id, email, value] = [newId(), newEmail(), newId('plan')]
      const user_alias = { alias_name: newId(), alias_label: 'crm' }
      await people.set({ external_id, email, first_name: 'Ada', last_name: 'L', phone: '+15551230000', plan: value })
      const alias = await people.send('/users/alias/new', { user_aliases: [{ external_id, ...user_alias }] })
      assert.equal(alias.status, 201)
      const page = await get(`/admin/segments/${await make(plan(value))}/people`)
      const { service_id, created_at, ...person } = only(page.people as Record<string, unknown>[])
      assert.deepEqual(person, {
        external_id,
        email,
        phone: '+15551230000',
        first_name: 'Ada',
        last_name: 'L',
        user_aliases: [user_alias],
      })
      assert.match(String(service_id), /^[0-9a-f]{24}$/)
      assert.ok(Date.parse(String(created_at)) > 0)
      assert.equal((await people.person(external_id)).service_id, service_id)
    })

    test('a sample is a part of the people, and the same seed gives the same people', async () => {
      const { id, ids } = await crowd(40)
      const sample = async (query: string) => idsOf((await get(`/admin/segments/${id}/sample?${query}`)).people)
      const some = await sample('')
      assert.equal(some.length, 10)
      assert.equal(new Set(some).size, 10)
      assert.ok(some.every((external_id) => ids.includes(external_id)))
      assert.deepEqual(await sample('seed=0&limit=10'), some)
      const seeds = await Promise.all(many(8, (seed) => sample(`seed=${seed}&limit=5`)))
      assert.ok(new Set(seeds.map((each) => each.toSorted().join())).size > 1, 'another seed gives other people')
      assert.deepEqual((await sample('limit=100')).toSorted(), ids.toSorted())
      assert.deepEqual((await get(`/admin/segments/${await make(plan(newId()))}/sample`)).people, [])
    })

    test('why returns for each condition whether it holds, and the value that the person has', async () => {
      const [external_id, email, value] = [newId(), newEmail(), newId('plan')]
      const user_alias = { alias_name: newId(), alias_label: 'why' }
      await people.set({ external_id, email, plan: value, city: 'Paris' })
      await people.send('/users/alias/new', { user_aliases: [{ external_id, ...user_alias }] })
      const inner = await make(plan(value))
      const city = (text: string) => ({
        custom_attribute: { custom_attribute_name: 'city', comparison: 'equals', value: text },
      })
      const id = await make({ AND: [named(inner), city('Paris')] })
      const { segment, person, because, sentence, ...verdict } = await why(id, { external_id })
      assert.deepEqual(verdict, { in: true, reason: 'in_segment', message: 'success' })
      assert.match(sentence, /^The person is in the segment "[^"]+": the rule is .*Paris/)
      assert.equal(segment.id, id)
      assert.ok(segment.words.includes('Paris'), segment.words)
      assert.equal(person.external_id, external_id)
      assert.match(JSON.stringify(because), /Paris/)

      const { service_id } = person
      for (const who of [{ email }, { service_id }, { person: service_id }, user_alias] as Record<string, string>[]) {
        const answer = await why(id, who)
        assert.deepEqual([answer.in, answer.person.service_id, answer.because], [true, service_id, because])
      }
      await people.set({ external_id, city: 'Rome' })
      const out = await why(id, { external_id })
      assert.deepEqual([out.in, out.reason], [false, 'not_in_segment'])
      assert.match(JSON.stringify(out.because), /Rome/)
      assert.match(
        out.sentence,
        /^The person is not in the segment .*: the rule is "`city` is `Paris`", the person has "Rome"\.$/,
      )
    })

    test('why returns days in the time zone of the workspace, as the segment details do', async () => {
      await people.service.admin('PATCH', '/admin/settings', { time_zone: 'Europe/Berlin' })
      const external_id = newId()
      await people.set({ external_id })
      const id = await make({ last_used_app: { comparison: 'after', value: '2026-03-02T23:00:00Z' } })
      const { segment, because } = await why(id, { external_id })
      const { body } = await people.service.get(`/segments/details?segment_id=${id}`)
      assert.equal(segment.words, 'last used the app after the start of 3 March 2026')
      assert.deepEqual([body.text_description, because.condition], [segment.words, segment.words])
      await people.service.admin('DELETE', '/admin/settings/time_zone')
    })

    test('why agrees with the pages: it never uses the result of another person', async () => {
      const { id, ids, value } = await crowd(3)
      await people.set({ external_id: ids[0], plan: `${value}x` })
      const listed = idsOf((await get(`/admin/segments/${id}/people`)).people)
      for (const external_id of ids) assert.equal((await why(id, { external_id })).in, listed.includes(external_id))
    })

    test('why answers for an unknown person', async () => {
      const { id } = await crowd(1)
      const nobody: Record<string, string>[] = [
        { external_id: newId() },
        { email: newEmail() },
        { service_id: 'f'.repeat(24) },
        { service_id: 'nobody' },
        { alias_name: newId(), alias_label: 'crm' },
      ]
      for (const who of nobody) {
        const { segment, ...answer } = await why(id, who)
        assert.equal(segment.id, id)
        const expected = {
          person: null,
          in: false,
          reason: 'no_such_user',
          because: null,
          sentence: 'Nobody has this identifier.',
          message: 'success',
        }
        assert.deepEqual(answer, expected, JSON.stringify(who))
      }
    })

    test('an e-mail address that several people share names the most recently updated one', async () => {
      const [email, value] = [newEmail(), newId('plan')]
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email, plan: value })
      await people.set({ external_id: second, email })
      const id = await make(plan(value))
      assert.deepEqual([(await why(id, { email })).person.external_id, (await why(id, { email })).in], [second, false])
      await people.set({ external_id: first, seen: true })
      assert.deepEqual([(await why(id, { email })).person.external_id, (await why(id, { email })).in], [first, true])
    })

    test('an unknown segment is 404', async () => {
      for (const verb of ['count', 'people', 'sample', 'why?external_id=x']) {
        for (const id of ['nobody', '%00', 'x'.repeat(100)]) {
          const { status, body } = await asAdmin(`/admin/segments/${id}/${verb}`)
          assert.equal(status, 404, `${id} ${verb}: ${JSON.stringify(body)}`)
        }
      }
      assert.equal((await asAdmin('/admin/segments/nobody/else')).status, 404)
    })

    test('an invalid request is 400', async () => {
      const { id } = await crowd(1)
      const limit = (max: number) => `'limit' must be a whole number from 1 to ${max}`
      const after = "'after' must be the 'next' of an earlier response"
      const seed = "'seed' must be a whole number of at most 9 digits"
      const who = 'Exactly one of external_id, alias_name with alias_label, email and service_id must be given'
      const bad: readonly [string, string][] = [
        ['people?limit=0', limit(peopleMax)],
        [`people?limit=${peopleMax + 1}`, limit(peopleMax)],
        ['people?limit=x', limit(peopleMax)],
        ['people?limit=1&limit=2', "'limit' may be given once"],
        ['people?after=x', after],
        [`people?after=${'f'.repeat(24)}`, after],
        ['people?after=%00', after],
        ['sample?limit=0', limit(sampleMax)],
        [`sample?limit=${sampleMax + 1}`, limit(sampleMax)],
        ['sample?seed=-1', seed],
        ['sample?seed=1234567890', seed],
        ['why', who],
        ['why?external_id=', who],
        ['why?external_id=a&email=b@example.com', who],
        ['why?alias_name=a&alias_label=b&external_id=c', who],
        ['why?alias_name=a', "'user_alias' is not valid"],
        ['why?alias_label=a', "'user_alias' is not valid"],
        ['why?email=nobody', "The value provided for the 'email' field is not a valid email."],
        ['why?external_id=%00', "'external_id' is not valid"],
        [`why?external_id=${'x'.repeat(988)}`, "'external_id' must be fewer than 988 bytes"],
      ]
      for (const [query, message] of bad) {
        const { status, body } = await asAdmin(`/admin/segments/${id}/${query}`)
        assert.deepEqual([status, body], [400, { message }], query)
      }
      for (const fine of [
        `people?limit=${peopleMax}`,
        `people?limit=${peopleMax - 1}`,
        `sample?limit=${sampleMax}`,
        'sample?seed=999999999',
      ]) {
        assert.equal((await asAdmin(`/admin/segments/${id}/${fine}`)).status, 200, fine)
      }
    })

    test('people of another workspace are not in the segment', async () => {
      const { id, value, ids } = await crowd(1)
      const other = newId()
      await people.service.admin('POST', '/admin/workspace', { id: other, name: other })
      const made: Item = { id, name: newId(), audience: plan(value) }
      await people.service.admin('POST', `/admin/segments?workspace=${other}`, made)
      assert.equal((await get(`/admin/segments/${id}/count?workspace=${other}`)).count, 0)
      assert.deepEqual((await get(`/admin/segments/${id}/people?workspace=${other}`)).people, [])
      const answer = await get(`/admin/segments/${id}/why?workspace=${other}&external_id=${ids[0]}`)
      assert.equal(answer.reason, 'no_such_user')
    })
  })
}
