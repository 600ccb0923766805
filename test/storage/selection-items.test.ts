import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Call, noRequest } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { KeyedMutex } from '../../src/base/work/keyed-mutex.ts'
import { createCatalog, removeCatalog } from '../../src/content/catalogs/catalogs.ts'
import { cleanUpCatalogs } from '../../src/content/catalogs/clean-up.ts'
import { createSelection, removeSelection } from '../../src/content/catalogs/edit-selections.ts'
import { filledItemsMax, fillSelections } from '../../src/content/catalogs/fill-selections.ts'
import { readItems } from '../../src/content/catalogs/read-items.ts'
import { selectItems } from '../../src/content/catalogs/select-items.ts'
import { keyCharactersMax, listSelectionItems } from '../../src/content/catalogs/selection-item-store.ts'
import { findSelection, listSelected } from '../../src/content/catalogs/selection-store.ts'
import { type ItemsWrite, removeItems, writeItems } from '../../src/content/catalogs/write-items.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { many } from '../support/people.ts'

const workspace_id = 1
const name = 'shop'
const types = ['string', 'number', 'boolean', 'time', 'array'] as const
const fields = types.map((type) => ({ name: type, type }))

/** The requests of one process to the catalog `shop`. */
class Desk {
  readonly db: Db
  readonly call: Call
  readonly parts = { keyedMutex: new KeyedMutex(), serviceName: 'service' }

  constructor(db: Db) {
    this.db = db
    const actor = { kind: 'admin', id: '', name: '', from: noRequest } as const
    const signal = new AbortController().signal
    this.call = { db, workspace_id, actor, strict: false, clock: systemClock(), log: quiet, signal }
  }

  async create(): Promise<void> {
    await createCatalog(
      this.call,
      { catalogs: [{ name, fields: [{ name: 'id', type: 'string' }, ...fields] }] },
      this.parts,
    )
  }

  async put(items: readonly object[], kind: ItemsWrite['kind'] = 'replace'): Promise<void> {
    for (let at = 0; at < items.length; at += 50) {
      const request = readItems({ items: items.slice(at, at + 50) })
      await writeItems(this.call, this.parts, { catalog_name: name, kind, several: true, request })
    }
  }

  remove(ids: readonly string[]): Promise<void> {
    const request = readItems({ items: ids.map((id) => ({ id })) })
    return removeItems(this.call, this.parts, { catalog_name: name, several: true, request })
  }

  select(selection: object): Promise<void> {
    return createSelection(this.call, name, { selection }, this.parts)
  }

  dropSelection(selection: string): Promise<void> {
    return removeSelection(this.call, name, selection, this.parts)
  }

  /** Returns what the rows of a selection say, and what reading all items says. */
  async both(selection: string) {
    const stored = (await findSelection(this.db, workspace_id, name, selection))!
    return {
      is_filled: stored.is_filled,
      byRows: await listSelectionItems(this.db, workspace_id, name, stored),
      byScan: await listSelected(this.db, workspace_id, name, stored),
      answer: await selectItems(this.db, workspace_id, name, selection),
    }
  }
}

/** The answer of a filled selection is that of reading all items, and it is read from the rows unless a text is long. */
async function checkSelection(desk: Desk, selection: string, mayBeCut = false): Promise<void> {
  const { is_filled, byRows, byScan, answer } = await desk.both(selection)
  assert.deepEqual(answer, byScan, selection)
  if (!is_filled) return
  if (!mayBeCut || byRows !== undefined) assert.deepEqual(byRows, byScan, selection)
}

async function countRows(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from selection_item where bucket is not null`,
  )
  return row!.count
}

const long = 'l'.repeat(keyCharactersMax - 1)
const text = fc.constantFrom(
  '',
  'a',
  'A',
  'b',
  'ä',
  '\uffff',
  '😀',
  '10',
  '9',
  long,
  `${long}a`,
  `${long}ab`,
  `${long}aa`,
)
const number = fc.constantFrom(-1.5, -1, 0, 5e-324, 0.1, 0.30000000000000004, 9, 10, 9007199254740991)
const time = fc.constantFrom('0001-01-01', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.001Z', '9999-12-31')
const values = {
  string: fc.option(text),
  number: fc.option(number),
  boolean: fc.option(fc.boolean()),
  time: fc.option(time),
  array: fc.option(fc.array(text, { maxLength: 3 })),
}
const anyId = fc.nat({ max: 11 }).map((n) => `i-${n}`)
const anyItems = fc.uniqueArray(fc.record({ id: anyId, ...values }, { requiredKeys: ['id'] }), {
  maxLength: 8,
  selector: ({ id }) => id,
})
const asks = (field: string, operators: string[], value: fc.Arbitrary<unknown>) =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value })
const anyFilter = fc.oneof(
  asks('id', ['equals', 'does not equal'], anyId),
  asks('string', ['equals', 'does not equal'], text),
  asks('number', ['equals', 'does not equal', 'greater than', 'less than'], number),
  asks('boolean', ['is'], fc.boolean()),
  asks('time', ['before', 'after'], time),
  asks('array', ['includes value', 'does not include value'], text),
)
const anySelection = fc
  .record({
    name: fc.nat({ max: 5 }).map((n) => `s-${n}`),
    filters: fc.array(anyFilter, { maxLength: 2 }),
    results_limit: fc.constantFrom(1, 2, 3, 50),
    sort_field: fc.constantFrom('id', 'string', 'number', 'boolean', 'time'),
    sort_order: fc.option(fc.constantFrom('asc', 'desc')),
  })
  .map((given) => (given.sort_order === null ? { ...given, sort_field: null } : given))
type Step =
  | { readonly kind: ItemsWrite['kind']; readonly items: readonly object[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'select'; readonly selection: { readonly name: string } }
  | { readonly kind: 'drop'; readonly selection: string }
  | { readonly kind: 'empty' | 'fill' | 'clean' }
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('create' as const, 'update' as const, 'replace' as const),
      items: anyItems,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      ids: fc.uniqueArray(anyId, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('select' as const), selection: anySelection }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drop' as const), selection: fc.nat({ max: 5 }).map((n) => `s-${n}`) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'empty' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fill' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'clean' as const }) },
)
/** Does a step. `selections` are the names of those that exist. */
async function take(desk: Desk, step: Step, selections: Set<string>): Promise<void> {
  if ('items' in step) await desk.put(step.items, step.kind)
  else if ('ids' in step) await desk.remove(step.ids)
  else if (step.kind === 'select' && !selections.has(step.selection.name)) {
    await desk.select(step.selection)
    selections.add(step.selection.name)
  } else if (step.kind === 'drop' && selections.delete(step.selection)) await desk.dropSelection(step.selection)
  else if (step.kind === 'clean') await cleanUpCatalogs(desk.db)
  else if (step.kind === 'fill') await fillSelections(desk.db)
  // As a selection of an older release is, or one of a large catalog.
  else if (step.kind === 'empty') {
    await desk.db.query(sql`update catalog_selection set is_filled = false`)
    await desk.db.query(sql`delete from selection_item where bucket is not null`)
  }
}

onBothDatabases('the rows of selections tell what reading all items tells, whatever is written', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk
  const property = fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
    await desk.create()
    const selections = new Set<string>()
    for (const step of steps) {
      await take(desk, step, selections)
      for (const selection of selections) await checkSelection(desk, selection, true)
    }
    await fillSelections(db)
    await cleanUpCatalogs(db)
    for (const selection of selections) await checkSelection(desk, selection, true)
    const kept = await db.query(sql`select kept_selections from catalog`)
    assert.deepEqual(kept, [{ kept_selections: selections.size }])
    await removeCatalog(desk.call, name, desk.parts)
    await cleanUpCatalogs(db)
    assert.equal(await countRows(db), 0)
  })
  await fc.assert(property, { seed, numRuns: sizes.databasePropertyRuns })
})

onBothDatabases('a selection of a large catalog is filled page by page while items are written', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk
  await desk.create()
  const itemAt = (i: number) => ({
    id: `i-${String(i).padStart(6, '0')}`,
    string: i % 3 === 0 ? 'a' : 'b',
    number: i % 7,
  })
  const wanted = {
    filters: [{ field: 'string', operator: 'equals', value: 'a' }],
    sort_field: 'number',
    sort_order: 'desc',
  }
  await desk.put(many(filledItemsMax - 1, itemAt))
  await desk.select({ name: 'below', ...wanted })
  assert.equal((await desk.both('below')).is_filled, true)
  await desk.put([itemAt(filledItemsMax - 1)])
  await desk.select({ name: 'at', ...wanted })
  await desk.put([itemAt(filledItemsMax)])
  await desk.select({ name: 'above', ...wanted })
  for (const selection of ['at', 'above']) {
    assert.equal((await desk.both(selection)).is_filled, false)
    await checkSelection(desk, selection)
  }
  await desk.put(many(1_100, (i) => itemAt(i + filledItemsMax + 1)))
  await fillSelections(db, AbortSignal.abort())
  assert.equal((await desk.both('at')).is_filled, false)
  await Promise.all([
    fillSelections(db),
    fillSelections(db),
    desk.put([
      { ...itemAt(3), number: 100 },
      { ...itemAt(2_000), string: 'a', number: 99 },
    ]),
    desk.remove([itemAt(6).id]),
  ])
  for (const selection of ['below', 'at', 'above']) {
    assert.equal((await desk.both(selection)).is_filled, true)
    await checkSelection(desk, selection)
  }
  // The rows of a deleted selection are deleted page by page, those of the others stay.
  const before = await countRows(db)
  await desk.dropSelection('at')
  assert.equal(await selectItems(db, workspace_id, name, 'at'), undefined)
  await Promise.all([cleanUpCatalogs(db), cleanUpCatalogs(db)])
  assert.equal(await countRows(db), (before / 3) * 2)
  assert.deepEqual(await db.query(sql`select kept_selections from catalog`), [{ kept_selections: 2 }])
  for (const selection of ['below', 'above']) await checkSelection(desk, selection)
})

onBothDatabases(
  'a selection reads all items when it returns one whose text is longer than the index has',
  async (open) => {
    const desk = new Desk(await open())
    await desk.create()
    for (const sort_order of ['asc', 'desc'])
      await desk.select({ name: sort_order, sort_field: 'string', sort_order, results_limit: 2 })
    const cases = [
      { characters: keyCharactersMax - 1, isRead: true },
      { characters: keyCharactersMax, isRead: false },
      { characters: keyCharactersMax + 1, isRead: false },
      { characters: 5_000, isRead: false },
    ]
    for (const { characters, isRead } of cases) {
      // Two items of the same length, in the other order than their ids.
      await desk.put(['b', 'a'].map((last, i) => ({ id: `i-${i}`, string: '😀'.repeat(characters - 1) + last })))
      for (const selection of ['asc', 'desc']) {
        const { byRows, byScan, answer } = await desk.both(selection)
        assert.equal(byRows !== undefined, isRead, `${characters}`)
        if (isRead) assert.deepEqual(byRows, byScan)
        assert.deepEqual(answer, byScan)
      }
    }
  },
)

onBothDatabases('a selection that is deleted while it is read is not half read', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk
  await desk.create()
  await desk.put(many(5, (i) => ({ id: `i-${i}`, number: i })))
  await desk.select({ name: 's', sort_field: 'number', sort_order: 'desc' })
  const stored = (await findSelection(db, workspace_id, name, 's'))!
  await desk.dropSelection('s')
  await cleanUpCatalogs(db)
  assert.equal(await listSelectionItems(db, workspace_id, name, stored), undefined)
})

onBothDatabases('a filled selection reads as many rows as it returns, whatever else is stored', async (open) => {
  const desk = new Desk(await open())
  const { db } = desk
  await desk.create()
  await desk.put(many(200, (i) => ({ id: `i-${i}`, number: i % 20, string: i % 2 === 0 ? 'a' : 'b' })))
  const filters = [{ field: 'string', operator: 'equals', value: 'a' }]
  for (const sort_order of ['asc', 'desc']) {
    await desk.select({ name: sort_order, filters, sort_field: 'number', sort_order, results_limit: 3 })
  }
  await db.query(sql`
    insert into selection_item (bucket, catalog_id, item_id, selection_id, descending, text_key, json_key)
    select s.bucket, s.catalog_id + n, s.item_id, s.selection_id + 2 * n, s.descending, s.text_key, s.json_key
    from selection_item s cross join generate_series(1, 200) n where s.bucket is not null`)
  await db.execute('analyze selection_item')
  for (const [selection, index] of [
    ['asc', 'selection_item_ascending'],
    ['desc', 'selection_item_descending'],
  ] as const) {
    const stored = (await findSelection(db, workspace_id, name, selection))!
    const lines: string[] = []
    const watched: Tx = {
      query: async ({ text: statement, values: given }) => {
        const rows = await db.query<{ 'QUERY PLAN': string }>({
          text: `explain (analyze, costs off, timing off) ${statement}`,
          values: given,
        })
        lines.push(...rows.map((row) => row['QUERY PLAN']))
        return []
      },
    }
    await listSelectionItems(watched, workspace_id, name, stored)
    const scan = lines.find((line) => line.includes(`using ${index} on`))
    assert.match(scan ?? lines.join('\n'), /rows=3(?:\.00)? loops=1/)
    assert.doesNotMatch(lines.join('\n'), /Seq Scan on (selection|catalog)_item\b/)
  }
})
