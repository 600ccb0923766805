import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { namesMax } from '../../src/audience/builder/names-schema.ts'
import type { Db } from '../../src/base/db/db.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { event, many, newId, peopleOf, purchase } from '../support/people.ts'

const permitted = (...appGroupPermissions: string[]) => {
  return { appGroup: [{ appGroupName: 'Default', appGroupPermissions }] }
}

type Name = { name: string; types: string[]; share: number; examples: unknown[] }

for (const database of drawDatabases('admin-names')) {
  describe(`GET /admin/names (${database})`, () => {
    let db: Db
    const people = peopleOf(database, {
      opened(opened) {
        db = opened
      },
    })
    const send = (query: Record<string, string>) => {
      const path = `/admin/names?${new URLSearchParams(query)}`
      return people.service.send('GET', path, undefined, { key: people.service.adminToken })
    }
    const ask = async (query: Record<string, string>): Promise<Name[]> => {
      const { status, text, body } = await send(query)
      assert.equal(status, 200, text)
      assert.ok(Date.parse(body.at) > 0)
      return body.names
    }
    const described = (names: readonly Name[]): unknown[] =>
      names.map(({ name, types, examples }) => [name, types, examples])

    test('attributes have their types, frequent values and a share of people', async () => {
      const word = newId('attribute')
      const values = ['gold', 'gold', 'gold', 'free', 'free', 'more', 'none', 5]
      await people.set(
        ...values.map((value, i) => ({
          external_id: newId(),
          [`${word}_plan`]: value,
          ...(i < 2 && { [`${word}_age`]: 30.5, [`${word}_list`]: ['a'] }),
          ...(i < 1 && { [`${word}_since`]: '2026-01-02T03:04:05Z', [`${word}_map`]: { a: 1 }, [`${word}_on`]: true }),
        })),
      )
      const names = await ask({ kind: 'attribute', prefix: word })
      assert.deepEqual(described(names), [
        [`${word}_plan`, ['number', 'string'], ['gold', 'free', 'more']],
        [`${word}_age`, ['number'], [30.5]],
        [`${word}_list`, ['array'], []],
        [`${word}_map`, ['object'], []],
        [`${word}_on`, ['boolean'], [true]],
        [`${word}_since`, ['time'], names[5]!.examples],
      ])
      const [plan, age] = names
      assert.ok(plan!.share > 0 && plan!.share <= 1)
      assert.ok(Math.abs(plan!.share - age!.share * 4) < 1e-9)
      assert.deepEqual(
        (await ask({ kind: 'attribute', prefix: `${word}_AG`.toUpperCase() })).map(({ name }) => name),
        [`${word}_age`],
      )
    })

    test('events, their properties and products', async () => {
      const [word, product] = [newId('event'), newId('product')]
      const who = many(3, () => ({ external_id: newId() }))
      await people.set(...who)
      await people.happen(
        ...who.map((one) => event(one, { name: `${word}_seen` })),
        event(who[0]!, { name: `${word}_bought`, properties: { price: 5, color: 'red' } }),
        event(who[1]!, { name: `${word}_bought`, properties: { price: 'none' } }),
      )
      await people.buy(purchase(who[0]!, { product_id: product }))
      const events = await ask({ kind: 'event', prefix: word })
      assert.deepEqual(described(events), [
        [`${word}_seen`, [], []],
        [`${word}_bought`, [], []],
      ])
      assert.ok(Math.abs(events[0]!.share * 2 - events[1]!.share * 3) < 1e-9)
      for (const kind of ['product', 'purchase']) {
        assert.deepEqual(described(await ask({ kind, prefix: product })), [[product, [], []]])
      }
      assert.deepEqual(described(await ask({ kind: 'property', of: `${word}_bought` })), [
        ['price', ['number', 'string'], ['none', 5]],
        ['color', ['string'], ['red']],
      ])
      assert.deepEqual(await ask({ kind: 'property', of: `${word}_seen` }), [])
      assert.deepEqual(await ask({ kind: 'property', of: newId('never') }), [])
      assert.deepEqual(described(await ask({ kind: 'property', of: `${word}_bought`, prefix: 'C' })), [
        ['color', ['string'], ['red']],
      ])
    })

    test('a number has all its digits', async () => {
      const word = newId('exact')
      await people.track(`{"attributes":[{"external_id":"${newId()}","${word}":12345678901234567890.5}]}`)
      const { text } = await send({ kind: 'attribute', prefix: word })
      assert.ok(text.includes('[12345678901234567890.5]'), text)
    })

    test('a name that only the list of names knows has the share 0', async () => {
      const [word, external_id] = [newId('left'), newId()]
      await people.set({ external_id, [word]: 1 })
      await people.set({ external_id, [word]: null })
      const [name, ...others] = await ask({ kind: 'attribute', prefix: word })
      assert.deepEqual([name, others], [{ name: word, types: ['number'], share: 0, examples: [] }, []])
    })

    test('an answer has at most a hundred names', async () => {
      const word = newId('many')
      for (const count of [namesMax - 1, namesMax, namesMax + 1]) {
        const names = many(count, (i) => [`${word}_${count}_${i}`, i])
        for (let from = 0; from < count; from += 50) {
          await people.set({ external_id: newId(), ...Object.fromEntries(names.slice(from, from + 50)) })
        }
        const found = await ask({ kind: 'attribute', prefix: `${word}_${count}_` })
        assert.equal(found.length, Math.min(count, namesMax))
      }
    })

    test('an answer is kept for a while', async () => {
      const word = newId('kept')
      await people.set({ external_id: newId(), [`${word}_a`]: 1 })
      const first = (await send({ kind: 'attribute', prefix: word })).body
      await people.set({ external_id: newId(), [`${word}_b`]: 1 })
      assert.deepEqual((await send({ kind: 'attribute', prefix: word })).body, first)
      assert.equal((await ask({ kind: 'attribute', prefix: `${word}_` })).length, 2)
    })

    test('only an account that may read people sees values', async () => {
      const word = newId('secret')
      await people.set({ external_id: newId(), [word]: 'personal' })
      const asks = async (...permissions: string[]) => {
        const one = await signIn(people.service, db, await makeAccount(db, permitted(...permissions)))
        const { status, body } = await one.send('GET', `/admin/names?kind=attribute&prefix=${word}`)
        return [status, body.names?.map(({ examples }: Name) => examples)]
      }
      assert.deepEqual(await asks('view_campaigns'), [403, undefined])
      assert.deepEqual(await asks('view_segments', 'view_user_profile', 'view_pii'), [200, [['personal']]])
      assert.deepEqual(await asks('view_segments'), [200, [[]]])
    })

    test('a bad question is refused with the name of the member', async () => {
      const kinds = "'kind' must be one of attribute, event, purchase, property, product"
      const cases: readonly [Record<string, string>, string][] = [
        [{}, kinds],
        [{ kind: 'people' }, kinds],
        [{ kind: 'property' }, "'of' must be the name of an event"],
        [{ kind: 'event', of: 'x' }, "'of' is only for the kind property"],
        [{ kind: 'event', prefix: 'x'.repeat(256) }, "'prefix' must be at most 255 characters without NUL"],
        [{ kind: 'event', prefix: '\0' }, "'prefix' must be at most 255 characters without NUL"],
        [{ kind: 'property', of: 'x'.repeat(256) }, "'of' must be at most 255 characters without NUL"],
      ]
      for (const [query, message] of cases) {
        const { status, body } = await send(query)
        assert.deepEqual([status, body.message], [400, message])
      }
      for (const size of [254, 255]) assert.deepEqual(await ask({ kind: 'event', prefix: 'x'.repeat(size) }), [])
    })
  })
}
