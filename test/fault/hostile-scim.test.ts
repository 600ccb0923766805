import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Attacked, attackedService, usualDatabases } from '../support/attacked.ts'
import { drawDatabases, requestOrigin, scimToken } from '../support/harness.ts'
import type { Answer } from '../support/http-requests.ts'
import { many } from '../support/people.ts'
import { file, patchOf, sampleUser, users } from '../support/scim-service.ts'
import { assertServed } from '../support/waits.ts'

const group = '/scim/v2/Groups/role:editor'
const accounts = 2_000

const objectOf = (count: number, name: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 'x']))
/** A PATCH of each kind that took seconds: objects of thousands of members, thousands of paths, large lists. */
const attacks: readonly string[] = [
  patchOf([{ op: 'replace', value: objectOf(60_000, (i) => `a${i}`) }]),
  patchOf([{ op: 'replace', value: objectOf(15_000, (i) => `emails[value co "@" and value ne "${i}"].display`) }]),
  patchOf(
    Array.from({ length: 20 }, () => ({
      op: 'add',
      path: 'permissions.appGroup',
      value: Array.from({ length: 990 }, (_, i) => ({ appGroupName: `${i}` })),
    })),
  ),
  // The largest objects that are not refused for their size.
  patchOf([
    { op: 'replace', value: objectOf(900, (i) => `emails[type eq "${i}" and value pr].nothing`) },
    { op: 'Move' },
  ]),
].map((body) => JSON.stringify(body))

const headers = { 'x-request-origin': requestOrigin }

for (const database of usualDatabases) {
  test(`others are served while an identity provider sends the largest PATCH of a user again and again (${database})`, async (t) => {
    const attacked = await attackedService(database)
    const { status, body } = await scim(attacked, 'POST', users, sampleUser())
    assert.equal(status, 201)
    await assertServed(t, attacked, async () => {
      for (const attack of attacks) {
        const answer = await scim(attacked, 'PATCH', `${users}/${body.id}`, attack)
        assert.equal(answer.status, 400, answer.text.slice(0, 500))
        assert.match(answer.body.scimType, /^(?:tooMany|invalidSyntax)$/)
      }
    })
  })
}

for (const database of drawDatabases('thousands of members')) {
  test(`others are served while an identity provider adds and removes thousands of members (${database})`, async (t) => {
    const attacked = await attackedService(database)
    await attacked.admin('POST', '/admin/apply', file)
    const ids = many(accounts, () => randomUUID())
    await attacked.execute(`
      insert into account
        (account_id, user_name, given_name, family_name, active, emails, permissions, version, created_at, updated_at)
      select id, 'member' || i || '@test.com', 'A', 'B', true, '[]', '{"company":[],"roles":[],"workspaces":[]}', 1,
        '2026-01-01', '2026-01-01'
      from unnest('{${ids}}'::uuid[]) with ordinality as given (id, i)`)
    const value = ids.map((id) => ({ value: id }))
    let changes = 0
    await assertServed(t, attacked, async () => {
      const verb = changes++ % 2 === 0 ? 'Add' : 'Remove'
      const operations = patchOf([{ op: verb, path: 'members', value }])
      const answer = await scim(attacked, 'PATCH', `${group}?excludedAttributes=members`, operations)
      assert.equal(answer.status, 200, answer.text)
      const found = await scim(attacked, 'GET', `${users}?count=0&filter=${encodeURIComponent('userName sw "member"')}`)
      assert.equal(found.body.totalResults, accounts)
    })
    const { body } = await scim(attacked, 'GET', group)
    assert.equal((body.members ?? []).length, changes % 2 === 0 ? 0 : accounts)
  })
}

/** Sends a request of an identity provider. The answer is parsed, whatever its content type. */
async function scim(attacked: Attacked, method: string, path: string, sent?: unknown): Promise<Answer> {
  const answer = await attacked.send(method, path, sent, { key: scimToken, headers })
  return { ...answer, body: JSON.parse(answer.text) }
}
