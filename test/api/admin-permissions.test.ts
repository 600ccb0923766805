import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { giversMax, togetherMax } from '../../src/accounts/administration/schema.ts'
import { requestsPerTokenMax, unknownRequestsMax } from '../../src/accounts/keys/scim-requests.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { drawDatabases, requestOrigin } from '../support/harness.ts'
import { newId } from '../support/people.ts'
import { Signing } from '../support/sign-in.ts'

for (const database of drawDatabases('admin-permissions')) {
  describe(`permissions in words, and requests of SCIM tokens (${database})`, () => {
    const at = new Signing()
    let eve: Person
    before(async () => {
      await at.start({ database })
      eve = await person({})
    })
    after(() => at.stop())

    const person = async (permissions: unknown, more: object = {}): Promise<Person> =>
      signIn(at.service, at.db, await makeAccount(at.db, permissions, more))
    const givers = (ability: string) => eve.send('GET', `/admin/permissions/givers?ability=${ability}`)

    test('everybody who is signed in reads what permissions allow, and what they allow together', async () => {
      const { status, body } = await eve.send('GET', '/admin/permissions')
      assert.equal(status, 200)
      const launch = body.workspace.find(({ permission }: { permission: string }) => permission === 'launch_canvases')
      assert.deepEqual(
        [launch.group, launch.allows],
        ['Flows', 'See and launch canvases. See sends. Pause, resume and cancel sends.'],
      )
      const together = (query: string) => eve.send('GET', `/admin/permissions/together${query}`)
      assert.deepEqual((await together('?permissions=view_segments,view_user_profile')).body.allows, ['See segments.'])
      const both = await together('?permissions=view_segments,%20view_nothing,view_message_activity_log,view_pii')
      assert.deepEqual(both.body.allows, ['See segments and messages.'])
      assert.deepEqual((await together('')).body.allows, [])
      assert.deepEqual((await together('?level=company&permissions=admin')).body.allows, [
        'Everything, in every workspace.',
      ])
      assert.equal((await together('?level=team')).status, 400)
      const many = (count: number) => Array.from({ length: count }, () => 'x').join(',')
      assert.equal((await together(`?permissions=${many(togetherMax)}`)).status, 200)
      assert.equal((await together(`?permissions=${many(togetherMax + 1)}`)).status, 400)
      assert.equal((await at.service.get('/admin/permissions', { key: null })).status, 401)
    })

    test('an account that lacks a permission learns who can give it: their names alone, and a few', async () => {
      assert.deepEqual((await givers('canvases.launch')).body.givers, [])
      const named = (given_name: string, family_name: string) =>
        person({ companyPermissions: ['admin'] }, { given_name, family_name })
      const first = await named('Grace', 'Hopper')
      await person({ appGroup: [{ appGroupId: 'default', appGroupPermissions: ['admin'] }] }, { given_name: 'Local' })
      const gone = await named('Gone', 'Away')
      const { body: none } = await first.send('PATCH', `/admin/accounts/${gone.account.account_id}`, { active: false })
      assert.equal(none.account.state, 'disabled')
      const { status, body, text } = await givers('canvases.launch')
      assert.equal(status, 200, text)
      assert.deepEqual(body, {
        ability: 'canvases.launch',
        allows: 'launch canvases',
        permissions: ['send_campaigns_canvases', 'launch_canvases'],
        givers: [{ name: 'Grace Hopper' }],
        more: false,
        message: 'success',
      })
      for (let i = 1; i < giversMax; i++) await named('Ada', String(i))
      const full = (await givers('accounts.read')).body
      assert.deepEqual([full.givers.length, full.more, full.permissions], [giversMax, false, []])
      await named('One', 'More')
      const more = await givers('accounts.read')
      assert.deepEqual([more.body.givers.length, more.body.more], [giversMax, true])
      assert.ok(!more.text.includes('@'), 'no address is told')
      for (const ability of ['', 'admin', '__proto__', 'canvases']) {
        assert.equal((await givers(ability)).status, 400, ability)
      }
    })

    test('requests of SCIM tokens are counted, with those refused and why', async () => {
      const make = async () => (await at.service.admin('POST', '/admin/scim/tokens', { name: newId('idp') })).body.token
      const [one, other] = [await make(), await make()]
      const come = (key: string | null, headers: Record<string, string> = { 'x-request-origin': requestOrigin }) =>
        at.service.get('/scim/v2/Users?count=0&token=abc', { key, headers })
      await come(one.token)
      await come(one.token, { 'x-request-origin': 'https://elsewhere.example' })
      await at.service.send(
        'POST',
        '/scim/v2/Users',
        {},
        { key: one.token, headers: { 'x-request-origin': requestOrigin } },
      )
      await come('easel_scim_nobody')
      const read = async (query = '') => (await at.service.admin('GET', `/admin/scim/requests${query}`)).body
      const { counts, requests, since, process } = await read(`?token=${one.id}`)
      const countOf = (id: string | null) => counts.find(({ token_id }: { token_id: string }) => token_id === id)
      assert.deepEqual(countOf(one.id), { token_id: one.id, requests: 3, refused: 2 })
      assert.equal(countOf(other.id), undefined)
      assert.equal(countOf(null).refused, 1)
      assert.ok(Date.parse(since) > 0 && process.includes(':'))
      assert.deepEqual(
        requests.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`),
        ['POST 400', 'GET 403', 'GET 200'],
      )
      assert.equal(requests[1].refusal, 'X-Request-Origin must be the request origin of this service')
      assert.equal(requests[2].path, '/scim/v2/Users?count=0&token=***')
      assert.deepEqual(
        (await read('?token=none')).requests.map(({ status }: { status: number }) => status),
        [401],
      )
      assert.equal((await read('?limit=2')).requests.length, 2)
      for (const query of ['?token=unknown', '?limit=0', '?limit=201']) {
        const answer = await at.service.send('GET', `/admin/scim/requests${query}`, undefined, {
          key: at.service.adminToken,
        })
        assert.equal(answer.status, 400, query)
      }
      assert.ok(!JSON.stringify(await read()).includes(one.token))
      assert.equal((await eve.send('GET', '/admin/scim/requests')).status, 403)
      assert.equal(requestsPerTokenMax, unknownRequestsMax)
      for (let i = 3; i < requestsPerTokenMax - 1; i++) await come(one.token)
      const lengths: number[] = []
      for (let i = 0; i < 3; i++) {
        lengths.push((await read(`?token=${one.id}&limit=200`)).requests.length)
        await come(one.token)
      }
      assert.deepEqual(lengths, [requestsPerTokenMax - 1, requestsPerTokenMax, requestsPerTokenMax])
      await at.service.admin('DELETE', `/admin/scim/tokens/${one.id}`)
      const after = await read()
      assert.ok(after.counts.every(({ token_id }: { token_id: string }) => token_id !== one.id))
    })
  })
}
