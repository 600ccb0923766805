import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Database, drawDatabases } from '../support/harness.ts'
import { type Alias, many, newAlias, newEmail, newId, only, peopleOf } from '../support/people.ts'

const path = '/users/alias/update'
const itemsMax = 50
const contenders = 20

type Update = { alias_label: string; old_alias_name: string; new_alias_name: string }

function suite(database: Database): void {
  const people = peopleOf(database)

  /** Renames aliases. Returns what the answer names because it had no effect. */
  const update = async (...alias_updates: Update[]): Promise<string[]> => {
    const { status, text, body } = await people.send(path, { alias_updates })
    assert.equal(status, 201, text)
    const { notices = [], ...contract } = body
    assert.deepEqual(contract, { message: 'success' })
    return notices.map(({ input_array, index, member, reason }) => `${input_array}[${index}] ${member} ${reason}`)
  }
  const change = ({ alias_label, alias_name }: Alias, new_alias_name: string): Update => {
    return { alias_label, old_alias_name: alias_name, new_alias_name }
  }
  const withAlias = (alias: Alias) => people.find({ user_aliases: [alias] })
  const aliasesOf = async (external_id: string) => (await people.person(external_id)).user_aliases

  /** Creates a person with an external_id and these aliases. */
  const newPerson = async (...aliases: Alias[]): Promise<string> => {
    const external_id = newId()
    await people.set({ external_id, plan: 'free' })
    if (aliases.length === 0) return external_id
    const user_aliases = aliases.map((alias) => ({ external_id, ...alias }))
    const { status, text } = await people.send('/users/alias/new', { user_aliases })
    assert.equal(status, 201, text)
    return external_id
  }
  /** Creates a person with only an alias. */
  const onlyAlias = async (alias: Alias): Promise<void> => {
    await people.set({ user_alias: alias, _update_existing_only: false, plan: 'free' })
  }

  test('the new name names the person, and the old one names nobody', async () => {
    const alias = newAlias()
    const [external_id, other] = [await newPerson(alias, newAlias('till')), newAlias('till')]
    const till = (await aliasesOf(external_id))!.find(({ alias_label }) => alias_label === 'till')!
    const renamed = { ...alias, alias_name: newId() }
    await update(change(alias, renamed.alias_name), change(till, other.alias_name))
    assert.deepEqual(await aliasesOf(external_id), [renamed, other])
    assert.equal(only(await withAlias(renamed)).external_id, external_id)
    assert.deepEqual(await withAlias(alias), [])
  })

  test('items without effect are named, and refuse the request of a strict key', async () => {
    const [mine, other] = [newAlias('shop'), newAlias('shop')]
    await onlyAlias(mine)
    await onlyAlias(other)
    const free = newAlias('shop')
    const updates = [change(mine, mine.alias_name), change(mine, other.alias_name), change(newAlias(), newId())]
    const given = { name: newId('key'), permissions: ['users.alias.update'], strict: true }
    const { key } = (await people.service.admin('POST', '/admin/keys', given)).body.key
    const refused = await people.service.post(
      path,
      { alias_updates: [...updates, change(mine, free.alias_name)] },
      { key },
    )
    const indexes = refused.body.details.map(({ index }: { index: number }) => index)
    assert.deepEqual([refused.status, indexes, await withAlias(free)], [400, [1, 2], []])
    assert.deepEqual(await update(...updates), [
      'alias_updates[1] new_alias_name is an alias that a person has: nothing was changed',
      'alias_updates[2] old_alias_name matches nobody: nothing was changed',
    ])
  })

  test('items with the old name no longer reach the person, and can create another one', async () => {
    const alias = newAlias()
    await onlyAlias(alias)
    const renamed = { ...alias, alias_name: newId() }
    await update(change(alias, renamed.alias_name))
    await people.set({ user_alias: alias, plan: 'lost' })
    await people.set({ user_alias: renamed, plan: 'paid' })
    assert.deepEqual(only(await withAlias(renamed)).custom_attributes, { plan: 'paid' })
    await people.set({ user_alias: alias, _update_existing_only: false, plan: 'new' })
    assert.deepEqual(only(await withAlias(alias)).custom_attributes, { plan: 'new' })
    assert.deepEqual(only(await withAlias(renamed)).custom_attributes, { plan: 'paid' })
  })

  test('an unknown alias is ignored', async () => {
    const [unknown, alias] = [newAlias(), newAlias()]
    const external_id = await newPerson(alias)
    const renamed = { ...alias, alias_name: newId() }
    await update(change(unknown, newId()), change(alias, renamed.alias_name))
    assert.deepEqual(await aliasesOf(external_id), [renamed])
    assert.deepEqual(await withAlias(unknown), [])
    await update(change({ ...renamed, alias_label: 'till' }, newId()))
    assert.deepEqual(await aliasesOf(external_id), [renamed])
  })

  test('a name that is taken stays with its owner', async () => {
    const [alias, taken] = [newAlias(), newAlias()]
    const [external_id, owner] = [await newPerson(alias), await newPerson(taken)]
    await update(change(alias, taken.alias_name))
    await update(change(alias, alias.alias_name))
    assert.deepEqual(await aliasesOf(external_id), [alias])
    assert.deepEqual(await aliasesOf(owner), [taken])
  })

  test('items are applied in their order', async () => {
    const [first, second] = [newAlias(), newAlias()]
    const [one, two] = [await newPerson(first), await newPerson(second)]
    const [a, b, c, between] = [first.alias_name, second.alias_name, newId(), newId()]
    const label = first.alias_label
    await update(
      change(first, between),
      change(second, a),
      change({ alias_label: label, alias_name: between }, b),
      change({ alias_label: label, alias_name: between }, c),
    )
    assert.deepEqual(await aliasesOf(one), [{ alias_label: label, alias_name: b }])
    assert.deepEqual(await aliasesOf(two), [{ alias_label: label, alias_name: a }])
    await people.set({ user_alias: { alias_label: label, alias_name: b }, plan: 'one' })
    await people.set({ user_alias: { alias_label: label, alias_name: a }, plan: 'two' })
    assert.deepEqual([await people.custom(one), await people.custom(two)], [{ plan: 'one' }, { plan: 'two' }])
    assert.deepEqual(await withAlias({ alias_label: label, alias_name: between }), [])
    await update(change({ alias_label: label, alias_name: b }, c), change({ alias_label: label, alias_name: c }, b))
    assert.deepEqual(await aliasesOf(one), [{ alias_label: label, alias_name: b }])
    assert.deepEqual(await withAlias({ alias_label: label, alias_name: c }), [])
  })

  test('a person whose alias is renamed counts as updated', async () => {
    const [alias, email] = [newAlias(), newEmail()]
    const [first, second] = [await newPerson(alias), await newPerson()]
    await people.set({ external_id: first, email }, { external_id: second, email })
    await update(change(alias, newId()))
    await people.set({ email, seen: 'by mail' })
    assert.equal((await people.custom(first)).seen, 'by mail')
  })

  test('a request has 1 to 50 updates', async () => {
    for (const count of [itemsMax - 1, itemsMax]) {
      await update(...many(count, () => change(newAlias(), newId())))
    }
    const alias = newAlias()
    await onlyAlias(alias)
    const updates = many(itemsMax + 1, () => change(alias, newId()))
    const message = 'a single request may not contain more than 50 alias updates'
    await people.refused(path, { alias_updates: updates }, message)
    assert.equal((await withAlias(alias)).length, 1)
  })

  test('one invalid item refuses the request, and nothing is applied', async () => {
    const alias = newAlias()
    await onlyAlias(alias)
    const good = change(alias, newId())
    const bad: [item: unknown, message: string][] = [
      [7, "'alias_updates' must be an array of objects"],
      [null, "'alias_updates' must be an array of objects"],
      [{}, "'alias_label' is not valid"],
      [{ ...good, alias_label: '' }, "'alias_label' is not valid"],
      [{ ...good, alias_label: 'a\u001fb' }, "'alias_label' is not valid"],
      [{ ...good, alias_label: 'x'.repeat(988) }, "'alias_label' is not valid"],
      [{ ...good, old_alias_name: undefined }, "'old_alias_name' is not valid"],
      [{ ...good, old_alias_name: {} }, "'old_alias_name' is not valid"],
      [{ ...good, old_alias_name: 'a\u0000' }, "'old_alias_name' is not valid"],
      [{ ...good, new_alias_name: null }, "'new_alias_name' is not valid"],
      [{ ...good, new_alias_name: '' }, "'new_alias_name' is not valid"],
      [{ ...good, new_alias_name: 'a\udfff' }, "'new_alias_name' is not valid"],
      [{ ...good, new_alias_name: 'x'.repeat(988) }, "'new_alias_name' is not valid"],
    ]
    for (const [item, message] of bad) await people.refused(path, { alias_updates: [good, item] }, message)
    for (const body of [{}, { alias_updates: [] }, { alias_updates: {} }, { alias_updates: null }]) {
      await people.refused(path, body, "'alias_updates' must be an array of objects")
    }
    await people.refused(path, [], 'The request body must be an object')
    assert.equal((await withAlias(alias)).length, 1)
  })

  test('concurrent renames of one alias, and to one name, leave one name with one owner', async () => {
    const alias = newAlias()
    const external_id = await newPerson(alias)
    const names = many(contenders, () => newId())
    await Promise.all(names.map((name) => update(change(alias, name))))
    const renamed = only((await aliasesOf(external_id)) ?? [])
    assert.ok(names.includes(renamed.alias_name))

    const aliases = many(contenders, () => newAlias())
    const ids = await Promise.all(aliases.map((each) => newPerson(each)))
    const wanted = newId()
    await Promise.all(aliases.map((each) => update(change(each, wanted))))
    const owner = only(await withAlias({ ...alias, alias_name: wanted }))
    const owners = (await people.find({ external_ids: ids })).filter(
      ({ user_aliases }) => only(user_aliases ?? []).alias_name === wanted,
    )
    assert.equal(only(owners).external_id, owner.external_id)
  })

  test('names that people exchange concurrently stay with one owner each', async () => {
    const aliases = many(8, () => newAlias())
    const ids = await Promise.all(aliases.map((each) => newPerson(each)))
    const spare = newAlias()
    const names = [spare, ...aliases].map(({ alias_name }) => alias_name)
    const moves = many(200, (i) => ({
      alias_label: spare.alias_label,
      old_alias_name: names[(i * 7) % names.length]!,
      new_alias_name: names[(i * 4 + 1) % names.length]!,
    }))
    await Promise.all(many(20, (i) => update(...moves.slice(i * 10, i * 10 + 10))))
    const held = await Promise.all(ids.map(async (id) => only((await aliasesOf(id)) ?? []).alias_name))
    assert.equal(new Set(held).size, ids.length, JSON.stringify(held))
    for (const [i, alias_name] of held.entries()) {
      assert.equal(only(await withAlias({ ...spare, alias_name })).external_id, ids[i])
    }
    const left = names.filter((name) => !held.includes(name))
    assert.deepEqual(await withAlias({ ...spare, alias_name: only(left) }), [])
  })
}

for (const database of drawDatabases('users-alias-update'))
  describe(`aliases that are renamed (${database})`, () => suite(database))
