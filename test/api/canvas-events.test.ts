import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail } from '../support/messages.ts'
import { apps, groups, type Item, many, newId, only } from '../support/people.ts'

const message = (id: string, next?: string): Item => {
  return { id, type: 'message', channel: 'email', message: mail({ subject: id }), ...(next && { next }) }
}

const isPlan = (value: string): Item => ({
  AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } }],
})

const wait: Item = { id: 'wait', type: 'delay', for: 'P1D', next: 'after' }

/** A canvas that people enter at an event of its name. */
const canvas = (id: string, steps: readonly Item[], more: Item = {}): Item => ({
  ...{ id, name: id, state: 'active', class: 'transactional', first: steps[0]!.id, steps },
  ...{ entry: { by: ['event'], event: { name: `${id} begun` }, again: 'always' } },
  ...more,
})

const canvases = [
  canvas('cart', [
    {
      ...{ id: 'ordered', type: 'action_paths', within: 'PT4H', otherwise: 'reminder' },
      paths: [{ name: 'Ordered', event: 'order_placed', same: ['cart_id'], next: 'thanks' }],
    },
    message('reminder'),
    message('thanks'),
  ]),
  canvas('left', [wait, message('after')], {
    exit: {
      events: [
        'left by',
        { purchase: 'any' },
        { event: 'rated', properties: { stars: { comparison: 'less_than', value: 3 } } },
      ],
    },
  }),
  canvas('outgrown', [wait, message('after')], { exit: { audience: isPlan('gold') } }),
  canvas('spent', [wait, message('after')], {
    exit: { audience: { AND: [{ total_revenue: { comparison: 'greater_than', value: 10 } }] } },
  }),
  canvas('refused', [wait, message('after')], {
    exit: { audience: { AND: [{ email_subscription_status: { comparison: 'is', value: 'unsubscribed' } }] } },
  }),
  canvas('tagged', [{ id: 'tag', type: 'update_user', attributes: { plan: 'gold' } }]),
  canvas('chosen', [message('chosen')], { segment: isPlan('gold') }),
  canvas('big', [message('big')], {
    entry: { by: ['event'], event: { name: 'paid', properties: { sum: { comparison: 'greater_than', value: 100 } } } },
  }),
  canvas('bought', [message('bought')], { entry: { by: ['event'], event: { purchase: 'tea' }, again: 'always' } }),
]

const campaign = (id: string, more: Item): Item => ({
  ...{ id, name: id, state: 'active', class: 'transactional', entry: { by: ['event'], event: { name: 'offered' } } },
  ...{ messages: [{ id: `${id}-message`, name: 'A', percent: 100, email: mail({ subject: id }) }] },
  ...more,
})

const campaigns = [
  campaign('offer', {
    conversions: [
      { on: { event: 'order_placed' }, within: 'P2D' },
      { on: { purchase: 'tea' }, within: 'P7D' },
      { on: { opened: 'email' }, within: 'P7D' },
    ],
  }),
  campaign('second', { conversions: [{ on: { purchase: 'any' }, within: 'P3D' }] }),
]

const workspace = {
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
  ...{ canvases, campaigns },
}

for (const database of drawDatabases('canvas-events')) {
  describe(`signals move people (${database})`, () => {
    const people = mailedOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })
    const advance = (by: string) => people.service.advance(by)

    async function newPerson(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, ...more })
      return external_id
    }

    async function now(lateMs = 0): Promise<string> {
      const { body } = await people.service.admin('GET', '/admin/clock')
      return new Date(Date.parse(body.now) - lateMs).toISOString()
    }

    /** Sends items, and waits until their signals are processed. */
    async function happens(external_id: string, ...events: readonly (string | Item)[]): Promise<void> {
      const time = await now()
      const named = events.map((event) => (typeof event === 'string' ? { name: event } : event))
      await people.happen(...named.map((event) => ({ external_id, time, ...event })))
      await advance('PT0S')
    }

    async function buys(external_id: string, product_id: string, price: number, more: Item = {}): Promise<void> {
      await people.buy({ external_id, product_id, currency: 'EUR', price, time: await now(), ...more })
      await advance('PT0S')
    }

    async function subjects(id: string): Promise<string[]> {
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${id}@example.com`)
      return body.messages.map(({ subject }: { subject: string }) => subject).toReversed()
    }

    const begun = (canvas_id: string, properties: Item = {}): Item => ({ name: `${canvas_id} begun`, properties })

    test('a left cart brings a reminder, and an ordered one brings thanks', async () => {
      const ann = await newPerson()
      await happens(ann, begun('cart', { cart_id: 1 }), begun('cart', { cart_id: 2 }))
      await advance('PT1H')
      await happens(ann, { name: 'order_placed', properties: { cart_id: 2 } })
      assert.deepEqual(await subjects(ann), ['thanks'])
      await happens(ann, { name: 'order_placed', properties: { cart_id: 3 } }, 'order_placed')
      await advance('PT3H')
      assert.deepEqual(await subjects(ann), ['thanks', 'reminder'])
    })

    test('the items of one request are processed in their order: a cart that is ordered at once brings no reminder', async () => {
      const ann = await newPerson()
      const ordered = { name: 'order_placed', properties: { cart_id: 'a' } }
      await happens(ann, ordered, begun('cart', { cart_id: 'a' }), ordered)
      assert.deepEqual(await subjects(ann), ['thanks'])
    })

    test('events, their properties and purchases end the steps that wait for them', async () => {
      const [ann, bob, eve, sue] = [await newPerson(), await newPerson(), await newPerson(), await newPerson()]
      for (const who of [ann, bob, eve, sue]) await happens(who, begun('left'))
      await happens(ann, 'left by')
      await buys(bob, 'milk', 1)
      await happens(eve, { name: 'rated', properties: { stars: 2 } })
      await happens(sue, { name: 'rated', properties: { stars: 5 } })
      await advance('P2D')
      assert.deepEqual(await Promise.all([ann, bob, eve, sue].map(subjects)), [[], [], [], ['after']])
    })

    test('an exit condition is evaluated again when one of its attributes changes, however it changes', async () => {
      const [ann, bob, eve] = [await newPerson({ plan: 'free' }), await newPerson({ plan: 'free' }), await newPerson()]
      for (const who of [ann, bob, eve]) await happens(who, begun('outgrown'))
      await people.set({ external_id: ann, plan: 'gold' })
      await advance('PT0S')
      await people.set({ external_id: ann, plan: 'free' })
      await happens(bob, begun('tagged'))
      await people.set({ external_id: eve, plan: 'silver' })
      await advance('P2D')
      assert.deepEqual(await Promise.all([ann, bob, eve].map(subjects)), [[], [], ['after']])
    })

    test('an exit condition follows the state of an address, also without a change of the person', async () => {
      const ann = await newPerson()
      await happens(ann, begun('refused'))
      const body = { email: `${ann}@example.com`, subscription_state: 'unsubscribed' }
      assert.equal((await people.send('/email/status', body)).status, 201)
      await advance('PT0S')
      const { body: why } = await people.service.admin('GET', `/admin/why?external_id=${ann}&canvas_id=refused`)
      assert.deepEqual([why.entries[0].state, why.entries[0].ended], ['ended', 'exited'])
    })

    test('entry conditions see the person and the event as they are at the entry; each reason is recorded once a day', async () => {
      const ann = await newPerson({ plan: 'free' })
      const why = async () => {
        const { body } = await people.service.admin('GET', `/admin/why?external_id=${ann}&canvas_id=chosen`)
        return body.decisions.map(({ reason }: { reason: string }) => reason).toReversed()
      }
      await happens(ann, 'chosen begun', 'chosen begun')
      await happens(ann, 'chosen begun')
      assert.deepEqual(await why(), ['not_in_segment'])
      await advance('P1D')
      await happens(ann, 'chosen begun')
      assert.deepEqual(await why(), ['not_in_segment', 'not_in_segment'])
      await people.set({ external_id: ann, plan: 'gold' })
      await happens(ann, 'chosen begun')
      assert.deepEqual(await subjects(ann), ['chosen'])
      await happens(ann, { name: 'paid', properties: { sum: 100 } }, { name: 'paid', properties: { sum: '101' } })
      assert.deepEqual(await subjects(ann), ['chosen'])
      await happens(ann, { name: 'paid', properties: { sum: 101 } }, { name: 'paid', properties: { sum: 102 } })
      await buys(ann, 'milk', 1)
      await buys(ann, 'tea', 1)
      assert.deepEqual(await subjects(ann), ['chosen', 'big', 'bought'])
    })

    test('conversions count by the time of the event, within their window, and not by its arrival', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      const received = async (id: string) => {
        const { campaigns_received = [] } = (await people.person(id, ['campaigns_received'])) as {
          campaigns_received?: readonly Item[]
        }
        return campaigns_received.find(({ name }) => name === 'offer')!
      }
      const made = async (id: string) => Object.values((await received(id)).multiple_converted as Item)
      for (const who of [ann, bob]) {
        await happens(who, { name: 'order_placed', time: await now(1_000) })
        await happens(who, 'offered')
      }
      await advance('P1D')
      await happens(ann, { name: 'order_placed', time: await now(3 * 86_400_000) })
      assert.deepEqual([(await received(ann)).converted, await made(ann)], [false, [false, false, false]])
      await advance('P2D')
      await happens(ann, 'order_placed')
      assert.deepEqual(await made(ann), [false, false, false])
      await happens(ann, { name: 'order_placed', time: await now(2 * 86_400_000) })
      await buys(bob, 'tea', 2)
      assert.deepEqual(
        [await made(ann), await made(bob)],
        [
          [true, false, false],
          [false, true, false],
        ],
      )
      assert.deepEqual([(await received(ann)).converted, (await received(ann)).engaged], [true, undefined])
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${ann}@example.com`)
      const { id } = body.messages.find(({ subject }: { subject: string }) => subject === 'offer')
      const path = `/o/${people.token(await people.messageOf(id), 'open')}`
      await people.page(path, { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36' })
      await eventually('the open is recorded', async () => (await received(ann)).engaged !== undefined)
      await advance('PT0S')
      assert.deepEqual((await received(ann)).engaged, { opened_email: true })
      assert.deepEqual(await made(ann), [true, false, true])
    })

    test('a purchase counts by its own time: at the instant of the message it counts, just before it does not', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      const revenue = async (id: string) => (await people.person(id, ['total_revenue'])).total_revenue
      // Stamps can be ahead of a clock that does not move.
      for (let i = 0; i < 30; i++) await people.set(...many(50, () => ({ external_id: ann, n: i })))
      await happens(ann, 'offered')
      await buys(ann, 'tea', 5)
      assert.equal(await revenue(ann), 5)
      await happens(bob, 'offered')
      await advance('PT1H')
      const time = await now()
      await advance('PT1H')
      await happens(bob, 'offered')
      await buys(bob, 'tea', 7, { time: await now(10_000_000) })
      await buys(bob, 'tea', 6, { time })
      assert.equal(await revenue(bob), 6, 'a purchase before the first message does not count')
    })

    test('a person leaves with the purchase that fulfils the exit condition', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      for (const id of [ann, bob]) await happens(id, 'offered', begun('spent'))
      await buys(ann, 'tea', 11)
      await buys(bob, 'tea', 10)
      await advance('P2D')
      const stayed = [await subjects(ann), await subjects(bob)].map((each) => each.includes('after'))
      assert.deepEqual(stayed, [false, true])
    })

    test('a purchase counts as revenue once, within the window of a received message, and other events do not', async () => {
      const ann = await newPerson()
      const revenue = async () => (await people.person(ann, ['total_revenue'])).total_revenue
      await buys(ann, 'tea', 100)
      await happens(ann, 'offered')
      await buys(ann, 'milk', 2.5, { quantity: 2 })
      assert.equal(await revenue(), 5)
      await advance('P4D')
      await buys(ann, 'cheese', 1)
      await happens(ann, { name: 'order_placed', properties: { price: 50 } })
      assert.equal(await revenue(), 6)
      await advance('P4D')
      await buys(ann, 'tea', 1)
      assert.equal(await revenue(), 6)
      assert.equal(only(await people.find({ external_ids: [ann] }, ['total_revenue'])).total_revenue, 6)
    })
  })
}
