import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Call, noRequest } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { KeyedMutex } from '../../src/base/work/keyed-mutex.ts'
import { createCatalog, removeCatalog } from '../../src/content/catalogs/catalogs.ts'
import { cleanUpCatalogs } from '../../src/content/catalogs/clean-up.ts'
import { listCleanups } from '../../src/content/catalogs/cleanup-store.ts'
import { addFields, removeField } from '../../src/content/catalogs/edit-fields.ts'
import { createSelection } from '../../src/content/catalogs/edit-selections.ts'
import { itemBytes } from '../../src/content/catalogs/item-change.ts'
import { deleteItems, findItems, listItemIds } from '../../src/content/catalogs/item-store.ts'
import { readItems } from '../../src/content/catalogs/read-items.ts'
import { type Filter, type Item, type ItemFields, itemsMax, type Selection } from '../../src/content/catalogs/schema.ts'
import { selectItems } from '../../src/content/catalogs/select-items.ts'
import { findCatalog } from '../../src/content/catalogs/store.ts'
import { type ItemsWrite, removeItems, writeItems } from '../../src/content/catalogs/write-items.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { many } from '../support/people.ts'

const workspace_id = 1
const clock = systemClock()

/** The requests of one process to its catalogs. */
class Desk {
  readonly call: Call
  readonly parts = { keyedMutex: new KeyedMutex(), serviceName: 'service' }

  constructor(db: Db) {
    const actor = { kind: 'admin', id: '', name: '', from: noRequest } as const
    this.call = { db, workspace_id, actor, strict: false, clock, log: quiet, signal: new AbortController().signal }
  }

  async create(name: string, fields: readonly object[]): Promise<void> {
    const all = [{ name: 'id', type: 'string' }, ...fields]
    await createCatalog(this.call, { catalogs: [{ name, fields: all }] }, this.parts)
  }

  async put(name: string, items: readonly object[], kind: ItemsWrite['kind'] = 'replace'): Promise<void> {
    for (let at = 0; at < items.length; at += 50) {
      const request = readItems({ items: items.slice(at, at + 50) })
      await writeItems(this.call, this.parts, { catalog_name: name, kind, several: true, request })
    }
  }

  remove(name: string, ids: readonly string[]): Promise<void> {
    const request = readItems({ items: ids.map((id) => ({ id })) })
    return removeItems(this.call, this.parts, { catalog_name: name, several: true, request })
  }
}

const types = ['string', 'number', 'boolean', 'time', 'array', 'object', 'geo'] as const
const fields = types.map((type) => ({ name: type, type }))
const text = fc.constantFrom('', 'a', 'A', 'b', 'ab', 'ä', '\uffff', '😀', '10', '9', 'true', '{"a":1}', "'", '\\')
const number = fc.constantFrom(-1.5, -1, 0, 5e-324, 1e-7, 0.1, 0.30000000000000004, 0.3, 9, 10, 9007199254740991)
const time = fc.constantFrom('0001-01-01', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.001Z', '9999-12-31')
const anyItem = fc.record(
  {
    string: fc.option(text),
    number: fc.option(number),
    boolean: fc.option(fc.boolean()),
    time: fc.option(time),
    array: fc.option(fc.array(text, { maxLength: 3 })),
    object: fc.constant({ string: 'a' }),
  },
  { requiredKeys: [] },
)
const asks = (field: string, operators: string[], value: fc.Arbitrary<unknown>) =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value })
const anyFilter = fc.oneof(
  asks('id', ['equals', 'does not equal'], fc.constantFrom('i-1', 'i-2', 'nobody')),
  asks('string', ['equals', 'does not equal'], text),
  asks('number', ['equals', 'does not equal', 'greater than', 'less than'], number),
  asks('boolean', ['is'], fc.boolean()),
  asks('time', ['before', 'after'], time),
  asks('array', ['includes value', 'does not include value'], text),
)
const anySelection = fc
  .record({
    filters: fc.array(anyFilter, { maxLength: 3 }),
    results_limit: fc.constantFrom(1, 2, 10, 50),
    sort_field: fc.constantFrom('id', 'string', 'number', 'boolean', 'time'),
    sort_order: fc.option(fc.constantFrom('asc', 'desc')),
  })
  .map((given) => (given.sort_order === null ? { ...given, sort_field: null } : given))

/** Returns whether an item passes a filter, in the simplest way. */
function holds(item: Item, { field, operator, value }: Filter): boolean {
  const own = item[field] ?? null
  const wanted = field === 'time' ? Date.parse(String(value)) : value
  const comparable = field === 'time' && own !== null ? Date.parse(String(own)) : own
  switch (operator) {
    case 'equals':
    case 'is':
      return own === value
    case 'does not equal':
      return own !== value
    case 'greater than':
    case 'after':
      return comparable !== null && (comparable as number) > (wanted as number)
    case 'less than':
    case 'before':
      return comparable !== null && (comparable as number) < (wanted as number)
    default: {
      const has = Array.isArray(own) && own.includes(value)
      return operator === 'includes value' ? has : !has
    }
  }
}

function selected(items: readonly Item[], given: Selection): Item[] {
  const { filters, sort_field, sort_order, results_limit } = given
  const key = (item: Item) => (sort_field === null ? null : (item[sort_field] ?? null))
  const byKey = (a: Item, b: Item) => {
    const [left, right] = [key(a), key(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return order(left, right) * (sort_order === 'desc' ? -1 : 1)
  }
  return items
    .filter((item) => filters.every((filter) => holds(item, filter)))
    .toSorted((a, b) => byKey(a, b) || order(a.id, b.id))
    .slice(0, results_limit)
}

function order(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return Number(a) - Number(b)
}

onBothDatabases('a selection has the items of a simple model', async (open) => {
  const desk = new Desk(await open())
  const { call, parts } = desk
  let made = 0
  const property = fc.asyncProperty(
    fc.array(anyItem, { maxLength: 12 }),
    fc.array(anySelection, { minLength: 1, maxLength: 8 }),
    async (given, selections) => {
      const name = `random-${made++}`
      await desk.create(name, fields)
      const items = given.map((item, i) => ({ id: `i-${i}`, ...item }))
      await desk.put(name, items)
      const kept = (await findItems(
        call.db,
        workspace_id,
        name,
        items.map(({ id }) => id),
      )) as Item[]
      assert.ok(kept.every((item, i) => item.id === `i-${i}` && Object.keys(item).length === fields.length + 1))
      for (const [i, selection] of selections.entries()) {
        await createSelection(call, name, { selection: { name: `s-${i}`, ...selection } }, parts)
        const found = await selectItems(call.db, workspace_id, name, `s-${i}`)
        assert.deepEqual(found, selected(kept, selection as unknown as Selection), JSON.stringify(selection))
      }
      // The first catalog is used below. The others are deleted, because a workspace may have some hundreds only.
      if (name !== 'random-0') await removeCatalog(call, name, parts)
    },
  )
  await fc.assert(property, { seed, numRuns: sizes.databasePropertyRuns })
  for (const [name, selection] of [
    ['random-0', 'nobody'],
    ['random-0', 'a\0'],
    ['nobody', 's-0'],
    ['a\0', 's-0'],
  ] as const) {
    assert.equal(await selectItems(call.db, workspace_id, name, selection), undefined)
  }
  assert.ok(await selectItems(call.db, workspace_id, 'random-0', 's-0'))
  assert.equal(await selectItems(call.db, 2, 'random-0', 's-0'), undefined)
})

onBothDatabases('items are looked up in the given order, also with ids that no item can have', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk.call
  await desk.create('mine', [{ name: 'n', type: 'number' }])
  await desk.put('mine', [{ id: 'a', n: 1 }, { id: 'b' }])
  const [a, b] = [
    { id: 'a', n: 1 },
    { id: 'b', n: null },
  ]
  const find = (name: string, ids: string[], workspace = workspace_id) => findItems(db, workspace, name, ids)
  assert.deepEqual(await find('mine', ['b', 'x', 'a', 'a\0', 'b', '', '\ud800']), [
    b,
    undefined,
    a,
    undefined,
    b,
    undefined,
    undefined,
  ])
  assert.deepEqual(await find('mine', []), [])
  assert.equal(await find('other', ['a']), undefined)
  assert.equal(await find('a\0', ['a']), undefined)
  assert.equal(await find('mine', ['a'], 2), undefined)
})

onBothDatabases('look-ups and pages use the primary key, however many items other catalogs have', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk.call
  await desk.create('mine', [])
  await desk.put('mine', [{ id: 'a' }])
  await db.query(sql`
    insert into catalog_item (bucket, catalog_id, item_id, fields, updated_at)
    select i.bucket, i.catalog_id + n, i.item_id || n, i.fields, i.updated_at
    from catalog_item i cross join generate_series(1, 20000) n`)
  await db.execute('analyze catalog_item')
  const seen: Sql[] = []
  const watched: Tx = {
    query: (statement) => {
      seen.push(statement)
      return db.query(statement)
    },
  }
  await findItems(watched, workspace_id, 'mine', ['a', 'b', 'c'])
  assert.equal(seen.length, 1)
  const plan = await db.query<{ 'QUERY PLAN': string }>({ text: `explain ${seen[0]!.text}`, values: seen[0]!.values })
  const lines = plan.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(lines, /Index (Only )?Scan using catalog_item_pkey/)
  assert.doesNotMatch(lines, /Seq Scan on catalog_item\b/)
})

type CatalogRow = { num_items: number; storage_size: string; catalog_id: number; name: string }

/** Checks that the counts of every catalog are right, and that every item has its catalog. */
async function checkCounts(db: Db): Promise<void> {
  const catalogs = await db.query<CatalogRow>(sql`select num_items, storage_size, catalog_id, name from catalog`)
  const rows = await db.query<{ catalog_id: number; item_id: string; fields: ItemFields }>(
    sql`select bucket, catalog_id, item_id, fields from catalog_item`,
  )
  const byCatalog = Map.groupBy(rows, ({ catalog_id }) => catalog_id)
  for (const { num_items, storage_size, catalog_id, name } of catalogs) {
    const own = byCatalog.get(catalog_id) ?? []
    const bytes = own.reduce((sum, { item_id, fields: kept }) => sum + itemBytes(item_id, kept), 0)
    assert.deepEqual([num_items, Number(storage_size)], [own.length, bytes], name)
    byCatalog.delete(catalog_id)
  }
  assert.deepEqual([...byCatalog.keys()], [], 'items without a catalog')
}

onBothDatabases(
  'processes write, change and delete the same catalogs at once, and no rows are left over',
  async (open) => {
    const desks = (await open.processes(3)).map((db) => new Desk(db))
    const random = fc.sample(fc.nat(), { seed, numRuns: 400 })
    const draw = (below: number) => random.push(random.shift()!) && random.at(-1)! % below
    const name = 'contested'
    const step = async (desk: Desk): Promise<void> => {
      const ids = [...new Set(many(5, () => `i-${draw(8)}`))]
      const kind = (['create', 'update', 'replace', 'replace'] as const)[draw(4)]!
      const items = ids.map((id) => ({ id, string: 'x'.repeat(draw(20)) }))
      const steps = [
        ...many(12, () => () => desk.put(name, items, kind)),
        () => desk.remove(name, ids),
        () => desk.remove(name, ids),
        () => removeCatalog(desk.call, name, desk.parts),
        () => desk.create(name, [{ name: 'string', type: 'string' }]),
        () => desk.create(name, [{ name: 'string', type: 'string' }]),
        () => addFields(desk.call, name, { fields: [{ name: 'more', type: 'string' }] }, desk.parts),
        () => removeField(desk.call, name, 'more', desk.parts),
        () => cleanUpCatalogs(desk.call.db),
      ]
      const [outcome] = await Promise.allSettled([steps[draw(steps.length)]!()])
      const isRefusal = outcome.status === 'rejected' && outcome.reason instanceof Failure
      const kinds = ['invalid', 'notFound']
      assert.ok(outcome.status === 'fulfilled' || (isRefusal && kinds.includes(outcome.reason.kind)), String(outcome))
    }
    const [{ call }] = desks as [Desk]
    for (let round = 0; round < 2 * sizes.databasePropertyRuns; round++) {
      await Promise.all(many(24, (i) => step(desks[i % desks.length]!)))
      await cleanUpCatalogs(call.db)
      await checkCounts(call.db)
    }
    assert.deepEqual(await call.db.query(sql`select catalog_id from catalog_cleanup`), [])
  },
)

onBothDatabases('items of deleted catalogs and values of deleted fields are deleted page by page', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk.call
  for (const name of ['gone', 'stays']) {
    await desk.create(name, [
      { name: 'a', type: 'string' },
      { name: 'b', type: 'string' },
    ])
    await desk.put(
      name,
      many(2_100, (i) => ({ id: `i-${i}`, a: 'long ago', ...(i % 2 === 0 && { b: 'b' }) })),
    )
  }
  await removeField(desk.call, 'gone', 'a', desk.parts)
  await removeField(desk.call, 'stays', 'a', desk.parts)
  await removeCatalog(desk.call, 'gone', desk.parts)
  await desk.create('gone', [])
  await desk.put('gone', [{ id: 'new' }])
  const before = await findCatalog(db, workspace_id, 'stays')
  // A service that stops at once leaves the work to the next start.
  await cleanUpCatalogs(db, AbortSignal.abort())
  assert.deepEqual(await findCatalog(db, workspace_id, 'stays'), before)
  await cleanUpCatalogs(db)
  await checkCounts(db)
  const after = await findCatalog(db, workspace_id, 'stays')
  const less = 2_100 * Buffer.byteLength('"0":"long ago"') + 1_050
  assert.deepEqual(after, { ...before, storage_size: before!.storage_size - less })
  const [left] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from catalog_item where bucket is not null`,
  )
  assert.equal(left!.count, 2_101)
})

onBothDatabases('a clean-up that one process has begun is completed by another one', async (open) => {
  const [db, other] = (await open.processes(2)) as [Db, Db | undefined]
  const desk = new Desk(db)
  await desk.create('gone', [])
  await desk.put(
    'gone',
    many(2_100, (i) => ({ id: `i-${i}` })),
  )
  await removeCatalog(desk.call, 'gone', desk.parts)
  const [remains] = await listCleanups(db)
  // This process deletes a page and dies. With one process only there is no concurrent one.
  const clearing = await db.transaction(async (tx) => {
    await deleteItems(tx, remains!, await listItemIds(tx, remains!, 1_000))
    if (other === undefined) return undefined
    const ended = cleanUpCatalogs(other)
    await isWaiting(db)
    return { ended }
  })
  await (clearing?.ended ?? cleanUpCatalogs(db))
  await checkCounts(db)
})

/** Resolves when a transaction waits for another one. */
async function isWaiting(db: Db): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await db.query(waiting)).length === 0);
}

onBothDatabases('a catalog has at most the allowed number of items', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk.call
  await desk.create('full', [])
  await db.query(sql`update catalog set num_items = ${itemsMax - 2}`)
  for (const id of ['last-but-one', 'last']) await desk.put('full', [{ id }])
  const full = (error: unknown) =>
    error instanceof Failure &&
    (error.details.errors as { id: string }[]).map(({ id }) => id).join() === 'already-reached-catalog-item-limit'
  await assert.rejects(desk.put('full', [{ id: 'one-more' }]), full)
  await desk.put('full', [{ id: 'last' }])
  await desk.remove('full', ['last'])
  await assert.rejects(desk.put('full', [{ id: 'last' }, { id: 'one-more' }]), full)
  await desk.put('full', [{ id: 'one-more' }])
})
