import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { groups, type Item, many, newEmail, newId, newPhone, peopleOf, workspace } from '../support/people.ts'
import { bulkPath, singlePath } from '../support/subscriptions.ts'

const itemsMax = 4
/** Programs whose items share requests: a request has at most 50 users. */
const programsTogether = 15
const usersOfItemMax = 3
const programsPerRound = 300
const identifiersOfQuery = 50
const lists = { external_id: 'external_ids', email: 'emails', phone: 'phones' } as const
type Kind = keyof typeof lists
const kinds = Object.keys(lists) as Kind[]
const wrongIds: readonly unknown[] = ['', null, 7.5, {}]
const wrongAddresses: readonly unknown[] = [...wrongIds, 'no address', '+0', 7]

/** An item about a user: `list` is the member that names users, `isWrong` says whether it refuses its request. */
type Step = { readonly item: Item; readonly list: string; readonly isWrong: boolean }

/** A person with an external_id, or an address, and items about them. `states` are the last accepted ones by group. */
type Program = {
  readonly kind: Kind
  readonly value: string
  readonly steps: readonly Step[]
  readonly states: Map<string, string>
}

const settings = { rate_limits: { subscription_user_status: 'unlimited' } }

for (const database of drawDatabases('unnamed-states')) {
  describe(`what a 201 of subscription sets accepts (${database})`, () => {
    const people = peopleOf(database, { workspace: { ...workspace, settings } })

    test('is the state of everyone who is named, or the answer names who and what is not', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedStates; first += programsPerRound) {
        const count = Math.min(programsPerRound, sizes.unnamedStates - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919)))
        for (let i = 0; i < count; i += identifiersOfQuery) {
          await people.set(...programs.slice(i, i + identifiersOfQuery).map(({ kind, value }) => ({ [kind]: value })))
        }
        const batches = many(Math.ceil(count / programsTogether), (i) =>
          programs.slice(i * programsTogether, (i + 1) * programsTogether),
        )
        await Promise.all(batches.map(run))
        for (const kind of kinds) {
          const own = programs.filter((program) => program.kind === kind)
          for (let i = 0; i < own.length; i += identifiersOfQuery) await look(own.slice(i, i + identifiersOfQuery))
        }
      }
    })

    /** Sends the first items of all programs as one request, then the second ones, and so on. Wrong items are sent alone. */
    async function run(programs: readonly Program[]): Promise<void> {
      for (let n = 0; n < itemsMax; n++) {
        const now = programs.filter(({ steps }) => steps[n] !== undefined)
        const taken = now.filter(({ steps }) => !steps[n]!.isWrong)
        for (const { steps } of now.filter((program) => !taken.includes(program))) await refuse(steps[n]!.item)
        if (taken.length === 0) continue
        const steps = taken.map((program) => program.steps[n]!)
        const isAlone = steps.length === 1
        const body = isAlone ? steps[0]!.item : { subscription_groups: steps.map(({ item }) => item) }
        const { status, text, body: answer } = await people.send(isAlone ? singlePath : bulkPath, body)
        assert.equal(status, 201, `${text} ${JSON.stringify(body)}`)
        const named = (answer.notices ?? []).map(
          ({ input_array = '', index = '', member }) => `${input_array}[${index}].${member}`,
        )
        const expected = steps.flatMap((step, i) => lossesOf(step, isAlone ? undefined : i))
        assert.deepEqual(named.toSorted(), expected.toSorted(), `${text} ${JSON.stringify(body)}`)
        for (const { states, steps } of taken) take(states, steps[n]!.item)
      }
    }

    async function refuse(item: Item): Promise<void> {
      const { status, text } = await people.send(bulkPath, { subscription_groups: [item] })
      assert.equal(status, 400, `${text} ${JSON.stringify(item)}`)
    }

    /** Compares the states of users with the accepted ones. */
    async function look(programs: readonly Program[]): Promise<void> {
      const query = new URLSearchParams(programs.map(({ kind, value }) => [`${kind}[]`, value]))
      const { status, text, body } = await people.get(`/subscription/user/status?${query}`)
      assert.equal(status, 200, text)
      const found = new Map(
        (body.users as unknown as readonly User[]).map((user) => [user.external_id ?? user.email ?? user.phone, user]),
      )
      for (const { value, states, steps } of programs) {
        const own = found.get(value)?.subscription_groups.map(({ id, status }) => [id, status.toLowerCase()] as const)
        const expected = JSON.stringify([...states].toSorted())
        assert.equal(JSON.stringify(own?.toSorted()), expected, `seed ${seed}: ${value} ${JSON.stringify(steps)}`)
      }
    }
  })
}

type User = { readonly [kind in Kind]: string | null } & {
  readonly subscription_groups: readonly { readonly id: string; readonly status: string }[]
}

function programOf(random: Random): Program {
  const kind = random.pick(kinds)
  const value = kind === 'external_id' ? newId() : kind === 'email' ? newEmail() : newPhone()
  const steps = many(1 + random.below(itemsMax), () => stepOf(random, kind, value))
  return { kind, value, steps, states: new Map() }
}

/** Returns an item about a user, often with something in it that is refused or has no effect. */
function stepOf(random: Random, kind: Kind, value: string): Step {
  const { news, offers, alerts, bygone } = groups
  const group =
    kind === 'phone' ? alerts : random.pick(kind === 'email' ? [news, offers, bygone] : Object.values(groups))
  const list = random.pick([kind, lists[kind]])
  const written = () => (kind === 'email' && random.below(3) === 0 ? value.toUpperCase() : value)
  const named: unknown[] = many(1 + random.below(usersOfItemMax - 1), written)
  if (kind === 'external_id' && random.below(4) === 0) named.splice(random.below(named.length + 1), 0, newId('nobody'))
  const draw = random.below(14)
  if (draw === 0) named.push(random.pick(kind === 'external_id' ? wrongIds : wrongAddresses))
  const item: Record<string, unknown> = {
    subscription_group_id: random.below(4) === 0 ? group.id.toUpperCase() : group.id,
    subscription_state: random.pick(['subscribed', 'unsubscribed']),
    [list]: named.length === 1 && random.below(2) === 0 ? named[0] : named,
  }
  if (draw === 1) item.subscription_state = random.pick<unknown>(['Subscribed', true, null, 'opted_in'])
  if (draw === 2) item.subscription_group_id = random.pick<unknown>(['unknown', 7, null])
  if (draw === 3) item.use_double_opt_in_logic = 'maybe'
  if (draw === 4) item.use_double_opt_in_logic = random.pick<unknown>([true, 'true', false, null])
  if (draw === 5) item.note = random.pick<unknown>(['x', null])
  return { item, list, isWrong: draw <= 3 }
}

/** Returns what an answer must name of an item: groups, members and people without effect. `i` is absent when the item is the body. */
function lossesOf({ item, list }: Step, i?: number): string[] {
  const place = i === undefined ? '[]' : `subscription_groups[${i}]`
  const isArchived = String(item.subscription_group_id).toLowerCase() === groups.bygone.id
  const users = [item[list]].flat() as readonly string[]
  const nobody = users.flatMap((user, at) => (String(user).startsWith('nobody') ? [at] : []))
  return [
    ...(isArchived ? [`${place}.subscription_group_id`] : []),
    ...(String(item.use_double_opt_in_logic) === 'true' ? [`${place}.use_double_opt_in_logic`] : []),
    // Members of the body itself that are not known are ignored in every request.
    ...(i !== undefined && typeof item.note === 'string' ? [`${place}.note`] : []),
    ...(isArchived ? [] : nobody.map((at) => `${i === undefined ? '' : `${place}.`}${list}[${at}].external_id`)),
  ]
}

function take(states: Map<string, string>, { subscription_group_id, subscription_state }: Item): void {
  const id = String(subscription_group_id).toLowerCase()
  if (id !== groups.bygone.id) states.set(id, String(subscription_state))
}
