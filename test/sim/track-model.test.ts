import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { long, seed, sizes } from '../sizes.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Exported, newId, type Summary } from '../support/people.ts'
import { type Act, Model, type Shown, type Step } from './track-model.ts'

const peopleMax = 12
const requestsMax = 8
const stepsMax = 5
/** The search for a smaller example ends early enough for its report. */
const runMsMax = long ? 2_000_000 : 100_000
const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }
const fields_to_export = ['external_id', 'email', 'first_name', 'custom_attributes', 'custom_events', 'purchases']

const key = fc.constantFrom('a', 'b', 'c')
const number = fc.integer({ min: -5, max: 5 })
const numbers = fc.uniqueArray(number, { maxLength: 3 })
const object = fc.dictionary(
  fc.constantFrom('x', 'y'),
  fc.oneof(number, fc.constant('text'), fc.record({ z: number }, { noNullPrototype: true })),
  {
    noNullPrototype: true,
  },
)
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('set'),
    key,
    value: fc.oneof(number, fc.constantFrom('text', true, null), numbers, object),
  }),
  fc.record({ kind: fc.constant('increase'), key, by: number }),
  fc.record({ kind: fc.constant('rearrange'), key, add: numbers, remove: numbers }),
  fc.record({ kind: fc.constant('merge'), key, value: object }),
  fc.record({ kind: fc.constant('name'), first_name: fc.constantFrom('Ann', 'Ben') }),
  fc.record({ kind: fc.constant('move'), to: fc.constantFrom('first', 'second', null) }),
  fc.record({ kind: fc.constant('event'), event: fc.constantFrom('opened', 'closed') }),
  fc.record({
    kind: fc.constant('purchase'),
    product: fc.constantFrom('tea', 'mug'),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
) as fc.Arbitrary<Act>
const step: fc.Arbitrary<Step> = fc
  .record({ by: fc.constantFrom('external_id', 'first', 'second'), act })
  // An item that is identified by an address cannot change that address.
  .map(({ by, act }): Step => ({ by: act.kind === 'move' ? 'external_id' : by, act }) as Step)
const request = fc.array(step, { minLength: 1, maxLength: stepsMax })
const crowd = fc.array(fc.array(request, { maxLength: requestsMax }), { maxLength: peopleMax })

for (const database of drawDatabases('track-model')) {
  describe(`tracked people (${database})`, () => {
    let service: Service

    before(async () => {
      service = await startService({ database, workspace: withoutExportLimit })
    })

    after(() => service[Symbol.asyncDispose]())

    test('are equal to the people of a simple model while all others send requests too', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const property = fc.asyncProperty(crowd, async (people) => {
        await Promise.all(people.map((requests) => live(service, requests)))
      })
      await fc.assert(property, { seed, numRuns: sizes.databasePropertyRuns, interruptAfterTimeLimit: runMsMax })
    })
  })
}

/** One person's requests one after the other, then the comparison. */
async function live(service: Service, requests: readonly (readonly Step[])[]): Promise<void> {
  const model = new Model(newId('life'))
  for (const steps of requests) {
    const ordered = [...steps].sort((a, b) => rank(a) - rank(b))
    const arrays = Object.groupBy(ordered, (one) => arrayOf(one.act))
    const body = Object.fromEntries(
      Object.entries(arrays).map(([name, list]) => [name, list.map((one) => model.item(one))]),
    )
    const { status, text, body: answer } = await service.post('/users/track', body)
    assert.equal(status, 201, text)
    assert.equal(answer.errors, undefined, text)
    for (const one of ordered) model.apply(one)
  }
  const found = await Promise.all([
    exported(service, { external_ids: [model.external_id] }),
    exported(service, { email_address: model.email('first') }),
    exported(service, { email_address: model.email('second') }),
  ])
  const distinct = [...new Map(found.flat().map((one) => [`${one.external_id} ${one.email}`, one])).values()]
  assert.deepEqual(sorted(distinct), sorted(model.profiles))
}

const arrays = ['attributes', 'events', 'purchases'] as const

function arrayOf({ kind }: Act): (typeof arrays)[number] {
  if (kind === 'event') return 'events'
  return kind === 'purchase' ? 'purchases' : 'attributes'
}

/** Inside a request attributes take effect first, then events, then purchases. */
function rank({ act }: Step): number {
  return arrays.indexOf(arrayOf(act))
}

async function exported(service: Service, who: object): Promise<Shown[]> {
  const { status, text, body } = await service.post('/users/export/ids', { ...who, fields_to_export })
  assert.equal(status, 201, text)
  return body.users.map((user: Exported) => ({
    external_id: user.external_id ?? null,
    email: user.email ?? null,
    first_name: user.first_name ?? null,
    custom: user.custom_attributes,
    events: countsOf(user.custom_events),
    purchases: countsOf(user.purchases),
  }))
}

function countsOf(summaries: readonly Summary[] = []): { [name: string]: number } {
  return Object.fromEntries(summaries.map(({ name, count }) => [name, count]))
}

function sorted(profiles: readonly Shown[]): Shown[] {
  return profiles.toSorted((a, b) => (`${a.external_id} ${a.email}` < `${b.external_id} ${b.email}` ? -1 : 1))
}
