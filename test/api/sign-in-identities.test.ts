import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/accounts/account.ts'
import { failuresPerNetworkMax } from '../../src/accounts/sign-in/limit-attempts.ts'
import { signInByOidc } from '../../src/accounts/sign-in/sign-in.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Claims, type ClaimsProvider, openClaimsProvider } from '../servers/claims.ts'
import { type Answer, drawDatabases } from '../support/harness.ts'
import { newId } from '../support/people.ts'
import { Signing } from '../support/sign-in.ts'

const heading = ({ text }: Answer) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
const cookiesOf = ({ headers }: Answer) => (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]!)

for (const database of drawDatabases('sign-in-identities')) {
  describe(`accounts of the identity provider, ${database}`, () => {
    const at = new Signing()
    let provider: ClaimsProvider
    before(async () => {
      provider = await openClaimsProvider()
      const client = { EASEL_OIDC_CLIENT_ID: 'easel', EASEL_OIDC_CLIENT_SECRET: 'secret' }
      await at.start({ database, env: { EASEL_OIDC_ISSUER: provider.issuer, ...client } })
    })
    beforeEach(() => at.forgetTries())
    after(async () => {
      await at.stop()
      await provider[Symbol.asyncDispose]()
    })

    /** Goes to the provider, which makes these claims, and comes back as the browser does. */
    const comeBack = async (claims: Claims): Promise<Answer> => {
      const begun = await at.get('/sign-in/oidc')
      assert.equal(begun.status, 302)
      const asked = new URL(begun.headers.location!).searchParams
      provider.nonce = asked.get('nonce')!
      provider.wrong = { claims, userinfo: { sub: claims.sub } }
      return at.get(`/sign-in/oidc/callback?code=c&state=${asked.get('state')}`, cookiesOf(begun)[0])
    }
    const whoComes = async (claims: Claims) => {
      const answer = await comeBack(claims)
      const session = cookiesOf(answer).find((cookie) => cookie.startsWith('easel_session='))
      return session ? at.whoIs(session) : heading(answer)
    }
    const told = (sub: string, email: string, more: Claims = {}) => ({ sub, email, email_verified: true, ...more })
    const audited = async (account_id: string, action: string) => {
      const { body } = await at.service.admin('GET', `/admin/audit?target=account:${account_id}&action=${action}`)
      return body.audit as { after: unknown; before: unknown }[]
    }

    test('the first sign-in binds an account, which follows the person from then on and not the address', async () => {
      const [ada, bo] = [await at.account(), await at.account()]
      const [hers, his] = [newId('sub'), newId('sub')]
      assert.equal(await whoComes(told(hers, ada.user_name.toUpperCase())), ada.user_name)
      const { issuer } = provider
      const [row, ...more] = await audited(ada.account_id, 'identity.bind')
      assert.deepEqual([row?.after, more], [{ issuer, subject: hers }, []])
      assert.equal(await whoComes(told(hers, ada.user_name)), ada.user_name)
      assert.equal((await audited(ada.account_id, 'identity.bind')).length, 1)
      // Her address changes, is missing or not verified, or is that of another person.
      for (const claims of [
        told(hers, 'renamed@example.com'),
        told(hers, bo.user_name),
        told(hers, ada.user_name, { email_verified: false }),
        { sub: hers, email: undefined },
      ]) {
        assert.equal(await whoComes(claims), ada.user_name, JSON.stringify(claims))
      }
      // The provider gives her old address to another person.
      assert.equal(await whoComes(told(his, ada.user_name)), 'This did not work')
      assert.equal(await whoComes(told(his, bo.user_name)), bo.user_name, 'nothing was bound by the refusal')
    })

    test('of several first sign-ins at once each succeeds for one person, and one person gets the account', async () => {
      const [ada, bo] = [await at.account(), await at.account()]
      const services = { db: at.db, clock: systemClock(), secret: Buffer.alloc(0), createFirst: () => assert.fail() }
      const visitor = { ip: '127.0.0.1', request_id: '', agent: '' }
      const together = (account: Account, subjects: readonly string[]) =>
        Promise.allSettled(
          subjects.map((subject) => {
            const person = { issuer: provider.issuer, subject, email: { address: account.user_name } }
            return signInByOidc(services, person, visitor)
          }),
        )
      const same = newId('sub')
      const opened = (await together(ada, [same, same, same])).map((each) => each.status === 'fulfilled' && each.value)
      assert.ok(opened.every(Boolean))
      assert.equal((await audited(ada.account_id, 'identity.bind')).length, 1)
      const outcomes = (await together(bo, [newId('sub'), newId('sub'), newId('sub')])).map(({ status }) => status)
      assert.deepEqual(outcomes.sort(), ['fulfilled', 'rejected', 'rejected'])
    })

    test('an address that is not verified binds nobody', async () => {
      const { user_name } = await at.account()
      for (const email_verified of [undefined, false, 'no']) {
        assert.equal(await whoComes(told(newId('sub'), user_name, { email_verified })), 'This did not work')
      }
      assert.equal(await whoComes(told(newId('sub'), user_name)), user_name)
    })

    test('a disabled account stays out, also when its address changes to that of another account', async () => {
      const [ada, bo] = [await at.account(), await at.account()]
      const sub = newId('sub')
      assert.equal(await whoComes(told(sub, ada.user_name)), ada.user_name)
      await at.disable(ada)
      assert.equal(await whoComes(told(sub, ada.user_name)), 'You have no account here')
      assert.equal(await whoComes(told(sub, bo.user_name)), 'You have no account here')
    })

    test('a removed account leaves no binding, and an administrator forgets that of another', async () => {
      const [ada, bo] = [await at.account(), await at.account()]
      const [first, second] = [newId('sub'), newId('sub')]
      assert.equal(await whoComes(told(first, ada.user_name)), ada.user_name)
      await at.remove(ada)
      assert.equal(await whoComes(told(first, bo.user_name)), bo.user_name)
      assert.equal(await whoComes(told(second, bo.user_name)), 'This did not work')
      const path = `/admin/identities?user_name=${bo.user_name}`
      assert.equal((await at.service.admin('DELETE', path)).body.forgotten, 1)
      assert.equal((await at.service.admin('DELETE', path)).body.forgotten, 0)
      const [, row] = await audited(bo.account_id, 'identity.forget')
      assert.deepEqual(row?.before, { identities: [{ issuer: provider.issuer, subject: first }] })
      assert.equal(await whoComes(told(second, bo.user_name)), bo.user_name)
      const key = at.service.adminToken
      for (const [wrong, status] of [
        ['/admin/identities?user_name=nobody@example.com', 404],
        ['/admin/identities', 400],
      ] as const) {
        assert.equal((await at.service.send('DELETE', wrong, undefined, { key })).status, status)
      }
    })

    test('a valid answer is accepted from a network with too many failures, and a refused one gets 429', async () => {
      const { user_name } = await at.account()
      const refused = (email: string) => comeBack(told(newId('sub'), email))
      const failed = []
      for (let n = 0; n <= failuresPerNetworkMax; n++) {
        failed.push((await at.get('/sign-in/oidc/callback?code=c&state=s')).status)
      }
      assert.deepEqual(failed, [...Array(failuresPerNetworkMax).fill(403), 429])
      assert.equal((await refused('stranger@example.com')).status, 429)
      assert.equal(await whoComes(told(newId('sub'), user_name)), user_name)
    })
  })
}
