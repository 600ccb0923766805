import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../base/db/db.ts'
import type { Sql } from '../../base/db/sql.ts'
import { callbackLeaseMs } from '../../base/fetch/post-callback.ts'
import { openLoop, type Polls } from '../../base/work/loop.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { chooseSends, workspaceSendsMax, workspacesWithRoom } from './choose-sends.ts'
import { type PostStatusServices, postStatus } from './post-status.ts'
import { endOf, type SendEnd, type SendState } from './send-end.ts'
import {
  claimSends,
  type DueSend,
  dueSendProbe,
  listDueSends,
  readSendStates,
  type SendInTurn,
  updateSend,
} from './status-store.ts'

export type StatusServices = PostStatusServices & {
  readonly db: Db
  readonly workspaces: Pick<Workspaces, 'all' | 'get'>
  readonly poller?: Polls
  /** False when another process tells. */
  readonly works: boolean
}

/** The loop that tells statuses of sends. */
export type Statuses = { failing(): string[]; close(): Promise<void> }

const everyMs = 1_000
/** A turn waits so long for the receivers that it has called. Slower ones go on beside the next turns. */
const turnMs = 100
/** The most due sends of which a turn chooses. */
const windowMax = 256

/** Opens the loop that tells what became of transactional sends to `settings.transactional_status_url`, each status at least once. */
export function openStatuses(services: StatusServices): Statuses {
  if (!services.works) return { failing: () => [], close: async () => undefined }
  const stop = new AbortController()
  const teller = new Teller(services, stop.signal, () => loop.wake())
  const { log, poller } = services
  const probe = (aheadMs: number) => teller.probe(aheadMs)
  const loop = openLoop({ name: 'statuses.tell', everyMs, poller, probe, turn: () => teller.turn() }, log)
  return {
    failing: () => (loop.failing() ? [loop.name] : []),
    async close() {
      stop.abort()
      await loop.close()
      await teller.idle()
    },
  }
}

class Teller {
  readonly #services: StatusServices
  readonly #stopping: AbortSignal
  readonly #wake: () => void
  /** Sends that are being told, in all turns. */
  readonly #telling = new Set<Promise<void>>()
  readonly #open = new Map<number, number>()
  /** The workspaces that have had their turn in this round. A round has several turns when more sends are due than a turn looks at. */
  readonly #served = new Set<number>()
  #failure: { readonly error: unknown } | undefined

  constructor(services: StatusServices, stopping: AbortSignal, wake: () => void) {
    this.#services = services
    this.#stopping = stopping
    this.#wake = wake
  }

  /** Has a row when a send is due in a workspace that wants statuses. */
  probe(aheadMs: number): Sql {
    const { clock, workspaces } = this.#services
    const wanted = workspaces.all().filter(({ settings }) => settings.transactional_status_url !== undefined)
    return dueSendProbe(
      wanted.map(({ workspace_id }) => workspace_id),
      clock.elapsed() + aheadMs,
    )
  }

  /** Starts to tell about sends that are due. Returns whether there may be more. */
  async turn(): Promise<boolean> {
    this.#throwFailure()
    const { db, clock, workspaces } = this.#services
    if (workspaces.all().every(({ settings }) => settings.transactional_status_url === undefined)) return false
    const nowMs = clock.elapsed()
    const chosen = chooseSends(await this.#listDue(nowMs), this.#open)
    if (chosen.length === 0) return false
    const ids = chosen.map(({ dispatch_id }) => dispatch_id)
    const claimed = await claimSends(db, ids, nowMs, nowMs + callbackLeaseMs)
    const states = await readSendStates(
      db,
      claimed.map(({ dispatch_id }) => dispatch_id),
    )
    const told = claimed.map((send) => this.#start(send, states.get(send.dispatch_id)!))
    await Promise.race([Promise.all(told), pause(turnMs, undefined, { ref: false })])
    return claimed.length > 0 && !this.#stopping.aborted
  }

  /** Waits for the sends that are being told. */
  async idle(): Promise<void> {
    await Promise.all(this.#telling)
  }

  /** Lists sends of workspaces that have room, first those of workspaces that were not served in this round. */
  async #listDue(nowMs: number): Promise<SendInTurn[]> {
    const { db, workspaces } = this.#services
    const ids = workspaces.all().map(({ workspace_id }) => workspace_id)
    const withRoom = workspacesWithRoom(ids, this.#open)
    const list = (of: readonly number[]) =>
      of.length === 0 ? [] : listDueSends(db, of, workspaceSendsMax, windowMax, nowMs)
    let due = await list(withRoom.filter((id) => !this.#served.has(id)))
    if (due.length === 0 && this.#served.size > 0) {
      this.#served.clear()
      due = await list(withRoom)
    }
    if (due.length < windowMax) this.#served.clear()
    else for (const { workspace_id } of due) this.#served.add(workspace_id)
    return due
  }

  #start(send: DueSend, state: SendState): Promise<void> {
    const { workspace_id } = send
    this.#open.set(workspace_id, (this.#open.get(workspace_id) ?? 0) + 1)
    const telling = this.#tell(send, state)
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        const left = this.#open.get(workspace_id)! - 1
        if (left > 0) this.#open.set(workspace_id, left)
        else this.#open.delete(workspace_id)
        this.#telling.delete(telling)
        this.#wake()
      })
    this.#telling.add(telling)
    return telling
  }

  async #tell(send: DueSend, state: SendState): Promise<void> {
    const { db, clock } = this.#services
    const end = storedEnd(send) ?? endOf(state, new Date(clock.now()))
    const facts = { end, delivered_us: state.delivered_us, bounced_us: state.bounced_us }
    const progress = await postStatus(send, facts, this.#services, this.#stopping)
    await updateSend(db, send, progress, clock.elapsed())
  }

  /** A failure while a send was told fails the next turn, so that the loop reports it and waits. */
  #throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
  }
}

function storedEnd({ reason, ended_at }: DueSend): SendEnd | undefined {
  return reason === null || ended_at === null ? undefined : { reason, at: ended_at }
}
