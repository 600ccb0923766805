import pg from 'pg'
import { unavailable } from '../errors.ts'
import { CopyIn, CopyOut } from './copy.ts'
import { type CopyTx, OutcomeUnknown, type TransactionOptions } from './db.ts'
import { Deadline } from './deadline.ts'
import { registrationOf } from './registration.ts'
import type { Sql, TextRow } from './sql.ts'

/** Leaves every value as the server wrote it. */
const plainTexts = { getTypeParser: () => (text: string) => text }

export type SessionOptions = {
  /** Milliseconds that a statement may take. */
  deadlineMs: number
  /** How much longer to wait for a server that cancels slow statements itself, before the session is dropped. */
  headStartMs: number
  /** Ends the connection or the engine behind the client, so that every statement in flight fails. */
  abandon: () => void
}

/**
 * One session of either database, over pg's Client. A session that is lost (closed socket, expired deadline, fatal error) stays
 * lost: its driver drops it and opens another.
 */
export class Session implements CopyTx {
  readonly client: pg.Client
  readonly #options: SessionOptions
  readonly #deadline: Deadline
  #lossReason: unknown

  constructor(client: pg.Client, options: SessionOptions) {
    this.client = client
    this.#options = options
    this.#deadline = new Deadline(options.deadlineMs + options.headStartMs, () => {
      this.lose(new Error('a statement took longer than its deadline'))
      options.abandon()
    })
    client.on('error', (error) => this.lose(error))
    client.on('end', () => this.lose(new Error('the connection was closed')))
  }

  get lost(): boolean {
    return this.#lossReason !== undefined
  }

  /** Marks the session as lost. The first reason is kept. */
  lose(reason: unknown): void {
    this.#lossReason ??= reason
    this.#deadline.stop()
  }

  async query<Row>(statement: Sql): Promise<Row[]> {
    if (statement.asTexts) return (await this.#queryTexts(statement)) as Row[]
    const result = await this.send(statement.text, statement.values, statement.name)
    return result.rows as Row[]
  }

  async #queryTexts({ text, values, name }: Sql): Promise<TextRow[]> {
    const { fields, rows } = await this.send(text, values, name, { rowMode: 'array', types: plainTexts })
    const names = fields.map((field) => field.name)
    const types = fields.map((field) => String(field.dataTypeID))
    return [names, types, ...(rows as unknown as TextRow[])]
  }

  /** Sends one statement, or several without values. Statements that are sent without waiting are answered in order. */
  send(text: string, values?: readonly unknown[], name?: string, options: object = {}): Promise<pg.QueryResult> {
    return this.#sent(text, (done) =>
      this.client.query({ ...options, text, values: values as unknown[], name } as pg.QueryConfig, done),
    )
  }

  async copyOut(text: string): Promise<Buffer> {
    const copy = new CopyOut(text)
    await this.#sent(text, (done) => this.client.query(copy as never, done))
    return copy.data()
  }

  async copyIn(text: string, data: Buffer): Promise<number> {
    const copy = new CopyIn(text, data)
    const { rowCount } = await this.#sent(text, (done) => this.client.query(copy as never, done))
    return rowCount ?? 0
  }

  #sent(text: string, send: (done: (error: Error, result: pg.QueryResult) => void) => void): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.#away())
      this.#deadline.sent()
      send((error, result) => {
        this.#deadline.answered()
        if (error) reject(this.#translated(error, text))
        else resolve(result)
      })
    })
  }

  /**
   * Sends BEGIN, the settings, the registration and the first statement, if given, in one round trip. Returns the rows of that statement.
   * With `apart`, each command is a text of its own: Citus sends the settings to its shards only then.
   */
  async begin(
    { settings = [], deadlineMs, registersAs = 'nothing' }: TransactionOptions,
    first?: string,
    apart = false,
  ): Promise<unknown[]> {
    const own = deadlineMs === undefined ? settings : [...settings, `statement_timeout = ${deadlineMs}`]
    this.#allow(deadlineMs)
    const commands = ['begin', ...own.map((setting) => `set local ${setting}`)]
    if (registersAs !== 'nothing') commands.push(registrationOf(registersAs))
    if (first !== undefined) commands.push(first)
    if (apart) {
      const answers = await Promise.all(commands.map((command) => this.send(command)))
      return first === undefined ? [] : answers.at(-1)!.rows
    }
    const results: unknown = await this.send(commands.join('; '))
    return Array.isArray(results) ? (results as pg.QueryResult[]).at(-1)!.rows : []
  }

  /** Commits, or throws `OutcomeUnknown` when the answer never came. */
  async commit(): Promise<void> {
    if (this.lost) throw this.#away()
    const { command } = await this.send('commit').catch((error: Error) => {
      throw this.lost || isUncertain(error) ? new OutcomeUnknown(error) : error
    })
    this.#allow()
    // After a failed statement the server answers COMMIT with ROLLBACK instead of an error.
    if (command !== 'COMMIT')
      throw new Error(
        'nothing was committed, because a statement of the transaction had failed and its error was ignored',
      )
  }

  /** Rolls back. Never throws: a session that cannot roll back is lost, and then the server rolls back by itself. */
  async rollback(): Promise<void> {
    if (this.lost) return
    await this.send('rollback').catch((error: unknown) => this.lose(error))
    this.#allow()
  }

  /** Runs several commands outside a transaction, with a deadline of their own. */
  async maintain(text: string, deadlineMs: number): Promise<void> {
    this.#allow(deadlineMs)
    await this.send(`set statement_timeout = ${deadlineMs}`)
    try {
      await this.send(text)
    } finally {
      if (!this.lost) await this.send(`set statement_timeout = ${this.#options.deadlineMs}`)
      this.#allow()
    }
  }

  #allow(deadlineMs = this.#options.deadlineMs): void {
    this.#deadline.setMs(deadlineMs + this.#options.headStartMs)
  }

  #away(cause: unknown = this.#lossReason): Error {
    return unavailable('The database is not available', cause)
  }

  #translated(error: Error, text: string): Error {
    if (!(error instanceof pg.DatabaseError)) return this.lost ? this.#away() : error
    if (error.severity === 'FATAL' || error.severity === 'PANIC') this.lose(error)
    return this.lost || isUnavailableCode(error.code) ? this.#away(error) : Object.assign(error, { statement: text })
  }
}

/**
 * Whether a SQLSTATE means that the database is unavailable: classes 08 connection, 53 resources, 57P operator, and 57014, our
 * statement timeout.
 */
export function isUnavailableCode(code = ''): boolean {
  return /^(08|53|57P|57014)/.test(code)
}

/** Errors after which a COMMIT may have happened: 08 connection and XX internal, as a coordinator reports a lost node. */
function isUncertain(error: Error): boolean {
  const { code = '' } = (error.cause ?? error) as { code?: string }
  return /^(08|XX)/.test(code)
}
