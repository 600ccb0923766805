import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed, sizes } from '../sizes.ts'
import { attributes } from '../support/half-valid-attributes.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, type NoticeEntry, peopleOf } from '../support/people.ts'
import { triggeredWorkspace } from '../support/triggers.ts'
import { Expected, parse } from './unnamed-model.ts'
import { namedBy, readPeople } from './unnamed-people.ts'

/** Programs whose recipients share orders: an order has at most 50. */
const programsTogether = 10
const programsPerRound = 500
const ordersMax = 3

/** A person, and recipients of orders that all name this person. */
type Program = {
  readonly index: number
  readonly who: Item
  /** Whether the person exists before the first order. */
  readonly isKnown: boolean
  readonly recipients: readonly Item[]
  readonly expected: Expected
}

/** Flows that take orders and send nothing, so that only attributes are written. */
const flows = [
  ['/canvas/trigger/send', { canvas_id: 'paused' }],
  ['/campaigns/trigger/send', { campaign_id: 'paused' }],
] as const

for (const database of drawDatabases('unnamed-recipients')) {
  describe(`what orders accept of recipients (${database})`, () => {
    const people = peopleOf(database, { workspace: triggeredWorkspace })

    test('is stored, or the answer names it', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let first = 0; first < sizes.unnamedRecipients; first += programsPerRound) {
        const count = Math.min(programsPerRound, sizes.unnamedRecipients - first)
        const programs = many(count, (i) => programOf(new Random(seed + (first + i) * 7919), first + i))
        for (let i = 0; i < count; i += programsTogether) await run(programs.slice(i, i + programsTogether), i)
        const found = await readPeople(people.service)
        for (const { index, who, recipients, expected } of programs) {
          const shown = found.get(String(who.external_id ?? who.email))
          const missing = shown ? expected.missingIn(shown) : expected.isCreated ? ['there is no such person'] : []
          assert.deepEqual(missing, [], `seed ${seed}, program ${index}: ${JSON.stringify(recipients)}`)
        }
      }
    })

    async function run(programs: readonly Program[], turn: number): Promise<void> {
      const known = programs.filter(({ isKnown }) => isKnown).map(({ who }) => who)
      if (known.length > 0) await people.set(...known)
      for (let n = 0; n < ordersMax; n++) {
        const [path, flow] = flows[(turn + n) % flows.length]!
        await order(
          path,
          flow,
          programs.filter(({ recipients }) => recipients[n] !== undefined),
          n,
        )
      }
    }

    /** Sends an order. One that is refused names a recipient, and is sent again without that one. */
    async function order(path: string, flow: Item, programs: readonly Program[], n: number): Promise<void> {
      if (programs.length === 0) return
      const sent = JSON.stringify({ ...flow, recipients: programs.map(({ recipients }) => recipients[n]) })
      const { status, text, body } = await people.send(path, sent)
      if (status === 400) {
        const [, at] = /recipients\[(\d+)\]/.exec(body.message) ?? []
        assert.ok(at !== undefined, `${text} ${sent}`)
        return order(path, flow, programs.toSpliced(Number(at), 1), n)
      }
      assert.equal(status, 201, `${text} ${sent}`)
      assert.equal(body.further_notices, undefined)
      const notices = (body.notices ?? []).filter(({ input_array }) => input_array === 'recipients')
      const { recipients } = parse(sent) as { recipients: readonly Item[] }
      for (const [index, program] of programs.entries())
        take(
          program,
          recipients[index]!,
          notices.filter((one) => one.index === index),
        )
    }
  })
}

/** Takes the attributes of an accepted recipient, unless the answer says that there is no such person. */
function take(
  { expected, isKnown }: Program,
  { attributes: given, send_to_existing_only }: Item,
  notices: readonly NoticeEntry[],
): void {
  const members = notices.map(({ member }) => member)
  if (given === undefined || members.includes('attributes')) return
  const isNamed = namedBy(members)
  const named = (member: string) => isNamed(`attributes.${member}`)
  // When nothing is left to store and the order creates nobody, it does not matter whether the person exists.
  const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  const left = Object.entries(given as object).filter(([key, value]) => !key.startsWith('_') && !isNothing(value))
  const isLeft = left.some(([key]) => !named(key))
  if (isLeft || isKnown || send_to_existing_only === false || expected.isCreated)
    expected.take('attributes', given as Item, named)
}

function programOf(random: Random, index: number): Program {
  const who = random.below(3) === 0 ? { email: `r-${index}@example.com` } : { external_id: `r-${index}` }
  const name = who.email === undefined ? { external_user_id: who.external_id } : { email: who.email }
  const recipients = many(1 + random.below(ordersMax), (n): Item => {
    const more = random.pick<Item>([
      {},
      {},
      { send_to_existing_only: false },
      { send_to_existing_only: random.pick<unknown>([true, null, 'no', 0]) },
      { email: random.pick<unknown>(['other@example.com', 7, null]) },
      { canvas_entry_properties: random.pick<unknown>([{ a: 1 }, { a: '\u0000' }, [], '']) },
      { user_alias: { alias_name: 'other', alias_label: 'shop' } },
    ])
    // The identifier comes last, so that it is the one of the person.
    const own = random.below(8) === 0 ? {} : { attributes: attributes(random, who, `${index}-${n}`) }
    return { ...more, ...own, ...name }
  })
  return { index, who, isKnown: random.below(4) > 0, recipients, expected: new Expected(who) }
}
