import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { unconfirmedMax } from '../../src/accounts/sign-in/pace-answers.ts'
import { type ClaimsProvider, openClaimsProvider } from '../servers/claims.ts'
import { startAttacked, usualDatabases } from '../support/attacked.ts'
import type { Client } from '../support/client.ts'
import { type Answer, drawDatabases } from '../support/harness.ts'
import { many, newId } from '../support/people.ts'
import { Signing } from '../support/sign-in.ts'
import { assertServed } from '../support/waits.ts'

const atOnce = 10
const flood = 40
const attackersAtOnce = 8
const attemptsOfEach = 10
const networks = 4
/** Every caller may choose its network. */
const fromNetwork = (n: number) => ({ 'x-forwarded-for': `198.51.${n}.1` })

const settingsFor = ({ issuer }: ClaimsProvider) => ({
  EASEL_OIDC_ISSUER: issuer,
  EASEL_OIDC_CLIENT_ID: 'easel',
  EASEL_OIDC_CLIENT_SECRET: 'secret',
})

/** Returns a function that comes back from the provider with the answer to a new attempt. */
async function beginAt(service: Client, provider: ClaimsProvider, network: number) {
  const headers = fromNetwork(network)
  const begun = await service.get('/sign-in/oidc', { key: null, headers })
  const asked = new URL(begun.headers.location!).searchParams
  provider.nonce = asked.get('nonce')!
  const cookie = begun.headers['set-cookie']![0]!.split(';')[0]!
  return (state = asked.get('state')!): Promise<Answer> =>
    service.get(`/sign-in/oidc/callback?code=c&state=${state}`, { key: null, headers: { ...headers, cookie } })
}

for (const database of drawDatabases('strangers from a provider')) {
  describe(`strangers who come back from the identity provider, ${database}`, () => {
    const at = new Signing()
    let provider: ClaimsProvider
    before(async () => {
      provider = await openClaimsProvider()
      await at.start({ database, env: { ...settingsFor(provider), EASEL_TRUSTED_PROXIES: '127.0.0.1' } })
    })
    beforeEach(() => at.forgetTries())
    after(async () => {
      await at.stop()
      await provider[Symbol.asyncDispose]()
    })

    const begin = (network: number) => beginAt(at.service, provider, network)
    const asked = () => provider.verifiers.length
    const count = (answers: readonly Answer[], status: number) =>
      answers.filter((answer) => answer.status === status).length

    test('an attempt is used once, however often its answer is sent', async () => {
      const { user_name } = await at.account()
      provider.wrong = { claims: { sub: newId('sub'), email: user_name } }
      const comeBack = await begin(1)
      const before = asked()
      assert.equal((await comeBack('another')).status, 403, 'a link of another site does not use it up')
      const answers = await Promise.all(many(atOnce, () => comeBack()))
      assert.deepEqual([count(answers, 303), count(answers, 403)], [1, atOnce - 1])
      const late = await comeBack()
      assert.deepEqual([late.status, asked() - before], [403, 1])
      assert.match(late.text, /used already/)
    })

    if (database !== 'pglite') return

    test('refused answers of a network are asked about slowly after the sixtieth, and a valid one is accepted', async () => {
      const { user_name } = await at.account()
      provider.wrong = { status: 400 }
      const before = asked()
      for (let n = 0; n < unconfirmedMax; n++) assert.equal((await (await begin(2))()).status, 403)
      assert.equal(asked() - before, unconfirmedMax)
      const attempts = await Promise.all(many(flood, () => begin(2)))
      const answers = await Promise.all(attempts.map((comeBack) => comeBack()))
      const late = answers.flatMap(({ status }, i) => (status === 503 ? [i] : []))
      assert.ok(late.length > 0, 'more came than are asked about')
      assert.equal(
        asked() - before,
        unconfirmedMax + flood - late.length,
        'the provider was not asked about the others',
      )
      assert.ok(late.every((i) => Number(answers[i]!.headers['retry-after']) > 0))
      assert.equal((await (await begin(3))()).status, 403, 'another network does not wait')

      // The attempt of an answer that came too early is not used.
      const again = await attempts[late[0]!]!()
      assert.equal(again.status, 429)
      provider.wrong = { claims: { sub: newId('sub'), email: user_name } }
      assert.equal((await (await begin(2))()).status, 303)
    })
  })
}

for (const database of usualDatabases) {
  test(`others are served while strangers come back from the identity provider, ${database}`, async (t) => {
    await using provider = await openClaimsProvider()
    provider.wrong = { status: 400 }
    await using attacked = await startAttacked({ database, env: settingsFor(provider) })
    await assertServed(t, attacked, async (measured) => {
      let isMeasured = false
      void measured.then(() => {
        isMeasured = true
      })
      const attack = async (_: unknown, attacker: number) => {
        for (let n = 0; n < attemptsOfEach && !isMeasured; n++) {
          const { status } = await (await beginAt(attacked, provider, (attacker + n) % networks))()
          assert.ok([403, 429, 503].includes(status), String(status))
        }
      }
      await Promise.all(Array.from({ length: attackersAtOnce }, attack))
    })
    await attacked.stop()
  })
}
