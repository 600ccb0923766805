import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { type Answer, type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Exported, groups, type Item, many } from '../support/people.ts'

const { news } = groups
const arrivals = 12
const rounds = Math.ceil(sizes.contests / 2)
const states = ['unsubscribed', 'opted_in', 'subscribed'] as const

/** Two services on one database where it can be shared, else one service in both roles. */
async function startPair(database: Database): Promise<[Service, Service]> {
  const workspace = {
    subscription_groups: Object.values(groups),
    settings: { rate_limits: { export_ids: 'unlimited' } },
  }
  if (database === 'pglite') {
    const only = await startService({ database, workspace })
    return [only, only]
  }
  const env = { DATABASE_URL: await newDatabase('pair') }
  const first = await startService({ env, workspace })
  return [first, await startService({ env })]
}

for (const database of drawDatabases('address-states')) {
  describe(`states of addresses that people get at the same time (${database})`, () => {
    const chance = new Random(seed)
    let pair: [Service, Service]
    before(async () => {
      pair = await startPair(database)
    })
    after(async () => {
      for (const service of new Set(pair)) await service[Symbol.asyncDispose]()
    })

    const anyone = () => pair[chance.below(2)]!
    const send = async (path: string, body: unknown, service = anyone()): Promise<Answer> => {
      // Requests start at slightly different moments, so that every order of their transactions occurs.
      await new Promise((resume) => setTimeout(resume, chance.below(8)))
      const answer = await service.post(path, body)
      assert.equal(answer.status, 201, answer.text)
      return answer
    }
    const arrive = (email: string, external_id: string, more: Item = {}) =>
      send('/users/track', { attributes: [{ external_id, email, ...more }] })
    const say = (email: string, subscription_state: string, service?: Service) =>
      send('/email/status', { email, subscription_state }, service)
    const owners = async (email: string): Promise<readonly Exported[]> => {
      const fields_to_export = ['external_id', 'email_subscribe']
      const { body } = await anyone().post('/users/export/ids', { email_address: email, fields_to_export })
      return body.users
    }
    const statesAt = async (email: string) => (await owners(email)).map(({ email_subscribe }) => email_subscribe)

    test('a person who gets an address while it is unsubscribed is unsubscribed in the end', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let nth = 0; nth < rounds; nth++) {
        const email = `one-${nth}@example.com`
        const ids = many(arrivals, (i) => `one-${nth}-${i}`)
        const known = ids.filter(() => chance.below(2) === 0)
        if (known.length > 0) await send('/users/track', { attributes: known.map((external_id) => ({ external_id })) })
        await Promise.all([say(email, 'unsubscribed'), ...ids.map((id) => arrive(email, id))])
        assert.deepEqual(
          await statesAt(email),
          many(arrivals, () => 'unsubscribed'),
          `${nth}`,
        )
      }
    })

    test('when two states of an address are set at once, all its people end with the same one, including later people', async () => {
      for (let nth = 0; nth < rounds; nth++) {
        const email = `two-${nth}@example.com`
        const ids = many(arrivals, (i) => `two-${nth}-${i}`)
        const said = states.map((state) => say(email, state))
        await Promise.all([...said, ...ids.map((id) => arrive(email, id))])
        await arrive(email, `two-${nth}-late`)
        const found = await statesAt(email)
        assert.equal(found.length, arrivals + 1)
        assert.equal(new Set(found).size, 1, `${nth}: ${found.join()}`)
      }
    })

    test('a person who gets an address while its group state is set has that group state in the end', async () => {
      for (let nth = 0; nth < rounds; nth++) {
        const email = `group-${nth}@example.com`
        const ids = many(arrivals, (i) => `group-${nth}-${i}`)
        const body = { subscription_group_id: news.id, subscription_state: 'unsubscribed', email }
        await Promise.all([send('/subscription/status/set', body), ...ids.map((id) => arrive(email, id))])
        const query = ids.map((id) => `external_id=${id}`).join('&')
        const answer = await anyone().get(`/subscription/status/get?subscription_group_id=${news.id}&${query}`)
        assert.deepEqual(answer.body.status, Object.fromEntries(ids.map((id) => [id, 'Unsubscribed'])), `${nth}`)
      }
    })

    test('a state that is set after an answer replaces the earlier one, through either service', async () => {
      const [email, external_id] = ['after@example.com', 'after']
      await arrive(email, external_id)
      for (let nth = 0; nth < 4 * rounds; nth++) {
        const state = states[nth % 3]!
        const service = pair[nth % 2]!
        if (chance.below(2) === 0) await say(email, state, service)
        else await arrive(email, external_id, { email_subscribe: state })
        assert.deepEqual(await statesAt(email), [state], `${nth}`)
      }
    })

    test('a group state that is set after an answer replaces the earlier one, through either service and by any identifier', async () => {
      const [email, external_id] = ['group@example.com', 'group']
      await arrive(email, external_id)
      const query = `subscription_group_id=${news.id}&external_id=${external_id}`
      for (let nth = 0; nth < 4 * rounds; nth++) {
        const state = nth % 2 === 0 ? 'subscribed' : 'unsubscribed'
        const item = { subscription_group_id: news.id, subscription_state: state }
        const service = pair[nth % 2]!
        const way = chance.below(3)
        if (way === 0) await send('/subscription/status/set', { ...item, email }, service)
        else if (way === 1) await send('/subscription/status/set', { ...item, external_id }, service)
        else await arrive(email, external_id, { subscription_groups: [item] })
        const { body } = await anyone().get(`/subscription/status/get?${query}`)
        assert.equal(body.status[external_id].toLowerCase(), state, `${nth}`)
      }
    })

    test('changes by single people do not stop a change by address, and the change by address is the last one', async () => {
      for (let nth = 0; nth < rounds; nth++) {
        const email = `own-${nth}@example.com`
        const ids = many(arrivals, (i) => `own-${nth}-${i}`)
        const speaking = ids.map((id, i) => arrive(email, id, i % 2 === 0 ? { email_subscribe: 'opted_in' } : {}))
        await Promise.all([say(email, 'unsubscribed'), ...speaking])
        const found = await owners(email)
        const silent = found.filter(({ external_id }) => Number(external_id!.split('-').at(-1)) % 2 === 1)
        assert.deepEqual(new Set(silent.map((each) => each.email_subscribe)), new Set(['unsubscribed']))
        await say(email, 'unsubscribed')
        assert.deepEqual(
          await statesAt(email),
          many(arrivals, () => 'unsubscribed'),
          `${nth}`,
        )
      }
    })
  })
}
