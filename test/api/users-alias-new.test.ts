import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Database, drawDatabases } from '../support/harness.ts'
import { type Alias, type Item, many, newAlias, newEmail, newId, only, peopleOf } from '../support/people.ts'

const path = '/users/alias/new'
const itemsMax = 50
const contenders = 20

function suite(database: Database): void {
  const people = peopleOf(database)

  /** Adds aliases. Returns what the answer names because it had no effect. */
  const add = async (...user_aliases: Item[]): Promise<string[]> => {
    const { status, text, body } = await people.send(path, { user_aliases })
    assert.equal(status, 201, text)
    const { notices = [], ...contract } = body
    assert.deepEqual(contract, { aliases_processed: user_aliases.length, message: 'success' })
    assert.ok(text.endsWith('"message":"success"}'), text)
    return notices.map(({ input_array, index, member, reason }) => `${input_array}[${index}] ${member} ${reason}`)
  }
  const withAlias = (alias: Alias) => people.find({ user_aliases: [alias] })
  const aliasesOf = async (external_id: string) => (await people.person(external_id)).user_aliases

  const newPerson = async (more: Item = {}): Promise<string> => {
    const external_id = newId()
    await people.set({ external_id, plan: 'free', ...more })
    return external_id
  }

  test('an alias without external_id creates a person with only that alias', async () => {
    const alias = newAlias()
    await add({ ...alias })
    const made = only(await withAlias(alias))
    assert.deepEqual(made.user_aliases, [alias])
    assert.deepEqual(made.custom_attributes, {})
    assert.equal(made.external_id, undefined)
    await people.set({ user_alias: alias, plan: 'free' })
    assert.deepEqual(only(await withAlias(alias)).custom_attributes, { plan: 'free' })
  })

  test('items without effect are named, and refuse the request of a strict key', async () => {
    const [external_id, other] = [await newPerson(), await newPerson()]
    const [own, taken, free] = [newAlias('shop'), newAlias('shop'), newAlias('shop')]
    assert.deepEqual(await add({ external_id, ...own }, { external_id: other, ...taken }), [])
    const items = [
      { external_id, ...own },
      { external_id, ...newAlias('shop') },
      { external_id: await newPerson(), ...taken },
      { external_id: newId(), ...newAlias() },
      { ...free },
      { ...own },
      { external_id: await newPerson(), ...free },
    ]
    const given = { name: newId('key'), permissions: ['users.alias.new'], strict: true }
    const { key } = (await people.service.admin('POST', '/admin/keys', given)).body.key
    const refused = await people.service.post(path, { user_aliases: items }, { key })
    assert.equal(refused.status, 400)
    assert.deepEqual(
      refused.body.details.map(({ index }: { index: number }) => index),
      [1, 2, 3, 5, 6],
    )
    assert.deepEqual(await withAlias(free), [])
    assert.deepEqual(await add(...items), [
      'user_aliases[1] alias_label is the label of another alias of this person: nothing was changed',
      'user_aliases[2] alias_name is an alias that another person has: nothing was changed',
      'user_aliases[3] external_id matches nobody: nothing was changed',
      'user_aliases[5] alias_name is an alias that another person has: nothing was changed',
      'user_aliases[6] alias_name is an alias that another person has: nothing was changed',
    ])
    assert.equal((await withAlias(free)).length, 1)
    assert.deepEqual(await add({ external_id: other, ...newAlias('till') }), [])
  })

  test('an alias inside user_alias has the same effect', async () => {
    const alias = newAlias()
    await add({ user_alias: alias })
    const external_id = await newPerson()
    const other = newAlias()
    await add({ external_id, user_alias: other }, { external_id: null, user_alias: newAlias() })
    assert.equal((await withAlias(alias)).length, 1)
    assert.deepEqual(await aliasesOf(external_id), [other])
  })

  test('an alias that a person has creates nobody and changes nothing', async () => {
    const alias = newAlias()
    await add({ ...alias })
    const before = only(await withAlias(alias))
    await add({ ...alias }, { ...alias })
    assert.deepEqual(await withAlias(alias), [before])
  })

  test('an alias with an external_id is added to that person', async () => {
    const external_id = await newPerson()
    const [first, second] = [newAlias('shop'), newAlias('till')]
    await add({ external_id, ...first }, { external_id, ...second })
    assert.deepEqual(await aliasesOf(external_id), [first, second])
    assert.equal(only(await withAlias(second)).external_id, external_id)
    await people.set({ user_alias: first, plan: 'paid' })
    assert.deepEqual(await people.custom(external_id), { plan: 'paid' })
  })

  test('an integer external_id names the same person as its text', async () => {
    await people.set({ external_id: 8_000_001, plan: 'free' })
    const alias = newAlias()
    await add({ external_id: 8_000_001, ...alias })
    assert.deepEqual(await aliasesOf('8000001'), [alias])
  })

  test('an alias for an unknown external_id is counted, and creates nothing', async () => {
    const [external_id, alias] = [newId(), newAlias()]
    await add({ external_id, ...alias })
    assert.deepEqual(await withAlias(alias), [])
    assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    await add({ ...alias })
    assert.equal((await withAlias(alias)).length, 1)
  })

  test('a person has one alias per label, and the first one stays', async () => {
    const external_id = await newPerson()
    const [first, second] = [newAlias(), newAlias()]
    await add({ external_id, ...first }, { external_id, ...second })
    await add({ external_id, ...second })
    assert.deepEqual(await aliasesOf(external_id), [first])
    assert.deepEqual(await withAlias(second), [])
    const other = await newPerson()
    await add({ external_id: other, ...second })
    assert.deepEqual(await aliasesOf(other), [second])
  })

  test('an alias of another person is not moved', async () => {
    const [owner, other] = [await newPerson(), await newPerson()]
    const [alias, lonely] = [newAlias(), newAlias('till')]
    await add({ external_id: owner, ...alias }, { ...lonely })
    await add({ external_id: other, ...alias }, { external_id: other, ...lonely })
    assert.deepEqual(await aliasesOf(other), [])
    assert.deepEqual(await aliasesOf(owner), [alias])
  })

  test('items are applied in their order', async () => {
    const [external_id, full] = [await newPerson(), await newPerson()]
    const [free, owned, late] = [newAlias('a'), newAlias('b'), newAlias('c')]
    await add({ external_id: full, ...newAlias('c') })
    await add(
      { ...free },
      { external_id, ...free },
      { external_id, ...owned },
      { ...owned },
      { external_id: full, ...late },
      { external_id, ...late },
      { external_id: newId(), ...newAlias() },
    )
    assert.deepEqual(await aliasesOf(external_id), [owned, late])
    assert.equal(only(await withAlias(free)).external_id, undefined)
  })

  test('labels and names are compared exactly, whatever characters they contain', async () => {
    const [external_id, word] = [await newPerson(), newId()]
    const labels = ['Shop', 'shop', ' shop', 'a \'b\' "c" \\ {d}', '😀', '__proto__', 'constructor']
    const aliases = labels.map((alias_label) => ({ alias_name: word, alias_label }))
    await add(...aliases.map((alias) => ({ external_id, ...alias })))
    assert.deepEqual(new Set(await aliasesOf(external_id)), new Set(aliases))
    for (const alias of aliases) assert.equal(only(await withAlias(alias)).external_id, external_id)
  })

  test('a person who gets an alias counts as updated, and nobody else does', async () => {
    const email = newEmail()
    const [first, second] = [await newPerson({ email }), await newPerson({ email })]
    await add({ external_id: first, ...newAlias() })
    await people.set({ email, seen: 'by mail' })
    assert.equal((await people.custom(first)).seen, 'by mail')
    await people.set({ external_id: second, plan: 'free' })
    await add({ external_id: first, ...newAlias() })
    await people.set({ email, seen: 'again' })
    assert.equal((await people.custom(second)).seen, 'again')
  })

  test('a request has 1 to 50 aliases', async () => {
    for (const count of [itemsMax - 1, itemsMax]) await add(...many(count, () => newAlias()))
    const aliases = many(itemsMax + 1, () => newAlias())
    const { status, body } = await people.send(path, { user_aliases: aliases })
    assert.equal(status, 400)
    assert.deepEqual(body, { message: 'a single request may not contain more than 50 user aliases' })
    assert.deepEqual(await withAlias(aliases[0]!), [])
  })

  test('label and name have at most 987 bytes each', async () => {
    for (const length of [986, 987]) {
      const alias = { alias_name: newId().padEnd(length, 'n'), alias_label: newId().padEnd(length, 'l') }
      await add(alias)
      assert.equal((await withAlias(alias)).length, 1)
    }
    const long = newId().padEnd(988, 'x')
    await people.refused(path, { user_aliases: [{ ...newAlias(), alias_name: long }] }, "'alias_name' is not valid")
    await people.refused(path, { user_aliases: [{ ...newAlias(), alias_label: long }] }, "'alias_label' is not valid")
    const id = { external_id: long, ...newAlias() }
    await people.refused(path, { user_aliases: [id] }, "'external_id' must be fewer than 988 bytes")
  })

  test('one invalid item refuses the request, and nothing is applied', async () => {
    const good = newAlias()
    const bad: [item: unknown, message: string][] = [
      [7, "'user_aliases' must be an array of objects"],
      [null, "'user_aliases' must be an array of objects"],
      [[], "'user_aliases' must be an array of objects"],
      [{}, "'alias_label' is not valid"],
      [{ alias_label: 'shop' }, "'alias_name' is not valid"],
      [{ alias_name: 'ann' }, "'alias_label' is not valid"],
      [{ alias_label: 'shop', alias_name: null }, "'alias_name' is not valid"],
      [{ alias_label: 'shop', alias_name: '' }, "'alias_name' is not valid"],
      [{ alias_label: 'shop', alias_name: ['ann'] }, "'alias_name' is not valid"],
      [{ alias_label: true, alias_name: 'ann' }, "'alias_label' is not valid"],
      [{ alias_label: 'shop', alias_name: 'a\u0000b' }, "'alias_name' is not valid"],
      [{ alias_label: 'sh\ud800op', alias_name: 'ann' }, "'alias_label' is not valid"],
      [{ alias_label: 'sh\u001fop', alias_name: 'ann' }, "'alias_label' is not valid"],
      [{ alias_label: 'shop', alias_name: 1.5 }, "'alias_name' is not valid"],
      [{ alias_label: 'shop', alias_name: 1e21 }, "'alias_name' is not valid"],
      [{ user_alias: 'ann' }, "'user_alias' is not valid"],
      [{ user_alias: { alias_name: 'ann' } }, "'alias_label' is not valid"],
      [{ ...newAlias(), external_id: {} }, "'external_id' is not valid"],
      [{ ...newAlias(), external_id: 'a\u0000' }, "'external_id' is not valid"],
    ]
    for (const [item, message] of bad) await people.refused(path, { user_aliases: [good, item] }, message)
    assert.deepEqual(await withAlias(good), [])
  })

  test('a body without aliases is refused', async () => {
    for (const body of [
      {},
      { user_aliases: [] },
      { user_aliases: {} },
      { user_aliases: null },
      { user_aliases: 'x' },
    ]) {
      await people.refused(path, body, "'user_aliases' must be an array of objects")
    }
    for (const body of [[], '7', 'null', '"text"']) {
      await people.refused(path, body, 'The request body must be an object')
    }
  })

  test('many concurrent requests for one alias create one owner', async () => {
    for (const _ of many(5, () => 0)) {
      const alias = newAlias()
      const ids = await Promise.all(many(contenders / 2, () => newPerson()))
      const items = [...ids.map((external_id) => ({ external_id, ...alias })), ...ids.map(() => ({ ...alias }))]
      const answers = await Promise.all(items.map((item) => people.send(path, { user_aliases: [item] })))
      for (const { status, text } of answers) assert.equal(status, 201, text)
      const owner = only(await withAlias(alias))
      const owners = (await people.find({ external_ids: ids })).filter((one) => one.user_aliases!.length > 0)
      assert.equal(owners.length, owner.external_id === undefined ? 0 : 1)
    }
  })

  test('of many concurrent aliases with one label a person gets one', async () => {
    const external_id = await newPerson()
    const aliases = many(contenders, () => newAlias())
    const requests = aliases.flatMap((alias) => [
      people.send(path, { user_aliases: [{ external_id, ...alias }] }),
      people.track({ attributes: [{ external_id, total: { inc: 1 } }] }),
    ])
    for (const { status, text } of await Promise.all(requests)) assert.equal(status, 201, text)
    const kept = only((await aliasesOf(external_id)) ?? [])
    assert.deepEqual(await people.custom(external_id), { plan: 'free', total: contenders })
    const found = await people.find({ user_aliases: aliases })
    assert.deepEqual(
      found.map(({ user_aliases }) => user_aliases),
      [[kept]],
    )
  })
}

for (const database of drawDatabases('users-alias-new'))
  describe(`aliases that are added (${database})`, () => suite(database))
