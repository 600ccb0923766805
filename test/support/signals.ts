import { randomUUID } from 'node:crypto'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { insertFlows } from '../../src/messaging/flows/flow-store.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { updateWatched } from '../../src/messaging/flows/watched-names.ts'
import { actOnPage, type SignalPage } from '../../src/messaging/journeys/act-on-signals.ts'
import { EntryTriggers, type SignalServices } from '../../src/messaging/journeys/entry-triggers.ts'
import { Identities } from '../../src/people/identity/identities.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { applyFlush } from '../../src/people/intake/flush.ts'
import { FlushOutcome } from '../../src/people/intake/flush-outcome.ts'
import { prepare } from '../../src/people/intake/prepare-request.ts'
import { splitTrack } from '../../src/people/intake/split-track.ts'
import { Watched } from '../../src/people/signals/signals.ts'
import { moveServices } from './journeys.ts'

type Body = Readonly<Record<string, unknown>>
type WatchedName = readonly [kind: string, name: string, signals?: boolean]

export type Kept = { kind: string; name: string; properties: string | null; amount: number | null }
export type KeptChange = { name: string; value: unknown }

/** The part of a process that applies track items and processes signals, without a server. */
export class TestInstance {
  readonly db: Db
  readonly watched = new Watched()
  readonly clock = systemClock()
  #identities = new Identities()
  #triggers = new EntryTriggers()
  #graphs = new Graphs()
  newId = (bucket: number): string => nextProfileId(bucket, this.clock.elapsed())
  /** The log lines. */
  readonly logged: object[] = []
  /** The statements of the last flush. */
  statements: string[] = []

  constructor(db: Db) {
    this.db = db
  }

  /** Clears the caches, so that it behaves like another process. */
  restart(): void {
    this.#triggers = new EntryTriggers()
    this.#graphs = new Graphs()
  }

  /** Clears the cache of identifiers. */
  clearIdentities(): void {
    this.#identities = new Identities()
  }

  /** Creates the workspace. */
  async begin(): Promise<void> {
    await bootstrap(this.db, this.clock, { apiKey: undefined, adminToken: undefined })
  }

  async watch(...names: readonly WatchedName[]): Promise<void> {
    await this.db.query(sql`delete from watched`)
    for (const [kind, name, signals = true] of names) {
      await this.db.query(sql`
        insert into watched (workspace_id, kind, name, signals, since) values (1, ${kind}, ${name}, ${signals}, ${new Date(0)})`)
    }
    await this.db.query(sql`update version set number = number + 1 where name = 'watched'`)
  }

  /** Creates an active canvas. */
  async canvas(id: string, definition: Body): Promise<void> {
    const nowMs = this.clock.now()
    const head = { id, name: id, description: '', tags: [], state: 'active', class: 'marketing', version: 1 } as const
    await this.db.transaction(async (tx) => {
      await insertFlows(tx, 1, 'canvas', [{ ...head, definition, planned: false }], nowMs)
      await updateWatched(tx, 1, nowMs)
    })
  }

  async track(body: Body): Promise<void> {
    const { db, clock, watched } = this
    const split = splitTrack(body, {
      nowMs: clock.now(),
      suspicious: true,
      batchMax: 1_000,
      batchMaxPerArray: null,
      perPersonMax: null,
      reservedExternalIds: new Set(),
      reservedIdsPartial: false,
      appIds: new Set(),
      groups: new Map(),
      serviceName: 'service',
    })
    const identities = this.#identities
    const requests = [prepare(db, 1, split, identities)]
    this.statements = []
    const parts = {
      db: spying(db, this.statements),
      clock,
      identities,
      watched,
      hashAddress: addressHasher(Buffer.alloc(32)),
      newId: this.newId,
      parseServiceId: () => undefined,
      onWorkspaceVersion: () => {},
    }
    await applyFlush({ flush_id: randomUUID(), requests, outcome: new FlushOutcome() }, parts, {
      sent() {},
      written() {},
    })
  }

  /** Reads the signals in order. */
  signals(): Promise<Kept[]> {
    return this.db.query<Kept>(sql`select kind, name, properties, amount from signal order by at, signal_id`)
  }

  changes(): Promise<KeptChange[]> {
    return this.db.query<KeptChange>(sql`select name, value from attribute_change order by time, name`)
  }

  /** The services that move entries. */
  parts(): SignalServices {
    const { clock } = this
    return {
      ...moveServices(this.db, clock),
      log: { error: (fields: object) => void this.logged.push(fields) },
      graphs: this.#graphs,
      newId: this.newId,
    }
  }

  /** Processes pages of signals until none waits. `before` may throw at the end of a transaction. */
  async act(limit = 500, before: (tx: Tx, page: SignalPage) => Promise<void> = async () => {}): Promise<number> {
    const parts = this.parts()
    for (let pages = 0; ; pages++) {
      const page = await this.db.transaction(async (tx) => {
        const acted = await actOnPage(tx, { from: 0, limit, onRead() {} }, this.#triggers, parts)
        if (acted) await before(tx, acted)
        return acted
      })
      if (!page) return pages
    }
  }

  async count(table: 'signal' | 'attribute_change' | 'entry'): Promise<number> {
    const counted = {
      signal: sql`select count(*)::int as count from signal`,
      attribute_change: sql`select count(*)::int as count from attribute_change`,
      entry: sql`select count(*)::int as count from entry`,
    }
    const [row] = await this.db.query<{ count: number }>(counted[table])
    return row!.count
  }
}

function spying(db: Db, statements: string[]): Db {
  const spied = (tx: Tx): Tx => ({
    query<Row>(statement: Sql) {
      statements.push(statement.text.trim().split('\n')[0]!)
      return tx.query<Row>(statement)
    },
  })
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'transaction') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
      const transaction: Db['transaction'] = (work, options) => target.transaction((tx) => work(spied(tx)), options)
      return transaction
    },
  })
}
