import { conflict, notFound } from '../../base/errors.ts'
import { type MatchedRequest, mismatchesOf } from '../requests/match-request.ts'
import { type FaultBody, type FaultEntry, faultsMax } from './schema.ts'

/** A mail that is about to be accepted. */
export type JudgedMail = {
  readonly workspace: string | null
  readonly address: string
  readonly message_id: string
  readonly lease: string
}

/** Decisions about mails that are remembered: a transaction that is repeated gets the same one. */
const decisionsMax = 1_000

/** Faults that wait for requests and mails, in their order. */
export class Faults {
  #all: (FaultBody & { id: string; left: number })[] = []
  #count = 0
  readonly #decisions = new Map<string, FaultEntry | undefined>()

  /** Adds a fault after those that wait. Throws 409. */
  add(fault: FaultBody): FaultEntry {
    if (this.#all.length >= faultsMax) throw conflict(`At most ${faultsMax} faults wait: delete some first`)
    const entry = { ...fault, id: `fault-${++this.#count}`, left: fault.times ?? 1 }
    this.#all.push(entry)
    return { ...entry }
  }

  list(workspace?: string): FaultEntry[] {
    return this.#all
      .filter((fault) => workspace === undefined || fault.workspace === workspace)
      .map((fault) => ({ ...fault }))
  }

  /** Removes faults: all, or those of one workspace. Returns how many. */
  clear(workspace?: string): number {
    const before = this.#all.length
    this.#all = workspace === undefined ? [] : this.#all.filter((fault) => fault.workspace !== workspace)
    return before - this.#all.length
  }

  /** Throws 404. */
  delete(id: string): void {
    const position = this.#all.findIndex((fault) => fault.id === id)
    if (position < 0) throw notFound(`There is no fault ${JSON.stringify(id)}, or it is used up`)
    this.#all.splice(position, 1)
  }

  /** Uses the first fault that a request meets. A fault without a path is for the public interface. */
  takeForRequest(request: MatchedRequest): FaultEntry | undefined {
    return this.#take((fault) => {
      if (fault.kind === 'refuse_mail') return false
      if (fault.path === undefined && request.path.startsWith('/admin/')) return false
      return (
        mismatchesOf(request, fault.kind === 'partial' ? { path: '/users/track', ...filterOf(fault) } : filterOf(fault))
          .length === 0
      )
    })
  }

  /** Uses the first fault that a mail meets. */
  takeForMail({ workspace, address, message_id, lease }: JudgedMail): FaultEntry | undefined {
    const key = `${message_id} ${lease}`
    if (this.#decisions.has(key)) return this.#decisions.get(key)
    const taken = this.#take(
      (fault) =>
        fault.kind === 'refuse_mail' &&
        (fault.workspace === undefined || fault.workspace === workspace) &&
        (fault.to === undefined || fault.to.toLowerCase() === address.toLowerCase()),
    )
    this.#decisions.set(key, taken)
    if (this.#decisions.size > decisionsMax) this.#decisions.delete(this.#decisions.keys().next().value!)
    return taken
  }

  #take(meets: (fault: FaultEntry) => boolean): FaultEntry | undefined {
    const fault = this.#all.find(meets)
    if (!fault) return undefined
    fault.left--
    if (fault.left === 0) this.#all = this.#all.filter((each) => each !== fault)
    return { ...fault }
  }
}

function filterOf({ workspace, method, path, body }: FaultBody) {
  return {
    ...(workspace !== undefined && { workspace }),
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(body !== undefined && { body }),
  }
}
