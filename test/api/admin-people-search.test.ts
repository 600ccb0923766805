import assert from 'node:assert/strict'
import test from 'node:test'
import { queryCharactersMax, searchMax } from '../../src/people/search/schema.ts'
import { drawDatabases, startService } from '../support/harness.ts'

type Summary = { id: string; external_id: string | null; found_by: string[] }

for (const database of drawDatabases('admin-people-search')) {
  test(`${database}: people are found by every identifier and listed newest first`, async () => {
    await using service = await startService({ database })
    const search = async (parameters: Readonly<Record<string, string>>) => {
      const { status, body } = await service.admin('GET', `/admin/people/search?${new URLSearchParams(parameters)}`)
      assert.equal(status, 200)
      return body as { people: Summary[]; cursor: string | null }
    }
    const track = async (attributes: readonly object[]) => {
      const { status } = await service.post('/users/track', { attributes })
      assert.equal(status, 201)
    }
    for (const external_id of ['p1', 'p2', 'p3', 'p4', 'p5']) await track([{ external_id }])
    await track([
      { external_id: 'ada:1', first_name: 'Ada', email: 'Ada@Example.com', phone: '+15550100200' },
      { user_alias: { alias_label: 'crm', alias_name: 'x:9' }, _update_existing_only: false, first_name: 'Bo' },
    ])

    const everybody = (await search({})).people
    assert.equal(everybody.length, 7)
    assert.deepEqual(
      everybody.slice(2).map(({ external_id }) => external_id),
      ['p5', 'p4', 'p3', 'p2', 'p1'],
    )
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof search>> = await search({ limit: '3', ...(cursor && { cursor }) })
      seen.push(...page.people.map(({ id }) => id))
      cursor = page.cursor
    }
    assert.deepEqual(
      seen,
      everybody.map(({ id }) => id),
    )

    const foundBy = async (q: string) => {
      const { people, cursor } = await search({ q })
      assert.equal(cursor, null)
      return people.map(({ external_id, found_by }) => [external_id, found_by])
    }
    const [ada] = (await search({ q: 'ada:1' })).people
    assert.deepEqual(await foundBy('ada:1'), [['ada:1', ['external_id']]])
    assert.deepEqual(await foundBy(' ADA@example.com '), [['ada:1', ['email']]])
    assert.deepEqual(await foundBy('+1 (555) 010-0200'), [['ada:1', ['phone']]])
    assert.deepEqual(await foundBy('crm:x:9'), [[null, ['alias']]])
    assert.deepEqual(await foundBy(ada!.id.toUpperCase()), [['ada:1', ['id']]])
    assert.deepEqual(await foundBy('nobody'), [])
    assert.deepEqual(await foundBy('%'), [])
  })

  test(`${database}: one person is read with everything that is kept, and a merged one leads to the kept one`, async () => {
    const group = '11111111-1111-4111-8111-111111111111'
    await using service = await startService({
      database,
      workspace: { subscription_groups: [{ id: group, name: 'News', channel: 'email' }] },
    })
    const events = Array.from({ length: 201 }, (_, i) => ({
      external_id: 'ada',
      name: `e${i}`,
      time: new Date().toISOString(),
    }))
    await service.post('/users/track', {
      attributes: [
        {
          external_id: 'ada',
          email: 'ada@example.com',
          plan: '<b>gold</b>',
          subscription_groups: [{ subscription_group_id: group, subscription_state: 'unsubscribed' }],
        },
        { external_id: 'old', first_name: 'Ada' },
      ],
    })
    for (let i = 0; i < events.length; i += 50) await service.post('/users/track', { events: events.slice(i, i + 50) })
    await service.admin('POST', '/admin/suppressions', { email: 'ada@example.com' })
    const idOf = async (q: string) =>
      (await service.admin('GET', `/admin/people/search?q=${q}`)).body.people[0].id as string
    const [ada, old] = [await idOf('ada'), await idOf('old')]
    const { body } = await service.admin('GET', `/admin/people/${ada}`)
    assert.equal(body.person.external_id, 'ada')
    assert.equal(body.merged_from, null)
    assert.deepEqual(body.email_suppressions, ['blocklist'])
    assert.equal(body.sentence, 'Nothing is sent to ada@example.com, because it was blocked on request.')
    assert.deepEqual(body.record.custom_attributes, { plan: '<b>gold</b>' })
    assert.deepEqual([body.record.custom_events.length, body.list_totals], [200, { custom_events: 201 }])
    assert.deepEqual(body.subscription_groups, [{ id: group, name: 'News', channel: 'email', status: 'Unsubscribed' }])
    assert.deepEqual(body.cohorts, [])

    await service.post('/users/merge', {
      merge_updates: [{ identifier_to_merge: { external_id: 'old' }, identifier_to_keep: { external_id: 'ada' } }],
    })
    const merged = async () => (await service.admin('GET', `/admin/people/${old}`)).body
    while ((await merged()).merged_from === null) await new Promise((resolve) => setTimeout(resolve, 20))
    const kept = await merged()
    assert.deepEqual([kept.person.id, kept.merged_from], [ada, old])
    assert.equal((await service.admin('GET', '/admin/people/search?q=old')).body.people.length, 0)
  })
}

test('what cannot be searched for is refused by name, and somebody of another workspace is not found', async () => {
  await using service = await startService()
  const messageOf = async (path: string, status = 400) => {
    const answer = await service.get(path, { key: service.adminToken })
    assert.equal(answer.status, status, path)
    return answer.body.message as string
  }
  assert.match(await messageOf('/admin/people/search?cursor=x'), /^'cursor' must be/)
  assert.match(await messageOf(`/admin/people/search?limit=${searchMax + 1}`), /^'limit' must be/)
  await messageOf(`/admin/people/search?limit=${searchMax}`, 200)
  assert.match(await messageOf(`/admin/people/search?q=${'x'.repeat(queryCharactersMax + 1)}`), /^'q' must have/)
  await messageOf(`/admin/people/search?q=${'x'.repeat(queryCharactersMax)}`, 200)
  assert.match(await messageOf('/admin/people/search?q=a&q=b'), /^'q' may be given once/)
  assert.match(await messageOf('/admin/people/nobody', 404), /no person/)
  assert.match(await messageOf('/admin/people/search?q=ada&workspace=nowhere', 404), /no workspace/)

  await service.admin('POST', '/admin/apply', { workspace: { id: 'other', name: 'Other' } })
  await service.post('/users/track', { attributes: [{ external_id: 'ada' }] })
  const { id } = (await service.admin('GET', '/admin/people/search?q=ada')).body.people[0]
  assert.match(await messageOf(`/admin/people/${id}?workspace=other`, 404), /no person/)
  assert.deepEqual((await service.admin('GET', `/admin/people/search?q=${id}&workspace=other`)).body.people, [])
})
