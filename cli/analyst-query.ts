import { randomBytes } from 'node:crypto'
import { systemClock } from '../src/base/clock.ts'
import type { Db, Tx } from '../src/base/db/db.ts'
import { asTexts, quoteName, raw, type TextRow } from '../src/base/db/sql.ts'
import { readOnlySnapshot } from '../src/base/db/transaction-settings.ts'
import { Failure } from '../src/base/errors.ts'
import { grantsOf } from './analyst-role.ts'
import { type Column, namedColumns } from './row-values.ts'
import { getOwnRights, listAnalystViews } from './store.ts'

/** For a cursor on the views. Without statistics a planner expects few rows of a view, and would read another one again for each. */
export const readingViews = ['enable_nestloop = off', 'cursor_tuple_fraction = 1'] as const
/** Rows that one fetch reads. */
const fetchedRows = 1_000
const canceled = '57014'
/** Statements that a cursor does not run. They have few rows. */
const withoutCursor = /^\s*(?:explain|show)\b/i
/** Functions that run a text as a statement or change settings, such as the role, and names that are written in another way. */
const refusedWords = /\b(?:set_config|ts_stat|ts_rewrite|\w+_to_xml\w*)\b|\bu&"/i
/** What stands before the statement, which positions of errors do not count. */
const declaration = 'declare easel_rows no scroll cursor for '

export type Query = {
  readonly text: string
  readonly timeoutMs: number
  /** Rows that are read at most. */
  readonly limit: number
}

/** The rows of a statement. `more`: there are more than were to be read. */
export type QueryEnd = { readonly rows: number; readonly more: boolean }

/** Takes the columns first, then pages of rows. */
export type RowSink = {
  columns(columns: readonly Column[]): void | Promise<void>
  rows(rows: readonly TextRow[]): void | Promise<void>
}

/** Rolls the transaction back, in which only the role was written. */
class Finished extends Error {
  readonly end: QueryEnd

  constructor(end: QueryEnd) {
    super('the transaction is rolled back')
    this.end = end
  }
}

/**
 * Runs one statement that reads, in a read-only transaction and with the rights of an analyst: the views, and nothing else. The rights are
 * those of a role that the transaction creates and that is rolled back with it. Throws 400 for a statement that the database refuses.
 */
export async function queryAsAnalyst(db: Db, query: Query, sink: RowSink): Promise<QueryEnd> {
  const text = checkedText(query.text)
  const clock = systemClock()
  const endMs = clock.elapsed() + query.timeoutMs
  const settings = [readOnlySnapshot[0], ...readingViews, `timezone = 'UTC'`]
  try {
    await db.transaction(
      async (tx) => {
        await becomeAnalyst(tx)
        const end = withoutCursor.test(text)
          ? await readAtOnce(tx, text, query.limit, sink)
          : await readPages(tx, text, query.limit, sink, () => {
              if (clock.elapsed() > endMs) throw tooLong(query.timeoutMs)
            })
        throw new Finished(end)
      },
      { settings, deadlineMs: query.timeoutMs, registersAs: 'nothing' },
    )
  } catch (error) {
    if (error instanceof Finished) return error.end
    throw explained(error, query)
  }
  throw new Error('a query did not end')
}

/** Returns the statement without a semicolon at its end. */
function checkedText(given: string): string {
  const text = given.trim().replace(/;$/, '')
  if (text === '') throw new Failure('invalid', 'there is no statement')
  const [word] = refusedWords.exec(text) ?? []
  if (word === undefined) return text
  throw new Failure(
    'invalid',
    `the statement uses ${word}: functions that run other statements or change settings are refused`,
  )
}

/** Gives up every right but those of an analyst, for the rest of the transaction. */
async function becomeAnalyst(tx: Tx): Promise<void> {
  const rights = await getOwnRights(tx)
  const readOnly = 'set local transaction_read_only = on'
  if (!rights.reads_tables) {
    await tx.query(raw(readOnly))
    return
  }
  if (!rights.creates_roles)
    throw new Failure(
      'conflict',
      'the role of DATABASE_URL reads every table and may not create roles, so its rights cannot be narrowed: set DATABASE_URL to an ' +
        'analyst ("easel analysts create" makes one)',
    )
  const role = quoteName(`easel_query_${randomBytes(8).toString('hex')}`)
  const creation = [`create role ${role} nologin`, `grant ${role} to current_user`]
  const grants = grantsOf(role, await listAnalystViews(tx))
  await tx.query(raw([...creation, ...grants, `set local role ${role}`, readOnly].join('; ')))
}

async function readAtOnce(tx: Tx, text: string, limit: number, sink: RowSink): Promise<QueryEnd> {
  const [names, types, ...rows] = await tx.query<TextRow>(asTexts(text, statementName()))
  await sink.columns(namedColumns(names!, types!))
  await sink.rows(rows.slice(0, limit))
  return { rows: Math.min(rows.length, limit), more: rows.length > limit }
}

/** Reads page by page, and checks before each one that there is time left: a statement has its own deadline. */
async function readPages(tx: Tx, text: string, limit: number, sink: RowSink, checkTime: () => void): Promise<QueryEnd> {
  await tx.query(asTexts(`${declaration}${text}`, statementName()))
  for (let read = 0; ; ) {
    checkTime()
    const wanted = Math.min(fetchedRows, limit - read + 1)
    const [names, types, ...rows] = await tx.query<TextRow>(asTexts(`fetch ${wanted} from easel_rows`))
    if (read === 0) await sink.columns(namedColumns(names!, types!))
    const kept = rows.slice(0, limit - read)
    if (kept.length > 0) await sink.rows(kept)
    read += kept.length
    if (kept.length < rows.length) return { rows: read, more: true }
    if (rows.length < wanted) return { rows: read, more: false }
  }
}

/** A session keeps a statement under its name, and refuses another text for it. */
function statementName(): string {
  return `easel_sql_${randomBytes(8).toString('hex')}`
}

function tooLong(timeoutMs: number): Failure {
  return new Failure('invalid', `the statement took longer than ${timeoutMs / 1000} s: --timeout allows more`)
}

type DatabaseError = Error & { code?: string; position?: string; hint?: string; cause?: unknown }

/** Returns what the database refused as a message with the place in the statement. */
function explained(error: unknown, { text, timeoutMs }: Query): unknown {
  const { cause } = error as DatabaseError
  const isSlow = (cause as DatabaseError)?.code === canceled || /deadline/.test((cause as Error)?.message ?? '')
  if (error instanceof Failure) return error.kind === 'unavailable' && isSlow ? tooLong(timeoutMs) : error
  const { code, position, hint, message } = error as DatabaseError
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return error
  const place = position === undefined ? '' : placeIn(text, Number(position))
  return new Failure('invalid', `${message} (${code})${place}${hint === undefined ? '' : `\n${hint}`}`, {}, error)
}

/** Returns the line of the statement in which an error is, with a mark below it. */
function placeIn(text: string, position: number): string {
  const before = withoutCursor.test(text) ? 0 : declaration.length
  const leading = text.length - text.trimStart().length
  const at = Math.min(Math.max(position - 1 - before + leading, 0), text.length)
  const lines = text.slice(0, at).split('\n')
  const line = text.split('\n')[lines.length - 1]!
  const column = lines.at(-1)!.length
  const head = `line ${lines.length}: `
  return `\n${head}${line}\n${' '.repeat(head.length + column)}^`
}
