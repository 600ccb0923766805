import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { ago, dayMs, isNow, many, newId, only, peopleOf, purchase, texts } from '../support/people.ts'
import { historyOf } from '../support/people-lines.ts'

const quantityMax = 100

for (const database of drawDatabases('users-track-purchases')) {
  describe(`purchase objects (${database})`, () => {
    const people = peopleOf(database)

    const countOf = async (external_id: string) => only(await people.purchasesOf(external_id)).count

    test('a purchase is counted by its quantity, under its product_id', async () => {
      const external_id = newId()
      const times = [2, 3, 1].map((days) => ago(days * dayMs))
      await people.buy(
        purchase({ external_id }, { time: times[0], quantity: 6 }),
        purchase({ external_id }, { time: times[1] }),
        purchase({ external_id }, { time: times[2], product_id: 'coffee', quantity: 2 }),
      )
      const summaries = await people.purchasesOf(external_id)
      assert.deepEqual(
        summaries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        [
          { name: 'coffee', first: times[2], last: times[2], count: 2 },
          { name: 'tea', first: times[1], last: times[0], count: 7 },
        ],
      )
    })

    test('equal purchases are separate purchases', async () => {
      const external_id = newId()
      const one = purchase({ external_id })
      await people.buy(one, one)
      await people.buy(one)
      assert.equal(await countOf(external_id), 3)
    })

    test('a purchase adds nothing to the revenue of campaigns, and is no event', async () => {
      const external_id = newId()
      await people.buy(purchase({ external_id }, { price: 100, quantity: 5 }))
      const person = await people.person(external_id)
      assert.equal(person.total_revenue, 0)
      assert.equal(person.custom_events, undefined)
      assert.deepEqual(person.custom_attributes, {})
    })

    test('a product_id is required, has at most 255 characters and can be an integer', async () => {
      const external_id = newId()
      for (const product_id of [undefined, null]) {
        const refusal = await people.refusal('purchases', purchase({ external_id }, { product_id }))
        assert.equal(refusal, "'product_id' is required")
      }
      for (const product_id of ['p'.repeat(256), true, {}, ['tea'], 1.5]) {
        const refusal = await people.refusal('purchases', purchase({ external_id }, { product_id }))
        assert.equal(refusal, "'product_id' is not valid")
      }
      const products = ['p'.repeat(254), 'p'.repeat(255), 1, '2', 2]
      await people.buy(...products.map((product_id) => purchase({ external_id }, { product_id })))
      const counts = (await people.purchasesOf(external_id)).map(({ name, count }) => [name, count])
      assert.deepEqual(Object.fromEntries(counts), { 1: 1, 2: 2, ['p'.repeat(254)]: 1, ['p'.repeat(255)]: 1 })
    })

    test('a currency is required and an ISO 4217 code, in upper or lower case', async () => {
      const who = { external_id: newId() }
      for (const currency of [undefined, null]) {
        assert.equal(await people.refusal('purchases', purchase(who, { currency })), "'currency' is required")
      }
      for (const currency of ['BARTER', 'EU', 'EURO', 'ABC', 'test', '€', '978', 978, true, {}]) {
        assert.equal(await people.refusal('purchases', purchase(who, { currency })), texts.currency, String(currency))
      }
      const known = ['USD', 'CAD', 'NOK', 'JPY', 'KWD', 'XOF', 'CLF', 'VES', 'SLE', 'ZWG', 'usd', 'Eur']
      await people.buy(...known.map((currency) => purchase(who, { currency })))
      assert.equal(await countOf(who.external_id), known.length)
    })

    test('a price is required and a number, positive or negative', async () => {
      const who = { external_id: newId() }
      for (const price of [undefined, null]) {
        assert.equal(await people.refusal('purchases', purchase(who, { price })), "'price' is required")
      }
      for (const price of ['12.12', '', true, {}, [1]]) {
        assert.equal(await people.refusal('purchases', purchase(who, { price })), "'price' is not valid", String(price))
      }
      const prices = [12.12, 0, -5, 1_000_000, 0.001]
      await people.buy(...prices.map((price) => purchase(who, { price })))
      assert.equal(await countOf(who.external_id), prices.length)
    })

    test('a quantity is an integer from 1 to 100, and 1 by default', async () => {
      for (const quantity of [1, 2, quantityMax - 1, quantityMax]) {
        const external_id = newId()
        await people.buy(purchase({ external_id }, { quantity }))
        assert.equal(await countOf(external_id), quantity)
      }
      const external_id = newId()
      for (const quantity of [0, quantityMax + 1, -1, 1.5, '3', true, {}]) {
        const refusal = await people.refusal('purchases', purchase({ external_id }, { quantity }))
        assert.equal(refusal, texts.quantity, String(quantity))
      }
      await people.buy(purchase({ external_id }))
      assert.equal(await countOf(external_id), 1)
    })

    test('a time is required and must be valid; a future time counts as now', async () => {
      const external_id = newId()
      const refused = (time: unknown) => people.refusal('purchases', purchase({ external_id }, { time }))
      assert.equal(await refused(undefined), "'time' is required")
      assert.equal(await refused(null), "'time' is required")
      assert.equal(await refused('12345'), "'time' is not valid")
      assert.equal(await refused(12345), "'time' is not valid")
      await people.buy(purchase({ external_id }, { time: '2999-01-01T00:00:00Z' }))
      const { first } = only(await people.purchasesOf(external_id))
      assert.ok(isNow(first), first)
    })

    test('properties are an object with any names and are kept as they were sent', async () => {
      const external_id = newId()
      for (const properties of ['text', 5, true, []]) {
        const refusal = await people.refusal('purchases', purchase({ external_id }, { properties }))
        assert.equal(refusal, texts.properties)
      }
      const names = ['', '$price', 'time', 'product_id', 'quantity', 'event_name', 'price', 'currency', 'k'.repeat(300)]
      const properties = { ...Object.fromEntries(names.map((name, i) => [name, i])), text: 'v'.repeat(300), sizes: [1] }
      const { text } = await people.track({ purchases: [purchase({ external_id }, { properties })] })
      assert.equal(text, '{"purchases_processed":1,"message":"success"}')
      const [line] = await historyOf(people.service, external_id)
      assert.deepEqual(line!.properties, properties)
    })

    test('properties have at most 100 KB', async () => {
      const who = { external_id: newId() }
      const list = (kilobytes: number) => ({ list: many(kilobytes * 4, () => 'x'.repeat(250)) })
      await people.buy(purchase(who, { properties: list(90) }))
      assert.equal(await people.refusal('purchases', purchase(who, { properties: list(120) })), texts.properties)
    })
  })
}
