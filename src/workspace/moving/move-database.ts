import type { Clock } from '../../base/clock.ts'
import { applicationName, backendOf } from '../../base/db/backends.ts'
import type { Db } from '../../base/db/db.ts'
import { hasTable } from '../../base/db/has-table.ts'
import { listMissing, migrate } from '../../base/db/migrate.ts'
import { conflict } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { type CheckedCopy, checkCopy } from './check-copy.ts'
import { copyRelation } from './copy-relation.ts'
import { deleteMove, getMove, insertMove, listParts, type Move, updateMoveEnd } from './move-store.ts'
import { Patience, type PatienceOptions } from './patience.ts'
import {
  countOtherSessions,
  countRows,
  emptyTables,
  isEmpty,
  listRelations,
  listSequences,
  type Relation,
  setSequence,
} from './relations-store.ts'

/** A database and how people call it: a folder, or a URL without its password. */
export type End = { readonly db: Db; readonly name: string }

export type MoveOptions = PatienceOptions & {
  readonly clock: Clock
  /** Called with the bytes of the source that were copied, of all of them. */
  onProgress?(done: number, total: number): void
  /** Called when everything is there and is compared. */
  onCheck?(): void
  /** About how much is read and written at once; twice as much is in memory. */
  readonly pageBytes?: number
}

const usualPageBytes = 8 * 1_048_576

export type Moved = CheckedCopy & {
  /** Whether an earlier move was continued. */
  readonly isContinued: boolean
}

/**
 * Moves everything from one database to another one: every row of every table, with its ids and times. No process may use the source, and
 * none can start on it afterwards, nor on the target before all of it is there. A move that was interrupted goes on where it stopped. Then
 * all rows are counted in both, and a random part of them is compared. While a database is away after the beginning, the move waits for it
 * (`patience.ts`). Throws 409 when the source is in use or lacks a migration, when the
 * target has something in it, and when the two differ afterwards.
 */
export async function moveDatabase(source: End, target: End, options: MoveOptions): Promise<Moved> {
  const { clock } = options
  requireUndistributed(source)
  requireUndistributed(target)
  const missing = await listMissing(source.db)
  if (missing.length > 0)
    throw conflict(
      `${source.name} lacks ${missing.join(', ')}: npm run easel -- migrate, or a start, applies them; then move it`,
    )
  await requireUsable(target)
  const isContinued = await begin(source, target, clock)
  const patience = new Patience(options)
  const checked = await patience.run(() => copyEverything(source, target, options, () => patience.progressed()))
  // In this order, so that never both can start.
  await patience.run(() => source.db.transaction((tx) => updateMoveEnd(tx, new Date(clock.elapsed()))))
  await patience.run(() => target.db.transaction((tx) => deleteMove(tx)))
  return { ...checked, isContinued }
}

/** Throws 409 for a database with shards: rows are read and written by their place on the disk of one server. */
function requireUndistributed({ db, name }: End): void {
  if (db.placement === undefined) return
  throw conflict(
    `${name} is distributed over several servers: bring its tables back by undistribute_table of Citus first`,
  )
}

/** Copies what the target does not have yet, and compares both. Can be repeated. `onAnswer` is called while both databases answer. */
async function copyEverything(
  source: End,
  target: End,
  { onProgress = () => {}, onCheck = () => {}, stopping, pageBytes = usualPageBytes }: MoveOptions,
  onAnswer: () => void,
): Promise<CheckedCopy> {
  const relations = await listRelations(source.db)
  const total = relations.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const parts = new Map((await listParts(target.db)).map((part) => [part.relation, part]))
  const counts = new Map<string, number>()
  for (const relation of relations) {
    const onBytes = (bytes: number) => {
      onAnswer()
      onProgress(done + bytes, total)
    }
    const job = { from: source.db, to: target.db, part: parts.get(relation.name), onBytes, stopping, pageBytes }
    const rows = await copyRelation(relation, job)
    done += relation.bytes
    counts.set(relation.table, (counts.get(relation.table) ?? 0) + rows)
  }
  const sequences = await listSequences(source.db)
  await target.db.transaction(async (tx) => {
    for (const sequence of sequences) await setSequence(tx, sequence)
  })
  onCheck()
  const checked = await checkCopy(source.db, target.db, tablesOf(relations), counts)
  await target.db.execute('analyze')
  return checked
}

/** Lets the source of a move start again. What was copied stays as it is, and cannot start unless all of it is there. */
export async function undoMove({ db, name }: End): Promise<Move> {
  return db.transaction(async (tx) => {
    const move = await getMove(tx)
    if (move?.role !== 'source') throw conflict(`${name} was not moved: there is nothing to undo`)
    await deleteMove(tx)
    return move
  })
}

/** Returns each table once. */
function tablesOf(relations: readonly Relation[]): readonly Relation[] {
  return [...new Map(relations.map((relation) => [relation.table, relation])).values()]
}

/** Marks both databases. Returns whether the target has a part already. When it cannot be filled, the source can start as before. */
async function begin(source: End, target: End, clock: Clock): Promise<boolean> {
  const { move, isNew } = await markSource(source, target, clock)
  try {
    await requireUnused(source)
    return await openTarget(source, target, move, clock)
  } catch (error) {
    if (isNew) await source.db.transaction((tx) => deleteMove(tx))
    throw error
  }
}

/** From now on nothing can start on the source. */
async function markSource({ db, name }: End, target: End, clock: Clock): Promise<{ move: Move; isNew: boolean }> {
  return db.transaction(async (tx) => {
    const found = await getMove(tx)
    if (found === undefined) {
      const begun_at = new Date(clock.elapsed())
      const move = { move_id: newUuid(), role: 'source', other: target.name, begun_at, ended_at: null } as const
      await insertMove(tx, move)
      return { move, isNew: true }
    }
    if (found.role === 'target')
      throw conflict(`a move from ${found.other} to ${name} is not complete: complete it first`)
    if (found.other === target.name) return { move: found, isNew: false }
    const state = found.ended_at === null ? 'is being moved' : 'was moved'
    throw conflict(
      `${name} ${state} to ${found.other}: go on with that one, or give it up by npm run easel -- move --undo`,
    )
  })
}

/** A process that has connected before the mark was there has not seen it, and is found here. One that connects later sees it. */
async function requireUnused({ db, name }: End): Promise<void> {
  if (!backendOf(db).isShared) return
  const others = await countOtherSessions(db, applicationName)
  if (others > 0)
    throw conflict(`a server uses ${name}: stop all its processes first (they have ${others} connections)`)
}

/** Throws when a target has something in it that is not of a move. */
async function requireUsable({ db, name }: End): Promise<void> {
  if (await isEmpty(db)) return
  if ((await hasTable(db, 'installation')) && (await listMissing(db)).length === 0) {
    const isNew = (await countRows(db, 'installation')) === 0
    if (isNew || (await getMove(db))?.role === 'target') return
  }
  throw conflict(`${name} has something in it: name an empty database or directory`)
}

/** Makes the tables of the target, or finds those of an interrupted move. Returns whether it is such a one. */
async function openTarget(source: End, target: End, move: Move, clock: Clock): Promise<boolean> {
  const isNew = await isEmpty(target.db)
  const found = isNew ? undefined : await getMove(target.db)
  if (found?.move_id === move.move_id) return true
  if (move.ended_at !== null)
    throw conflict(`${source.name} was moved to ${target.name} already, and that one is not as it was`)
  if (isNew) await migrate(target.db, clock)
  const tables = tablesOf(await listRelations(source.db)).map(({ table }) => table)
  await target.db.transaction(async (tx) => {
    await deleteMove(tx)
    await emptyTables(tx, tables)
    await insertMove(tx, { ...move, role: 'target', other: source.name })
  })
  return false
}
