import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { ConnectionCut, type Reply } from '../../base/http/intercept.ts'
import type { Exchange } from '../../base/http/observe.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query, Request, Route } from '../../base/http/route.ts'
import type { JudgedMessage, JudgeMessage } from '../../messaging/channels/channel.ts'
import { smtpOutcome } from '../../messaging/mail/smtp-outcome.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { applyFault } from '../faults/apply-fault.ts'
import { Faults } from '../faults/faults.ts'
import { Recorder } from '../requests/recorder.ts'
import { drainMsMax } from '../state/schema.ts'
import { type Snapshot, Snapshots } from '../state/snapshots.ts'
import { InFlight, wasReset } from './in-flight.ts'

/** How an emulator replaces what runs over its database. */
export type EmulatorHost = {
  readonly db: Db
  hold(): () => void
  renew<T>(ending: 'finish' | 'drop', change: (db: Db) => Promise<T>): Promise<T>
  /** What runs now. */
  services(): { readonly workspaces: Workspaces; readonly clock: Clock }
}

/** The path of the endpoints of the emulator. Faults and resets do not concern them, and they are not recorded. */
export const emulatorFolder = '/emulator/'

/** Faults, snapshots and recorded requests of a service in memory, and its return to the beginning. */
export class Emulator {
  readonly faults = new Faults()
  readonly recorder = new Recorder()
  readonly snapshots: Snapshots
  readonly #host: EmulatorHost
  readonly #inFlight = new InFlight()
  /** The fault of each request that is being answered, by the id of the request. */
  readonly #faultOf = new Map<string, { readonly id: string; isCut: boolean }>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(host: EmulatorHost) {
    this.#host = host
    this.snapshots = new Snapshots(host.db)
  }

  /** Business time. */
  now(): string {
    return new Date(this.#host.services().clock.now()).toISOString()
  }

  /** Calls the verb of a request, unless a fault is for it. */
  intercept = (route: Route, call: Call, request: Request): Promise<Reply> => {
    if (route.path.startsWith(emulatorFolder)) return route.handle(call, request)
    const workspace = this.#workspaceOf(call.workspace_id, route, request.query)
    return this.#inFlight.run(workspace?.workspace_id ?? 0, async (signal) => {
      // It was authorized before a reset, and its body came after it.
      if (call.signal.aborted) throw wasReset()
      const matched = { workspace: workspace?.id ?? null, method: route.method, path: route.path, body: request.body }
      const fault = this.faults.takeForRequest({ ...matched, path: pathOf(route, request) })
      if (!fault) return route.handle(call, request)
      const met = { id: fault.id, isCut: false }
      this.#faultOf.set(request.request_id, met)
      const handle = (given: Request) => route.handle(call, given)
      return applyFault(fault, { route, request, clock: call.clock, signal, handle }).catch((error) => {
        met.isCut = error instanceof ConnectionCut
        throw error
      })
    })
  }

  /** Records an answer. */
  observe = (exchange: Exchange): void => {
    const { route, from, caller, query } = exchange
    if (route.path.startsWith(emulatorFolder)) return
    const fault = this.#faultOf.get(from.request_id)
    this.#faultOf.delete(from.request_id)
    const workspace = caller && this.#workspaceOf(caller.workspace_id, route, query)
    this.recorder.record(exchange, {
      workspace: workspace?.id ?? null,
      fault: fault?.id ?? null,
      isCut: fault?.isCut ?? false,
      clock: this.#host.services().clock,
    })
  }

  /** Decides whether a mail is refused, as a mail server would. Faults are about mails only. */
  judge: JudgeMessage = ({ channel, workspace_id, ...mail }: JudgedMessage) => {
    if (channel !== 'email') return undefined
    const workspace = this.#host
      .services()
      .workspaces.all()
      .find((one) => one.workspace_id === workspace_id)
    const fault = this.faults.takeForMail({ ...mail, workspace: workspace?.id ?? null })
    if (!fault) return undefined
    const { code = 550, enhanced, message = 'refused by an ordered fault' } = fault
    const response = [code, enhanced, message].filter((part) => part !== undefined).join(' ')
    return smtpOutcome({ message: response, responseCode: code, response, command: 'RCPT TO' }, 'envelope')
  }

  /** Returns everything to the beginning, or one workspace. Throws 404, and 409 when requests do not end. */
  reset(workspace?: string): Promise<void> {
    return this.#alone(async () => {
      if (workspace === undefined) {
        await this.#replaceAll(() => this.snapshots.restoreAll())
        this.faults.clear()
        this.recorder.clear()
        return
      }
      await this.#replaceWorkspace(workspace, (id) => this.snapshots.resetWorkspace(id))
      this.faults.clear(workspace)
      this.recorder.clear(workspace)
    })
  }

  /** Replaces everything, or a workspace, by what a snapshot has. Throws 404, and 409 when requests do not end. */
  restore(name: string, workspace?: string): Promise<void> {
    return this.#alone(async () => {
      const snapshot: Snapshot = this.snapshots.find(name, workspace)
      if (workspace === undefined) return this.#replaceAll(() => this.snapshots.restoreAll(snapshot))
      return this.#replaceWorkspace(workspace, (id) => this.snapshots.restoreWorkspace(snapshot, id))
    })
  }

  /** One change of the state after the other. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work)
    this.#last = done
    return done
  }

  async #replaceAll(change: () => Promise<void>): Promise<void> {
    const release = this.#host.hold()
    try {
      this.#inFlight.cut()
      this.#inFlight.forget()
      // Answers that were ready are sent first.
      await pause(0)
      await this.#host.renew('drop', change)
    } finally {
      release()
    }
  }

  async #replaceWorkspace(id: string, change: (workspace_id: number) => Promise<void>): Promise<void> {
    const workspace = this.#host.services().workspaces.find(id)
    if (!workspace) throw notFound(`There is no workspace ${JSON.stringify(id)}`)
    const { workspace_id } = workspace
    const release = this.#host.hold()
    try {
      this.#inFlight.cut(workspace_id)
      const left = await this.#inFlight.drained(drainMsMax)
      if (left > 0) throw conflict(`Nothing was changed: ${left} requests of other workspaces are still being answered`)
      await this.#host.renew('finish', () => change(workspace_id))
    } finally {
      release()
    }
  }

  /** The workspace of a request: that of its key, or for administrators the one that the query names. */
  #workspaceOf(workspace_id: number, route: object, query: Query) {
    const { workspaces } = this.#host.services()
    const isAdmin = 'permission' in route && route.permission === 'admin'
    const named = isAdmin ? readSingle({ workspace: query.workspace?.slice(0, 1) }, 'workspace') : undefined
    if (named !== undefined) return workspaces.find(named)
    return workspaces.all().find((one) => one.workspace_id === workspace_id)
  }
}

/** The path of a request: that of its route, with the parameters that were sent. */
function pathOf({ path }: Route, { params }: Request): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
}
