import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { newEmail, newId } from '../support/people.ts'
import { Signing } from '../support/sign-in.ts'

const caller = '203.0.113.7'
const proxied: readonly { readonly name: string; readonly headers: { readonly [name: string]: string } }[] = [
  { name: 'X-Forwarded-For', headers: { 'x-forwarded-for': `6.6.6.6, ${caller}` } },
  { name: 'Forwarded', headers: { forwarded: `for=6.6.6.6, for=${caller};proto=https` } },
]

for (const database of drawDatabases('trusted-proxies')) {
  describe(`callers behind a trusted proxy, ${database}`, () => {
    const at = new Signing()
    before(() => at.start({ database, env: { EASEL_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } }))
    after(() => at.stop())

    for (const { name, headers } of proxied) {
      test(`a key with an allow-list sees the caller of ${name}`, async () => {
        const allowed = await at.service.key(['users.track'], [caller])
        const others = await at.service.key(['users.track'], ['127.0.0.0/8', '6.6.6.6'])
        assert.equal((await at.service.post('/users/track', {}, { key: allowed, headers })).status, 400)
        assert.equal((await at.service.post('/users/track', {}, { key: allowed })).status, 403)
        const refused = await at.service.post('/users/track', {}, { key: others, headers })
        assert.equal(refused.status, 403)
      })

      test(`sessions and the audit have the caller of ${name}`, async () => {
        const { user_name, account_id } = await at.account()
        const link = await at.link(user_name)
        assert.equal((await at.send(link, {}, { headers })).status, 303)
        const { sessions } = (await at.service.admin('GET', `/admin/sessions?user_name=${user_name}`)).body
        assert.deepEqual(
          sessions.map(({ ip }: { ip: string }) => ip),
          [caller],
        )
        const { body } = await at.service.admin('GET', `/admin/audit?target=account:${account_id}&action=session.open`)
        assert.equal(body.audit[0].from.ip, caller)
      })
    }

    test('headers of a stranger change nothing, and contradicting headers of a proxy are refused', async () => {
      const key = await at.service.key(['users.track'], [caller])
      const [{ headers: list }, { headers: forwarded }] = proxied as [
        (typeof proxied)[number],
        (typeof proxied)[number],
      ]
      const spoofed = await at.service.post('/users/track', {}, { key, headers: list, from: '127.0.0.2' })
      assert.equal(spoofed.status, 403)
      const both = (for_: string) =>
        at.service.post('/users/track', {}, { key, headers: { ...list, forwarded: `for=${for_}` } })
      assert.equal((await both(caller)).body.message.includes('different callers'), false)
      const refused = await both('6.6.6.6')
      assert.equal(refused.status, 400)
      assert.match(refused.body.message, /X-Forwarded-For and Forwarded name different callers/)
      const page = await at.service.get('/sign-in', { key: null, headers: { ...list, forwarded: 'for=6.6.6.6' } })
      assert.equal(page.status, 400)
      assert.equal((await at.service.get('/sign-in', { key: null, headers: forwarded })).status, 200)
    })
  })

  test(`a click counts as one of a machine by the network of the caller, not of the proxy, ${database}`, async () => {
    const people = new Mailed()
    await people.start({ database, env: { EASEL_TRUSTED_PROXIES: '127.0.0.0/8' } })
    try {
      const external_id = newId()
      await people.set({ external_id, email: newEmail() })
      const named = await people.write(external_id, { links: ['https://example.com/'] })
      const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
      const kindsAfter = async (ip: string) => {
        const headers = { ...agent, 'x-forwarded-for': ip }
        assert.equal((await people.page(`/l/${people.token(named, 'link', 0)}/0`, headers)).status, 302)
        return (await people.engaged(named)).map(({ kind }) => kind)
      }
      assert.deepEqual(await kindsAfter('40.92.0.1'), ['machine_clicked'])
      assert.deepEqual(await kindsAfter(caller), ['clicked', 'machine_clicked'])
    } finally {
      await people.stop()
    }
  })
}
