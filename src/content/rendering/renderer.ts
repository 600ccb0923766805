import { availableParallelism } from 'node:os'
import { unavailable } from '../../base/errors.ts'
import type { TextLimit } from '../liquid/run.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import { answerQueries, type RenderingSources } from './answer-queries.ts'
import type { Rendered } from './rendered.ts'
import { checkEveryMs, RenderingThread, type ThreadDeath } from './rendering-thread.ts'
import {
  type FromThread,
  givenUpMessage,
  type PersonOutcome,
  type QueryAnswer,
  type RenderJob,
  type RenderText,
} from './thread-protocol.ts'

/** The most people of one job. */
const pagePeople = 100
/** The most people of one call who may take too long. After that, the other people are not tried. */
export const slowPeopleMax = 3
/** The most jobs that may wait for a thread. */
const jobsWaitingMax = 10_000
const threadsMax = 2
/** Far more than the limits of one text allow. These end a text much earlier. */
const defaultUnresponsiveMs = 5_000

export type RendererServices = {
  readonly sources: RenderingSources
  /** `EASEL_SERVICE_NAME`, the word in `${service_id}`. */
  readonly serviceName?: string
  /** Threads that render; one per spare core, two at most, when absent. */
  readonly threads?: number
  /** Milliseconds for which a thread may not respond before it is ended. */
  readonly unresponsiveMs?: number
}

export type RenderOptions = {
  readonly workspace_id: number
  readonly nowMs: number
  /** Limits of texts, by their names. A person with a longer text fails, before the rest of the text is rendered. */
  readonly limits?: Readonly<Record<string, TextLimit>>
}

export type Renderer = {
  /** Renders the texts of a message for one person. */
  render(
    texts: Readonly<Record<string, string>>,
    variables: TemplateVariables,
    options: RenderOptions,
  ): Promise<Rendered>
  /** Renders the same texts for many people, in their order. Rejects only when a source rejects, or when too many texts wait (503). */
  renderMany(
    texts: Readonly<Record<string, string>>,
    people: readonly TemplateVariables[],
    options: RenderOptions,
  ): Promise<Rendered[]>
  /** Rejects all calls in progress, and ends the threads. */
  close(): Promise<void>
}

/** One call of `renderMany`. */
type RenderCall = {
  readonly names: readonly string[]
  readonly rendered: Rendered[]
  left: number
  slowLeft: number
  readonly result: PromiseWithResolvers<Rendered[]>
}

/** A page of a call. `positions` are those of its people in the call; `open` are the indexes of people without a result. */
type RenderPage = {
  readonly call: RenderCall
  readonly job: RenderJob
  readonly positions: readonly number[]
  readonly open: Set<number>
}

/**
 * Renders in worker threads. A template cannot block the main thread, and a template that does not end is ended with its thread. Texts
 * without Liquid are returned unchanged.
 */
export function openRenderer(services: RendererServices): Renderer {
  const pool = new RenderingPool(services)
  const renderMany: Renderer['renderMany'] = async (texts, people, options) => {
    const entries = Object.entries(texts).map(([name, text]): RenderText => [name, text, options.limits?.[name]])
    if (!entries.some(([, text]) => text.includes('{{') || text.includes('{%')))
      return people.map(() => ({ outcome: 'rendered', texts: { ...texts } }))
    return people.length === 0 ? [] : pool.render(entries, people, options)
  }
  return {
    renderMany,
    async render(texts, variables, options) {
      const [rendered] = await renderMany(texts, [variables], options)
      return rendered!
    },
    close: () => pool.close(),
  }
}

class RenderingPool {
  readonly #sources: RenderingSources
  readonly #serviceName: string
  readonly #threadsMax: number
  readonly #unresponsiveMs: number
  readonly #threads = new Set<RenderingThread>()
  readonly #pages = new Map<RenderingThread, RenderPage>()
  readonly #waiting: RenderPage[] = []
  #lastJob = 0
  #checks: NodeJS.Timeout | undefined
  #closed = false

  constructor({ sources, serviceName = 'service', threads, unresponsiveMs = defaultUnresponsiveMs }: RendererServices) {
    this.#unresponsiveMs = unresponsiveMs
    this.#sources = sources
    this.#serviceName = serviceName
    this.#threadsMax = threads ?? Math.max(1, Math.min(threadsMax, availableParallelism() - 1))
  }

  render(
    texts: readonly RenderText[],
    people: readonly TemplateVariables[],
    { workspace_id, nowMs }: RenderOptions,
  ): Promise<Rendered[]> {
    const pages = Math.ceil(people.length / pagePeople)
    if (this.#closed || this.#waiting.length + pages > jobsWaitingMax)
      throw unavailable('Too many texts wait to be rendered')
    const call: RenderCall = {
      names: texts.map(([name]) => name),
      rendered: new Array(people.length),
      left: people.length,
      slowLeft: slowPeopleMax,
      result: Promise.withResolvers(),
    }
    for (let from = 0; from < people.length; from += pagePeople) {
      const some = people.slice(from, from + pagePeople)
      const positions = some.map((_, i) => from + i)
      this.#waiting.push(this.#page(call, { workspace_id, nowMs, texts, people: some }, positions))
    }
    this.#startWaiting()
    return call.result.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#checks)
    for (const page of [...this.#waiting.splice(0), ...this.#pages.values()])
      page.call.result.reject(unavailable('The service is leaving'))
    this.#pages.clear()
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #page(call: RenderCall, job: Omit<RenderJob, 'id' | 'slowLeft'>, positions: readonly number[]): RenderPage {
    const id = ++this.#lastJob
    return { call, job: { ...job, id, slowLeft: call.slowLeft }, positions, open: new Set(positions.keys()) }
  }

  /** Gives waiting pages to free threads. */
  #startWaiting(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (!thread) break
      const page = this.#waiting.shift()!
      this.#pages.set(thread, page)
      thread.start({ ...page.job, slowLeft: page.call.slowLeft })
    }
    if (this.#pages.size > 0) this.#checks ??= setInterval(() => this.#checkThreads(), checkEveryMs)
    else {
      clearInterval(this.#checks)
      this.#checks = undefined
    }
  }

  #freeThread(): RenderingThread | undefined {
    const free = [...this.#threads].find((thread) => !this.#pages.has(thread))
    if (free || this.#threads.size >= this.#threadsMax) return free
    const thread = new RenderingThread(this.#serviceName, this.#unresponsiveMs, {
      onMessage: (message) => this.#onMessage(thread, message),
      onDeath: (reason) => this.#onDeath(thread, reason),
    })
    this.#threads.add(thread)
    return thread
  }

  #checkThreads(): void {
    for (const thread of this.#pages.keys()) thread.check()
  }

  #onMessage(thread: RenderingThread, message: FromThread): void {
    const page = this.#pages.get(thread)
    if (!page) return
    if ('queries' in message) {
      const send = (answers: readonly QueryAnswer[]) => {
        if (this.#pages.get(thread) === page) thread.answer(answers)
      }
      for (const answer of answerQueries(message.queries, page.job.workspace_id, this.#sources, send))
        answer.then(undefined, (error) => this.#fail(thread, page, error))
      return
    }
    for (const [person, outcome] of message.outcomes) this.#finish(page, person, outcome)
    if (message.last) {
      this.#pages.delete(thread)
      thread.release()
      this.#startWaiting()
    }
  }

  #finish({ call, positions, open }: RenderPage, person: number, outcome: PersonOutcome): void {
    if (!open.delete(person)) return
    call.rendered[positions[person]!] = toRendered(outcome, call.names)
    if ('failed' in outcome && outcome.slow) call.slowLeft--
    call.left--
    if (call.left === 0) call.result.resolve(call.rendered)
  }

  /** Rejects a call after a failure of a source. Also ends its thread, which waits for a result that it will not get. */
  #fail(thread: RenderingThread, page: RenderPage, error: unknown): void {
    page.call.result.reject(error)
    for (let i = this.#waiting.length - 1; i >= 0; i--)
      if (this.#waiting[i]!.call === page.call) this.#waiting.splice(i, 1)
    if (this.#pages.get(thread) !== page) return
    this.#remove(thread)
    void thread.end()
    this.#startWaiting()
  }

  #remove(thread: RenderingThread): void {
    this.#threads.delete(thread)
    this.#pages.delete(thread)
  }

  /**
   * Handles the death of a thread, because of the person that it rendered, or because of a fault. Another thread renders the other people
   * of its page.
   */
  #onDeath(thread: RenderingThread, reason: ThreadDeath): void {
    const page = this.#pages.get(thread)
    this.#remove(thread)
    if (page && 'fault' in reason) page.call.result.reject(reason.fault)
    if (page && 'failed' in reason) {
      const { job, positions, open, call } = page
      const culprit = open.has(reason.person) ? reason.person : Math.min(...open)
      const text = job.texts.length === 1 ? { text: job.texts[0]![0] } : {}
      this.#finish(page, culprit, { failed: { outcome: 'failed', message: reason.failed, ...text }, slow: true })
      const left = [...open]
      if (call.slowLeft <= 0) {
        for (const person of left)
          this.#finish(page, person, { failed: { outcome: 'failed', message: givenUpMessage }, slow: false })
      } else if (left.length > 0) {
        const people = left.map((person) => job.people[person]!)
        const leftPositions = left.map((person) => positions[person]!)
        this.#waiting.unshift(this.#page(call, { ...job, people }, leftPositions))
      }
    }
    this.#startWaiting()
  }
}

function toRendered(outcome: PersonOutcome, names: readonly string[]): Rendered {
  if ('aborted' in outcome) return { outcome: 'aborted', reason: outcome.aborted }
  if ('failed' in outcome) return outcome.failed
  return { outcome: 'rendered', texts: Object.fromEntries(names.map((name, i) => [name, outcome.texts[i]!])) }
}
