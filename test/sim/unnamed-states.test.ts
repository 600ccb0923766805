import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { databases } from '../support/harness.ts'
import { groups, type Item, many, newEmail, newId, newPhone, peopleOf } from '../support/people.ts'
import { bulkPath } from '../support/subscriptions.ts'

const itemsMax = 3
const usersMax = 4
const personsOfRound = 8
const lists = { external_id: 'external_ids', email: 'emails', phone: 'phones' } as const
type Kind = keyof typeof lists
const wrongIds: readonly unknown[] = ['', null, 7.5, {}]
const wrongAddresses: readonly unknown[] = [...wrongIds, 'no address', '+0', 7]

/**
 * A person, or an address, that an item names, with the last state that was accepted for it, by group. Ids of nobody and archived groups
 * are not sent: they are accepted without effect, as docs/api-decisions.md says, and no answer names them.
 */
type User = { readonly kind: Kind; readonly value: string; readonly states: Map<string, string> }

for (const database of databases) {
  describe(`what a 201 of subscription sets accepts (${database})`, () => {
    const people = peopleOf(database)

    test('is the state of everyone who is named, and a 400 changes no state', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let round = 0; round < sizes.unnamedRounds; round++) {
        const random = new Random(seed + round * 7919)
        const users = many(personsOfRound, (i): User => {
          const kind = (['external_id', 'email', 'phone'] as const)[i % 3]!
          const value = kind === 'external_id' ? newId() : kind === 'email' ? newEmail() : newPhone()
          return { kind, value, states: new Map() }
        })
        await people.set(...users.map(({ kind, value }) => ({ [kind]: value })))
        for (let n = 0; n < requestsOfRound; n++) {
          const items = many(1 + random.below(itemsMax), () => itemOf(random, users))
          const body = { subscription_groups: items.map(({ item }) => item) }
          const { status, text } = await people.send(bulkPath, body)
          assert.ok(status === 201 || status === 400, `${status} ${text} ${JSON.stringify(body)}`)
          assert.ok(status === 400 || !items.some(({ isWrong }) => isWrong), `${text} ${JSON.stringify(body)}`)
          if (status === 201) for (const { item, named } of items) for (const user of named) take(user, item)
        }
        await look(round, users)
      }
    })

    async function look(round: number, users: readonly User[]): Promise<void> {
      for (const { kind, value, states } of users) {
        for (const { id } of [groups.news, groups.alerts]) {
          if (kind !== 'external_id' && (kind === 'phone') !== (id === groups.alerts.id)) continue
          const query = new URLSearchParams({ subscription_group_id: id, [kind]: value })
          const { text, body } = await people.get(`/subscription/status/get?${query}`)
          const { status } = body as unknown as { status: Readonly<Record<string, string>> }
          assert.equal(
            status[value]?.toLowerCase(),
            states.get(id) ?? 'unknown',
            `seed ${seed}, round ${round}: ${text}`,
          )
        }
      }
    }
  })
}

const requestsOfRound = 6

function take({ states }: User, { subscription_group_id, subscription_state }: Item): void {
  states.set(String(subscription_group_id).toLowerCase(), String(subscription_state))
}

/** Returns an item about some of the users, often with something wrong in it. */
function itemOf(random: Random, users: readonly User[]): { item: Item; named: readonly User[]; isWrong: boolean } {
  const kind = random.pick(['external_id', 'email', 'phone'] as const)
  const group =
    kind === 'phone' ? groups.alerts : kind === 'email' ? groups.news : random.pick([groups.news, groups.alerts])
  const own = users.filter((user) => user.kind === kind)
  const named = many(1 + random.below(usersMax), () => random.pick(own))
  const written = named.map(({ value }) => (kind === 'email' && random.below(3) === 0 ? value.toUpperCase() : value))
  const draw = random.below(12)
  const item: Record<string, unknown> = {
    subscription_group_id: random.below(4) === 0 ? group.id.toUpperCase() : group.id,
    subscription_state: random.pick(['subscribed', 'unsubscribed']),
    [random.pick([kind, lists[kind]])]:
      draw === 0 ? [...written, random.pick(kind === 'external_id' ? wrongIds : wrongAddresses)] : written,
  }
  if (draw === 1) item.subscription_state = random.pick<unknown>(['Subscribed', true, null, 'opted_in'])
  if (draw === 2) item.subscription_group_id = random.pick<unknown>(['unknown', 7, null])
  if (draw === 3) item.use_double_opt_in_logic = 'maybe'
  return { item, named, isWrong: draw <= 3 }
}
