import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { databases } from '../support/harness.ts'
import { newId } from '../support/people.ts'
import { patchOf, provisioningOf, users } from '../support/scim-service.ts'

const group = '/scim/v2/Groups/role:editor'
const accounts = 2_000
const requests = 40
/** Below this, the difference is that of a busy machine. */
const floorMs = 250
const parses = 10

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

for (const database of databases) {
  describe(`a hostile identity provider (${database})`, () => {
    const scim = provisioningOf(database)
    const clock = systemClock()

    /** Returns how long parsing the largest body takes now, on this machine with its load: no service answers faster. */
    function longestParseMs(): number {
      const times = Array.from({ length: parses }, () => {
        const startMs = clock.elapsed()
        JSON.parse(attacks[0]!)
        return clock.elapsed() - startMs
      })
      return Math.max(...times)
    }

    /** Returns the 99th percentile of small track requests, one after the other. */
    async function p99OfTrackMs(): Promise<number> {
      const times: number[] = []
      for (let i = 0; i < requests; i++) {
        const startMs = clock.elapsed()
        const answer = await scim.service.post('/users/track', {
          attributes: [{ external_id: newId(), colour: 'red' }],
        })
        assert.equal(answer.status, 201, answer.text)
        times.push(clock.elapsed() - startMs)
      }
      return times.toSorted((one, other) => one - other)[Math.floor(requests * 0.99) - 1]!
    }

    /** Repeats an attack until the neighbours have been served, and at least once. */
    async function during(title: string, attack: () => Promise<void>): Promise<void> {
      await p99OfTrackMs()
      const quietMs = Math.max(await p99OfTrackMs(), longestParseMs())
      let isServed = false
      let rounds = 0
      const attacking = (async () => {
        do {
          await attack()
          rounds++
        } while (!isServed)
      })()
      const serving = p99OfTrackMs().finally(() => {
        isServed = true
      })
      const [busyMs] = await Promise.all([serving, attacking])
      const mostMs = Math.max(5 * quietMs, 5 * longestParseMs(), floorMs)
      const told = `${title}: ${busyMs.toFixed()} ms, ${quietMs.toFixed()} ms when quiet, ${rounds} rounds`
      assert.ok(busyMs < mostMs, told)
    }

    test('neighbours are served while it sends the largest PATCH of a user again and again', async () => {
      const { path } = await scim.make()
      await during('users', async () => {
        for (const attack of attacks) {
          const answer = await scim.send('PATCH', path, attack, { 'content-type': 'application/json' })
          assert.equal(answer.status, 400, answer.text.slice(0, 500))
          assert.match(answer.body.scimType, /^(?:tooMany|invalidSyntax)$/)
        }
      })
    })

    test('neighbours are served while it adds and removes thousands of members', async () => {
      await scim.db.query(sql`
        insert into account (account_id, user_name, given_name, family_name, active, emails, permissions, version, created_at, updated_at)
        select gen_random_uuid(), 'member' || i || '@test.com', 'A', 'B', true, '[]', '{"company":[],"roles":[],"workspaces":[]}', 1,
          '2026-01-01', '2026-01-01'
        from generate_series(1, ${accounts}::int) as i`)
      const rows = await scim.db.query<{ account_id: string }>(
        sql`select account_id from account where user_name like 'member%'`,
      )
      const value = rows.map(({ account_id }) => ({ value: account_id }))
      let rounds = 0
      await during('groups', async () => {
        const verb = rounds++ % 2 === 0 ? 'Add' : 'Remove'
        const operations = patchOf([{ op: verb, path: 'members', value }])
        const answer = await scim.send('PATCH', `${group}?excludedAttributes=members`, operations)
        assert.equal(answer.status, 200, answer.text)
        const found = await scim.get(`${users}?count=0&filter=${encodeURIComponent('userName sw "member"')}`)
        assert.equal(found.body.totalResults, accounts)
      })
      const { body } = await scim.get(group)
      assert.equal((body.members ?? []).length, rounds % 2 === 0 ? 0 : accounts)
    })
  })
}
