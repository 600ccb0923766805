import { answerQueries, type RenderingSources } from './answer-queries.ts'
import {
  type Beat,
  charactersOf,
  type FromProcess,
  givenUpMessage,
  type NumberedQuery,
  type PersonOutcome,
  type QueryAnswer,
  type RenderJob,
} from './process-protocol.ts'
import { mayRender, type RenderLane, RenderQueue, type RenderShares } from './render-queue.ts'
import type { Rendered } from './rendered.ts'
import { checkEveryMs, type ProcessDeath, RenderingProcess } from './rendering-process.ts'

/** One call of `renderMany`. */
export type RenderCall = {
  readonly workspace_id: number
  /** Texts that ask other servers fail. */
  readonly asksNobody: boolean
  readonly names: readonly string[]
  /** Answers a question of finishing. */
  answer(question: unknown): Promise<unknown>
  /** Undefined for people for whose texts there is no room. */
  readonly rendered: (Rendered | undefined)[]
  left: number
  slowLeft: number
  charactersLeft: number
  isOver: boolean
  readonly result: PromiseWithResolvers<(Rendered | undefined)[]>
}

/** A page of a call. `positions` are those of its people in the call; `open` are the indexes of people without a result. */
export type RenderPage = {
  readonly lane: RenderLane
  readonly call: RenderCall
  readonly job: Omit<RenderJob, 'slowLeft' | 'charactersLeft' | 'mayAsk' | 'isAlone'>
  readonly positions: readonly number[]
  readonly open: Set<number>
  /** A process died while it rendered this page and others. It is rendered in a process of its own. */
  readonly isAlone: boolean
}

let lastJob = 0

export function renderPage(
  page: Pick<RenderPage, 'lane' | 'call' | 'positions'> & Partial<RenderPage>,
  job: Omit<RenderPage['job'], 'id'>,
): RenderPage {
  return { isAlone: false, ...page, job: { ...job, id: ++lastJob }, open: new Set(page.positions.keys()) }
}

export type PoolOptions = {
  readonly sources: RenderingSources
  readonly serviceName: string
  readonly unresponsiveMs: number
  readonly shares: RenderShares
  readonly processesMax: number
  /** Whether its processes render several pages at the same time, because their texts ask other servers. */
  readonly mayAsk: boolean
  /** Takes a page whose texts ask other servers, when this pool does not. */
  onAsks(page: RenderPage): void
}

/** Processes that render pages. Each renders one page at a time, or several pages if their texts wait for other servers. */
export class RenderingPool {
  readonly #options: PoolOptions
  readonly #processes = new Set<RenderingProcess>()
  readonly #running = new Map<number, { readonly page: RenderPage; readonly process: RenderingProcess }>()
  readonly #queue = new RenderQueue<RenderPage>()
  #checks: NodeJS.Timeout | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  waitingOf(lane: RenderLane): number {
    return this.#queue.sizeOf(lane)
  }

  add(...pages: readonly RenderPage[]): void {
    this.#queue.add(...pages)
    this.#startWaiting()
  }

  /** Ends the processes. Returns the pages that have no result. */
  async close(): Promise<RenderPage[]> {
    clearInterval(this.#checks)
    const pages = [...this.#queue.remove(() => true), ...[...this.#running.values()].map(({ page }) => page)]
    this.#running.clear()
    await Promise.all([...this.#processes].map((process) => process.end()))
    return pages
  }

  #startWaiting(): void {
    for (;;) {
      const page = this.#queue.take((one) => this.#mayRun(one))
      if (!page) break
      const process = this.#processFor(page)
      const { slowLeft, charactersLeft } = page.call
      this.#running.set(page.job.id, { page, process })
      const { isAlone } = page
      process.start({ ...page.job, slowLeft, charactersLeft, mayAsk: this.#options.mayAsk, isAlone })
    }
    if (this.#running.size > 0) {
      this.#checks ??= setInterval(() => {
        for (const process of this.#processes) if (this.#pagesOf(process).length > 0) process.check()
      }, checkEveryMs)
    } else {
      clearInterval(this.#checks)
      this.#checks = undefined
    }
  }

  #mayRun(page: RenderPage): boolean {
    const running = [...this.#running.values()].map((one) => one.page)
    // One page at a time has a process of its own.
    if (page.isAlone) return !running.some(({ isAlone }) => isAlone)
    const beside = running.filter(({ isAlone }) => !isAlone).map(({ lane }) => lane)
    return mayRender(page.lane, beside, this.#options.shares)
  }

  #processFor(page: RenderPage): RenderingProcess {
    const loads = [...this.#processes].map((process) => ({ process, pages: this.#pagesOf(process) }))
    const free = loads.find(({ pages }) => pages.length === 0)
    const shared = loads
      .filter(({ pages }) => !pages.some(({ isAlone }) => isAlone))
      .sort((a, b) => a.pages.length - b.pages.length)
    const sameWorkspace = shared.find(({ pages }) =>
      pages.some(({ lane }) => lane.workspace_id === page.lane.workspace_id),
    )
    if (this.#options.mayAsk && !page.isAlone && sameWorkspace) return sameWorkspace.process
    if (free) return free.process
    const isFull = shared.length >= this.#options.processesMax
    return this.#options.mayAsk && !page.isAlone && isFull ? shared[0]!.process : this.#open()
  }

  #open(): RenderingProcess {
    const { serviceName, unresponsiveMs } = this.#options
    const process = new RenderingProcess(serviceName, unresponsiveMs, {
      onMessage: (message) => this.#onMessage(process, message),
      onDeath: (reason) => this.#onDeath(process, reason),
    })
    this.#processes.add(process)
    return process
  }

  #pagesOf(process: RenderingProcess): RenderPage[] {
    return [...this.#running.values()].filter((one) => one.process === process).map(({ page }) => page)
  }

  #onMessage(process: RenderingProcess, message: Exclude<FromProcess, { beat: unknown }>): void {
    if ('queries' in message) {
      for (const [job, queries] of Map.groupBy(message.queries, (one) => one.job)) this.#answer(process, job, queries)
      return
    }
    const page = this.#running.get(message.job)?.page
    if (!page) return
    if ('defect' in message) {
      this.#reject(page.call, new Error(message.defect))
      this.#end(page, process)
      return
    }
    for (const [person, outcome] of message.outcomes) this.#finish(page, person, outcome)
    if (!message.end) return
    if (page.open.size > 0 && !page.call.isOver) {
      if (message.end === 'asks') this.#options.onAsks(page)
      else if (message.end === 'full') this.#leave(page.call)
      else this.#queue.add(this.#rest(page))
    }
    this.#end(page, process)
  }

  #end({ job }: RenderPage, process: RenderingProcess): void {
    this.#running.delete(job.id)
    if (this.#pagesOf(process).length === 0) process.release()
    this.#startWaiting()
  }

  #answer(process: RenderingProcess, job: number, queries: readonly NumberedQuery[]): void {
    const page = this.#running.get(job)?.page
    const refuse = () => process.answer(queries.map(({ id }) => ({ id, error: 'not answered' })))
    if (!page || page.call.isOver) {
      refuse()
      return
    }
    const { sources } = this.#options
    const send = (answers: readonly QueryAnswer[]) => {
      if (this.#running.get(job)?.page === page) process.answer(answers)
    }
    for (const answer of answerQueries(queries, page.call, sources, send))
      answer.then(undefined, (error) => {
        this.#reject(page.call, error)
        refuse()
      })
  }

  /** Makes a page of the people who have no result. */
  #rest({ job, positions, open, isAlone, ...page }: RenderPage, more?: Partial<RenderPage>): RenderPage {
    const left = [...open]
    const people = left.map((person) => job.people[person]!)
    return renderPage(
      { ...page, isAlone, ...more, positions: left.map((person) => positions[person]!) },
      { ...job, people },
    )
  }

  #finish({ call, positions, open }: RenderPage, person: number, outcome: PersonOutcome): void {
    if (!open.delete(person) || call.isOver) return
    call.rendered[positions[person]!] = toRendered(outcome, call.names)
    if ('texts' in outcome) call.charactersLeft -= charactersOf(outcome)
    if ('failed' in outcome && outcome.slow) call.slowLeft--
    call.left--
    if (call.left > 0) return
    call.isOver = true
    call.result.resolve(call.rendered)
  }

  /** Ends a call for which there is no more room. */
  #leave(call: RenderCall): void {
    call.isOver = true
    this.#queue.remove((page) => page.call === call)
    call.result.resolve(call.rendered)
  }

  #reject(call: RenderCall, error: unknown): void {
    call.isOver = true
    call.result.reject(error)
    this.#queue.remove((page) => page.call === call)
  }

  /**
   * Handles the death of a process, because of the person that it rendered, or because of a fault. Other processes render the other people
   * of its pages. When it is not certain who it was, each page is rendered in a process of its own, one person after another. Then requests
   * to other servers are repeated.
   */
  #onDeath(process: RenderingProcess, reason: ProcessDeath): void {
    const pages = this.#pagesOf(process)
    this.#processes.delete(process)
    for (const { job } of pages) this.#running.delete(job.id)
    for (const page of pages) {
      if ('fault' in reason) this.#reject(page.call, reason.fault)
      else if (page.open.size > 0 && !page.call.isOver) this.#recover(page, reason.failed, reason.beat, pages.length)
    }
    this.#startWaiting()
  }

  #recover(page: RenderPage, failed: string, beat: Beat | undefined, pages: number): void {
    const { job, open, call } = page
    const isCertain = beat?.isCertain || page.isAlone || (pages === 1 && beat === undefined)
    if (!isCertain) {
      this.#queue.addFirst(this.#rest(page, { isAlone: true }))
      return
    }
    if (beat === undefined || beat.job === job.id) {
      const culprit = beat && open.has(beat.person) ? beat.person : Math.min(...open)
      const text = job.texts.length === 1 ? { text: job.texts[0]![0] } : {}
      this.#finish(page, culprit, { failed: { outcome: 'failed', message: failed, ...text }, slow: true })
    }
    if (open.size > 0 && call.slowLeft > 0) this.#queue.addFirst(this.#rest(page))
    else
      for (const person of open)
        this.#finish(page, person, { failed: { outcome: 'failed', message: givenUpMessage }, slow: false })
  }
}

function toRendered(outcome: PersonOutcome, names: readonly string[]): Rendered {
  if ('aborted' in outcome) return { outcome: 'aborted', reason: outcome.aborted }
  if ('failed' in outcome) return outcome.failed
  const { texts, finished } = outcome
  return {
    outcome: 'rendered',
    texts: Object.fromEntries(names.map((name, i) => [name, texts[i]!])),
    ...(finished && { finished: finished.value }),
  }
}
