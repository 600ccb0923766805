import assert from 'node:assert/strict'
import { becomesReady } from '../fault/load.ts'
import { type Answer, type Spawned, spawnService } from '../support/harness.ts'
import type { RequestOptions } from '../support/http-requests.ts'
import { wrongClock } from '../support/wrong-clock.ts'

type Environment = Readonly<Record<string, string>>

/** A process of a fleet: what it does, and how wrong the clock of its machine is. */
export type Position = { readonly role: 'all' | 'http' | 'worker'; readonly aheadMs: number }

type Member = Position & { process: Spawned; isReachable: boolean }

/** Processes of different roles on one database, behind what a load balancer does: it sends each request to one that answers requests. */
export class Fleet implements AsyncDisposable {
  readonly #env: Environment
  readonly #members: Member[] = []
  readonly #started: Spawned[] = []
  #sent = 0

  private constructor(env: Environment) {
    this.#env = env
  }

  /** Starts all processes at the same time. */
  static async start(positions: readonly Position[], env: Environment): Promise<Fleet> {
    const fleet = new Fleet(env)
    const starting = positions.map(async (position) => ({
      ...position,
      process: await fleet.#spawn(position),
      isReachable: true,
    }))
    const members = await Promise.allSettled(starting)
    for (const member of members) {
      if (member.status === 'fulfilled') fleet.#members.push(member.value)
      else await fleet[Symbol.asyncDispose]().then(() => Promise.reject(member.reason))
    }
    return fleet
  }

  get size(): number {
    return this.#members.length
  }

  /** The processes that answer requests now. */
  get answering(): readonly Spawned[] {
    return this.#members.flatMap(({ role, isReachable, process }) =>
      role === 'worker' || !isReachable ? [] : [process],
    )
  }

  /** Sends a request to one process after the other. Undefined when the process ended before it had answered. */
  async send(path: string, body: unknown, options?: RequestOptions): Promise<Answer | undefined> {
    const { answering } = this
    const process = answering[this.#sent++ % answering.length]
    assert.ok(process, 'a process answers requests')
    return process.post(path, body, options).catch(() => undefined)
  }

  /** Ends a process without warning, and starts another one in its place. */
  async kill(nth: number): Promise<void> {
    const member = this.#members[nth]!
    await member.process.kill('SIGKILL')
    member.isReachable = false
    member.process = await this.#spawn(member)
    member.isReachable = true
  }

  /** Replaces a process as an upgrade does: the new one is ready before the old one stops getting requests and gets its signal. */
  async replace(nth: number): Promise<void> {
    const member = this.#members[nth]!
    const old = member.process
    const next = await this.#spawn(member)
    await becomesReady(next)
    member.process = next
    await old.stop()
  }

  /** Returns the sum of a metric over all processes. */
  async sumOf(metric: string): Promise<number> {
    const texts = await Promise.all(
      this.#members.map(({ process }) => process.get('/metrics').then(({ text }) => text)),
    )
    return texts.reduce((sum, text) => sum + Number(new RegExp(`^${metric} (\\d+)$`, 'm').exec(text)?.[1] ?? 0), 0)
  }

  async #spawn({ role, aheadMs }: Position): Promise<Spawned> {
    const NODE_OPTIONS = `--import=${wrongClock(aheadMs, 0)}`
    const process = await spawnService({ env: { ...this.#env, EASEL_ROLE: role, NODE_OPTIONS } })
    this.#started.push(process)
    return process
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((process) => process[Symbol.asyncDispose]()))
  }
}
