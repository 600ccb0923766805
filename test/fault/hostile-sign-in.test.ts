import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  failuresPerNetworkMax,
  requestsPerAddressAndNetworkMax,
  requestsPerNetworkMax,
} from '../../src/accounts/sign-in/limit-attempts.ts'
import { usableLinksMax } from '../../src/accounts/sign-in/links.ts'
import { sql } from '../../src/base/db/sql.ts'
import { attackedService, usualDatabases } from '../support/attacked.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, requestOrigin, scimToken } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { sampleUser, users } from '../support/scim-service.ts'
import { cookieOf, Signing, sendForm } from '../support/sign-in.ts'
import { assertServed } from '../support/waits.ts'

const linkForm = /\/sign-in\/link\/[\w-]+/
const wrongLink = `/sign-in/link/easel_link_${'a'.repeat(32)}`
const attackersAtOnce = 8
const attemptsOfEach = 12

/** Behind a proxy everybody chooses an address: an attacker has as many networks as it likes. */
const fromNetwork = (n: number) => ({ 'x-forwarded-for': `198.${51 + (n >> 8)}.${n & 255}.1` })

for (const database of drawDatabases('strangers at the sign-in')) {
  describe(`strangers at the sign-in, ${database}`, () => {
    const at = new Signing()
    before(() => at.start({ database, env: { EASEL_TRUSTED_PROXIES: '127.0.0.1' } }))
    beforeEach(() => at.forgetTries())
    after(() => at.stop())

    const fail = (headers: Record<string, string>) => at.send(wrongLink, {}, { headers })
    const ask = (email: string, headers: Record<string, string>) => at.send('/sign-in', { email }, { headers })
    const statuses = async (count: number, send: (n: number) => ReturnType<typeof fail>) => {
      const found: number[] = []
      for (let n = 0; n < count; n++) found.push((await send(n)).status)
      return found
    }

    test('failures of a network are refused from the 61st on, and its valid link works at any time', async () => {
      const { user_name } = await at.account()
      const [first, second] = [await at.link(user_name), await at.link(user_name)]
      const network = fromNetwork(1)
      const failed = await statuses(failuresPerNetworkMax + 1, () => fail(network))
      assert.deepEqual(failed, [...Array(failuresPerNetworkMax).fill(404), 429])
      const late = await fail(network)
      assert.equal(late.status, 429)
      assert.ok(Number(late.headers['retry-after']) > 800)
      assert.equal((await fail(fromNetwork(2))).status, 404, 'another network')
      const spent = await statuses(requestsPerNetworkMax + 1, () => ask(at.newAddress(), network))
      assert.deepEqual(spent, [...Array(requestsPerNetworkMax).fill(200), 429])
      assert.equal((await at.send(first, {}, { headers: network })).status, 303)
      assert.equal((await at.send(first, {}, { headers: network })).status, 429, 'a used link is a failure')
      const entered = await at.send(second, {}, { headers: network })
      assert.equal(await at.whoIs(cookieOf(entered)), user_name)
    })

    test('successes are not counted', async () => {
      const { user_name } = await at.account()
      const network = fromNetwork(3)
      for (const _ of many(3, (n) => n)) {
        assert.equal((await at.send(await at.link(user_name), {}, { headers: network })).status, 303)
      }
      const failed = await statuses(failuresPerNetworkMax + 1, () => fail(network))
      assert.deepEqual(failed, [...Array(failuresPerNetworkMax).fill(404), 429])
    })

    test('strangers of many networks cannot keep an administrator out, nor fill the mailbox', async () => {
      const { user_name } = await at.account()
      const asked = await statuses(usableLinksMax * 2, (n) =>
        ask(user_name, fromNetwork(10 + Math.floor(n / requestsPerAddressAndNetworkMax))),
      )
      assert.deepEqual(new Set(asked), new Set([200]))
      const usable = async () => {
        const [row] = await at.db.query<{ count: number }>(sql`
          select count(*)::int as count from sign_in_link l join account a on a.account_id = l.account_id
          where a.user_name = ${user_name} and l.used_at is null`)
        return row!.count
      }
      await at.until(async () => (await at.mails(user_name)).length === usableLinksMax)
      assert.equal(await usable(), usableLinksMax)
      assert.equal((await ask(user_name, fromNetwork(9))).status, 200, 'the owner from a network of her own')
      const mails = await at.mails(user_name)
      const link = await at.linkIn(mails.at(-1)!.id)
      assert.equal((await at.send(link, {}, { headers: fromNetwork(9) })).status, 303, 'each mailed link works')
      assert.equal(await usable(), usableLinksMax - 1)
      await ask(user_name, fromNetwork(9))
      await at.until(async () => (await usable()) === usableLinksMax)
    })

    test('a network over its limit writes no further rows', async () => {
      const network = fromNetwork(4)
      await statuses(requestsPerNetworkMax + 20, () => ask(at.newAddress(), network))
      const [row] = await at.db.query<{ count: number }>(sql`select count(*)::int as count from sign_in_attempt`)
      assert.equal(row!.count, requestsPerNetworkMax + 1)
    })
  })
}

for (const database of usualDatabases) {
  test(`others are served, and can sign in, while strangers try, ${database}`, async (t) => {
    const attacked = await attackedService(database)
    const user = sampleUser()
    const email = String(user.userName)
    const headers = { 'x-request-origin': requestOrigin }
    assert.equal((await attacked.post(users, user, { key: scimToken, headers })).status, 201)
    const attack = async (_: unknown, attacker: number) => {
      for (let n = attacker; n < attackersAtOnce * attemptsOfEach; n += attackersAtOnce) {
        assert.ok(
          [404, 429].includes((await sendForm(attacked, wrongLink, {}, { headers: fromNetwork(n % 4) })).status),
        )
        assert.ok(
          [200, 429].includes(
            (await sendForm(attacked, '/sign-in', { email }, { headers: fromNetwork(n % 400) })).status,
          ),
        )
      }
    }
    await assertServed(t, attacked, () => Promise.all(Array.from({ length: attackersAtOnce }, attack)))
    const mailed = () => attacked.mailServer.taken.findLast(({ to }) => to[0] === email)
    await eventually('a link is mailed', () => mailed() !== undefined)
    const link = linkForm.exec(mailed()!.content.replaceAll('=\r\n', ''))![0]
    assert.equal((await sendForm(attacked, link, {}, { headers: fromNetwork(1) })).status, 303)
  })
}
